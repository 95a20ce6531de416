import { ApiError } from "../api/errors.ts";
import { isInstance } from "../base/realm.ts";
import { maskJson } from "../base/wording/mask.ts";
import { printableJson } from "../base/wording/text.ts";
import type { CheckFixture, ResetOptions } from "../world/settings.ts";
import { type ControlAnswer, type Description, JsonBytes } from "./route.ts";
import { UsageError } from "../base/usage-error.ts";
import { inSlices } from "../base/steps.ts";
import type { Fixture } from "../seed/format.ts";
import { readCredentials } from "../service/access.ts";
import { findControlRoute, readControlBody, readParameters } from "./control-request.ts";
import { type Log, toBug } from "../service/log.ts";
import { EventReply, PlainReply } from "../service/reply.ts";
import type { Credentials, PlainRequest } from "../service/request.ts";
import { toLogEntry } from "../service/record.ts";
import { checkControlTokens, controlScope } from "./control-access.ts";
import type { WorldPool } from "../world/world-pool.ts";

interface ControlSettings {
  readonly worlds: WorldPool;
  readonly description: Description;
  readonly log: Log;
}

type Events = NonNullable<ControlAnswer["events"]>;

const encoder = new TextEncoder();

const NONE: Credentials = { authorization: undefined, token: undefined };

function allRefused(because: string): string {
  return `query: all: expected the control token, or a listed token with the permission latchkey.control or *, because it ${because}; leave all out for your own workspace`;
}

const RESTART_REFUSED =
  "query: initial: expected the token of a workspace, the control token, or a listed token with the permission latchkey.control or *, because it starts the workspaces of all other tokens over too";

/** A hint for control requests without a token under isolation, where they are probably a mistake. */
const SHARED_HINT = {
  "X-Latchkey-Hint":
    "without a token, this is about the default workspace, but with isolation each token has a separate workspace; send the token of your client",
};

/**
 * How many event streams one token may have. The limit bounds the load: each stream looks for changes ten
 * times a second.
 */
const MAX_STREAMS = 50;
/** How many event streams all isolated worlds may have together. */
const MAX_ISOLATED_STREAMS = 1_000;

/**
 * Answers the routes under `/_latchkey`. The service has no such routes, so no fault hits these requests,
 * they are not in the journal, and they use up no ids.
 */
export class Control {
  readonly #settings: ControlSettings;
  /** The open event streams: the token of each, and whether it has an isolated world. */
  readonly #streams = new Set<{ readonly token: string | undefined; readonly isOwn: boolean }>();

  constructor(settings: ControlSettings) {
    this.#settings = settings;
  }

  /**
   * Answers one request. It never rejects: even unexpected exceptions become replies.
   * @param originProblem why to refuse the request because of its host or origin; undefined if allowed
   */
  async handle(request: PlainRequest, originProblem: string | undefined): Promise<PlainReply> {
    const start = performance.now();
    const credentials = readCredentials(request);
    let reply: PlainReply;
    let refusal: ApiError | undefined;
    try {
      reply = await this.#answer(request, credentials, originProblem);
    } catch (error) {
      refusal = this.#toApiError(error);
      const { headers, message, status } = refusal;
      const problems = isInstance(error, UsageError) ? error.problems : [message];
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
    originProblem: string | undefined,
  ): Promise<PlainReply> {
    const route = findControlRoute(request);
    if (originProblem !== undefined && !route.isOpen) {
      throw new ApiError("DISABLED", originProblem);
    }
    const { description, worlds } = this.#settings;
    const credentials = route.isOpen ? NONE : sent;
    const { token } = credentials;
    const scope = route.isOpen
      ? undefined
      : controlScope(worlds, credentials, request.remoteReason, route.isForWatching);
    if (scope instanceof ApiError) throw scope;
    const requireAll = (because: string) => {
      if (scope !== "all") throw new ApiError("DISABLED", allRefused(because));
    };
    const resetAll = async (options: ResetOptions) => {
      requireAll("resets the workspaces of other tokens too");
      await worlds.reset(options);
    };
    const pooled = worlds.acquire(token);
    const { world } = pooled;
    const isShared = world === worlds.main;
    // In an isolated world, no list of tokens can lock out the token that the world belongs to.
    const checkFixture: CheckFixture = (tokens, keys) => {
      if (isShared && tokens !== undefined) checkControlTokens(worlds, tokens);
      if (scope === "own") checkSize(keys);
    };
    const restoreAsInitial = async (snapshot: Fixture) => {
      if (isShared && scope !== "all") throw new ApiError("DISABLED", RESTART_REFUSED);
      const check: CheckFixture = (tokens, keys) => {
        if (isShared && tokens !== undefined) checkControlTokens(worlds, tokens, true);
        if (scope === "own") checkSize(keys);
      };
      await world.restoreAsInitial(snapshot, check, inSlices);
      if (isShared) worlds.restartAll();
    };
    try {
      const query = readParameters(route, request);
      const id = request.path.slice(request.path.lastIndexOf("/") + 1);
      const body = readControlBody(route, request, scope === "own");
      const client = request.clientLifetime?.({ orClosing: true });
      const mayControl = scope !== "watch";
      const mask = world.maskWith(token);
      const show = mayControl ? (text: string) => text : mask;
      const call = {
        id,
        token,
        query,
        body,
        requireAll,
        resetAll,
        restoreAsInitial,
        checkFixture,
        description,
        client,
        mayControl,
        show,
      };
      const made = await route.run(world, call);
      const isShown = mayControl || route.isMasked || made.body === undefined;
      const answer = isShown ? made : { ...made, body: maskJson(toJson(made.body), mask) };
      const { events } = answer;
      return toControlReply(
        events === undefined
          ? answer
          : { events: this.#subscribe(credentials, request.remoteReason, events, scope === "own") },
        scope === "shared" ? SHARED_HINT : {},
      );
    } finally {
      pooled.uses -= 1;
    }
  }

  /**
   * Wraps an event stream. It keeps its world in the pool, and ends when the token may not use control
   * routes any more. The streams of one token, or of all isolated worlds, cannot use up the streams of
   * others.
   * @throws ApiError if there are too many streams
   */
  #subscribe(
    credentials: Credentials,
    remoteReason: string | undefined,
    events: Events,
    isOwn: boolean,
  ): Events {
    const { token } = credentials;
    const open = [...this.#streams];
    const ofToken = open.filter((stream) => stream.token === token).length;
    const ofOthers = isOwn ? open.filter((stream) => stream.isOwn).length : 0;
    const bound =
      ofToken >= MAX_STREAMS
        ? `${MAX_STREAMS} open event streams of one token`
        : ofOthers >= MAX_ISOLATED_STREAMS && `${MAX_ISOLATED_STREAMS} of all isolated workspaces`;
    if (bound !== false) {
      const message = `events: expected at most ${bound}; close one of the others`;
      throw new ApiError("INTERNAL_SERVER_ERROR", message, { status: 503 });
    }
    return (signal) => this.#stream(credentials, remoteReason, events(signal), { token, isOwn });
  }

  async *#stream(
    credentials: Credentials,
    remoteReason: string | undefined,
    events: AsyncIterable<string>,
    stream: { readonly token: string | undefined; readonly isOwn: boolean },
  ): AsyncGenerator<string> {
    const { worlds } = this.#settings;
    const pooled = worlds.acquire(credentials.token);
    this.#streams.add(stream);
    try {
      for await (const text of events) {
        if (controlScope(worlds, credentials, remoteReason, true) instanceof ApiError) return;
        yield text;
      }
    } finally {
      this.#streams.delete(stream);
      pooled.uses -= 1;
    }
  }

  #toApiError(error: unknown): ApiError {
    if (isInstance(error, ApiError)) return error;
    if (isInstance(error, UsageError))
      return new ApiError("BAD_REQUEST", error.problems.join("; "));
    const bug = toBug(error, (text) => text);
    this.#settings.log({ kind: "bug", error: bug, operation: undefined, isOwn: false });
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
    const mask = worlds.current(credentials.token).maskWith(credentials.token);
    const duration = performance.now() - start;
    log(
      toLogEntry(
        { mask, operation: undefined, request, requestId: "", faults: [] },
        { status, code: undefined, type: undefined, duration, refusal },
      ),
    );
  }
}

/** A body as its reader gets it. For example, some members of a fault exist only in its JSON. */
function toJson(body: unknown): unknown {
  return JSON.parse(printableJson(body));
}

/**
 * Limits the work and the memory of a visitor's fixture, because isolation may accept any token.
 * @throws UsageError for a fixture with too many keys
 */
function checkSize(keys: number): void {
  if (keys <= MAX_VISITOR_KEYS) return;
  const expected = `expected at most ${MAX_VISITOR_KEYS} keys, listed and generated, because an isolated workspace takes no more at once`;
  throw new UsageError(
    `fixture: ${expected}, got ${keys}; start latchkey with the others in a fixture`,
  );
}

/** How many keys a fixture may have if the token of an isolated world sends it. */
const MAX_VISITOR_KEYS = 10_000;

/** Makes the reply, without CORS headers: the server adds them for pages of allowed origins. */
function toControlReply(
  { body, events, status = body === undefined ? 204 : 200 }: ControlAnswer,
  extraHeaders: Readonly<Record<string, string>> = {},
): PlainReply {
  const headers = { "Cache-Control": "no-store", ...extraHeaders };
  if (events !== undefined) {
    return new EventReply({ "Content-Type": "text/event-stream", ...headers }, events);
  }
  if (body === undefined) return new PlainReply(status, headers, []);
  const pieces = body instanceof JsonBytes ? body.pieces : [encoder.encode(printableJson(body))];
  const type = { "Content-Type": "application/json; charset=UTF-8" };
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return new PlainReply(status, { ...type, "Content-Length": String(length), ...headers }, pieces);
}
