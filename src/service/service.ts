import { ApiError } from "../contract/errors.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { Fault, FaultPhase } from "../faults/fault.ts";
import type { AppliedFaults } from "../faults/faults.ts";
import { maskSecrets } from "../journal/mask.ts";
import type { AdmittedCall, Call, Operation, Requirement } from "../operations/operation.ts";
import { UsageError } from "../usage-error.ts";
import { authenticate, authorize } from "./authenticate.ts";
import { NO_CREDENTIALS, readCredentials } from "./credentials.ts";
import { UNSEEN_HEADER, type PlainReply, type PlainRequest } from "./exchange.ts";
import { faultRefusal, nameOf } from "./fault-refusal.ts";
import type { Log } from "./log.ts";
import { Lifetime } from "../world/lifetime.ts";
import { versionOf } from "./interface-version.ts";
import { notServed } from "./not-served.ts";
import { parseInput, toRoute, type OperationRoute } from "./parse-input.ts";
import { targetOf, secretsOf } from "./request-target.ts";
import { requestIdOf, type Outcome, type RequestContext } from "./request-context.ts";
import {
  applyEffect,
  errorReply,
  preflightReply,
  successReply,
  withHint,
  withoutBody,
} from "./reply.ts";
import { record } from "./record.ts";
import { toLogEntry } from "./report.ts";
import { Router, type Endpoint } from "./router.ts";
import type { WorldPool } from "../world/world-pool.ts";

type Demand = AdmittedCall<unknown>["demand"];

/** Clients choose the names of unknown fields, so only so many are remembered. */
const MAX_WARNINGS = 1_000;

/** What a browser may send to a path that leads to no operation, and be told so. */
const ANY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export interface ServiceSettings {
  readonly worlds: WorldPool;
  readonly operations: readonly Operation[];
  readonly quirks: Quirks;
  readonly strict: boolean;
  readonly log: Log;
}

/** The service as its clients meet it: from a plain request to a plain reply. */
export class Service {
  readonly #settings: ServiceSettings;
  readonly #router: Router<OperationRoute>;
  readonly #warned = new Set<string>();

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    this.#router = new Router(settings.operations.map(toRoute), ["OPTIONS"]);
  }

  /** Answers one request. Refusals, and bugs of ours, are replies too. */
  async handle(request: PlainRequest): Promise<PlainReply> {
    const start = performance.now();
    const credentials = readCredentials(request);
    const lease = this.#settings.worlds.acquire(credentials.token);
    const { world } = lease;
    const time = world.clock.now();
    const { lifetime, resets } = world;
    const isUnseen = isLook(request);
    const endpoint = this.#router.find(request.path);
    const operation = endpoint?.routes[0]?.operation;
    const context: RequestContext = {
      world,
      lifetime,
      resets,
      time,
      start,
      request,
      credentials,
      operation,
      target: targetOf(request, operation, world, credentials),
      faults: [],
      isUnseen,
    };
    let reply: PlainReply;
    let refusal: ApiError | undefined;
    try {
      reply = await this.#answer(endpoint, context);
    } catch (error) {
      refusal = error instanceof ApiError ? error : this.#toRefusal(error, context);
      reply = this.#refuse(refusal, context);
    } finally {
      lease.release();
    }
    if (!isUnseen) reply = this.#conclude(context, reply, refusal);
    return request.method === "HEAD" ? withoutBody(reply) : reply;
  }

  /** What a fault does to the reply, and what is told of the request when it has ended. */
  #conclude(context: RequestContext, whole: PlainReply, refusal: ApiError | undefined): PlainReply {
    // The log and the journal tell it, also where no reply does.
    requestIdOf(context);
    const reply = applyEffect(whole, context.decidingFault?.effect);
    const isSilent = reply.effect === "drop" || reply.effect === "hang";
    const outcome: Outcome = {
      status: isSilent ? undefined : reply.status,
      refusal: isSilent ? undefined : refusal,
      code: isSilent || isPlain(reply) ? undefined : refusal?.code,
      duration: performance.now() - context.start,
      reply: isSilent ? undefined : whole,
    };
    this.#settings.log(toLogEntry(context, outcome));
    record(context, outcome);
    return hinted(reply, context.faults);
  }

  /** Refuses what a door cannot make a request of: bytes that are not HTTP, a request that stalls. */
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
        { duration: 0, status, refusal, code: refusal.code },
      ),
    );
    return errorReply(requestId, refusal);
  }

  /** The service's order of checks: route, authentication, input, permission, then the operation. */
  async #answer(
    endpoint: Endpoint<OperationRoute> | undefined,
    context: RequestContext,
  ): Promise<PlainReply> {
    const { quirks } = this.#settings;
    const { operation, request, world } = context;
    if (endpoint === undefined || operation === undefined) return this.#answerUnserved(context);
    if (request.method === "OPTIONS") {
      const requested = request.header("access-control-request-headers");
      return preflightReply(requestIdOf(context), endpoint.methods, requested);
    }
    const route = endpoint.find(request.method);
    if (route === undefined) {
      const { method, name } = operation.contract;
      throw endpoint.refuse(`${name} is called with ${method}`);
    }
    context.isRouted = true;
    const isValidatedFirst = quirks.has("validate-first");
    const read = isValidatedFirst ? this.#parse(route, context) : undefined;
    const access = authenticate(world, context.credentials, quirks);
    const { workspace } = access;
    context.workspace = workspace;
    const { isUnseen } = context;
    const input = read ?? this.#parse(route, context);
    const demand: Demand = (requirements, refusal) =>
      authorize(access, checkRequirements(operation, "demand", requirements), refusal);
    const call = { workspace, input, isUnseen, demand };
    authorize(access, checkRequirements(operation, "requires", operation.requires(call)));
    // Drawn before the work: a reset may come while it is under way.
    const requestId = requestIdOf(context);
    const early = this.#applyFaults("before", call, context);
    if (early !== undefined) await this.#delay(early, context);
    if (early?.decidingFault !== undefined) throw faultRefusal(early.decidingFault, quirks);
    const work = operation.run(call);
    const output = isThenable(work) ? await work : work;
    context.output = output;
    const late = this.#applyFaults("after", call, context);
    if (late !== undefined) await this.#delay(late, context);
    if (late?.decidingFault?.code !== undefined) throw faultRefusal(late.decidingFault, quirks);
    return successReply(requestId, output);
  }

  /**
   * Lets a browser send the request that it asks about: only then does the page see the refusal.
   * @throws ApiError NOT_FOUND that says what is missing
   */
  #answerUnserved(context: RequestContext): PlainReply {
    const { header, method } = context.request;
    if (method === "OPTIONS" && header("access-control-request-method") !== undefined) {
      const requested = header("access-control-request-headers");
      return preflightReply(requestIdOf(context), ANY_METHOD, requested);
    }
    throw notServed(this.#settings.operations, context.target);
  }

  #parse(route: OperationRoute, context: RequestContext): Record<string, unknown> {
    const { input, unknown } = parseInput(route, context.request, this.#settings);
    if (!context.isUnseen) this.#warnOf(route.operation, unknown, context);
    return input;
  }

  /** Lets faults strike the call at this phase. Nearly always there are none. */
  #applyFaults(
    phase: FaultPhase,
    { input }: Call<Record<string, unknown>>,
    { faults, isUnseen, operation, world }: RequestContext,
  ): AppliedFaults | undefined {
    if (operation === undefined || isUnseen) return undefined;
    const applied = world.faults.apply(phase, { operation: operation.contract.name, input });
    if (applied !== undefined) faults.push(...applied.faults);
    return applied;
  }

  /**
   * Takes the time that a strike does.
   * @throws ApiError when the world is not the same any more after it
   */
  async #delay({ latency, decidingFault }: AppliedFaults, context: RequestContext): Promise<void> {
    const { lifetime, request, start } = context;
    context.decidingFault = decidingFault;
    if (latency === 0) return;
    const duration = performance.now() - start;
    const unknown = { status: undefined, refusal: undefined, code: undefined, reply: undefined };
    record(context, { ...unknown, duration });
    const lifetimes = request.door === undefined ? [lifetime] : [lifetime, request.door];
    // What was still waiting is not to reach into the next test.
    if (await Lifetime.delay(latency, lifetimes)) return;
    context.decidingFault = undefined;
    const message = "the emulator was reset or closed while this was delayed";
    throw new ApiError("INTERNAL_SERVER_ERROR", message);
  }

  #refuse(refusal: ApiError, context: RequestContext): PlainReply {
    const { isRouted, request } = context;
    const requestId = requestIdOf(context);
    const version = versionOf(request.path);
    if (isRouted) return version.refuse(requestId, refusal, request);
    return this.#settings.quirks.has("plain-404")
      ? version.refuseRoutePlainly(requestId, refusal)
      : version.refuseRoute(requestId, refusal, request);
  }

  #warnOf(
    operation: Operation,
    unknown: readonly string[],
    { credentials, world }: Pick<RequestContext, "credentials" | "world">,
  ): void {
    for (const member of unknown) {
      const name = `${operation.contract.name}: ${member}`;
      if (this.#warned.has(name) || this.#warned.size >= MAX_WARNINGS) continue;
      this.#warned.add(name);
      const where = operation.contract.method === "GET" ? "parameter" : "field";
      const masked = maskSecrets(name, secretsOf(world, credentials));
      const message = `${masked}: the service does not know this ${where}; latchkey ignores it as well`;
      this.#settings.log({ kind: "warning", message });
    }
  }

  #toRefusal(error: unknown, { operation }: RequestContext): ApiError {
    // What a test did to its own world, like deleting the default workspace, is no bug.
    if (error instanceof UsageError)
      this.#settings.log({ kind: "warning", message: error.message });
    else this.#settings.log({ kind: "bug", error, operation: operation?.contract.name });
    return new ApiError("INTERNAL_SERVER_ERROR", "an unexpected error happened in the emulator");
  }
}

/** Only what changes nothing may go unseen. */
function isLook({ header, method }: PlainRequest): boolean {
  return header(UNSEEN_HEADER) === "true" && (method === "GET" || method === "HEAD");
}

/** A refusal in plain text holds no code. */
function isPlain({ headers }: PlainReply): boolean {
  return headers["Content-Type"]?.startsWith("text/plain") === true;
}

/** To wait for what is there already takes a turn more. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** A reply that faults have struck says so, also where it looks like any other. */
function hinted(reply: PlainReply, faults: readonly Fault[]): PlainReply {
  if (faults.length === 0) return reply;
  return withHint(reply, `hit by ${faults.map(nameOf).join(", ")}`);
}

/** @throws TypeError for what an operation of a user's may return instead */
function checkRequirements(
  { contract }: Operation,
  where: "requires" | "demand",
  requirements: readonly Requirement[],
): readonly Requirement[] {
  const isGood =
    Array.isArray(requirements) && requirements.every((item) => Array.isArray(item?.oneOf));
  if (isGood) return requirements;
  const expected = "expected an array of requirements, as onApi makes them";
  throw new TypeError(`${contract.name}: ${where}: ${expected}`);
}
