import type { Faults } from "../faults/faults.ts";
import type { Journal } from "../journal/journal.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import type { Clock } from "../store/clock.ts";
import type { Workspace } from "../store/workspace.ts";
import type { ResetOptions } from "../world/reset-options.ts";
import type { World } from "../world/world.ts";

/** What goes wrong on purpose. */
export type FaultControl = Pick<Faults, "add" | "list" | "pending" | "remove" | "clear">;
/** What was asked. */
export type RequestJournal = Pick<Journal, "list" | "find" | "count" | "clear" | "waitFor">;
/** The emulator's time. */
export type ClockControl = Omit<Clock, "fork" | "reset" | "revision">;

/**
 * What a test steers: the collections of the default workspace, the clock, faults and the journal.
 * The emulator is one, and with isolation so is the workspace of each token. The collections stay
 * the same objects when it is reset.
 */
export class Sandbox {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** What ids and key values are made from; pass it as an option to have them again. */
  get randomSeed(): number {
    return this.#world.store.seed;
  }

  /** The time that everything here goes by; steer it with `set`, `advance`, `freeze`, `resume`. */
  get clock(): ClockControl {
    return this.#world.clock;
  }

  /** What goes wrong on purpose: `add` a fault, and look with `pending` whether it has struck. */
  get faults(): FaultControl {
    return this.#world.faults;
  }

  /** The last 1,000 requests, the newest last. */
  get requests(): RequestJournal {
    return this.#world.journal;
  }

  get apis(): Workspace["apis"] {
    return this.#world.store.defaultWorkspace.apis;
  }

  get tokens(): Workspace["tokens"] {
    return this.#world.store.defaultWorkspace.tokens;
  }

  get permissions(): Workspace["permissions"] {
    return this.#world.store.defaultWorkspace.permissions;
  }

  get roles(): Workspace["roles"] {
    return this.#world.store.defaultWorkspace.roles;
  }

  get identities(): Workspace["identities"] {
    return this.#world.store.defaultWorkspace.identities;
  }

  get keys(): Workspace["keys"] {
    return this.#world.store.defaultWorkspace.keys;
  }

  /**
   * Brings back exactly the state of the start: records, the ids that come next, the clock, the
   * faults of the start, and an empty journal.
   *
   * The same ids and key values come again after each reset. Pass `{ freshIds: true }` where a
   * database with unique columns is not reset with the emulator.
   * @throws UsageError for an option that does not exist, or is of another type
   */
  reset(options?: ResetOptions): Promise<void> {
    return this.#world.reset(options);
  }

  /**
   * All that it holds, as a fixture: keys, their values where they are recoverable, tokens, and
   * where ids go on. An emulator that is made of it answers as this one does, at the same time. It
   * cannot be changed, and can be written as JSON. The clock, faults and the journal are no part
   * of it.
   * @throws UsageError when the default workspace was deleted
   */
  snapshot(): Fixture {
    return this.#world.snapshot();
  }

  /**
   * Puts a snapshot, or any other fixture, in the place of all that it holds, or leaves everything
   * as it is. What `reset` brings back stays the same, and so do the clock, the journal and, unless
   * the fixture lists some, faults.
   * @throws UsageError with a line for everything that is wrong with the snapshot
   */
  restore(snapshot: Fixture): Promise<void> {
    return this.#world.restore(snapshot);
  }

  /**
   * Adds what a fixture describes to what there is, or leaves everything as it is. Keys may refer
   * to APIs that are there; a name or id that is there is refused. `reset` takes it away again.
   * @throws UsageError with a line for everything that is wrong with it, or does not fit
   */
  seed(fixture: Fixture): Promise<void> {
    return this.#world.add(fixture);
  }
}
