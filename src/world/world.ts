import type { Contract } from "../contract/operation.ts";
import type { FaultInit } from "../faults/fault.ts";
import { Faults } from "../faults/faults.ts";
import { Journal } from "../journal/journal.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import { stateOf, stateWith, type Generate, type OnProgress } from "../seeding/fixtures/apply.ts";
import { planAddition, planInSteps, type FindHolder, type Plan } from "../seeding/fixtures/plan.ts";
import { readFixtures, type SplitFixture } from "../seeding/fixtures/read.ts";
import { toFixture, toSnapshotText } from "../seeding/fixtures/snapshot.ts";
import { atOnce, type RunSteps, type Steps } from "../base/steps.ts";
import type { Clock } from "../store/clock.ts";
import { AccessToken, type AccessTokenInit } from "../store/records.ts";
import type { Secrets } from "../store/secrets.ts";
import { Store, withFreshIds, withUsageOf, type Access, type StoreState } from "../store/store.ts";
import { SmallTable } from "../store/tables/table.ts";
import type { Workspace, WorkspaceDependencies } from "../store/workspace.ts";
import { nextSeed } from "../store/ids/id-maker.ts";
import { UsageError } from "../usage-error.ts";
import { checkReset, type ResetOptions } from "./reset-options.ts";
import { Lifetime } from "../base/lifetime.ts";
import { EXPECTED_NO_PROMISE } from "../seeding/fixtures/no-promise.ts";
import { isPromise } from "../base/realm.ts";
import type { CheckTokens } from "./check-tokens.ts";
import { isSameSecret } from "../base/same-secret.ts";

/** Secrets that a client may send in place of a token. */
export type KnownSecret = "control token" | "key";

export interface WorldSettings extends WorkspaceDependencies {
  /** The random seed that the user gave. At the start, it overrides the seed of a snapshot. */
  readonly randomSeed: number | undefined;
  /** The contracts of the served operations, which faults can hit. */
  readonly contracts: readonly Contract[];
  /** Faults from the options. They apply from the start and come before those of fixtures. */
  readonly faults: readonly FaultInit[];
  /** Whether any token is accepted while no workspace lists a token. */
  readonly isOpen: boolean;
  /** The token for control routes. Operations refuse it. Undefined if there is none. */
  readonly controlToken: string | undefined;
  /** The secrets of all worlds of the emulator. */
  readonly secrets: Secrets;
  /** Loads the generator of keys, if a fixture requests generated keys. */
  readonly loadGenerate: () => Promise<Generate>;
  readonly onProgress: OnProgress | undefined;
}

const EXPECTED_OTHER_TOKENS =
  "tokens: expected no control token in this list, because it may not call operations; list a different token, or change the control token";

/**
 * All mutable state of an emulator: store, clock, faults and journal, with the methods that replace
 * them as a whole. With isolation, each token has a separate world.
 */
export class World {
  readonly store: Store;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The shared world, if this world is isolated for one token. */
  readonly sharedWorld: World | undefined;
  readonly #settings: WorldSettings;
  /** The initial state, to which a reset goes back. */
  #start: StoreState;
  #isGenerated = false;
  /** The states of snapshots. Snapshots are frozen, so a state always matches its snapshot. */
  readonly #snapshotStates = new WeakMap<Fixture, StoreState>();
  #lifetime = new Lifetime();
  /**
   * The last change that still runs: it waits for faker to load, or for an earlier change to end.
   */
  #loading: Promise<void> | undefined;
  #resets = 0;
  /**
   * What the next reset with fresh ids derives its seed from: the seed of the last such reset, or of
   * the start. Seeds that snapshots or other fixtures brought are mixed in.
   */
  #lastSeed: number;

  /** @param sharedWorld the shared world, to make an isolated world for one token */
  constructor(store: Store, settings: WorldSettings, sharedWorld?: World) {
    this.store = store;
    this.clock = settings.clock;
    // A test that moves the clock over a midnight sees the refills at once, also in the collections.
    this.clock.onChange = () => store.refill();
    this.faults = new Faults(settings.contracts, () => store.ids.seed);
    this.journal = new Journal(settings.contracts);
    this.sharedWorld = sharedWorld;
    this.#settings = settings;
    this.#start = store.state();
    this.#lastSeed = settings.seed;
  }

  /**
   * Makes an isolated world for one token. It starts like this one, with the default workspace
   * only, and lists no token except the given one.
   */
  fork(token?: AccessTokenInit): World {
    const { onChange: _, ...rest } = this.#settings;
    const settings = { ...rest, clock: this.clock.fork(), isOpen: true };
    const store = new Store(this.#start.defaultId, settings);
    const world = new World(store, settings, this);
    world.startLike(this, token);
    return world;
  }

  /**
   * Restarts like a new `fork` of the shared world. The collections stay the same objects. If a reset
   * has asked for fresh ids, no id repeats here either.
   */
  startLike(shared: World, token?: AccessTokenInit): void {
    const { defaultId, ids, workspaces } = shared.#start;
    const tokens = new SmallTable<AccessToken>(["token"]);
    if (token !== undefined) tokens.add(new AccessToken(token));
    const defaults = workspaces.filter(({ id }) => id === defaultId);
    const hadFreshIds = this.#lastSeed !== this.#start.ids.seed;
    if (!hadFreshIds) this.#lastSeed = ids.seed;
    this.#start = { defaultId, ids, workspaces: defaults.map((state) => ({ ...state, tokens })) };
    this.faults.start = shared.faults.start;
    this.#begin(hadFreshIds ? this.#freshStart() : this.#start);
  }

  /** Ends when the state is replaced, so that delayed requests do not change the next state. */
  get lifetime(): Lifetime {
    return this.#lifetime;
  }

  /**
   * How often the world began anew: by a reset, or by other fixtures. A request that began earlier
   * belongs to another test.
   */
  get resets(): number {
    return this.#resets;
  }

  /** Increases with every change of records, faults or clock. */
  get revision(): number {
    return this.store.revision + this.faults.revision + this.clock.revision;
  }

  /** Whether the initial state lists this token; without an argument, whether it lists any. */
  listedAtStart(token?: string): boolean {
    return this.#start.workspaces.some(({ tokens }) =>
      token === undefined ? tokens.size > 0 : tokens.find("token", token) !== undefined,
    );
  }

  /** The approximate number of records that an isolated world starts with. */
  get startSize(): number {
    const { defaultId, workspaces } = this.#start;
    const state = workspaces.find(({ id }) => id === defaultId);
    return 1 + (state?.keys.size ?? 0) + (state?.identities.size ?? 0);
  }

  /** Whether the plan of the initial state requested generated keys. */
  get isGenerated(): boolean {
    return this.#isGenerated;
  }

  /** The workspace and the permissions of a token; undefined if it is not accepted. */
  access(token: string): Access | undefined {
    if (this.isControlToken(token)) return undefined;
    const access = this.store.access(token, this.#settings);
    // An isolated world always accepts its token, even if a test lists other tokens there.
    return access ?? (this.sharedWorld && this.store.guest(token));
  }

  /** Access for an operation that needs no token. */
  openAccess(token: string | undefined): Access {
    const listed = token === undefined ? undefined : this.access(token);
    return { workspace: this.workspaceOf(token), token: listed?.token ?? OPEN_TOKEN };
  }

  /** What a token is that is not accepted; undefined if that is not known. */
  kindOf(token: string): KnownSecret | undefined {
    if (this.isControlToken(token)) return "control token";
    const hasKey = (workspace: Workspace) => workspace.keys.findByValue(token) !== undefined;
    return this.store.workspaces.all().some(hasKey) ? "key" : undefined;
  }

  isControlToken(token: string): boolean {
    const { controlToken } = this.#settings;
    return controlToken !== undefined && isSameSecret(token, controlToken);
  }

  get controlToken(): string | undefined {
    return this.#settings.controlToken;
  }

  /** The secrets of all worlds of the emulator, to mask them. */
  get secrets(): Secrets {
    return this.#settings.secrets;
  }

  /** The workspace of a token. Without a token, or if it is not accepted, the default workspace. */
  workspaceOf(token: string | undefined): Workspace {
    const access = token === undefined ? undefined : this.access(token);
    return access?.workspace ?? this.store.defaultWorkspace;
  }

  /**
   * Starts anew from a plan: its state replaces everything and becomes the initial state. This is not
   * "to seed" as users say it, which adds to the current state: that is `add`.
   */
  seed(plan: Plan): Promise<void> {
    return this.#inTurn(() =>
      this.#withGenerate(plan, (generate) => {
        const { randomSeed, seed } = this.#settings;
        const ownSeed = randomSeed ?? plan.snapshot?.randomSeed ?? seed;
        const start = atOnce(this.#stateOf(plan, generate, ownSeed));
        this.#noteSeed(ownSeed);
        this.#start = start;
        this.#isGenerated = requestsKeys(plan);
        this.faults.start = { baseline: this.#settings.faults, faults: plan.faults };
        this.#begin(start);
      }),
    );
  }

  /** @throws UsageError for an unknown option, or one of a wrong type */
  async reset(options: ResetOptions = {}): Promise<void> {
    checkReset(options, ["freshIds"]);
    await this.#inTurn(() => this.#begin(options.freshIds ? this.#freshStart() : this.#start));
  }

  /** The initial state with ids and key values that this world has never made. */
  #freshStart(): StoreState {
    this.#lastSeed = nextSeed(this.#lastSeed);
    return withFreshIds(this.#start, this.#lastSeed, this.store.state());
  }

  /** Prevents that a later reset with fresh ids makes this seed. */
  #noteSeed(seed: number): void {
    if (seed !== this.#start.ids.seed) this.#lastSeed = nextSeed(this.#lastSeed, seed);
  }

  /**
   * Runs changes of the whole state one after the other, in the order of the calls. A change is done
   * before its call returns, unless it or an earlier one waits for faker to load.
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

  /** Calls `work` with the generator of made-up keys, which is loaded if the plan requests keys. */
  #withGenerate(
    plan: Pick<Plan, "workspaces"> | SplitFixture,
    work: (generate: Generate) => void | Promise<void>,
  ): void | Promise<void> {
    return requestsKeys(plan) ? this.#settings.loadGenerate().then(work) : work(() => {});
  }

  /** Replaces the state, and resets clock, faults and journal. */
  #begin(state: StoreState): void {
    const notify = this.#hold(state);
    this.clock.reset();
    this.faults.reset();
    this.journal.clear();
    this.#resets += 1;
    notify();
  }

  /**
   * Replaces the state. Pending delays and updates of the old state end.
   * @returns a function that notifies listeners; call it when everything else of the change is in
   *   place
   */
  #hold(state: StoreState): () => void {
    const notify = this.store.hold(state);
    for (const workspace of this.store.workspaces.all()) workspace.endAll();
    this.#lifetime.end();
    this.#lifetime = new Lifetime();
    return notify;
  }

  /**
   * Adds the records and faults of a fixture to the current state.
   * @param run Default: at once, before the call returns
   * @throws UsageError with a line for each problem of the fixture, alone or with the current state
   */
  async add(
    fixture: Fixture,
    check: CheckTokens = () => {},
    run: RunSteps = atOnce,
  ): Promise<void> {
    if (isPromise(fixture)) throw new UsageError(`seed: ${EXPECTED_NO_PROMISE}`);
    const add = ([split]: readonly SplitFixture[]) =>
      split && this.#withGenerate(split, (generate) => run(this.#adding(split, check, generate)));
    await this.#inTurn(() => after(run(readFixtures([{ name: "seed", fixture }])), add));
  }

  *#adding(split: SplitFixture, check: CheckTokens, generate: Generate): Steps<void> {
    const { contracts } = this.#settings;
    // Looked up in the store and not in a state of it, which would index all values for each plan.
    const holderOf: FindHolder = (id, key) => this.store.workspaces.get(id)?.keys.holderOf(key);
    for (let attempt = 1; ; attempt += 1) {
      const { revision } = this.store;
      const before = this.store.state();
      // Requests may change records between two steps. The last attempt has none.
      const isLast = attempt === ATTEMPTS;
      const planning = planAddition(before, { name: "seed", split }, contracts, holderOf);
      const plan = this.#checkTokens(isLast ? atOnce(planning) : yield* planning);
      const added = plan.workspaces.flatMap(({ tokens }) => tokens);
      const listed = before.workspaces.flatMap(({ tokens }) => [...tokens]);
      if (added.length > 0) check([...listed, ...added]);
      const making = stateWith(before, plan, { ...this.#settings, generate });
      const next = isLast ? atOnce(making) : yield* making;
      if (this.store.revision !== revision) continue;
      const notify = this.store.hold(withUsageOf(this.store.state(), next));
      for (const fault of plan.faults) this.faults.add(fault);
      notify();
      return;
    }
  }

  /** @throws UsageError if the default workspace was deleted */
  snapshot(): Fixture {
    const state = this.#state();
    const fixture = toFixture(state);
    this.#snapshotStates.set(fixture, state);
    return fixture;
  }

  /** @throws UsageError if the default workspace was deleted */
  snapshotText(first: Readonly<Record<string, unknown>>): Iterable<string> {
    return toSnapshotText(this.#state(), first);
  }

  #state(): StoreState {
    // The getter throws if the default workspace was deleted.
    void this.store.defaultWorkspace;
    return this.store.state();
  }

  /**
   * Replaces the records by those of a snapshot or of any other fixture.
   * @param run Default: at once, before the call returns
   * @throws UsageError with a line for each problem of the snapshot
   */
  async restore(
    snapshot: Fixture,
    check: CheckTokens = () => {},
    run: RunSteps = atOnce,
  ): Promise<void> {
    if (isPromise(snapshot)) throw new UsageError(`snapshot: ${EXPECTED_NO_PROMISE}`);
    const state = this.#snapshotStates.get(snapshot);
    if (state !== undefined) {
      return this.#inTurn(() => {
        this.#noteSeed(state.ids.seed);
        this.#hold(state)();
        this.store.refill();
      });
    }
    const { contracts } = this.#settings;
    const options = { defaultId: this.store.defaultId, contracts };
    const hold = (plan: Plan) =>
      this.#withGenerate(plan, (generate) => run(this.#restoring(plan, check, generate)));
    return this.#inTurn(() =>
      after(run(planInSteps([{ name: "snapshot", fixture: snapshot }], options)), hold),
    );
  }

  *#restoring(plan: Plan, check: CheckTokens, generate: Generate): Steps<void> {
    check(plan.workspaces.flatMap(({ tokens }) => tokens));
    const seed = plan.snapshot?.randomSeed ?? this.#settings.seed;
    const state = yield* this.#stateOf(plan, generate, seed);
    this.#noteSeed(seed);
    const notify = this.#hold(state);
    if (plan.faults.length > 0) this.faults.clear();
    for (const fault of plan.faults) this.faults.add(fault);
    notify();
    // The snapshot may be of an earlier day.
    this.store.refill();
  }

  #stateOf(plan: Plan, generate: Generate, randomSeed: number): Steps<StoreState> {
    this.#checkTokens(plan);
    return stateOf(plan, { ...this.#settings, generate, randomSeed });
  }

  /**
   * The control token must not be listed, because a listed token may call operations and is part of
   * snapshots.
   * @throws UsageError for a plan that lists the control token
   */
  #checkTokens(plan: Plan): Plan {
    const isTaken = plan.workspaces.some(({ tokens }) =>
      tokens.some(({ token }) => this.isControlToken(token)),
    );
    if (isTaken) throw new UsageError(EXPECTED_OTHER_TOKENS);
    return plan;
  }
}

/** Calls `next` with a value, at once if it is there. */
function after<Value>(
  value: Value | Promise<Value>,
  next: (value: Value) => void | Promise<void>,
): void | Promise<void> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** How often an addition is made, if requests change records meanwhile. */
const ATTEMPTS = 2;

/** Stands for the token of a request that needs none. */
const OPEN_TOKEN = new AccessToken({ token: "none", permissions: ["*"] });

function requestsKeys({ workspaces }: Pick<Plan, "workspaces"> | SplitFixture): boolean {
  return workspaces.some(({ generate }) => generate.length > 0);
}
