import type { OpenApiDocument } from "../contract/openapi.ts";
import type { Quirk } from "../contract/quirks.ts";
import type { Operation } from "../operations/operation.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import type { Clock } from "../store/clock.ts";
import { CacheBudget } from "../store/json/cache-budget.ts";
import { Store, type WorkspaceCollection } from "../store/store.ts";
import { version } from "../version.ts";
import type { Control } from "../control/control.ts";
import { readCredentials } from "../service/credentials.ts";
import {
  CONTROL_PATH,
  isControlPath,
  type PlainReply,
  type PlainRequest,
} from "../service/exchange.ts";
import { createConsoleLog, guardLog } from "../service/log.ts";
import { checkFixtures, checkOptions, planOf, type EmulatorOptions } from "./options.ts";
import { checkReset, type EmulatorResetOptions } from "../world/reset-options.ts";
import { Sandbox } from "./sandbox.ts";
import { ApiError } from "../contract/errors.ts";
import { Service, type ServiceSettings } from "../service/service.ts";
import { controlTokenOf, ControlAccess } from "../control/control-access.ts";
import { fromRequest, toResponse, unlessAborted, type Abortable } from "./web.ts";
import { World, type WorldSettings } from "../world/world.ts";
import { WorldPool } from "../world/world-pool.ts";

/**
 * Makes an emulator and seeds it. Two of them share nothing.
 * @throws UsageError with a line for everything that is wrong with the options and fixtures
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { clock, operations, plan, quirks } = checkOptions(options);
  const seed = options.randomSeed ?? plan.randomSeed ?? randomSeed();
  // All of the start is of one moment: a person is told of it, to have the same world again.
  clock.freeze();
  const until = baseTimeOf(options, clock);
  const { isolate = false, latency, onProgress, strict = false } = options;
  const { log = createConsoleLog() } = options;
  const settings = {
    clock,
    controlToken: controlTokenOf(plan, options),
    quirks,
    cacheBudget: new CacheBudget(),
    seed,
    randomSeed: options.randomSeed,
    contracts: operations.map(({ contract }) => contract),
    faults: latency === undefined ? [] : [{ latency }],
    isOpen: !isolate,
    // Loaded where it is asked for: faker is larger than all else here.
    loadGenerate: async () => {
      const { generate, loadFaker } = await import("../seeding/generate/generate.ts");
      const faker = await loadFaker();
      return (workspace, requests, stretch) => {
        const { seed: randomSeed } = workspace.ids;
        generate(workspace, requests, { faker, randomSeed, stretch, until, onProgress });
      };
    },
    onProgress,
  } satisfies WorldSettings;
  const main = new World(new Store(plan.workspaces[0].id, settings), settings);
  const worlds = new WorldPool(main, isolate ? { grants: options.tokens } : undefined);
  const emulator = new Emulator(
    { baseTime: until, options },
    { worlds, operations, quirks, strict, log: guardLog(log) },
  );
  // Lets the clock go as it is to.
  await main.seed(plan);
  return emulator;
}

/** With a random seed alone, the world is to be the same on every day. */
export const BASE_TIME = Date.UTC(2026, 0, 1);

/** The time that made-up keys count back from (unix milliseconds). */
export function baseTimeOf(
  { now, randomSeed }: Pick<EmulatorOptions, "now" | "randomSeed">,
  clock: Pick<Clock, "now">,
): number {
  return now === undefined && randomSeed !== undefined ? BASE_TIME : clock.now();
}

interface Origin {
  readonly baseTime: number;
  readonly options: EmulatorOptions;
}

/**
 * The service in memory. Every door leads to `handle`. What it holds of a sandbox is of the default
 * workspace, which requests reach unless their token has one of its own.
 */
export class Emulator extends Sandbox {
  readonly #origin: Origin;
  readonly #settings: ServiceSettings;
  readonly #service: Service;
  readonly #main: World;
  readonly #controlAccess: ControlAccess;
  #control: Promise<Control> | undefined;
  /** Whose answers are under way: a request that nothing holds any more loses its signal. */
  readonly #inFlight = new Set<Abortable>();

  /** For `createEmulator`, which seeds the world too. */
  constructor(origin: Origin, settings: ServiceSettings) {
    super(settings.worlds.main);
    this.#origin = origin;
    this.#settings = settings;
    this.#service = new Service(settings);
    this.#main = settings.worlds.main;
    this.#controlAccess = new ControlAccess(settings.worlds);
  }

  /**
   * The time that made-up keys count back from (unix milliseconds): `now`, or the start of 2026
   * with a random seed alone, or else the time of creation. Undefined where none were asked for.
   */
  get baseTime(): number | undefined {
    return this.#main.isGenerated ? this.#origin.baseTime : undefined;
  }

  /** Grows with every change of what the emulator holds; requests that only read change nothing. */
  get revision(): number {
    return this.#main.store.revision;
  }

  /** Every operation that is served, the caller's own among them. */
  get operations(): readonly Operation[] {
    return this.#settings.operations;
  }

  /** How it differs from the documented behaviour. */
  get quirks(): readonly Quirk[] {
    return [...this.#settings.quirks];
  }

  /** Whether tokens that no fixture lists have workspaces of their own. */
  get isIsolated(): boolean {
    return this.#settings.worlds.isIsolated;
  }

  /** Tokens that were named among the options and have, with isolation, workspaces of their own. */
  get isolatedTokens(): readonly TokenGrant[] {
    return this.#settings.worlds.isolatedTokens;
  }

  /**
   * Opens the control routes: the option of that name, or a random token that was made because
   * tokens are listed and none of them may steer. Undefined where there is neither.
   */
  get controlToken(): string | undefined {
    return this.#main.controlToken;
  }

  get workspaces(): WorkspaceCollection {
    return this.#main.store.workspaces;
  }

  /**
   * What requests with this token reach, to steer it as one steers the emulator; with the option
   * `isolate`, a workspace of its own. One that was asked for stays as long as the emulator; others
   * go when there are more than 1,000, the one that was used longest ago first.
   * @throws UsageError without isolation, and for a token that may not come
   */
  workspace(token: string): Sandbox {
    const world = this.#settings.worlds.pin(token);
    return world === this.#main ? this : new Sandbox(world);
  }

  /**
   * Brings back exactly the state of the start, as every workspace can; with `all`, also that of the
   * workspaces that tokens have for themselves with the option `isolate`.
   * @throws UsageError for an option that does not exist, or is of another type
   */
  override async reset(options: EmulatorResetOptions = {}): Promise<void> {
    checkReset(options, ["all", "freshIds"]);
    const { all, ...rest } = options;
    return all ? this.#settings.worlds.reset(rest) : super.reset(rest);
  }

  /**
   * Answers a request as the service would, whatever its host; under `/_latchkey` are the control
   * routes. Refusals are responses, and so are bugs of ours. It takes what the global `fetch` takes,
   * and can stand in for it.
   * @throws TypeError when the body was read already, the reason of a signal that has been aborted,
   *   and what the body's own stream throws
   */
  readonly fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const isRequest = typeof input === "object" && "headers" in input;
    const request = isRequest && init === undefined ? input : new Request(input, init);
    const answer = async () => {
      const plain = await fromRequest(request);
      const isControl = isControlPath(plain.path);
      const reply = await (isControl ? this.control(plain) : this.handle(plain));
      return toResponse(reply, abortable);
    };
    // The caller's own signal, where there is one: that of a request may hear of nothing any more.
    const given = init?.signal ?? undefined;
    const abortable = given === undefined ? request : { signal: given };
    // A request that was made here has no other.
    if (given === undefined && !isRequest) return answer();
    this.#inFlight.add(abortable);
    return unlessAborted(abortable.signal, answer).finally(() => this.#inFlight.delete(abortable));
  };

  /**
   * `snapshot()` as JSON, in pieces that are made while they are read, for a world that is large;
   * `first` are members to stand before the others.
   * @throws UsageError when the default workspace was deleted
   */
  snapshotText(first: { readonly $schema?: string } = {}): Iterable<string> {
    return this.#main.snapshotText(first);
  }

  /**
   * Starts over from other fixtures, as if the emulator had been created with them and its other
   * options, `generate` among them; `reset` brings back these from now on. Where faker has to be
   * loaded first, requests are answered from the old state meanwhile.
   * @throws UsageError with a line for everything that is wrong with them; nothing has changed then
   */
  async reseed(fixtures: readonly Fixture[]): Promise<void> {
    checkFixtures(fixtures, "reseed");
    const plan = planOf({ ...this.#origin.options, fixtures });
    await this.#main.seed(plan);
    this.#settings.worlds.startOver();
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
  handle(request: PlainRequest): Promise<PlainReply> {
    return this.#service.handle(request);
  }

  /**
   * Answers one request to a control route; for doors, which say why it is `foreign` and must not
   * steer the emulator: because it comes from a page of another origin.
   */
  async control(request: PlainRequest, foreign?: string): Promise<PlainReply> {
    this.#control ??= this.#openControl();
    return (await this.#control).handle(request, foreign);
  }

  /** Whether control routes take a request with this token and from this place; for doors. */
  mayControl(request: Pick<PlainRequest, "header" | "remote">): boolean {
    const reach = this.#controlAccess.scopeOf(readCredentials(request), request.remote);
    return !(reach instanceof ApiError);
  }

  /** Loaded when it is asked for: most runs of tests steer in process, or not at all. */
  async #openControl(): Promise<Control> {
    const { Control } = await import("../control/control.ts");
    const { log, worlds } = this.#settings;
    const description = {
      isIsolated: this.isIsolated,
      operations: () => this.openapi(),
      control: async () =>
        (await import("../control/openapi.ts")).toControlDocument(CONTROL_PATH, version),
    };
    return new Control({ worlds, controlAccess: this.#controlAccess, description, log });
  }

  /** Refuses what a door cannot make a request of: bytes that are not HTTP, a request that stalls. */
  refuse(status: number, message: string): PlainReply {
    return this.#service.refuse(status, message);
  }
}

function randomSeed(): number {
  // Nothing here has to be a secret, and Node takes a while to load `crypto`.
  return Math.floor(Math.random() * 2 ** 32);
}
