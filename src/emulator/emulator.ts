import { ApiError } from "../contract/errors.ts";
import type { OpenApiDocument } from "../contract/openapi.ts";
import type { Operation, Requirement } from "../operations/operation.ts";
import { operations } from "../operations/table.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import type { Clock } from "../store/clock.ts";
import type { Store, WorkspaceCollection } from "../store/store.ts";
import type { Workspace } from "../store/workspace.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import { authenticate, authorize } from "./authenticate.ts";
import type { PlainReply, PlainRequest } from "./exchange.ts";
import { consoleLog, type Log, type LogEntry } from "./log.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { checkFixtures, checkOptions, planOf, type EmulatorOptions } from "./options.ts";
import { parseInput } from "./parse-input.ts";
import { errorReply, preflightReply, successReply, withoutBody } from "./reply.ts";
import { checkMethod, findRoute, toRoutes, type Routes } from "./route.ts";
import { fromRequest, toResponse, unlessAborted } from "./web.ts";
import { World } from "./world.ts";

/** Clients choose the names of unknown fields, so only so many are remembered. */
const MAX_WARNINGS = 1_000;

/**
 * Makes an emulator and seeds it. Two of them share nothing.
 * @throws UsageError with a line for everything that is wrong with the options and fixtures
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { clock, plan } = checkOptions(options);
  const seed = options.randomSeed ?? plan.randomSeed ?? randomSeed();
  const until = baseTimeOf(options, clock);
  const { onProgress } = options;
  const world = new World(plan.workspaces[0].id, {
    clock,
    seed,
    randomSeed: options.randomSeed,
    // Loaded where it is asked for: faker is larger than all else here.
    generate: async (workspace, requests) => {
      const { generate } = await import("../seeding/generate/generate.ts");
      await generate(workspace, requests, { randomSeed: workspace.ids.seed, until, onProgress });
    },
    onProgress,
  });
  const emulator = new Emulator(world, {
    baseTime: until,
    clock,
    options,
    strict: options.strict ?? false,
    log: options.log ?? consoleLog,
    operations: [...operations, ...(options.operations ?? [])],
  });
  await world.seed(plan);
  return emulator;
}

/** With a random seed alone, the world is to be the same on every day. */
export const BASE_TIME = Date.UTC(2026, 0, 1);

/** The time that made-up keys count back from (unix milliseconds). */
export function baseTimeOf(
  { now, randomSeed }: Pick<EmulatorOptions, "now" | "randomSeed">,
  clock: Clock,
): number {
  return now === undefined && randomSeed !== undefined ? BASE_TIME : clock.now();
}

interface Settings {
  readonly baseTime: number;
  readonly clock: Clock;
  readonly options: EmulatorOptions;
  readonly strict: boolean;
  readonly log: Log;
  readonly operations: readonly Operation[];
}

/** What is known of a request so far; the reply and the log line are made of it. */
interface Progress {
  operation?: Operation;
  workspace?: Workspace;
  requestId?: string;
}

/**
 * The service in memory. Every door leads to `handle`. The collections are those of the default
 * workspace; they stay the same objects when the emulator is reset.
 */
export class Emulator {
  readonly #settings: Settings;
  readonly #world: World;
  readonly #store: Store;
  readonly #routes: Routes;
  readonly #warned = new Set<string>();

  /** For `createEmulator`, which seeds the world too. */
  constructor(world: World, settings: Settings) {
    this.#settings = settings;
    this.#world = world;
    this.#store = world.store;
    this.#routes = toRoutes(settings.operations);
  }

  /** What ids and key values are made from; pass it as an option to have them again. */
  get randomSeed(): number {
    return this.#store.seed;
  }

  /**
   * The time that made-up keys count back from (unix milliseconds): `now`, or the start of 2026
   * with a random seed alone, or else the time of creation. Undefined where none were asked for.
   */
  get baseTime(): number | undefined {
    return this.#world.isGenerated ? this.#settings.baseTime : undefined;
  }

  /** Grows with every change of what the emulator holds; requests that only read change nothing. */
  get revision(): number {
    return this.#store.revision;
  }

  /** The time that everything here goes by. */
  get clock(): Clock {
    return this.#settings.clock;
  }

  /** Every operation that is served, the caller's own among them. */
  get operations(): readonly Operation[] {
    return this.#settings.operations;
  }

  get workspaces(): WorkspaceCollection {
    return this.#store.workspaces;
  }

  get apis(): Workspace["apis"] {
    return this.#store.defaultWorkspace.apis;
  }

  get tokens(): Workspace["tokens"] {
    return this.#store.defaultWorkspace.tokens;
  }

  get permissions(): Workspace["permissions"] {
    return this.#store.defaultWorkspace.permissions;
  }

  get roles(): Workspace["roles"] {
    return this.#store.defaultWorkspace.roles;
  }

  get identities(): Workspace["identities"] {
    return this.#store.defaultWorkspace.identities;
  }

  get keys(): Workspace["keys"] {
    return this.#store.defaultWorkspace.keys;
  }

  /**
   * Answers a request as the service would, whatever its host. Refusals are responses, and so are
   * bugs of ours. It takes what the global `fetch` takes, and can stand in for it.
   * @throws TypeError when the body was read already, the reason of a signal that has been aborted,
   *   and what the body's own stream throws
   */
  readonly fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const isRequest = typeof input === "object" && "headers" in input && init === undefined;
    const request = isRequest ? input : new Request(input, init);
    const reply = async () => this.handle(await fromRequest(request));
    return toResponse(await unlessAborted(request.signal, reply));
  };

  /**
   * Brings back exactly the state after `createEmulator`. Requests wait until it is there, so a
   * listener of a collection must not wait for one meanwhile.
   */
  reset(): Promise<void> {
    return this.#world.reset();
  }

  /**
   * All that the emulator holds, as a fixture: keys, their values where they are recoverable,
   * tokens, and where ids go on. An emulator that is made of it answers as this one does, at the
   * same time. It cannot be changed, and can be written as JSON.
   * @throws UsageError when the default workspace was deleted
   */
  snapshot(): Fixture {
    return this.#world.snapshot();
  }

  /**
   * `snapshot()` as JSON, in pieces that are made while they are read, for a world that is large;
   * `first` are members to stand before the others.
   * @throws UsageError when the default workspace was deleted
   */
  snapshotText(first: { readonly $schema?: string } = {}): Iterable<string> {
    return this.#world.snapshotText(first);
  }

  /**
   * Puts a snapshot, or any other fixture, in the place of all that the emulator holds, or leaves
   * everything as it is. What `reset` brings back stays the same. Requests wait until it is there.
   * @throws UsageError with a line for everything that is wrong with the snapshot
   */
  restore(snapshot: Fixture): Promise<void> {
    return this.#world.restore(snapshot);
  }

  /**
   * Starts over from other fixtures, as if the emulator had been created with them and its other
   * options, `generate` among them; `reset` brings back these from now on. Requests wait until they
   * are there.
   * @throws UsageError with a line for everything that is wrong with them; nothing has changed then
   */
  async reseed(fixtures: readonly Fixture[]): Promise<void> {
    checkFixtures(fixtures, "reseed");
    await this.#world.seed(planOf({ ...this.#settings.options, fixtures }));
  }

  /** The OpenAPI 3.1 document of every operation that is served. */
  async openapi(): Promise<OpenApiDocument> {
    // Loaded when it is asked for: few starts do.
    const { toOpenApi } = await import("../contract/openapi.ts");
    return toOpenApi(
      this.operations.map(({ contract }) => contract),
      version,
    );
  }

  /** Answers one request; for doors. Refusals, and bugs of ours, are replies too. */
  async handle(request: PlainRequest): Promise<PlainReply> {
    const start = performance.now();
    if (this.#world.isChanging) await this.#world.settled();
    const progress: Progress = {};
    let reply: PlainReply;
    let refusal: ApiError | undefined;
    try {
      reply = await this.#answer(request, progress);
    } catch (error) {
      refusal = error instanceof ApiError ? error : this.#toRefusal(error, progress);
      reply = errorReply(this.#requestId(progress), refusal);
    }
    this.#logRequest(request, reply, {
      operation: progress.operation?.contract.name,
      duration: performance.now() - start,
      refusal,
    });
    return request.method === "HEAD" ? withoutBody(reply) : reply;
  }

  /** Refuses what a door cannot make a request of: bytes that are not HTTP, a request that stalls. */
  refuse(status: number, message: string): PlainReply {
    const refusal = new ApiError("BAD_REQUEST", message, { status });
    const reply = errorReply(this.#requestId({}), refusal);
    const request = { method: "?", path: "?", header: () => undefined };
    this.#logRequest(request, reply, { operation: undefined, duration: 0, refusal });
    return reply;
  }

  /** The service's order of checks: route, authentication, input, permission, then the operation. */
  async #answer(request: PlainRequest, progress: Progress): Promise<PlainReply> {
    const route = findRoute(this.#routes, request.path);
    const { operation } = route;
    progress.operation = operation;
    if (request.method === "OPTIONS") {
      const requested = request.header("access-control-request-headers");
      return preflightReply(this.#requestId(progress), route.methods, requested);
    }
    checkMethod(route, request.method);
    const access = authenticate(this.#store, request.header("authorization"));
    const { workspace } = access;
    progress.workspace = workspace;
    const { input, unknown } = parseInput(operation.contract, request, this.#settings);
    this.#warnOf(operation, unknown, request);
    const call = { workspace, input };
    authorize(access, checkRequirements(operation, operation.requires(call)));
    // Drawn before the work: a reset may come while it is under way.
    const requestId = this.#requestId(progress);
    return successReply(requestId, await operation.run(call));
  }

  #requestId(progress: Progress): string {
    const { ids } = progress.workspace ?? this.#store;
    progress.requestId ??= ids.next("req", this.#store.clock.now());
    return progress.requestId;
  }

  #logRequest(
    request: Pick<PlainRequest, "method" | "path" | "header">,
    reply: PlainReply,
    outcome: { operation: string | undefined; duration: number; refusal: ApiError | undefined },
  ): void {
    const authorization = request.header("authorization");
    const { operation, duration, refusal } = outcome;
    this.#log({
      kind: "request",
      method: maskSecrets(request.method),
      path: maskSecrets(request.path, authorization),
      operation,
      status: reply.status,
      requestId: reply.headers["Unkey-Request-Id"] ?? "",
      duration,
      code: refusal?.code,
      message: refusal && maskSecrets(refusal.message, authorization),
      hint: refusal?.hint && maskSecrets(refusal.hint, authorization),
    });
  }

  #warnOf(operation: Operation, unknown: readonly string[], request: PlainRequest): void {
    const authorization = request.header("authorization");
    for (const member of unknown) {
      const name = `${operation.contract.name}: ${member}`;
      if (this.#warned.has(name) || this.#warned.size >= MAX_WARNINGS) continue;
      this.#warned.add(name);
      const where = operation.contract.method === "GET" ? "parameter" : "field";
      const message = `${maskSecrets(name, authorization)}: the service does not know this ${where}; latchkey ignores it as well`;
      this.#log({ kind: "warning", message });
    }
  }

  /** A log that fails must not take an answer with it. */
  #log(entry: LogEntry): void {
    try {
      this.#settings.log(entry);
    } catch (error) {
      consoleLog({ kind: "warning", message: `the log failed: ${String(error)}` });
    }
  }

  #toRefusal(error: unknown, { operation }: Progress): ApiError {
    // What a test did to its own world, like deleting the default workspace, is no bug.
    if (error instanceof UsageError) this.#log({ kind: "warning", message: error.message });
    else this.#log({ kind: "bug", error, operation: operation?.contract.name });
    return new ApiError("INTERNAL_SERVER_ERROR", "an unexpected error happened in the emulator");
  }
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

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
