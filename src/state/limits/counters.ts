import {
  checkLimits,
  counterId,
  type Counter,
  type CounterMembers,
  type LimitRequest,
  type LimitResult,
} from "./rate-limit.ts";

/** With more counters, those whose uses no longer count are dropped. Clients can make any number. */
const MAX_COUNTERS = 10_000;

/** By owner, because those of a deleted key or identity are dropped; then by id. */
type ByOwner = ReadonlyMap<string, ReadonlyMap<string, Counter>>;

/** The counters at one moment. They never change. */
export interface CounterState {
  readonly byOwner: ByOwner;
  readonly size: number;
}

export class Counters {
  #byOwner: ByOwner = new Map();
  #size = 0;
  /** The maps that no state shares. Others are copied before a change. */
  #owned = new Set<unknown>();
  #max = MAX_COUNTERS;
  readonly #onChange: () => void;

  /** @param onChange called after uses were counted */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  get(ownerId: string, name: string, duration: number): Counter | undefined {
    return this.#byOwner.get(ownerId)?.get(counterId(ownerId, name, duration));
  }

  /**
   * Checks limits and counts their uses.
   * @param now unix milliseconds
   * @param rule whether windows are sliding or fixed. Default: sliding
   */
  take(
    requests: readonly LimitRequest[],
    now: number,
    rule: typeof checkLimits = checkLimits,
  ): readonly LimitResult[] {
    const find = (id: string, ownerId: string) => this.#byOwner.get(ownerId)?.get(id);
    const { counters, results } = rule(requests, find, now);
    if (counters.length === 0) return results;
    for (const counter of counters) this.#put(counter);
    if (this.#size > this.#max) this.#drop(now);
    this.#onChange();
    return results;
  }

  addAll(counters: readonly CounterMembers[]): void {
    for (const counter of counters) {
      const { duration, name, ownerId } = counter;
      this.#put({ ...counter, id: counterId(ownerId, name, duration) });
    }
  }

  forget(ownerIds: Iterable<string>): void {
    for (const ownerId of ownerIds) {
      const counters = this.#byOwner.get(ownerId);
      if (counters === undefined) continue;
      this.#ownOwners().delete(ownerId);
      this.#size -= counters.size;
    }
  }

  state(): CounterState {
    this.#owned = new Set();
    return { byOwner: this.#byOwner, size: this.#size };
  }

  replace({ byOwner, size }: CounterState): void {
    this.#owned = new Set();
    this.#byOwner = byOwner;
    this.#size = size;
  }

  #put(counter: Counter): void {
    const { id, ownerId } = counter;
    const counters = this.#own(ownerId);
    if (!counters.has(id)) this.#size += 1;
    counters.set(id, counter);
  }

  #own(ownerId: string): Map<string, Counter> {
    const counters = this.#byOwner.get(ownerId);
    if (this.#owned.has(counters)) return counters as Map<string, Counter>;
    const own = new Map(counters);
    this.#ownOwners().set(ownerId, own);
    this.#owned.add(own);
    return own;
  }

  #ownOwners(): Map<string, ReadonlyMap<string, Counter>> {
    if (!this.#owned.has(this.#byOwner)) {
      this.#byOwner = new Map(this.#byOwner);
      this.#owned.add(this.#byOwner);
    }
    return this.#byOwner as Map<string, ReadonlyMap<string, Counter>>;
  }

  /** Drops the counters of windows that ended more than one window ago. */
  #drop(now: number): void {
    for (const [ownerId, counters] of this.#byOwner) {
      for (const { duration, id, window } of counters.values()) {
        if ((window + 2) * duration > now) continue;
        this.#own(ownerId).delete(id);
        this.#size -= 1;
      }
      if (this.#byOwner.get(ownerId)?.size === 0) this.#ownOwners().delete(ownerId);
    }
    // Doubled, so that many counters with long windows are not all checked at each use.
    this.#max = Math.max(MAX_COUNTERS, 2 * this.#size);
  }
}
