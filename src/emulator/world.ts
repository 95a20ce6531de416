import type { Contract } from "../contract/operation.ts";
import type { FaultInit } from "../control/fault.ts";
import { Faults } from "../control/faults.ts";
import { Journal } from "../control/journal.ts";
import type { CheckTokens } from "../control/route.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import {
  applyAddition,
  applyPlan,
  type Generate,
  type OnProgress,
} from "../seeding/fixtures/apply.ts";
import { planAddition, planFixtures, type Plan } from "../seeding/fixtures/plan.ts";
import { toFixture, toSnapshotText } from "../seeding/fixtures/snapshot.ts";
import type { Clock } from "../store/clock.ts";
import { withStretch } from "../store/id-maker.ts";
import { AccessToken, type AccessTokenInit } from "../store/records.ts";
import { Store, withFreshIds, type Access, type StoreImage } from "../store/store.ts";
import type { Workspace, WorkspaceSurroundings } from "../store/workspace.ts";
import { UsageError } from "../usage-error.ts";
import { checkReset, type ResetOptions } from "./reset-options.ts";
import { Delays } from "./delays.ts";
import { EXPECTED_NO_PROMISE, isPromise } from "./options.ts";
import { isSameSecret } from "./same-secret.ts";

export interface WorldSettings extends WorkspaceSurroundings {
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
  /** Makes keys up, where a fixture asks for them. */
  readonly generate: Generate;
  readonly onProgress: OnProgress | undefined;
}

const EXPECTED_CONTROL_TOKEN =
  "tokens: expected none that is the control token, which opens no operation; list another, or choose another control token";

/** What a world starts from, now and whenever it is reset. */
interface Start {
  readonly image: StoreImage;
  /** What worlds of single tokens are copied from, where there are any; nobody changes it. */
  readonly template: Store;
  /** The tokens that are listed. */
  readonly tokens: ReadonlySet<string>;
  /** How many records a copy has. */
  readonly size: number;
  readonly isGenerated: boolean;
}

/**
 * Everything of an emulator that changes: its state, its clock, its faults and its journal, and the
 * ways in which they are replaced as a whole. With isolation, each token has one.
 */
export class World {
  readonly store: Store;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The shared world, where this one is a copy of it for one token. */
  origin: World | undefined;
  readonly #settings: WorldSettings;
  #start: Start;
  /** Snapshots cannot be changed, so what one was taken of is what it says. */
  readonly #taken = new WeakMap<Fixture, StoreImage>();
  /** What it was copied from, and begins as whenever it is reset. */
  #source: Store | undefined;
  #change: Promise<void> | undefined;
  readonly #delays = new Delays();
  #era = 0;
  #beginning = 0;
  /** The highest stretch that ids were made from; each reset with fresh ids begins the next one. */
  #stretch = 0;

  /** With a `source`, it belongs to one token alone, and its store is a copy of that. */
  constructor(store: Store, settings: WorldSettings, { source }: { readonly source?: Store } = {}) {
    this.store = store;
    this.#source = source;
    this.clock = settings.clock;
    this.faults = new Faults(settings.contracts, () => store.seed);
    this.journal = new Journal(settings.contracts.map(({ name }) => name));
    this.#settings = settings;
    this.#start = {
      image: store.image(),
      template: store,
      tokens: new Set(),
      size: 1,
      isGenerated: false,
    };
  }

  /**
   * Another world, which starts as this one did, for one token alone: it has the default workspace,
   * and lists no token but the one given. With a `lastStretch`, its ids begin behind that one.
   */
  fork(token?: AccessTokenInit, lastStretch = 0): World {
    const clock = this.clock.fork();
    const { onChange: _, ...rest } = this.#settings;
    const settings = { ...rest, clock, isOpen: true };
    const tokens = token === undefined ? [] : [new AccessToken(token)];
    const { template } = this.#start;
    const store = template.copy(tokens, settings);
    const world = new World(store, settings, { source: template });
    world.origin = this;
    if (lastStretch > 0) {
      world.#stretch = lastStretch + 1;
      for (const { ids } of [store, store.defaultWorkspace]) {
        ids.resume(withStretch(ids.state, world.#stretch));
      }
    }
    world.faults.start = this.faults.start;
    world.faults.reset();
    return world;
  }

  /** The highest stretch that ids were made from; each reset with fresh ids begins the next one. */
  get lastStretch(): number {
    return Math.max(this.#stretch, this.store.ids.stretch);
  }

  /** Whether it is just being replaced. Requests wait for that. */
  get isChanging(): boolean {
    return this.#change !== undefined;
  }

  async settled(): Promise<void> {
    while (this.#change !== undefined) await this.#change.catch(() => {});
  }

  /** Grows whenever it is replaced: what was decided before is not to reach into what is there now. */
  get era(): number {
    return this.#era;
  }

  /** Grows when it is reset or seeded anew: what began before belongs to another test. */
  get beginning(): number {
    return this.#beginning;
  }

  /** Grows with every change of its records, faults and clock. */
  get revision(): number {
    return this.store.revision + this.faults.revision + this.clock.revision;
  }

  /** The tokens that were listed when it started. */
  get startTokens(): ReadonlySet<string> {
    return this.#start.tokens;
  }

  /** How many records it started with. */
  get startSize(): number {
    return this.#start.size;
  }

  /** Whether the plan that it started from asked for made-up keys. */
  get isGenerated(): boolean {
    return this.#start.isGenerated;
  }

  /** The workspace and the rights of a token; undefined for one that may not come. */
  access(token: string): Access | undefined {
    if (this.isControlToken(token)) return undefined;
    const access = this.store.access(token, this.#settings);
    // A world of one token alone is open to it, whatever tokens a test lists there.
    return access ?? (this.#source && this.store.guest(token));
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

  /**
   * Starts from this plan, now and whenever it is reset. `onStart` is called in the same moment,
   * and waited for.
   */
  async seed(plan: Plan, onStart: () => Promise<void> = async () => {}): Promise<void> {
    this.#checkTokens(plan);
    await this.#replace(async () => {
      const { faults, randomSeed = plan.randomSeed ?? this.#settings.seed } = this.#settings;
      const [start, startFaults] = [this.#start, this.faults.start];
      try {
        this.faults.start = { weather: faults, faults: plan.faults };
        await applyPlan(this.store, plan, { ...this.#settings, randomSeed });
        const isGenerated = plan.workspaces.some(({ generate }) => generate.length > 0);
        this.#start = this.#toStart(isGenerated);
        await onStart();
      } catch (error) {
        this.#start = start;
        this.faults.start = startFaults;
        throw error;
      }
      this.#beginAgain();
    });
  }

  #toStart(isGenerated: boolean): Start {
    const image = this.store.image();
    const isShared = !this.#settings.isOpen;
    const template = isShared ? Store.ofDefault(image, this.#settings) : this.store;
    const { identities, keys } = template.defaultWorkspace;
    const tokens = image.workspaces.flatMap(({ image: held }) => held.tokens);
    return {
      image,
      template,
      tokens: new Set(tokens.map(({ token }) => token)),
      size: Math.max(1, keys.count() + identities.count()),
      isGenerated,
    };
  }

  /** Starts as the other world does, now and whenever it is reset. Its collections stay the same. */
  startLike(other: World): Promise<void> {
    return this.#replace(async () => {
      const { workspaces, ...image } = other.store.image();
      const own = workspaces.map(({ image: held }) => {
        const workspace = this.store.workspaces.get(held.id) ?? this.store.workspaces.make(held);
        return { workspace, image: held };
      });
      await this.store.put({ ...image, workspaces: own }, {}, other.#source);
      this.#source = other.#source;
      this.#start = { ...other.#start, image: this.store.image() };
      this.faults.start = other.faults.start;
      this.#beginAgain();
    });
  }

  /** @throws UsageError for an option that does not exist, or is of another type */
  async reset(options: ResetOptions = {}): Promise<void> {
    checkReset(options, ["freshIds"]);
    const { freshIds } = options;
    await this.#replace(
      async (image: StoreImage) => {
        await this.store.put(image, {}, this.#source);
        this.#beginAgain();
      },
      (before) => {
        const { image } = this.#start;
        return freshIds ? withFreshIds(image, this.#stretch + 1, before) : image;
      },
    );
  }

  #beginAgain(): void {
    this.clock.reset();
    this.faults.reset();
    this.journal.clear();
    this.#beginning += 1;
    this.#beginEra();
  }

  /** What is still waiting belongs to what was there before. */
  #beginEra(): void {
    this.#era += 1;
    this.#delays.endAll();
  }

  /**
   * Waits so many real milliseconds, but no longer than until it is replaced, or one of `others` is
   * called. Resolves to whether it waited for all of them.
   */
  delay(milliseconds: number, others?: Set<() => void>): Promise<boolean> {
    return this.#delays.wait(milliseconds, others);
  }

  /**
   * Adds what a fixture describes to what there is.
   * @throws UsageError with a line for everything that is wrong with it, or does not fit
   */
  async add(fixture: Fixture, check: CheckTokens = () => {}): Promise<void> {
    if (isPromise(fixture)) throw new UsageError(`seed: ${EXPECTED_NO_PROMISE}`);
    const source = { name: "seed", fixture };
    await this.#replace(
      async (plan: Plan) => {
        await applyAddition(this.store, plan, this.#settings);
        for (const fault of plan.faults) this.faults.add(fault);
      },
      (image) => {
        const plan = this.#checkTokens(planAddition(image, source, this.#settings.contracts));
        const listed = image.workspaces.flatMap(({ image: { tokens } }) => tokens);
        if (plan.workspaces.some(({ tokens }) => tokens.length > 0)) {
          check([...listed, ...plan.workspaces.flatMap(({ tokens }) => tokens)]);
        }
        return plan;
      },
    );
  }

  /** @throws UsageError when the default workspace was deleted */
  snapshot(): Fixture {
    const image = this.#image();
    const fixture = toFixture(image);
    this.#taken.set(fixture, image);
    return fixture;
  }

  /** @throws UsageError when the default workspace was deleted */
  snapshotText(first: Readonly<Record<string, unknown>>): Iterable<string> {
    return toSnapshotText(this.#image(), first);
  }

  #image(): StoreImage {
    // Asked for, because it says so when it is not there.
    void this.store.defaultWorkspace;
    return this.store.image();
  }

  /** @throws UsageError with a line for everything that is wrong with the snapshot */
  async restore(snapshot: Fixture, check: CheckTokens = () => {}): Promise<void> {
    if (isPromise(snapshot)) throw new UsageError(`snapshot: ${EXPECTED_NO_PROMISE}`);
    const image = this.#taken.get(snapshot);
    if (image !== undefined) {
      await this.#replace(async () => {
        await this.store.put(image);
        this.#beginEra();
      });
      return;
    }
    const plan = planFixtures([{ name: "snapshot", fixture: snapshot }], {
      defaultId: this.store.defaultId,
      contracts: this.#settings.contracts,
    });
    this.#checkTokens(plan);
    check(plan.workspaces.flatMap(({ tokens }) => tokens));
    const randomSeed = plan.randomSeed ?? this.#settings.seed;
    await this.#replace(async () => {
      await applyPlan(this.store, plan, { ...this.#settings, randomSeed });
      this.#beginEra();
      if (plan.faults.length === 0) return;
      this.faults.clear();
      for (const fault of plan.faults) this.faults.add(fault);
    });
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

  /**
   * Makes one change after the other, each of them whole or not at all. `prepare` looks at what the
   * one before has left, and changes nothing.
   */
  async #replace<Prepared>(
    work: (prepared: Prepared) => Promise<void>,
    prepare: (image: StoreImage) => Prepared = () => undefined as Prepared,
  ): Promise<void> {
    const before = this.#change;
    const change = (async () => {
      await before?.catch(() => {});
      const image = this.store.image();
      // Also of a snapshot of another emulator, which may have been reset more often.
      this.#stretch = Math.max(this.#stretch, this.store.ids.stretch);
      const prepared = prepare(image);
      try {
        await work(prepared);
      } catch (error) {
        await this.store.put(image, { isQuiet: true });
        throw error;
      }
    })();
    this.#change = change;
    try {
      await change;
    } finally {
      if (this.#change === change) this.#change = undefined;
    }
  }
}
