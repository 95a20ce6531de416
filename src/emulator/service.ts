import { ApiError } from "../contract/errors.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { Fault, Moment } from "../control/fault.ts";
import type { Strike } from "../control/faults.ts";
import { maskSecrets } from "../control/mask.ts";
import type { AdmittedCall, Call, Operation, Requirement } from "../operations/operation.ts";
import { UsageError } from "../usage-error.ts";
import { authenticate, authorize } from "./authenticate.ts";
import { UNSEEN_HEADER, type PlainReply, type PlainRequest } from "./exchange.ts";
import { faultRefusal, nameOf } from "./fault-refusal.ts";
import type { Log } from "./log.ts";
import { Lifetime } from "./lifetime.ts";
import { versionOf } from "./interface-version.ts";
import { notServed } from "./not-served.ts";
import { parseInput, toRoute, type OperationRoute } from "./parse-input.ts";
import { placeOf, secretsOf } from "./place.ts";
import { requestIdOf, type Ending, type Progress } from "./progress.ts";
import {
  distort,
  errorReply,
  preflightReply,
  successReply,
  withHint,
  withoutBody,
} from "./reply.ts";
import { record } from "./record.ts";
import { toLogEntry } from "./report.ts";
import { Router, type Endpoint } from "./router.ts";
import type { Worlds } from "./worlds.ts";

type Demand = AdmittedCall<unknown>["demand"];

/** Clients choose the names of unknown fields, so only so many are remembered. */
const MAX_WARNINGS = 1_000;

/** What a browser may send to a path that leads to no operation, and be told so. */
const ANY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export interface ServiceSettings {
  readonly worlds: Worlds;
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
    const visit = this.#settings.worlds.visit(request.header("authorization"));
    const { world } = visit;
    const time = world.clock.now();
    const { lifetime, resets } = world;
    const isUnseen = isLook(request);
    const endpoint = this.#router.find(request.path);
    const operation = endpoint?.routes[0]?.operation;
    const progress: Progress = {
      world,
      lifetime,
      resets,
      time,
      start,
      request,
      operation,
      place: placeOf(request, operation, world),
      faults: [],
      isUnseen,
    };
    let reply: PlainReply;
    let refusal: ApiError | undefined;
    try {
      reply = await this.#answer(endpoint, progress);
    } catch (error) {
      refusal = error instanceof ApiError ? error : this.#toRefusal(error, progress);
      reply = this.#refuse(refusal, progress);
    } finally {
      visit.end();
    }
    if (!isUnseen) reply = this.#conclude(progress, reply, refusal);
    return request.method === "HEAD" ? withoutBody(reply) : reply;
  }

  /** What a fault does to the reply, and what is told of the request when it has ended. */
  #conclude(progress: Progress, whole: PlainReply, refusal: ApiError | undefined): PlainReply {
    // The log and the journal tell it, also where no reply does.
    requestIdOf(progress);
    const reply = distort(whole, progress.outcome?.effect);
    const isSilent = reply.effect === "drop" || reply.effect === "hang";
    const ending: Ending = {
      status: isSilent ? undefined : reply.status,
      refusal: isSilent ? undefined : refusal,
      code: isSilent || isPlain(reply) ? undefined : refusal?.code,
      duration: performance.now() - progress.start,
      reply: isSilent ? undefined : whole,
    };
    this.#settings.log(toLogEntry(progress, ending));
    record(progress, ending);
    return hinted(reply, progress.faults);
  }

  /** Refuses what a door cannot make a request of: bytes that are not HTTP, a request that stalls. */
  refuse(status: number, message: string): PlainReply {
    const { main } = this.#settings.worlds;
    const refusal = new ApiError("BAD_REQUEST", message, { status });
    const requestId = requestIdOf({ isUnseen: false, world: main });
    const request = { header: () => undefined };
    const place = { method: "?", path: "?" };
    this.#settings.log(
      toLogEntry(
        { request, requestId, operation: undefined, place, faults: [], world: main },
        { duration: 0, status, refusal, code: refusal.code },
      ),
    );
    return errorReply(requestId, refusal);
  }

  /** The service's order of checks: route, authentication, input, permission, then the operation. */
  async #answer(
    endpoint: Endpoint<OperationRoute> | undefined,
    progress: Progress,
  ): Promise<PlainReply> {
    const { quirks } = this.#settings;
    const { operation, request, world } = progress;
    if (endpoint === undefined || operation === undefined) return this.#answerUnserved(progress);
    if (request.method === "OPTIONS") {
      const requested = request.header("access-control-request-headers");
      return preflightReply(requestIdOf(progress), endpoint.methods, requested);
    }
    const route = endpoint.find(request.method);
    if (route === undefined) {
      const { method, name } = operation.contract;
      throw endpoint.refuse(`${name} is called with ${method}`);
    }
    progress.isRouted = true;
    const isValidatedFirst = quirks.has("validate-first");
    const read = isValidatedFirst ? this.#parse(route, progress) : undefined;
    const access = authenticate(world, request.header("authorization"), quirks);
    const { workspace } = access;
    progress.workspace = workspace;
    const { isUnseen } = progress;
    const input = read ?? this.#parse(route, progress);
    const demand: Demand = (requirements, refusal) =>
      authorize(access, checkRequirements(operation, "demand", requirements), refusal);
    const call = { workspace, input, isUnseen, demand };
    authorize(access, checkRequirements(operation, "requires", operation.requires(call)));
    // Drawn before the work: a reset may come while it is under way.
    const requestId = requestIdOf(progress);
    const early = this.#strike("before", call, progress);
    if (early !== undefined) await this.#suffer(early, progress);
    if (early?.outcome !== undefined) throw faultRefusal(early.outcome, quirks);
    const work = operation.run(call);
    const output = isThenable(work) ? await work : work;
    progress.output = output;
    const late = this.#strike("after", call, progress);
    if (late !== undefined) await this.#suffer(late, progress);
    if (late?.outcome?.code !== undefined) throw faultRefusal(late.outcome, quirks);
    return successReply(requestId, output);
  }

  /**
   * Lets a browser send the request that it asks about: only then does the page see the refusal.
   * @throws ApiError NOT_FOUND that says what is missing
   */
  #answerUnserved(progress: Progress): PlainReply {
    const { header, method } = progress.request;
    if (method === "OPTIONS" && header("access-control-request-method") !== undefined) {
      const requested = header("access-control-request-headers");
      return preflightReply(requestIdOf(progress), ANY_METHOD, requested);
    }
    throw notServed(this.#settings.operations, progress.place);
  }

  #parse(route: OperationRoute, progress: Progress): Record<string, unknown> {
    const { input, unknown } = parseInput(route, progress.request, this.#settings);
    if (!progress.isUnseen) this.#warnOf(route.operation, unknown, progress);
    return input;
  }

  /** Lets faults strike the call at this moment. Nearly always there are none. */
  #strike(
    moment: Moment,
    { input }: Call<Record<string, unknown>>,
    { faults, isUnseen, operation, world }: Progress,
  ): Strike | undefined {
    if (operation === undefined || isUnseen) return undefined;
    const strike = world.faults.strike(moment, { operation: operation.contract.name, input });
    if (strike !== undefined) faults.push(...strike.faults);
    return strike;
  }

  /**
   * Takes the time that a strike does.
   * @throws ApiError when the world is not the same any more after it
   */
  async #suffer({ latency, outcome }: Strike, progress: Progress): Promise<void> {
    const { lifetime, request, start } = progress;
    progress.outcome = outcome;
    if (latency === 0) return;
    const duration = performance.now() - start;
    const unknown = { status: undefined, refusal: undefined, code: undefined, reply: undefined };
    record(progress, { ...unknown, duration });
    const lifetimes = request.door === undefined ? [lifetime] : [lifetime, request.door];
    // What was still waiting is not to reach into the next test.
    if (await Lifetime.delay(latency, lifetimes)) return;
    progress.outcome = undefined;
    const message = "the emulator was reset or closed while this was delayed";
    throw new ApiError("INTERNAL_SERVER_ERROR", message);
  }

  #refuse(refusal: ApiError, progress: Progress): PlainReply {
    const { isRouted, request } = progress;
    const requestId = requestIdOf(progress);
    const version = versionOf(request.path);
    if (isRouted) return version.refuse(requestId, refusal, request);
    return this.#settings.quirks.has("plain-404")
      ? version.refuseRoutePlainly(requestId, refusal)
      : version.refuseRoute(requestId, refusal, request);
  }

  #warnOf(
    operation: Operation,
    unknown: readonly string[],
    { request, world }: Pick<Progress, "request" | "world">,
  ): void {
    for (const member of unknown) {
      const name = `${operation.contract.name}: ${member}`;
      if (this.#warned.has(name) || this.#warned.size >= MAX_WARNINGS) continue;
      this.#warned.add(name);
      const where = operation.contract.method === "GET" ? "parameter" : "field";
      const masked = maskSecrets(name, secretsOf(world, request.header("authorization")));
      const message = `${masked}: the service does not know this ${where}; latchkey ignores it as well`;
      this.#settings.log({ kind: "warning", message });
    }
  }

  #toRefusal(error: unknown, { operation }: Progress): ApiError {
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
  return withHint(reply, `struck by ${faults.map(nameOf).join(", ")}`);
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
