import type { Counter } from "../../usage/rate-limit.ts";
import { SmallTable } from "../tables/table.ts";

/** A stored counter of a rate limit. Its id is made from owner, duration and name. */
export interface StoredCounter extends Counter {
  readonly id: string;
}

/** With more counters, those whose uses no longer count are dropped. Clients can make any number. */
const MAX_COUNTERS = 10_000;

/** The counters of the rate limits of a workspace. */
export class Counters {
  #table = new SmallTable<StoredCounter>(["id"]);
  /** With more counters, some are dropped. */
  #max = MAX_COUNTERS;

  get(ownerId: string, name: string, duration: number): Counter | undefined {
    return this.#table.find("id", idOf(ownerId, name, duration));
  }

  /** Stores counters that changed at `now` (unix milliseconds). */
  put(counters: readonly Counter[], now: number): void {
    this.addAll(counters);
    if (this.#table.size > this.#max) this.#drop(now);
  }

  addAll(counters: readonly Counter[]): void {
    for (const counter of counters) this.#table.add(toStored(counter));
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
    // Doubled, so that many counters with long windows are not all checked at each use.
    this.#max = Math.max(MAX_COUNTERS, 2 * this.#table.size);
  }
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
