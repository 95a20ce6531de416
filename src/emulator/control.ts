import { ApiError } from "../contract/errors.ts";
import { problemLine } from "../contract/problem-line.ts";
import { readAs } from "../contract/problems.ts";
import { shorten } from "../contract/shorten.ts";
import { unknownName } from "../contract/unknown-name.ts";
import { NO_QUIRKS } from "../contract/quirks.ts";
import {
  controlRoutes,
  type ControlAnswer,
  type ControlRoute,
  type Documents,
} from "../control/routes.ts";
import { UsageError } from "../usage-error.ts";
import { authenticate, bearerTokenOf } from "./authenticate.ts";
import { CONTROL_PATH, maxBodyOf, type PlainReply, type PlainRequest } from "./exchange.ts";
import type { Log } from "./log.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { readJson, readQuery } from "./parse-input.ts";
import type { World } from "./world.ts";
import type { Worlds } from "./worlds.ts";

interface ControlSettings {
  readonly worlds: Worlds;
  readonly documents: Documents;
  readonly log: Log;
}

interface Match {
  readonly route: ControlRoute;
  /** The part of the path that the route leaves open. */
  readonly id: string;
}

const encoder = new TextEncoder();

/**
 * The routes under `/_latchkey`. They are none of the service's: no fault strikes them, no journal
 * holds them, and they draw no ids.
 */
export class Control {
  readonly #settings: ControlSettings;

  constructor(settings: ControlSettings) {
    this.#settings = settings;
  }

  /** Answers one request. Refusals, and bugs of ours, are replies too. */
  async handle(request: PlainRequest, foreign: string | undefined): Promise<PlainReply> {
    const start = performance.now();
    let reply: PlainReply;
    let lines: readonly string[] = [];
    try {
      reply = toReply(await this.#answer(request, foreign), this.#hint(request));
    } catch (error) {
      const refusal = this.#toRefusal(error);
      lines = refusal.lines;
      reply = toReply({ status: refusal.status, body: toEnvelope(lines) }, refusal.headers);
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || lines.length > 0) this.#logRequest(request, reply, lines, start);
    return request.method === "HEAD" ? { ...reply, body: new Uint8Array() } : reply;
  }

  async #answer(request: PlainRequest, foreign: string | undefined): Promise<ControlAnswer> {
    const { route, id } = findRoute(request);
    if (foreign !== undefined && !route.isOpen) throw new ApiError("DISABLED", foreign);
    const { documents, worlds } = this.#settings;
    const visit = worlds.visit(route.isOpen ? undefined : request.header("authorization"));
    const { world } = visit;
    try {
      if (!route.isOpen) {
        if (world.isChanging) await world.settled();
        this.#admit(world, request);
      }
      const call = { id, query: readParameters(route, request), body: readBody(route, request) };
      const answer = await route.run(world, call, documents);
      if (answer.status === 404) throw new ApiError("NOT_FOUND", `there is no ${id}`);
      return answer;
    } finally {
      visit.end();
    }
  }

  /** @throws ApiError where a token is needed, and for one that may not come */
  #admit(world: World, request: PlainRequest): void {
    const authorization = request.header("authorization");
    const token = bearerTokenOf(authorization);
    const isBroken = authorization !== undefined && token === undefined;
    if (isBroken || !this.#settings.worlds.maySteer(token)) {
      authenticate(world, authorization, NO_QUIRKS);
    }
  }

  /** Without a token, one steers what no client comes to see, where each token has its own. */
  #hint({ header }: PlainRequest): Readonly<Record<string, string>> {
    const { isIsolated, isRestricted } = this.#settings.worlds;
    if (!isIsolated || isRestricted || header("authorization") !== undefined) return {};
    return {
      "X-Latchkey-Hint":
        "without a token this is about the default workspace, which no request reaches; send the token of a client",
    };
  }

  #toRefusal(error: unknown): Refusal {
    if (error instanceof UsageError) return { status: 400, lines: error.problems, headers: {} };
    if (error instanceof ApiError) {
      return { status: error.status, lines: [error.message], headers: error.headers };
    }
    this.#settings.log({ kind: "bug", error, operation: undefined });
    return { status: 500, lines: ["an unexpected error happened in the emulator"], headers: {} };
  }

  #logRequest(
    { header, method, path }: PlainRequest,
    { status }: PlainReply,
    lines: readonly string[],
    start: number,
  ): void {
    const authorization = header("authorization");
    this.#settings.log({
      kind: "request",
      method: maskSecrets(method),
      path: maskSecrets(path, authorization),
      operation: undefined,
      status,
      requestId: "",
      duration: performance.now() - start,
      code: undefined,
      message: lines.length === 0 ? undefined : maskSecrets(lines.join("; "), authorization),
      hint: undefined,
      faults: [],
    });
  }
}

interface Refusal {
  readonly status: number;
  readonly lines: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws ApiError NOT_FOUND, METHOD_NOT_ALLOWED */
function findRoute({ method, path }: PlainRequest): Match {
  const place = path.slice(CONTROL_PATH.length);
  const matches = controlRoutes.flatMap((route): Match[] => {
    const [start = "", end] = route.path.split(/\{\w+\}/);
    if (end === undefined) return place === start ? [{ route, id: "" }] : [];
    const id = place.startsWith(start) ? place.slice(start.length) : "";
    return /^\w+$/.test(id) ? [{ route, id }] : [];
  });
  if (matches.length === 0) {
    const known = [...new Set(controlRoutes.map((route) => route.path.slice(1)))];
    const expected = unknownName("control route", place.slice(1), known);
    throw new ApiError("NOT_FOUND", `path: ${expected}`);
  }
  const wanted = method === "HEAD" ? "GET" : method;
  const match = matches.find(({ route }) => route.method === wanted);
  if (match !== undefined) return match;
  const methods = matches
    .flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method]))
    .join(", ");
  const message = `method: expected ${methods}, got ${shorten(method, 20)}`;
  throw new ApiError("METHOD_NOT_ALLOWED", message, { headers: { Allow: methods } });
}

/** @throws UsageError, ApiError BAD_REQUEST for parameters that do not fit */
function readParameters({ isOpen, query: schema }: ControlRoute, { query }: PlainRequest): unknown {
  // A probe may add what keeps its answer out of a cache.
  if (isOpen) return {};
  const parameters = readQuery(query, "query: ");
  const known = Object.keys(schema._zod.def.shape);
  const lines = Object.keys(parameters)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const expected =
        known.length === 0 ? "expected no parameters" : unknownName("parameter", name, known);
      return `query: ${shorten(name, SHOWN_CHARACTERS)}: ${expected}`;
    });
  if (lines.length > 0) throw new UsageError(lines);
  return check(schema, parameters, "query");
}

/** A client chooses the names of parameters. */
const SHOWN_CHARACTERS = 100;

/** @throws UsageError, ApiError BAD_REQUEST for a body that does not fit */
function readBody({ body: schema, isReadByRun, path }: ControlRoute, request: PlainRequest) {
  if (schema === undefined) return undefined;
  if (request.body === "too large") {
    const message = `body: expected at most ${maxBodyOf(request.path)} bytes`;
    throw new ApiError("BAD_REQUEST", message, { status: 413 });
  }
  if (isDeep(request.body)) {
    throw new ApiError("BAD_REQUEST", `body: expected at most ${MAX_DEPTH} levels of nesting`);
  }
  const body = readJson(request.body);
  return isReadByRun ? body : check(schema, body, path.slice(1));
}

/** Deeper than a fixture with the deepest `meta`. Reading what is deeper takes fifty times its size. */
const MAX_DEPTH = 200;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

function isDeep(json: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) index += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function check(
  schema: ControlRoute["query"] | NonNullable<ControlRoute["body"]>,
  raw: unknown,
  name: string,
): unknown {
  const { value, problems, unknown } = readAs(schema, raw);
  const wrong = [...problems, ...unknown];
  if (wrong.length === 0) return value;
  throw new UsageError(wrong.map((problem) => problemLine(name, problem)));
}

function toEnvelope(lines: readonly string[]) {
  return { error: { message: lines.join("; "), problems: lines } };
}

/** Without the headers that let a page of another origin read it. */
function toReply(
  { body, status = body === undefined ? 204 : 200 }: ControlAnswer,
  more: Readonly<Record<string, string>> = {},
): PlainReply {
  const headers = { "Cache-Control": "no-store", ...more };
  if (body === undefined) return { status, headers, body: new Uint8Array() };
  const bytes = body instanceof Uint8Array ? body : encoder.encode(JSON.stringify(body));
  const type = { "Content-Type": "application/json; charset=UTF-8" };
  return {
    status,
    headers: { ...type, "Content-Length": String(bytes.length), ...headers },
    body: bytes,
  };
}
