import { ApiError } from "../contract/errors.ts";
import { problemLine } from "../schema/problem-line.ts";
import { readAs } from "../schema/problems.ts";
import { shorten } from "../schema/shorten.ts";
import { unknownName } from "../schema/unknown-name.ts";
import type { ControlRoute } from "./route.ts";
import { controlRoutes } from "./routes.ts";
import { UsageError } from "../usage-error.ts";
import { CONTROL_PATH, maxBodyOf, type PlainRequest } from "../service/exchange.ts";
import { readJson, readQuery } from "../service/parse-input.ts";
import { Router } from "../service/router.ts";

const router = new Router(controlRoutes);

/** @throws ApiError NOT_FOUND, METHOD_NOT_ALLOWED */
export function findControlRoute({ method, path }: PlainRequest): ControlRoute {
  const place = path.slice(CONTROL_PATH.length);
  const endpoint = router.find(place);
  if (endpoint === undefined) {
    const known = [...new Set(controlRoutes.map((route) => route.path.slice(1)))];
    const expected = unknownName("control route", place.slice(1), known);
    throw new ApiError("NOT_FOUND", `path: ${expected}`);
  }
  const route = endpoint.find(method);
  if (route !== undefined) return route;
  const expected = endpoint.methods.join(", ");
  throw endpoint.refuse(`method: expected ${expected}, got ${shorten(method, 20)}`);
}

/** @throws UsageError, ApiError BAD_REQUEST for parameters that do not fit */
export function readParameters(
  { isOpen, query: schema }: ControlRoute,
  { query }: PlainRequest,
): unknown {
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
export function readControlBody(
  { body: schema, parsesOwnBody, path }: ControlRoute,
  request: PlainRequest,
): unknown {
  if (schema === undefined) return undefined;
  if (request.body === "too large") {
    const message = `body: expected at most ${maxBodyOf(request.path)} bytes`;
    throw new ApiError("BAD_REQUEST", message, { status: 413 });
  }
  if (isDeep(request.body)) {
    throw new ApiError("BAD_REQUEST", `body: expected at most ${MAX_DEPTH} levels of nesting`);
  }
  const body = readJson(request.body);
  return parsesOwnBody ? body : check(schema, body, path.slice(1));
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
