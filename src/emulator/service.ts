import { ApiError } from "../contract/errors.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { Fault, Moment } from "../control/fault.ts";
import type { Strike } from "../control/faults.ts";
import type { JournalEntry } from "../control/recorded-request.ts";
import type { Call, Operation, Requirement } from "../operations/operation.ts";
import type { Workspace } from "../store/workspace.ts";
import { UsageError } from "../usage-error.ts";
import { authenticate, authorize } from "./authenticate.ts";
import { UNSEEN_HEADER, type PlainReply, type PlainRequest } from "./exchange.ts";
import { faultRefusal, nameOf } from "./fault-refusal.ts";
import type { Log } from "./log.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { parseInput } from "./parse-input.ts";
import { placeOf, type Place } from "./place.ts";
import { toRecordedAnswer } from "./recorded-answer.ts";
import { toRecordedInput } from "./recorded-input.ts";
import {
  distort,
  errorReply,
  plainNotFoundReply,
  preflightReply,
  successReply,
  withHint,
  withoutBody,
} from "./reply.ts";
import { checkMethod, findRoute, toRoutes, type Route, type Routes } from "./route.ts";
import type { World } from "./world.ts";
import type { Worlds } from "./worlds.ts";

/** What a request that is unseen is answered with: it draws no id from those of the others. */
const UNSEEN_ID = `req_${"1".repeat(16)}`;

/** Clients choose the names of unknown fields, so only so many are remembered. */
const MAX_WARNINGS = 1_000;

export interface ServiceSettings {
  readonly worlds: Worlds;
  readonly operations: readonly Operation[];
  readonly quirks: Quirks;
  readonly strict: boolean;
  readonly log: Log;
}

/** What is known of a request so far; the reply, the log line and the journal are made of it. */
interface Progress {
  readonly world: World;
  /** Of the world, when the request came. */
  readonly era: number;
  readonly beginning: number;
  /** By the clock of the world, when the request came. */
  readonly time: number;
  /** By the clock of the machine, when the request came. */
  readonly start: number;
  readonly request: PlainRequest;
  readonly faults: Fault[];
  operation?: Operation;
  workspace?: Workspace;
  requestId?: string;
  /** The fault that decides what the request is answered with. */
  outcome?: Fault | undefined;
  /** Whether the operation takes this method. */
  isRouted?: boolean;
  place?: Place;
  /** Where it is recorded already, because a fault delays it. */
  entry?: JournalEntry;
  /** Whether who sent it only looks, and is no part of what is tested. */
  readonly isUnseen: boolean;
  /** What the operation returned. */
  output?: unknown;
}

/** The service as its clients meet it: from a plain request to a plain reply. */
export class Service {
  readonly #settings: ServiceSettings;
  readonly #routes: Routes;
  readonly #warned = new Set<string>();

  constructor(settings: ServiceSettings) {
    this.#settings = settings;
    this.#routes = toRoutes(settings.operations);
  }

  /** Answers one request. Refusals, and bugs of ours, are replies too. */
  async handle(request: PlainRequest): Promise<PlainReply> {
    const start = performance.now();
    const visit = this.#settings.worlds.visit(request.header("authorization"));
    const { world } = visit;
    if (world.isChanging) await world.settled();
    const time = world.clock.now();
    const { beginning, era } = world;
    const isUnseen = request.header(UNSEEN_HEADER) === "true";
    const progress: Progress = {
      world,
      era,
      beginning,
      time,
      start,
      request,
      faults: [],
      isUnseen,
    };
    let reply: PlainReply;
    let refusal: ApiError | undefined;
    try {
      reply = await this.#answer(request, progress);
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
    this.#requestId(progress);
    const reply = distort(whole, progress.outcome?.effect);
    const isSilent = reply.effect === "drop" || reply.effect === "hang";
    const outcome: Outcome = {
      status: isSilent ? undefined : reply.status,
      refusal: isSilent || isPlain(reply) ? undefined : refusal,
      duration: performance.now() - progress.start,
      reply: isSilent ? undefined : whole,
    };
    this.#logRequest(progress, outcome);
    this.#record(progress, outcome);
    return hinted(reply, progress.faults);
  }

  /** Refuses what a door cannot make a request of: bytes that are not HTTP, a request that stalls. */
  refuse(status: number, message: string): PlainReply {
    const { main } = this.#settings.worlds;
    const refusal = new ApiError("BAD_REQUEST", message, { status });
    const requestId = this.#requestId({ isUnseen: false, world: main });
    const request = { method: "?", path: "?", header: () => undefined };
    this.#logRequest(
      { request, requestId, faults: [], world: main },
      { duration: 0, status, refusal, reply: undefined },
    );
    return errorReply(requestId, refusal);
  }

  /** The service's order of checks: route, authentication, input, permission, then the operation. */
  async #answer(request: PlainRequest, progress: Progress): Promise<PlainReply> {
    const { quirks } = this.#settings;
    const { world } = progress;
    const route = findRoute(this.#routes, request.path);
    const { operation } = route;
    progress.operation = operation;
    if (request.method === "OPTIONS") {
      const requested = request.header("access-control-request-headers");
      return preflightReply(this.#requestId(progress), route.methods, requested);
    }
    checkMethod(route, request.method);
    progress.isRouted = true;
    const isValidatedFirst = quirks.has("validate-first");
    const read = isValidatedFirst ? this.#parse(route, request) : undefined;
    const access = authenticate(world, request.header("authorization"), quirks);
    const { workspace } = access;
    progress.workspace = workspace;
    const call = { workspace, input: read ?? this.#parse(route, request) };
    authorize(access, checkRequirements(operation, operation.requires(call)));
    // Drawn before the work: a reset may come while it is under way.
    const requestId = this.#requestId(progress);
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

  #parse(route: Route, request: PlainRequest): Record<string, unknown> {
    const { input, unknown } = parseInput(route, request, this.#settings);
    this.#warnOf(route.operation, unknown, request);
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
    const { era, request, start, world } = progress;
    progress.outcome = outcome;
    if (latency === 0) return;
    const duration = performance.now() - start;
    const unknown = { status: undefined, refusal: undefined, reply: undefined };
    this.#record(progress, { ...unknown, duration });
    const isWhole = await world.delay(latency, request.delays);
    if (world.isChanging) await world.settled();
    // What was still waiting is not to reach into the next test.
    if (isWhole && era === world.era) return;
    progress.outcome = undefined;
    const message = "the emulator was reset or closed while this was delayed";
    throw new ApiError("INTERNAL_SERVER_ERROR", message);
  }

  #refuse(refusal: ApiError, progress: Progress): PlainReply {
    const requestId = this.#requestId(progress);
    return !progress.isRouted && this.#settings.quirks.has("plain-404")
      ? plainNotFoundReply(requestId, refusal.hint)
      : errorReply(requestId, refusal);
  }

  #requestId(progress: Pick<Progress, "isUnseen" | "world" | "workspace" | "requestId">): string {
    if (progress.isUnseen) return UNSEEN_ID;
    const { store } = progress.world;
    const { ids } = progress.workspace ?? store;
    progress.requestId ??= ids.next("req", store.clock.now());
    return progress.requestId;
  }

  #logRequest(progress: LoggedProgress, { duration, refusal, status }: Outcome): void {
    const { faults, operation, request, requestId = "" } = progress;
    const authorization = refusal && request.header("authorization");
    const { method, path } = place(progress);
    this.#settings.log({
      kind: "request",
      method,
      path,
      operation: operation?.contract.name,
      status,
      requestId,
      duration,
      code: refusal?.code,
      message: refusal && maskSecrets(refusal.message, authorization),
      hint: refusal?.hint && maskSecrets(refusal.hint, authorization),
      faults: faults.length === 0 ? NO_FAULTS : faults.map(nameOf),
    });
  }

  /** Tells the journal how the request stands: when a fault begins to delay it, and at its end. */
  #record(progress: Progress, { duration, refusal, reply, status }: Outcome): void {
    const { beginning, entry, faults, operation, request, time, world } = progress;
    // A preflight asks for nothing, and what began before a reset is none of what is tested now.
    if (request.method === "OPTIONS" || world.beginning !== beginning) return;
    const struck = faults.length === 0 ? NO_FAULTS : faults.map(({ id }) => id);
    const authorization = request.header("authorization");
    const output = refusal === undefined ? progress.output : undefined;
    const answer = reply && toRecordedAnswer(output, reply, world, authorization);
    if (entry !== undefined) {
      world.journal.finish(entry, {
        answer,
        status,
        code: refusal?.code,
        duration,
        faults: struck,
      });
      return;
    }
    const { method, path } = place(progress);
    progress.entry = {
      method,
      path,
      operation: operation?.contract.name,
      time,
      input: toRecordedInput(request, world, authorization),
      answer,
      requestId: this.#requestId(progress),
      status,
      code: refusal?.code,
      duration,
      faults: struck,
    };
    world.journal.record(progress.entry);
  }

  #warnOf(operation: Operation, unknown: readonly string[], request: PlainRequest): void {
    const authorization = request.header("authorization");
    for (const member of unknown) {
      const name = `${operation.contract.name}: ${member}`;
      if (this.#warned.has(name) || this.#warned.size >= MAX_WARNINGS) continue;
      this.#warned.add(name);
      const where = operation.contract.method === "GET" ? "parameter" : "field";
      const message = `${maskSecrets(name, authorization)}: the service does not know this ${where}; latchkey ignores it as well`;
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

/** Handed out, and the same for all: nobody may add to it. */
const NO_FAULTS: readonly string[] = Object.freeze([]);

/** How a request ended. */
interface Outcome {
  readonly status: number | undefined;
  readonly refusal: ApiError | undefined;
  /** Milliseconds. */
  readonly duration: number;
  /** What the client is told, before a fault distorts it; undefined where there is no reply. */
  readonly reply: PlainReply | undefined;
}

type LoggedProgress = Pick<Progress, "faults" | "operation" | "requestId" | "world"> & {
  readonly request: Pick<PlainRequest, "method" | "path" | "header">;
  place?: Place;
};

/** Worked out once: the log and the journal want it. */
function place(progress: LoggedProgress): Place {
  const { operation, request, world } = progress;
  progress.place ??= placeOf(request, operation, world);
  return progress.place;
}

/** A client that is told in plain text learns no code. */
function isPlain({ headers, status }: PlainReply): boolean {
  return status === 404 && headers["Content-Type"]?.startsWith("text/plain") === true;
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
  requirements: readonly Requirement[],
): readonly Requirement[] {
  const isGood =
    Array.isArray(requirements) && requirements.every((item) => Array.isArray(item?.oneOf));
  if (isGood) return requirements;
  const expected = "expected an array of requirements, as onApi makes them";
  throw new TypeError(`${contract.name}: requires: ${expected}`);
}
