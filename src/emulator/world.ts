import type { Fixture } from "../seeding/fixtures/format.ts";
import { applyPlan, type Generate, type OnProgress } from "../seeding/fixtures/apply.ts";
import { planFixtures, type Plan } from "../seeding/fixtures/plan.ts";
import { toFixture, toSnapshotText } from "../seeding/fixtures/snapshot.ts";
import { Store, type StoreImage } from "../store/store.ts";
import type { WorkspaceSurroundings } from "../store/workspace.ts";
import { UsageError } from "../usage-error.ts";
import { EXPECTED_NO_PROMISE, isPromise } from "./options.ts";

export interface WorldSettings extends WorkspaceSurroundings {
  /** What a person has asked for: it counts more than what a snapshot says. */
  readonly randomSeed: number | undefined;
  /** Makes keys up, where a fixture asks for them. */
  readonly generate: Generate;
  readonly onProgress: OnProgress | undefined;
}

/** The state of an emulator, and the ways in which it is replaced as a whole. */
export class World {
  readonly store: Store;
  readonly #settings: WorldSettings;
  /** What `reset` brings back. */
  #origin: StoreImage;
  /** Snapshots cannot be changed, so what one was taken of is what it says. */
  readonly #taken = new WeakMap<Fixture, StoreImage>();
  #isGenerated = false;
  #change: Promise<void> | undefined;

  constructor(defaultId: string, settings: WorldSettings) {
    this.store = new Store(defaultId, settings);
    this.#settings = settings;
    this.#origin = this.store.image();
  }

  /** Whether it is just being replaced. Requests wait for that. */
  get isChanging(): boolean {
    return this.#change !== undefined;
  }

  async settled(): Promise<void> {
    while (this.#change !== undefined) await this.#change.catch(() => {});
  }

  /** Whether the plan that it started from asked for made-up keys. */
  get isGenerated(): boolean {
    return this.#isGenerated;
  }

  /** Starts from this plan, now and whenever it is reset. */
  seed(plan: Plan): Promise<void> {
    return this.#replace(async () => {
      const { randomSeed = plan.randomSeed ?? this.#settings.seed } = this.#settings;
      await applyPlan(this.store, plan, { ...this.#settings, randomSeed });
      this.#origin = this.store.image();
      this.#isGenerated = plan.workspaces.some(({ generate }) => generate.length > 0);
    });
  }

  reset(): Promise<void> {
    return this.#replace(() => this.store.put(this.#origin));
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
  async restore(snapshot: Fixture): Promise<void> {
    if (isPromise(snapshot)) throw new UsageError(`snapshot: ${EXPECTED_NO_PROMISE}`);
    const image = this.#taken.get(snapshot);
    if (image !== undefined) {
      await this.#replace(() => this.store.put(image));
      return;
    }
    const plan = planFixtures([{ name: "snapshot", fixture: snapshot }], this.store.defaultId);
    const randomSeed = plan.randomSeed ?? this.#settings.seed;
    await this.#replace(() => applyPlan(this.store, plan, { ...this.#settings, randomSeed }));
  }

  /** Makes one change after the other, each of them whole or not at all. */
  async #replace(work: () => Promise<void>): Promise<void> {
    const before = this.#change;
    const change = (async () => {
      await before?.catch(() => {});
      const image = this.store.image();
      try {
        await work();
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
