import type { FaultInit } from "../faults/fault.ts";
import { Faults } from "../faults/faults.ts";
import { Findings } from "./findings/findings.ts";
import { isSameSecret, type Mask, maskText, toLogText } from "../base/wording/mask.ts";
import { Journal } from "./journal/journal.ts";
import * as rights from "./journal/needed-permissions.ts";
import type { Fixture } from "../seed/format.ts";
import { type Generate, stateOf, wantsGeneratedKeys } from "../seed/state.ts";
import { readParts } from "../seed/read.ts";
import { type CheckedFixtures, faultsIn, type Part, snapshotIn, tokensIn } from "../seed/part.ts";
import { checkInSteps, keysIn } from "../seed/check.ts";
import { toFixture, toSnapshotText } from "../seed/snapshot.ts";
import { atOnce, type RunSteps, type Steps } from "../base/steps.ts";
import { AccessToken, type AccessTokenInit } from "../state/records/tokens.ts";
import { type Access, Store, type StoreState } from "../state/store.ts";
import { InitialState } from "./initial-state.ts";
import type { CheckFixture, KnownSecret, ResetOptions, WorldSettings } from "./settings.ts";
import { UsageError } from "../base/usage-error.ts";
import { Lifetime } from "../base/lifetime.ts";
import { addition } from "./addition.ts";

/**
 * Runs changes of a whole world one after the other, in the order of the calls. A change is made before
 * its call returns, unless it or an earlier change waits for faker to load or pauses between slices.
 */
class ChangeQueue {
  /** The last change that still runs. */
  #last: Promise<void> | undefined;

  async run(change: () => void | Promise<void>): Promise<void> {
    const running = this.#last === undefined ? change() : this.#last.then(change, change);
    if (running === undefined) return;
    this.#last = running;
    try {
      await running;
    } finally {
      if (this.#last === running) this.#last = undefined;
    }
  }
}

/** Calls `next` with a value, at once if it is no promise. */
function chain<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What a world begins with, and what a reset brings back. */
interface Beginning {
  readonly state: StoreState;
  readonly faults: readonly FaultInit[];
}

/**
 * Everything that changes while an emulator runs: store, clock, faults, journal and findings, with the
 * methods that replace them as a whole. With isolation, each token that no fixture lists has a separate
 * world.
 */
export class World {
  readonly store: Store;
  readonly clock: WorldSettings["clock"];
  readonly faults: Faults;
  readonly journal: Journal;
  readonly callers: rights.Callers;
  readonly findings: Findings;
  readonly needs: rights.NeededPermissions;
  readonly initial: InitialState;
  readonly controlToken: string | undefined;
  readonly recordedHeaders: readonly string[];
  /** Masks the secrets of this world only. */
  readonly mask: Mask = this.maskWith(undefined);
  readonly #settings: WorldSettings;
  readonly #isIsolated: boolean;
  /** The states of snapshots. Snapshots are frozen, so a state always matches its snapshot. */
  readonly #snapshotStates = new WeakMap<Fixture, StoreState>();
  readonly #changes = new ChangeQueue();
  /** Ends when the state is replaced, so that delayed requests do not change the next state. */
  lifetime = new Lifetime();
  /**
   * How often the initial state was brought back: by `startOver`, `reset`, `restartAs` or `restoreAsInitial`,
   * but not by `restore`. A request that began earlier belongs to another test.
   */
  resets = 0;
  /** Whether `mark` was called since the last reset. */
  isMarked = false;
  /** What users' operations keep between calls, by the function that created it. In no snapshot. */
  operationStates = new Map<() => unknown, unknown>();

  /** Makes a world that begins with fixtures. From then on, its clock runs. */
  static async start(fixtures: CheckedFixtures, settings: WorldSettings): Promise<World> {
    return new World(await beginningOf(fixtures, settings, settings.clock), settings);
  }

  /** @param isIsolated whether it is the world of one token */
  private constructor({ faults, state }: Beginning, settings: WorldSettings, isIsolated = false) {
    const store = new Store(state.defaultId, settings);
    store.replace(state);
    this.store = store;
    this.clock = settings.clock;
    // A test that sets the clock past midnight sees the refills at once, also in the collections.
    this.clock.onChange = () => {
      for (const workspace of store.workspaces.all) workspace.refill(this.clock.now());
    };
    this.clock.reset();
    this.faults = new Faults(settings, () => store.ids.seed);
    this.faults.resetTo(faults);
    this.journal = new Journal(settings.contracts, this.mask, () => this.lifetime);
    this.callers = new rights.Callers(store);
    this.initial = new InitialState(state);
    this.controlToken = settings.controlToken;
    this.recordedHeaders = settings.recordedHeaders;
    this.findings = new Findings(
      {
        show: (text, token) => toLogText(text, this.maskWith(token)),
        isSecret: (text) => this.isSecret(text),
      },
      settings.ignoredRules,
    );
    this.needs = new rights.NeededPermissions(settings.needs);
    this.#settings = settings;
    this.#isIsolated = isIsolated;
  }

  /**
   * Makes an isolated world for one token. It has the initial state of this world, but only the default
   * workspace, which lists no token except the given one.
   */
  fork(token?: AccessTokenInit): World {
    const settings = { ...this.#settings, clock: this.clock.fork() };
    const state = this.initial.forToken(token);
    return new World({ state, faults: this.faults.initial }, settings, true);
  }

  /**
   * Restarts like a new `fork` of the shared world. The collections stay the same objects. If a reset
   * has asked for fresh ids, this world also avoids ids that it has used.
   */
  restartAs(shared: World, token?: AccessTokenInit): void {
    this.initial.state = shared.initial.forToken(token);
    this.#reset({ freshIds: this.initial.hadFreshIds }, shared.faults.initial);
  }

  /** The permissions that each token needs. With `all`, for the calls of all worlds since the start. */
  neededPermissions({ all = false, ...options }: rights.EmulatorNeedsOptions = {}) {
    const needs = all ? this.#settings.needs : this.needs;
    return needs.list(this.store, options, (token) => this.maskWith(token));
  }

  /**
   * The workspace and the permissions of a token; undefined if it is not accepted. Any token may be
   * accepted as long as no workspace lists one (`acceptsAnyToken`). An isolated world accepts its own.
   */
  access(token: string): Access | undefined {
    if (this.isControlToken(token)) return undefined;
    const listed = this.store.accessOf(token);
    if (listed !== undefined) return listed;
    // An isolated world always accepts its token, even if a test lists other tokens there.
    const isAccepted =
      this.#isIsolated || (this.#settings.acceptsAnyToken && !this.store.listsTokens);
    return isAccepted ? this.store.guest(token) : undefined;
  }

  /**
   * Access for an operation that needs no token: to the workspace of the token that was sent, if it is
   * accepted, else to the default one.
   */
  openAccess(token: string | undefined): Access {
    const access = token === undefined ? undefined : this.access(token);
    return access ?? { workspace: this.store.defaultWorkspace, token: OPEN_TOKEN };
  }

  /** Whether a refused token is another kind of secret; undefined if it is not. */
  kindOfToken(token: string): KnownSecret | undefined {
    if (this.isControlToken(token)) return "control token";
    const workspaces = this.store.workspaces.all;
    return workspaces.some(({ keys }) => keys.findBySecret(token)) ? "key" : undefined;
  }

  /** Whether a text is a token, or the value of a key of this world. */
  isSecret(text: string): boolean {
    if (this.isControlToken(text) || this.store.isSecret(text)) return true;
    return this.#isIsolated && this.#settings.isListed(text);
  }

  /** Masks the secrets of this world, and the token that a request sent. */
  maskWith(token: string | undefined): Mask {
    return (text) => maskText(text, (part) => part === token || this.isSecret(part));
  }

  isControlToken(token: string): boolean {
    return this.controlToken !== undefined && isSameSecret(token, this.controlToken);
  }

  /** Starts over with other fixtures: their state replaces everything and becomes the initial state. */
  startOver(fixtures: CheckedFixtures): Promise<void> {
    return this.#changes.run(() =>
      // The clock starts over with the state.
      chain(beginningOf(fixtures, this.#settings, this.clock.fork()), (beginning) =>
        this.#beginWith(beginning),
      ),
    );
  }

  #beginWith({ faults, state }: Beginning): void {
    this.initial.state = state;
    this.#reset({}, faults);
  }

  reset(options?: ResetOptions): Promise<void> {
    return this.#changes.run(() => this.#reset(options));
  }

  /**
   * Marks the end of a test's set-up.
   * @throws UsageError for a second mark, because tests in parallel would end the set-up of each other
   */
  mark(): void {
    if (this.isMarked) {
      throw new UsageError(
        "mark: expected one mark until the next reset, because tests in parallel cannot share one; seed what each of them needs instead",
      );
    }
    this.isMarked = true;
  }

  /**
   * Adds the records and faults of a fixture to the current state.
   * @param run Default: all steps run before the call returns
   * @throws UsageError if the fixture is invalid or does not fit the current state
   */
  async seed(
    fixture: Fixture,
    check: CheckFixture = () => {},
    run: RunSteps = atOnce,
  ): Promise<void> {
    const add = (parts: readonly Part[]) =>
      withGenerate(parts, this.#settings, this.clock, (generate) =>
        run(this.#seeding(parts, check, generate)),
      );
    await this.#changes.run(() =>
      chain(run(readParts([fixture], { nameOf: () => "seed", now: this.clock.now() })), add),
    );
  }

  *#seeding(parts: readonly Part[], check: CheckFixture, generate: Generate): Steps<void> {
    const checkAdded = (fixtures: CheckedFixtures, before: StoreState) => {
      const added = tokensOf(fixtures, this.controlToken);
      const listed = before.workspaces.flatMap(({ tokens }) => [...tokens]);
      check(added.length > 0 ? [...listed, ...added] : undefined, keysIn(parts));
    };
    const settings = { ...this.#settings, generate, check: checkAdded };
    const { fixtures, state } = yield* addition(this.store, parts, settings);
    this.store.replace(state);
    for (const fault of faultsIn(fixtures)) this.faults.add(fault);
  }

  /** @throws UsageError if the default workspace was deleted */
  snapshot(): Fixture {
    const state = this.store.state();
    const fixture = toFixture(state);
    this.#snapshotStates.set(fixture, state);
    return fixture;
  }

  /** @throws UsageError if the default workspace was deleted */
  snapshotText(first: Readonly<Record<string, unknown>>): Iterable<string> {
    return toSnapshotText(this.store.state(), first);
  }

  /**
   * Replaces the records with a snapshot or any other fixture.
   * @param run Default: all steps run before the call returns
   * @throws UsageError if the snapshot is invalid
   */
  async restore(
    snapshot: Fixture,
    check: CheckFixture = () => {},
    run: RunSteps = atOnce,
  ): Promise<void> {
    const state = this.#snapshotStates.get(snapshot);
    if (state !== undefined) return this.#changes.run(() => this.#continueFrom(state));
    return this.#read(snapshot, this.clock, check, run, (made, fixtures) =>
      this.#continueFrom(made, fixtures),
    );
  }

  /**
   * Restores a snapshot or any other fixture, and makes it the initial state. Clock, faults and journal
   * start over.
   * @throws UsageError if the snapshot is invalid
   */
  restoreAsInitial(snapshot: Fixture, check: CheckFixture, run: RunSteps): Promise<void> {
    // The clock starts over with the state, so relative times count from its start.
    const clock = this.clock.fork();
    return this.#read(snapshot, clock, check, run, (state, fixtures) =>
      this.#beginWith({ state, faults: faultsIn(fixtures) }),
    );
  }

  /** Makes the state of a snapshot, and passes it to `use`. Nothing has changed until then. */
  #read(
    snapshot: Fixture,
    clock: WorldSettings["clock"],
    check: CheckFixture,
    run: RunSteps,
    use: (state: StoreState, fixtures: CheckedFixtures) => void,
  ): Promise<void> {
    const { contracts, seed } = this.#settings;
    const { defaultId } = this.store;
    const options = { defaultId, contracts, nameOf: () => "snapshot", now: clock.now() };
    const make = (fixtures: CheckedFixtures) =>
      withGenerate(fixtures.parts, this.#settings, clock, (generate) => {
        const seedToUse = snapshotIn(fixtures)?.randomSeed ?? seed;
        check(tokensOf(fixtures, this.controlToken), keysIn(fixtures.parts));
        const making = stateOf(fixtures, { ...this.#settings, clock, generate, seed: seedToUse });
        return chain(run(making), (made) => use(made, fixtures));
      });
    return this.#changes.run(() => chain(run(checkInSteps([snapshot], options)), make));
  }

  /** Brings back the initial state, clock and faults, and clears journal, findings and counts. */
  #reset({ freshIds = false }: ResetOptions = {}, faults = this.faults.initial): void {
    this.#replace(freshIds ? this.initial.takeFreshIds(this.store.state()) : this.initial.state);
    this.clock.reset();
    this.isMarked = false;
    this.faults.resetTo(faults);
    this.journal.clear();
    this.callers.clear();
    this.findings.restart();
    this.needs.clear();
    for (const { usage } of this.store.workspaces.all) usage.clear();
    this.resets += 1;
  }

  /** Replaces the state, and the faults if any are given. Clock and journal stay as they are. */
  #continueFrom(state: StoreState, fixtures?: CheckedFixtures): void {
    const faults = fixtures === undefined ? [] : faultsIn(fixtures);
    this.initial.noteSeed(state.ids.seed);
    this.#replace(state);
    if (faults.length > 0) this.faults.clear();
    for (const fault of faults) this.faults.add(fault);
    // The state may be from an earlier day, so refills may be due, as after a change of the clock.
    this.clock.onChange();
  }

  /** Replaces the state. Pending delays and updates of the old state end. */
  #replace(state: StoreState): void {
    this.store.replace(state);
    for (const workspace of this.store.workspaces.all) workspace.endAll();
    this.operationStates = new Map();
    this.lifetime.end();
    this.lifetime = new Lifetime();
  }
}

/** The token of a request that needs none. */
const OPEN_TOKEN = new AccessToken({ token: "none", permissions: ["*"] });

/** Makes what a world begins with if it starts with fixtures. */
function beginningOf(
  fixtures: CheckedFixtures,
  settings: WorldSettings,
  clock: WorldSettings["clock"],
): Beginning | Promise<Beginning> {
  return withGenerate(fixtures.parts, settings, clock, (generate) => {
    const { controlToken, randomSeed } = settings;
    tokensOf(fixtures, controlToken);
    // The emulator's seed may come from an earlier snapshot, so the fixtures' seed wins.
    const seed = randomSeed ?? snapshotIn(fixtures)?.randomSeed ?? settings.seed;
    const state = atOnce(stateOf(fixtures, { ...settings, clock, generate, seed }));
    return { state, faults: faultsIn(fixtures) };
  });
}

/**
 * Calls `work` with the code that generates keys, which is loaded only if the fixtures ask for keys.
 * They end at 00:00 UTC of the day on which the clock started.
 */
function withGenerate<Result>(
  parts: readonly Part[],
  { loadGenerate }: WorldSettings,
  { startedAt }: WorldSettings["clock"],
  work: (generate: Generate) => Result | Promise<Result>,
): Result | Promise<Result> {
  if (!wantsGeneratedKeys(parts)) return work(noKeys);
  return loadGenerate().then((load) => work(load(startedAt)));
}

function* noKeys(): Steps<void> {}

/**
 * The tokens of fixtures.
 * @throws UsageError if the control token is one of them, because a listed token may call operations
 *   and is part of snapshots
 */
function tokensOf(
  fixtures: CheckedFixtures,
  controlToken: string | undefined,
): readonly AccessTokenInit[] {
  const tokens = tokensIn(fixtures);
  if (!tokens.some(({ token }) => token === controlToken)) return tokens;
  throw new UsageError(EXPECTED_OTHER_TOKENS);
}

const EXPECTED_OTHER_TOKENS =
  "tokens: expected no control token in this list, because it may not call operations; list a different token, or change the control token";
