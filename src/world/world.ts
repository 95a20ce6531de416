import type { Contract } from "../contract/operation.ts";
import type { FaultInit } from "../faults/fault.ts";
import { Faults } from "../faults/faults.ts";
import { Journal } from "../journal/journal.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import { stateOf, stateWith, type Generate, type OnProgress } from "../seeding/fixtures/apply.ts";
import { planAddition, planFixtures, type Plan } from "../seeding/fixtures/plan.ts";
import { toFixture, toSnapshotText } from "../seeding/fixtures/snapshot.ts";
import type { Clock } from "../store/clock.ts";
import { AccessToken, type AccessTokenInit } from "../store/records.ts";
import { Store, withFreshIds, type Access, type StoreState } from "../store/store.ts";
import { SmallTable } from "../store/tables/table.ts";
import type { Workspace, WorkspaceDependencies } from "../store/workspace.ts";
import { UsageError } from "../usage-error.ts";
import { checkReset, type ResetOptions } from "./reset-options.ts";
import { Lifetime } from "./lifetime.ts";
import { EXPECTED_NO_PROMISE, isPromise } from "../seeding/fixtures/no-promise.ts";
import type { CheckTokens } from "./check-tokens.ts";
import { isSameSecret } from "./same-secret.ts";

export interface WorldSettings extends WorkspaceDependencies {
  /** What a person has asked for: it counts more than what a snapshot says. */
  readonly randomSeed: number | undefined;
  /** Of the operations that are served: what faults can strike. */
  readonly contracts: readonly Contract[];
  /** Faults that are in force from the start, before those of fixtures. */
  readonly faults: readonly FaultInit[];
  /** Whether a token that is not listed may come, where none is. */
  readonly isOpen: boolean;
  /** Opens control routes and no operation; undefined where there is none. */
  readonly controlToken: string | undefined;
  /** Loads what makes keys up, where a fixture asks for them. */
  readonly loadGenerate: () => Promise<Generate>;
  readonly onProgress: OnProgress | undefined;
}

const EXPECTED_CONTROL_TOKEN =
  "tokens: expected none that is the control token, which opens no operation; list another, or choose another control token";

/**
 * Everything of an emulator that changes: its state, its clock, its faults and its journal, and the
 * ways in which they are replaced as a whole. With isolation, each token has one.
 */
export class World {
  readonly store: Store;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The shared world, where this one is for one token alone. */
  readonly origin: World | undefined;
  readonly #settings: WorldSettings;
  /** What it starts from, now and whenever it is reset. */
  #start: StoreState;
  #isGenerated = false;
  /** Snapshots cannot be changed, so what one was taken of is what it says. */
  readonly #taken = new WeakMap<Fixture, StoreState>();
  #lifetime = new Lifetime();
  /** The last change of the whole state that waits for faker, or for another that does. */
  #loading: Promise<void> | undefined;
  #resets = 0;
  /** The highest stretch that ids were made from; each reset with fresh ids begins the next one. */
  #stretch = 0;

  /** With an `origin`, it belongs to one token alone. */
  constructor(store: Store, settings: WorldSettings, origin?: World) {
    this.store = store;
    this.clock = settings.clock;
    this.faults = new Faults(settings.contracts, () => store.seed);
    this.journal = new Journal(settings.contracts.map(({ name }) => name));
    this.origin = origin;
    this.#settings = settings;
    this.#start = store.state();
  }

  /**
   * Another world, which starts as this one did, for one token alone: it has the default workspace,
   * and lists no token but the one given. With a `lastStretch`, its ids begin behind that one.
   */
  fork(token?: AccessTokenInit, lastStretch = 0): World {
    const { onChange: _, ...rest } = this.#settings;
    const settings = { ...rest, clock: this.clock.fork(), isOpen: true };
    const store = new Store(this.#start.defaultId, settings);
    const world = new World(store, settings, this);
    world.startLike(this, token, lastStretch);
    return world;
  }

  /** Starts as `fork` of the shared world would by now. Its collections stay the same objects. */
  startLike(shared: World, token?: AccessTokenInit, lastStretch = 0): void {
    const { defaultId, ids, workspaces } = shared.#start;
    const tokens = new SmallTable<AccessToken>(["token"]);
    if (token !== undefined) tokens.add(new AccessToken(token));
    const own = workspaces.filter(({ id }) => id === defaultId);
    this.#start = { defaultId, ids, workspaces: own.map((state) => ({ ...state, tokens })) };
    this.faults.start = shared.faults.start;
    this.#begin(lastStretch > 0 ? withFreshIds(this.#start, lastStretch + 1) : this.#start);
  }

  /** The highest stretch that ids were made from; each reset with fresh ids begins the next one. */
  get lastStretch(): number {
    return Math.max(this.#stretch, this.store.ids.stretch);
  }

  /** Ends when its state is replaced: what was decided before must not reach into the next one. */
  get lifetime(): Lifetime {
    return this.#lifetime;
  }

  /** Grows when it is reset or seeded anew: what began before belongs to another test. */
  get resets(): number {
    return this.#resets;
  }

  /** Grows with every change of its records, faults and clock. */
  get revision(): number {
    return this.store.revision + this.faults.revision + this.clock.revision;
  }

  /** Whether a token was listed when it started; without one, whether any was. */
  listedAtStart(token?: string): boolean {
    return this.#start.workspaces.some(({ tokens }) =>
      token === undefined ? tokens.size > 0 : tokens.find("token", token) !== undefined,
    );
  }

  /** How many records a world for one token starts with. */
  get startSize(): number {
    const { defaultId, workspaces } = this.#start;
    const state = workspaces.find(({ id }) => id === defaultId);
    return 1 + (state?.keys.size ?? 0) + (state?.identities.size ?? 0);
  }

  /** Whether the plan that it started from asked for made-up keys. */
  get isGenerated(): boolean {
    return this.#isGenerated;
  }

  /** The workspace and the rights of a token; undefined for one that may not come. */
  access(token: string): Access | undefined {
    if (this.isControlToken(token)) return undefined;
    const access = this.store.access(token, this.#settings);
    // A world of one token alone is open to it, whatever tokens a test lists there.
    return access ?? (this.origin && this.store.guest(token));
  }

  isControlToken(token: string): boolean {
    const { controlToken } = this.#settings;
    return controlToken !== undefined && isSameSecret(token, controlToken);
  }

  get controlToken(): string | undefined {
    return this.#settings.controlToken;
  }

  /** The workspace that a token opens; the default one for a token that opens none, and for none. */
  workspaceOf(token: string | undefined): Workspace {
    const access = token === undefined ? undefined : this.access(token);
    return access?.workspace ?? this.store.defaultWorkspace;
  }

  /** Starts from this plan, now and whenever it is reset. */
  seed(plan: Plan): Promise<void> {
    return this.#inTurn(() =>
      this.#withGenerate(plan, (generate) => {
        const start = this.#stateOf(plan, generate);
        this.#start = start;
        this.#isGenerated = asksForKeys(plan);
        this.faults.start = { baseline: this.#settings.faults, faults: plan.faults };
        this.#begin(start);
      }),
    );
  }

  /** @throws UsageError for an option that does not exist, or is of another type */
  async reset(options: ResetOptions = {}): Promise<void> {
    checkReset(options, ["freshIds"]);
    await this.#inTurn(() => {
      const start = this.#start;
      const before = this.store.state();
      this.#begin(options.freshIds ? withFreshIds(start, this.lastStretch + 1, before) : start);
    });
  }

  /**
   * Changes the whole state in the order of the calls: at once, unless an earlier change waits for
   * faker to be loaded.
   */
  async #inTurn(work: () => void | Promise<void>): Promise<void> {
    const earlier = this.#loading;
    const turn = earlier === undefined ? work() : earlier.then(work, work);
    if (turn === undefined) return;
    this.#loading = turn;
    try {
      await turn;
    } finally {
      if (this.#loading === turn) this.#loading = undefined;
    }
  }

  /** Loads what makes keys up, where a plan asks for some. */
  #withGenerate(plan: Plan, work: (generate: Generate) => void): void | Promise<void> {
    return asksForKeys(plan) ? this.#settings.loadGenerate().then(work) : work(() => {});
  }

  /** As at the start: with this state, and nothing left of what happened. */
  #begin(state: StoreState): void {
    const tell = this.#hold(state);
    this.clock.reset();
    this.faults.reset();
    this.journal.clear();
    this.#resets += 1;
    tell();
  }

  /**
   * Puts another state in the place of what there is. What is still waiting belongs to the old one.
   * @returns what tells listeners, who may look at all of the world, and change it
   */
  #hold(state: StoreState): () => void {
    // Also where a snapshot of another emulator is held, which may have been reset more often.
    this.#stretch = Math.max(this.lastStretch, state.ids.stretch ?? 0);
    const tell = this.store.hold(state);
    for (const workspace of this.store.workspaces.values()) workspace.endAll();
    this.#lifetime.end();
    this.#lifetime = new Lifetime();
    return tell;
  }

  /**
   * Adds what a fixture describes to what there is.
   * @throws UsageError with a line for everything that is wrong with it, or does not fit
   */
  async add(fixture: Fixture, check: CheckTokens = () => {}): Promise<void> {
    if (isPromise(fixture)) throw new UsageError(`seed: ${EXPECTED_NO_PROMISE}`);
    const { contracts } = this.#settings;
    const toPlan = () => planAddition(this.store.state(), { name: "seed", fixture }, contracts);
    await this.#inTurn(() => {
      const early = toPlan();
      return this.#withGenerate(early, (generate) => {
        // What there is may have changed while faker was loaded.
        const plan = this.#checkTokens(asksForKeys(early) ? toPlan() : early);
        const before = this.store.state();
        const added = plan.workspaces.flatMap(({ tokens }) => tokens);
        const listed = before.workspaces.flatMap(({ tokens }) => [...tokens]);
        if (added.length > 0) check([...listed, ...added]);
        const tell = this.store.hold(stateWith(before, plan, { ...this.#settings, generate }));
        for (const fault of plan.faults) this.faults.add(fault);
        tell();
      });
    });
  }

  /** @throws UsageError when the default workspace was deleted */
  snapshot(): Fixture {
    const state = this.#state();
    const fixture = toFixture(state);
    this.#taken.set(fixture, state);
    return fixture;
  }

  /** @throws UsageError when the default workspace was deleted */
  snapshotText(first: Readonly<Record<string, unknown>>): Iterable<string> {
    return toSnapshotText(this.#state(), first);
  }

  #state(): StoreState {
    // Asked for, because it says so when it is not there.
    void this.store.defaultWorkspace;
    return this.store.state();
  }

  /** @throws UsageError with a line for everything that is wrong with the snapshot */
  async restore(snapshot: Fixture, check: CheckTokens = () => {}): Promise<void> {
    if (isPromise(snapshot)) throw new UsageError(`snapshot: ${EXPECTED_NO_PROMISE}`);
    const state = this.#taken.get(snapshot);
    if (state !== undefined) return this.#inTurn(() => this.#hold(state)());
    const plan = planFixtures([{ name: "snapshot", fixture: snapshot }], {
      defaultId: this.store.defaultId,
      contracts: this.#settings.contracts,
    });
    return this.#inTurn(() =>
      this.#withGenerate(plan, (generate) => {
        check(plan.workspaces.flatMap(({ tokens }) => tokens));
        const tell = this.#hold(this.#stateOf(plan, generate));
        if (plan.faults.length > 0) this.faults.clear();
        for (const fault of plan.faults) this.faults.add(fault);
        tell();
      }),
    );
  }

  #stateOf(plan: Plan, generate: Generate): StoreState {
    this.#checkTokens(plan);
    const { randomSeed = plan.randomSeed ?? this.#settings.seed } = this.#settings;
    return stateOf(plan, { ...this.#settings, generate, randomSeed });
  }

  /**
   * A listed token opens operations and stands in snapshots. The control token must do neither.
   * @throws UsageError for a plan that lists the control token
   */
  #checkTokens(plan: Plan): Plan {
    const isTaken = plan.workspaces.some(({ tokens }) =>
      tokens.some(({ token }) => this.isControlToken(token)),
    );
    if (isTaken) throw new UsageError(EXPECTED_CONTROL_TOKEN);
    return plan;
  }
}

function asksForKeys({ workspaces }: Plan): boolean {
  return workspaces.some(({ generate }) => generate.length > 0);
}
