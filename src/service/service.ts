import { ApiError } from "../contract/errors.ts";
import { versionOf } from "../contract/operation.ts";
import type { MissingRoles } from "../contract/v1/successors.ts";
import { versionAt, type SunsetVersion, type VersionName } from "../contract/version.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { Fault, FaultPhase } from "../faults/fault.ts";
import type { AppliedFaults } from "../faults/faults.ts";
import { toLogText } from "../journal/mask.ts";
import type { Call, Operation } from "../operations/operation.ts";
import { isPromise } from "../schema/realm.ts";
import { isInstance, toShowable } from "../schema/thrown.ts";
import { UsageError } from "../usage-error.ts";
import { admit } from "./admit.ts";
import type { ParsedInput } from "./interface-version.ts";
import { authenticate, type AccessRefusals } from "./authenticate.ts";
import { NO_CREDENTIALS, readCredentials } from "./credentials.ts";
import { UNSEEN_HEADER, type PlainReply, type PlainRequest } from "./exchange.ts";
import { faultRefusal, nameOf } from "./fault-refusal.ts";
import { toBug } from "./logging/bug.ts";
import type { Log } from "./logging/log.ts";
import { Lifetime } from "../world/lifetime.ts";
import { livenessAt } from "./liveness.ts";
import { interfaceAt, interfaceVersions } from "./versions.ts";
import { maskOf, targetOf } from "./request-target.ts";
import { requestIdOf, UNSEEN_ID, type Outcome, type RequestContext } from "./request-context.ts";
import { applyEffect, withHeaders, withHint, withoutBody } from "./reply.ts";
import { errorReply } from "./v1/reply.ts";
import { record } from "./record.ts";
import { successorLine, withSunset } from "./v1/sunset.ts";
import { toLogEntry } from "./logging/report.ts";
import { Router, type Endpoint } from "./router.ts";
import { answerPreflight, answerUnserved, isPreflight } from "./unserved.ts";
import type { World } from "../world/world.ts";
import type { Lease, WorldPool } from "../world/world-pool.ts";

/** Limits the memory for warnings that were given: clients may send any number of unknown fields. */
const MAX_WARNINGS = 1_000;

/** The labels of a reply that is no error reply. */
const NO_LABELS = { code: undefined, type: undefined };

export interface ServiceSettings {
  readonly worlds: WorldPool;
  readonly operations: readonly Operation[];
  readonly quirks: Quirks;
  readonly strict: boolean;
  readonly sunset: SunsetVersion | undefined;
  readonly log: Log;
}

/** The service as seen by its clients: takes a plain request and returns a plain reply. */
export class Service {
  readonly #settings: ServiceSettings;
  readonly #router: Router<Operation>;
  /** The refusals of tokens, by version. */
  readonly #refusals: Readonly<Record<VersionName, AccessRefusals>>;
  /** What a warning was given for, so that each is given once. */
  readonly #warned = new Set<string>();

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    const { v1, v2 } = interfaceVersions;
    this.#refusals = {
      v1: v1.accessRefusals(settings.quirks),
      v2: v2.accessRefusals(settings.quirks),
    };
    this.#router = new Router(settings.operations, ({ contract }) => contract);
  }

  /** Answers one request. It never rejects: errors, also unexpected exceptions, become replies. */
  async handle(request: PlainRequest): Promise<PlainReply> {
    const endpoint = this.#router.find(request.path);
    const [operation] = endpoint?.routes.values() ?? [];
    const version =
      operation === undefined
        ? interfaceAt(request.path)
        : interfaceVersions[versionOf(operation.contract)];
    const credentials = readCredentials(request, version.bearer);
    const call = { request, operation, version, credentials };
    let lease: Lease | undefined;
    let reply: PlainReply;
    try {
      lease = this.#settings.worlds.acquire(credentials.token);
      reply = await this.#handleIn(lease.world, endpoint, call);
    } catch (error) {
      // Something of a test is broken: its `Date.now`, or an `ApiError` that cannot be read.
      reply = version.refuse(UNSEEN_ID, this.#unexpectedError(error, call), request);
    } finally {
      lease?.release();
    }
    return request.method === "HEAD" ? withoutBody(reply) : reply;
  }

  async #handleIn(
    world: World,
    endpoint: Endpoint<Operation> | undefined,
    call: Pick<RequestContext, "request" | "operation" | "version" | "credentials">,
  ): Promise<PlainReply> {
    const { request, operation, credentials } = call;
    const start = performance.now();
    const time = world.clock.now();
    world.store.refill();
    const { lifetime, resets } = world;
    const isUnseen = this.#isUnseen(request, operation);
    const context: RequestContext = {
      ...call,
      world,
      lifetime,
      resets,
      time,
      start,
      target: targetOf(request, operation, world, credentials),
      faults: [],
      isUnseen,
    };
    let reply: PlainReply;
    let refusal: ApiError | undefined;
    try {
      reply = await this.#answer(endpoint, context);
    } catch (error) {
      refusal = isInstance(error, ApiError) ? error : this.#unexpectedError(error, call);
      reply = this.#refuse(refusal, context);
    }
    const { sunset } = this.#settings;
    const isOfVersion = operation !== undefined || versionAt(request.path) === sunset;
    if (sunset !== undefined && sunset === call.version.name && isOfVersion) {
      reply = withSunset(reply, sunset);
    }
    return isUnseen ? reply : this.#finish(context, reply, refusal);
  }

  /** Only calls that change nothing can be unseen. */
  #isUnseen({ header, method, path }: PlainRequest, operation: Operation | undefined): boolean {
    const { operations } = this.#settings;
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && operation === undefined && livenessAt(path, operations)) return true;
    if (header(UNSEEN_HEADER) !== "true") return false;
    return isRead || (method === "POST" && operation?.contract.isReadOnly === true);
  }

  /** Applies the effect of a fault to the reply, and adds the request to the log and the journal. */
  #finish(
    context: RequestContext,
    fullReply: PlainReply,
    refusal: ApiError | undefined,
  ): PlainReply {
    // Drawn in any case: the log and the journal need an id even if the reply has none.
    requestIdOf(context);
    const reply = applyEffect(fullReply, context.decidingFault?.effect);
    const isSilent = reply.effect === "drop" || reply.effect === "hang";
    const outcome: Outcome = {
      status: isSilent ? undefined : reply.status,
      refusal: isSilent ? undefined : refusal,
      ...(isSilent || isPlainText(reply) || refusal === undefined
        ? NO_LABELS
        : context.version.labelsOf(refusal, context.isRouted === true)),
      duration: performance.now() - context.start,
      reply: isSilent ? undefined : fullReply,
    };
    this.#settings.log(toLogEntry(context, outcome));
    record(context, outcome);
    return withFaultHint(reply, context.faults);
  }

  /**
   * The error reply for a door that cannot make a request: bytes that are not HTTP, or a request that
   * takes too long. It is logged, but not in the journal.
   */
  refuse(status: number, message: string): PlainReply {
    const { main } = this.#settings.worlds;
    const refusal = new ApiError("BAD_REQUEST", message, { status });
    const requestId = requestIdOf({ isUnseen: false, world: main });
    const target = { method: "?", path: "?" };
    this.#settings.log(
      toLogEntry(
        {
          credentials: NO_CREDENTIALS,
          requestId,
          operation: undefined,
          target,
          faults: [],
          world: main,
        },
        { duration: 0, status, refusal, code: refusal.code, type: undefined },
      ),
    );
    return errorReply(requestId, refusal);
  }

  /**
   * Checks in the service's order: route, authentication and input in the order of the version,
   * permissions, then the operation.
   */
  async #answer(
    endpoint: Endpoint<Operation> | undefined,
    context: RequestContext,
  ): Promise<PlainReply> {
    const { quirks } = this.#settings;
    const { credentials, operation, request, version, world } = context;
    if (endpoint === undefined || operation === undefined) {
      return answerUnserved(this.#settings.operations, context);
    }
    const options = version.takesOptions ? ["OPTIONS"] : [];
    if (isPreflight(request) || options.includes(request.method)) {
      return answerPreflight([...endpoint.methods, "OPTIONS"], context);
    }
    if (endpoint.find(request.method) === undefined) {
      const { method, name } = operation.contract;
      throw endpoint.refuse(`${name} is called with ${method}`, options);
    }
    context.isRouted = true;
    const refusals = this.#refusals[version.name];
    const isTokenNeeded = operation.contract.isOpen !== true;
    if (isTokenNeeded && version.needsHeaderFirst && !credentials.authorization) {
      throw refusals.missing();
    }
    const validatedInput = version.validatesFirst(quirks)
      ? this.#parse(operation, context)
      : undefined;
    const access = isTokenNeeded
      ? authenticate(world, credentials, refusals)
      : world.openAccess(credentials.token);
    context.workspace = access.workspace;
    const { isUnseen } = context;
    const { input } = validatedInput ?? this.#parse(operation, context);
    const call = admit(operation, input, access, context);
    if (!isUnseen && version.name === this.#settings.sunset) this.#tellSuccessor(context, input);
    const before = this.#applyFaults("before", call, context);
    if (before !== undefined) await this.#delay(before, context);
    if (before?.decidingFault !== undefined)
      throw faultRefusal(before.decidingFault, quirks, version.name);
    const result = operation.run(call);
    // Without `await` where possible, because that costs another turn of the microtask queue.
    const output = isPromise(result) ? await result : result;
    context.output = output;
    const after = this.#applyFaults("after", call, context);
    if (after !== undefined) await this.#delay(after, context);
    // An effect without a code keeps the reply of the operation; `#finish` applies it at the end.
    if (after?.decidingFault?.code !== undefined)
      throw faultRefusal(after.decidingFault, quirks, version.name);
    const reply = version.succeed(call.requestId, output);
    return context.headers === undefined ? reply : withHeaders(reply, context.headers);
  }

  #parse(operation: Operation, context: RequestContext): ParsedInput {
    const parsed = context.version.readInput(operation, context.request, this.#settings);
    if (!context.isUnseen) this.#warnOfUnknown(operation, parsed.unknown, context);
    return parsed;
  }

  /** Applies the faults of this phase to the call; undefined if none hits it. */
  #applyFaults(
    phase: FaultPhase,
    { input }: Call<Record<string, unknown>>,
    { faults, isUnseen, operation, version, world }: RequestContext,
  ): AppliedFaults | undefined {
    if (operation === undefined || isUnseen) return undefined;
    const applied = world.faults.apply(phase, {
      operation: operation.contract.name,
      version: version.name,
      input,
    });
    if (applied !== undefined) faults.push(...applied.faults);
    return applied;
  }

  /**
   * Notes the deciding fault, whose effect `#finish` applies, and waits for the latency. A delayed
   * request is put in the journal before the wait, so that `waitFor` sees it at once.
   * @throws ApiError when the world was reset or the door was closed meanwhile
   */
  async #delay({ latency, decidingFault }: AppliedFaults, context: RequestContext): Promise<void> {
    const { lifetime, request, start } = context;
    context.decidingFault = decidingFault;
    if (latency === 0) return;
    const duration = performance.now() - start;
    const unknown = { status: undefined, refusal: undefined, ...NO_LABELS, reply: undefined };
    record(context, { ...unknown, duration });
    const lifetimes =
      request.doorLifetime === undefined ? [lifetime] : [lifetime, request.doorLifetime];
    // After a reset, a request of the previous test must not change the state of the next.
    if (await Lifetime.delay(latency, lifetimes)) return;
    context.decidingFault = undefined;
    const message = "the emulator was reset or closed while this was delayed";
    throw new ApiError("INTERNAL_SERVER_ERROR", message);
  }

  #refuse(refusal: ApiError, context: RequestContext): PlainReply {
    const { credentials, isRouted, request, version, world } = context;
    const requestId = requestIdOf(context);
    const isPlain = !isRouted && this.#settings.quirks.has("plain-404");
    const reply = isRouted
      ? version.refuse(requestId, refusal, request)
      : isPlain
        ? version.refuseRoutePlainly(requestId, refusal, request)
        : version.refuseRoute(requestId, refusal, request);
    const hint = isPlain ? refusal.message : refusal.hint;
    return hint === undefined ? reply : withHint(reply, maskOf(world, credentials)(hint));
  }

  #warnOfUnknown(
    operation: Operation,
    unknown: readonly string[],
    { credentials, world }: Pick<RequestContext, "credentials" | "world">,
  ): void {
    for (const member of unknown) {
      const name = `${operation.contract.name}: ${member}`;
      if (this.#warned.has(name) || this.#warned.size >= MAX_WARNINGS) continue;
      this.#warned.add(name);
      const where = operation.contract.method === "GET" ? "parameter" : "field";
      const shown = toLogText(name, maskOf(world, credentials));
      const message = `${shown}: the service does not know this ${where}; latchkey ignores it as well`;
      this.#settings.log({ kind: "warning", message });
    }
  }

  /** Tells how a call looks in the next version, each call once. */
  #tellSuccessor(context: RequestContext, input: unknown): void {
    const { credentials, operation, workspace, world } = context;
    if (operation === undefined || workspace === undefined) return;
    const mask = maskOf(world, credentials);
    const missingRoles: MissingRoles = (names) => workspace.roles.missing(names);
    const line = successorLine(operation.contract.name, input, mask, missingRoles);
    if (this.#warned.has(line) || this.#warned.size >= MAX_WARNINGS) return;
    this.#warned.add(line);
    this.#settings.log({ kind: "warning", message: line });
  }

  #unexpectedError(
    thrown: unknown,
    { credentials, operation }: Pick<RequestContext, "credentials" | "operation">,
  ): ApiError {
    const error = toShowable(thrown);
    // A UsageError is a mistake of the test, like deleting the default workspace, and no bug.
    if (isInstance(error, UsageError))
      this.#settings.log({ kind: "warning", message: error.message });
    else {
      const bug = toBug(error, maskOf(this.#settings.worlds.main, credentials));
      this.#settings.log({ kind: "bug", error: bug, operation: operation?.contract.name });
    }
    return new ApiError("INTERNAL_SERVER_ERROR", "an unexpected error happened in the emulator");
  }
}

/** Error replies in plain text (quirk `plain-404`) contain no error code. */
function isPlainText({ headers }: PlainReply): boolean {
  return headers["Content-Type"]?.startsWith("text/plain") === true;
}

/** Names the faults that hit the request in a header, also if the reply looks normal. */
function withFaultHint(reply: PlainReply, faults: readonly Fault[]): PlainReply {
  if (faults.length === 0) return reply;
  return withHint(reply, `hit by ${faults.map(nameOf).join(", ")}`);
}
