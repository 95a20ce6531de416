import type { Faults } from "../faults/faults.ts";
import type { Findings } from "../world/findings/findings.ts";
import type { Usage, UsageQuery } from "../state/usage/usage.ts";
import type { Journal } from "../world/journal/journal.ts";
import type { NeedsOptions, TokenNeeds } from "../world/journal/needed-permissions.ts";
import { checkFlags } from "../schema/problems.ts";
import type { Fixture } from "../seed/format.ts";
import type { ClockControl } from "../state/time/clock.ts";
import { kindNames } from "../state/records/kind-names.ts";
import type { Collections } from "../state/public/workspace.ts";
import type { World } from "../world/world.ts";
import type { ResetOptions } from "../world/settings.ts";

/** Adds, lists and removes faults. */
export type FaultControl = Pick<Faults, "add" | "list" | "pending" | "remove" | "clear">;
/** The mistakes that clients made. */
export type FindingList = Pick<Findings, "list" | "clear">;
/** The journal of requests. */
export type RequestJournal = Pick<Journal, "list" | "find" | "count" | "clear" | "waitFor">;

// oxlint-disable no-unsafe-declaration-merging -- a loop defines the collections
/**
 * What a test controls of one world: the collections of a workspace, the clock, the faults, the journal
 * and the findings. The emulator itself is a `Sandbox`, and so is each isolated workspace.
 *
 * | call                | records                        | faults                         | clock, journal, findings | `reset` then brings back |
 * | ------------------- | ------------------------------ | ------------------------------ | ------------------------ | ------------------------ |
 * | `reset()`           | the initial ones               | the initial ones               | as at the start          | the initial state        |
 * | `restore(snapshot)` | those of the snapshot          | replaced if it lists some      | unchanged                | the initial state        |
 * | `seed(fixture)`     | those of the fixture are added | those of the fixture are added | unchanged                | the initial state        |
 * | `reseed(fixtures)`  | those of the fixtures          | those of the fixtures          | as at the start          | the state of these       |
 *
 * Only the emulator has `reseed`. The collections of the default workspace always stay the same objects.
 */
export class Sandbox {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * The seed of ids and key values. Pass it as the option `randomSeed`, with the same fixtures, to get
   * the same ids and key values again. A reset with `freshIds` changes it. A new emulator with the new
   * seed makes the same key values as after that reset. Ids are the same in each second in which none
   * was made before the reset.
   */
  get randomSeed(): number {
    return this.#world.store.ids.seed;
  }

  /** The clock for everything here; change it with `set`, `advance`, `freeze` and `resume`. */
  get clock(): ClockControl {
    return this.#world.clock;
  }

  /**
   * Faults: `add` one to make calls fail. `pending` lists those that are still waited for: they have
   * hit fewer calls than `times` (default: 1).
   */
  get faults(): FaultControl {
    return this.#world.faults;
  }

  /** The last 1,000 requests, the newest last. */
  get requests(): RequestJournal {
    return this.#world.journal;
  }

  /**
   * Mistakes in how clients call the service, even if every reply was a 200; docs/what-it-tells.md has the
   * rules. The first 1,000 are kept, until a reset.
   */
  get findings(): FindingList {
    return this.#world.findings;
  }

  /**
   * The least permissions that each token needs for the calls that it made since the last reset: one for
   * each API and each namespace, or with `anyApi` one with `*`. Calls that were refused because a right
   * was missing are listed separately. A token that no fixture lists has every right, so start without
   * tokens to learn which rights to give.
   * @throws UsageError for an unknown option, or one of the wrong type
   */
  neededPermissions(options: NeedsOptions = {}): TokenNeeds[] {
    checkFlags("neededPermissions", options, ["anyApi"]);
    return this.#world.neededPermissions(options);
  }

  /**
   * How often keys were verified, by day (UTC) and outcome: all verifications since the start or the last
   * reset, and before that the history of generated keys. A verification that is answered `NOT_FOUND`
   * counts for no key.
   * @throws UsageError for an invalid query, and for an API, a key or an owner that does not exist
   */
  usage(query: UsageQuery = {}): Usage {
    return this.#world.store.defaultWorkspace.usageOf(query);
  }

  static {
    for (const kind of kindNames) {
      Object.defineProperty(this.prototype, kind, {
        configurable: true,
        get(this: Sandbox) {
          return this.#world.store.defaultWorkspace.public[kind];
        },
      });
    }
  }

  /**
   * Brings back exactly the initial state, with an empty journal and no findings. New records then get the same ids and
   * key values as before. Pass `{ freshIds: true }` if they must be new, for example because a database
   * with unique columns is not reset.
   * @throws UsageError for an unknown option, or one of the wrong type
   */
  async reset(options: ResetOptions = {}): Promise<void> {
    checkFlags("reset", options, ["freshIds"]);
    return this.#world.reset(options);
  }

  /**
   * Marks the end of what a test sets up. A sweep spoils no call before the mark, and a program that
   * fails has to leave the records of that time. It has no other effect.
   * @throws UsageError for a second mark without a reset between them
   */
  mark(): void {
    this.#world.mark();
  }

  /** Whether `mark` was called since the last reset. */
  get isMarked(): boolean {
    return this.#world.isMarked;
  }

  /**
   * All records as a fixture: keys (with the values of recoverable keys), tokens, and the position in
   * the sequence of ids. An emulator created from it gives the same answers at the same time. The
   * fixture is frozen, and can be written as JSON. It does not include the clock, faults and journal.
   * @throws UsageError if the default workspace was deleted
   */
  snapshot(): Fixture {
    return this.#world.snapshot();
  }

  /**
   * Replaces all records with a snapshot or any other fixture. The next ids and key values are the ones
   * that came next when the snapshot was taken.
   * @throws UsageError if the snapshot is invalid; then nothing has changed
   */
  restore(snapshot: Fixture): Promise<void> {
    return this.#world.restore(snapshot);
  }

  /**
   * Adds the records of a fixture. Keys may refer to existing APIs. `reset` removes the records again.
   * @throws UsageError if the fixture is invalid or has a name or id that exists already; then nothing
   *   has changed
   */
  seed(fixture: Fixture): Promise<void> {
    return this.#world.seed(fixture);
  }
}

/** The collections of the default workspace. */
export interface Sandbox extends Collections {}
