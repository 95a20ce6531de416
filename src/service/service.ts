import { ApiError, isApiError } from "../api/errors.ts";
import type { Quirks } from "../api/quirks.ts";
import { versionAt, type VersionName } from "../api/version.ts";
import type { Operation } from "./operations/operation.ts";
import { inSlices, type Steps } from "../base/steps.ts";
import { isInstance, isPromise, toShowable } from "../base/realm.ts";
import { UsageError } from "../base/usage-error.ts";
import type { World } from "../world/world.ts";
import type { PooledWorld, WorldPool } from "../world/world-pool.ts";
import { admit, readCredentials } from "./access.ts";
import { applyFaults, checkLife, hang, withFaults } from "./apply-faults.ts";
import { type Log, toBug } from "./log.ts";
import { record, toLogEntry, UNKNOWN_END } from "./record.ts";
import { PlainReply, withHeaders, withHint, withOrigin, withoutBody } from "./reply.ts";
import { type PlainRequest, UNSEEN_HEADER, UNSEEN_ID } from "./request.ts";
import type { InterfaceVersion, RequestContext, RequestEnd } from "./request-context.ts";
import { liveness, route } from "./route.ts";
import { v1 } from "./v1.ts";
import { v2 } from "./v2.ts";
import { toLogText } from "../base/wording/mask.ts";

/** Limits the memory, because clients may send any number of unknown fields. */
const MAX_WARNINGS = 1_000;

const interfaces: Readonly<Record<VersionName, InterfaceVersion>> = { v1, v2 };

export interface ServiceSettings {
  readonly worlds: WorldPool;
  readonly operations: readonly Operation[];
  readonly quirks: Quirks;
  readonly strict: boolean;
  readonly log: Log;
}

/** The service as seen by its clients: takes a plain request and returns a plain reply. */
export class Service {
  readonly #settings: ServiceSettings;
  /** By path. A path has one operation: `emulator/options.ts` refuses a second one. */
  readonly #operations: ReadonlyMap<string, Operation>;
  /** Unknown members already reported, each like `keys.createKey: refill.foo`. */
  readonly #reported = new Set<string>();

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    this.#operations = new Map(settings.operations.map((each) => [each.contract.path, each]));
  }

  /** Answers one request. It never rejects: even unexpected exceptions become replies. */
  async handle(request: PlainRequest): Promise<PlainReply> {
    // Paths are compared exactly, as in the service: with a trailing slash, it is another path.
    const operation = this.#operations.get(request.path);
    // A path of no version is answered as in v2, as at the service.
    const version = interfaces[operation?.contract.version ?? versionAt(request.path) ?? "v2"];
    const credentials = readCredentials(request, version.bearer);
    const received = { request, operation, version, credentials };
    const isHead = request.method === "HEAD";
    const { worlds } = this.#settings;
    let pooled: PooledWorld | undefined;
    try {
      pooled = worlds.acquire(credentials.token);
      const context = this.#arrive(received, pooled.world);
      const made = this.#finish(await this.#answer(context), context);
      const finished = made.effect === "hang" ? await this.#hang(made, context) : made;
      const origin = request.header("origin");
      const reply = origin === undefined ? finished : withOrigin(finished, origin);
      return isHead ? withoutBody(reply) : reply;
    } catch (error) {
      // The test has broken something, for example `Date.now`, or thrown an `ApiError` that cannot be
      // read.
      const refusal = this.#unexpectedError(error, { operation, mask: worlds.main.mask });
      const reply = version.refuse(UNSEEN_ID, refusal, request);
      return isHead ? withoutBody(reply) : reply;
    } finally {
      if (pooled !== undefined) pooled.uses -= 1;
    }
  }

  /** First refills the keys that are due, then creates the context of a request, with its id. */
  #arrive(
    received: Pick<RequestContext, "request" | "operation" | "version" | "credentials">,
    world: World,
  ): RequestContext {
    const { credentials, operation, request, version } = received;
    const { lifetime, resets } = world;
    const startedAt = performance.now();
    const time = world.clock.now();
    for (const workspace of world.store.workspaces.all) workspace.refill(time);
    const { quirks, strict } = this.#settings;
    const isRead = request.method === "GET" || request.method === "HEAD";
    // Only calls that change nothing can be unseen.
    const isUnseen =
      request.header(UNSEEN_HEADER) === "true"
        ? isRead || (request.method === "POST" && operation?.contract.isReadOnly === true)
        : isRead && operation === undefined && request.path === liveness.path;
    // Without a spread, which would make each request several microseconds slower.
    return {
      request,
      operation,
      version,
      credentials,
      mask: world.maskWith(credentials.token),
      world,
      lifetime,
      resets,
      startedAt,
      time,
      quirks,
      strict,
      isUnseen,
      requestId: isUnseen ? UNSEEN_ID : world.store.ids.next("req", time),
      faults: [],
    };
  }

  /**
   * Answers in the service's order: route, the checks of the version, permissions, then the operation.
   * A refusal becomes an error reply.
   */
  async #answer(context: RequestContext): Promise<PlainReply> {
    const { version, world } = context;
    try {
      const operation = route(context, this.#settings.operations);
      if (operation instanceof PlainReply) return operation;
      const checked = version.check(operation, context);
      context.input = checked.input;
      // Nearly all calls have no unknown members.
      if (checked.input.unknown.length > 0) this.#warnOf(checked.input.unknown, context);
      const call = admit(operation, checked, context);
      if (world.faults.size > 0) await applyFaults("before", context);
      const answer = context.decidingFault?.answer;
      const asked = answer === undefined ? call : { ...call, answer };
      let output: unknown = operation.run(asked, world.operationStates);
      // Work in steps is a generator that has not started.
      if (isSteps(output)) output = await inSlices(output, () => checkLife(context));
      else if (isPromise(output)) output = await output;
      context.output = output;
      if (world.faults.size > 0) await applyFaults("after", context);
      const reply = version.succeed(call.requestId, context.output);
      const advised = context.hint === undefined ? reply : withHint(reply, context.hint);
      return context.headers?.reduce(withHeaders, advised) ?? advised;
    } catch (error) {
      return this.#refuse(error, context);
    }
  }

  /** Warns of members that the service does not know and ignores, once for each member of an operation. */
  #warnOf(unknown: readonly string[], { isUnseen, mask, operation }: RequestContext): void {
    if (operation === undefined || isUnseen) return;
    const { method, name } = operation.contract;
    const where = method === "GET" ? "parameter" : "field";
    for (const member of unknown) {
      const field = `${name}: ${member}`;
      if (this.#reported.has(field) || this.#reported.size >= MAX_WARNINGS) continue;
      this.#reported.add(field);
      const message = `${toLogText(field, mask)}: the service does not know this ${where}; latchkey ignores it as well`;
      this.#settings.log({ kind: "warning", message });
    }
  }

  #refuse(error: unknown, context: RequestContext): PlainReply {
    const { isRouted, quirks, request, requestId, version } = context;
    const refusal = isApiError(error) ? error : this.#unexpectedError(error, context);
    context.refusal = refusal;
    const isPlain = !isRouted && quirks.has("plain-404");
    const reply = isRouted
      ? version.refuse(requestId, refusal, request)
      : version.refuseRoute(requestId, refusal, request, isPlain);
    // A plain reply has the service's text, so latchkey's own message is in the hint.
    const hint = isPlain ? refusal.message : refusal.hint;
    return hint === undefined ? reply : withHint(reply, hint);
  }

  /** Applies the effect of a fault to the reply, and records the request. */
  #finish(beforeFaults: PlainReply, context: RequestContext): PlainReply {
    const { faults, isRouted = false, isUnseen, refusal, startedAt, version } = context;
    const duration = performance.now() - startedAt;
    const { status, headers } = beforeFaults;
    // Error replies in plain text (quirk `plain-404`) contain no error code.
    const hasLabels = refusal !== undefined && !headers["Content-Type"]?.startsWith("text/plain");
    const { code, type } = hasLabels ? version.labelsOf(refusal, isRouted) : NO_LABELS;
    const end: RequestEnd = { status, refusal, code, type, reply: beforeFaults, duration };
    if (isUnseen) {
      // A request that guesses paths or tokens is logged even if it asked for no trace.
      const isGuess = refusal !== undefined && (!isRouted || refusal.code === "UNAUTHORIZED");
      if (isGuess) this.#settings.log(toLogEntry(context, end));
      return beforeFaults;
    }
    const reply = faults.length === 0 ? beforeFaults : withFaults(beforeFaults, context);
    // A client that did not get the whole reply cannot know how its call ended.
    const isLost = reply.effect !== undefined;
    record(context, isLost ? { ...UNKNOWN_END, duration } : end, this.#settings.log);
    return reply;
  }

  /** Waits without a reply. The client gets one only if the state is replaced while it waits. */
  async #hang(reply: PlainReply, context: RequestContext): Promise<PlainReply> {
    try {
      await hang(context);
      return reply.with({ effect: "drop" });
    } catch (error) {
      return this.#refuse(error, context);
    }
  }

  /**
   * The error reply if no complete request could be read: for bytes that are not HTTP, or a request
   * that takes too long; and for one that is not meant for the emulator. It is in the log, but not in the
   * journal.
   */
  refuseUnread(status: number, message: string): PlainReply {
    const { main: world } = this.#settings.worlds;
    const code = status === 404 ? "NOT_FOUND" : "BAD_REQUEST";
    const refusal = new ApiError(code, message, { status });
    const requestId = world.store.ids.next("req", world.clock.now());
    const request = { method: "?", path: "?" };
    this.#settings.log(
      toLogEntry(
        { mask: world.mask, requestId, operation: undefined, request, faults: [] },
        { duration: 0, status, refusal, code: refusal.code, type: undefined },
      ),
    );
    // Nothing shows which version the client uses.
    return v2.refuse(requestId, refusal, { header: () => undefined });
  }

  #unexpectedError(
    thrown: unknown,
    { mask, operation }: Pick<RequestContext, "mask" | "operation">,
  ): ApiError {
    const error = toShowable(thrown);
    // A UsageError is a mistake of the test, like deleting the default workspace, and no bug.
    if (isInstance(error, UsageError))
      this.#settings.log({ kind: "warning", message: mask(error.message) });
    else {
      const bug = toBug(error, mask);
      const { contract, isOwn = false } = operation ?? {};
      this.#settings.log({ kind: "bug", error: bug, operation: contract?.name, isOwn });
    }
    return new ApiError("INTERNAL_SERVER_ERROR", "an unexpected error happened in the emulator");
  }
}

function isSteps(work: unknown): work is Steps<unknown> {
  return typeof (work as Partial<Steps<unknown>> | undefined)?.next === "function";
}

const NO_LABELS = { code: undefined, type: undefined };
