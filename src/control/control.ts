import { ApiError } from "../contract/errors.ts";
import type { CheckTokens } from "../world/check-tokens.ts";
import type { ControlAnswer, Description } from "./route.ts";
import { UsageError } from "../usage-error.ts";
import { NO_CREDENTIALS, readCredentials, type Credentials } from "../service/credentials.ts";
import { findControlRoute, readControlBody, readParameters } from "./control-request.ts";
import { EventReply, PlainReply, type PlainRequest } from "../service/exchange.ts";
import type { Log } from "../service/log.ts";
import { targetOf } from "../service/request-target.ts";
import { toLogEntry } from "../service/report.ts";
import type { ResetOptions } from "../world/reset-options.ts";
import type { Reach, ControlAccess } from "./control-access.ts";
import type { WorldPool } from "../world/world-pool.ts";

interface ControlSettings {
  readonly worlds: WorldPool;
  readonly controlAccess: ControlAccess;
  readonly description: Description;
  readonly log: Log;
}

type Events = NonNullable<ControlAnswer["events"]>;

const encoder = new TextEncoder();

const EXPECTED_REACH =
  "query: all: expected the control token, or a listed token with the permission latchkey.control or *, because it resets the workspaces of other tokens; without all, the own one is reset";

/** With isolation, requests of clients do not reach what a request without a token steers. */
const SHARED_HINT = {
  "X-Latchkey-Hint":
    "without a token this is about the default workspace, which no request reaches; send the token of a client",
};

/** Each looks ten times a second; so many are no load. */
const MAX_FOLLOWERS = 100;

/**
 * The routes under `/_latchkey`. They are none of the service's: no fault strikes them, no journal
 * holds them, and they draw no ids.
 */
export class Control {
  readonly #settings: ControlSettings;
  /** How many follow what happens. */
  #followers = 0;

  constructor(settings: ControlSettings) {
    this.#settings = settings;
  }

  /** Answers one request. Refusals, and bugs of ours, are replies too. */
  async handle(request: PlainRequest, foreign: string | undefined): Promise<PlainReply> {
    const start = performance.now();
    const credentials = readCredentials(request);
    let reply: PlainReply;
    let refusal: ApiError | undefined;
    try {
      reply = await this.#answer(request, credentials, foreign);
    } catch (error) {
      refusal = this.#toRefusal(error);
      const { headers, message, status } = refusal;
      const problems = error instanceof UsageError ? error.problems : [message];
      reply = toControlReply({ status, body: { error: { message, problems } } }, headers);
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || refusal !== undefined)
      this.#logRequest(request, credentials, reply, refusal, start);
    return request.method === "HEAD" ? reply.with({ pieces: [] }) : reply;
  }

  async #answer(
    request: PlainRequest,
    sent: Credentials,
    foreign: string | undefined,
  ): Promise<PlainReply> {
    const route = findControlRoute(request);
    if (foreign !== undefined && !route.isOpen) throw new ApiError("DISABLED", foreign);
    const { description, controlAccess, worlds } = this.#settings;
    const credentials = route.isOpen ? NO_CREDENTIALS : sent;
    const { token } = credentials;
    const reach = route.isOpen ? undefined : this.#reachOf(credentials, request.remote);
    const resetAll = async (options: ResetOptions) => {
      if (reach !== "all") throw new ApiError("DISABLED", EXPECTED_REACH);
      await worlds.reset(options);
    };
    const lease = worlds.acquire(token);
    const { world } = lease;
    // A token may list in its own world what it likes, and steers that all the same.
    const checkTokens: CheckTokens = (tokens) => {
      if (world === worlds.main) controlAccess.checkTokens(tokens);
    };
    try {
      const query = readParameters(route, request);
      const id = request.path.slice(request.path.lastIndexOf("/") + 1);
      const body = readControlBody(route, request);
      const call = { id, token, query, body, resetAll, checkTokens, description };
      const answer = await route.run(world, call);
      const { events } = answer;
      return toControlReply(
        events === undefined
          ? answer
          : { events: this.#staying(credentials, request.remote, events) },
        reach === "shared" ? SHARED_HINT : {},
      );
    } finally {
      lease.release();
    }
  }

  /**
   * Events of a world that is not to go meanwhile, for as long as the token may steer.
   * @throws ApiError where many follow already
   */
  #staying(credentials: Credentials, remote: string | undefined, events: Events): Events {
    if (this.#followers >= MAX_FOLLOWERS) {
      const message = `events: expected at most ${MAX_FOLLOWERS} who follow at once`;
      throw new ApiError("INTERNAL_SERVER_ERROR", message, { status: 503 });
    }
    return (signal) => this.#follow(credentials, remote, events(signal));
  }

  async *#follow(
    credentials: Credentials,
    remote: string | undefined,
    events: AsyncIterable<string>,
  ): AsyncGenerator<string> {
    const { controlAccess, worlds } = this.#settings;
    const lease = worlds.acquire(credentials.token);
    this.#followers += 1;
    try {
      for await (const text of events) {
        if (controlAccess.reachOf(credentials, remote) instanceof ApiError) return;
        yield text;
      }
    } finally {
      this.#followers -= 1;
      lease.release();
    }
  }

  /** @throws ApiError where the request may not steer */
  #reachOf(credentials: Credentials, remote: string | undefined): Reach {
    const reach = this.#settings.controlAccess.reachOf(credentials, remote);
    if (reach instanceof ApiError) throw reach;
    return reach;
  }

  #toRefusal(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof UsageError) return new ApiError("BAD_REQUEST", error.problems.join("; "));
    this.#settings.log({ kind: "bug", error, operation: undefined });
    return new ApiError("INTERNAL_SERVER_ERROR", "an unexpected error happened in the emulator");
  }

  #logRequest(
    request: PlainRequest,
    credentials: Credentials,
    { status }: PlainReply,
    refusal: ApiError | undefined,
    start: number,
  ): void {
    const { log, worlds } = this.#settings;
    const world = worlds.main;
    const target = targetOf(request, undefined, world, credentials);
    const duration = performance.now() - start;
    log(
      toLogEntry(
        { credentials, operation: undefined, target, faults: [], world },
        { status, code: undefined, duration, refusal },
      ),
    );
  }
}

/** Without the headers that let a page of another origin read it. */
function toControlReply(
  { body, events, status = body === undefined ? 204 : 200 }: ControlAnswer,
  more: Readonly<Record<string, string>> = {},
): PlainReply {
  const headers = { "Cache-Control": "no-store", ...more };
  if (events !== undefined) {
    return new EventReply({ "Content-Type": "text/event-stream", ...headers }, events);
  }
  if (body === undefined) return new PlainReply(status, headers, []);
  const bytes = body instanceof Uint8Array ? body : encoder.encode(JSON.stringify(body));
  const type = { "Content-Type": "application/json; charset=UTF-8" };
  const length = { "Content-Length": String(bytes.length) };
  return new PlainReply(status, { ...type, ...length, ...headers }, [bytes]);
}
