import type { Counter } from "../../usage/rate-limit.ts";
import { SmallTable } from "../tables/table.ts";

/** A counter of a rate limit as it is stored, with an id of everything that tells it from others. */
export interface StoredCounter extends Counter {
  readonly id: string;
}

/** Beyond so many counters, those whose uses no longer count are dropped: clients choose their names. */
const MAX_COUNTERS = 10_000;

/** The counters of the rate limits of a workspace. */
export class Counters {
  #table = new SmallTable<StoredCounter>(["id"]);
  /** The number of counters beyond which some are dropped. */
  #max = MAX_COUNTERS;

  get(ownerId: string, name: string, duration: number): Counter | undefined {
    return this.#table.find("id", idOf(ownerId, name, duration));
  }

  /** Stores counters that changed at `now` (unix ms). */
  put(counters: readonly Counter[], now: number): void {
    for (const counter of counters) this.#table.add(toStored(counter));
    if (this.#table.size > this.#max) this.#drop(now);
  }

  state(): SmallTable<StoredCounter> {
    return this.#table.fork();
  }

  replace(table: SmallTable<StoredCounter>): void {
    this.#table = table.fork();
  }

  /** Drops the counters of windows that ended more than one window ago. */
  #drop(now: number): void {
    const all = Array.from(this.#table);
    for (const counter of all) {
      if ((counter.window + 2) * counter.duration <= now) this.#table.remove(counter);
    }
    // Not looked through again for each use, however many keys have a limit with a long window.
    this.#max = Math.max(MAX_COUNTERS, 2 * this.#table.size);
  }
}

/** A table of these counters. */
export function toCounterTable(counters: readonly Counter[]): SmallTable<StoredCounter> {
  const table = new SmallTable<StoredCounter>(["id"]);
  for (const counter of counters) table.add(toStored(counter));
  return table;
}

function toStored(counter: Counter): StoredCounter {
  const { current, duration, name, ownerId, previous, window } = counter;
  const id = idOf(ownerId, name, duration);
  return Object.freeze({ id, ownerId, name, duration, window, current, previous });
}

function idOf(ownerId: string, name: string, duration: number): string {
  // Ids have no space, and a duration is a number, so different counters have different texts.
  return `${ownerId} ${duration} ${name}`;
}
