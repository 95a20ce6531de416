import {
  checkLimits,
  counterId,
  type Counter,
  type CounterMembers,
  type LimitRequest,
  type LimitResult,
} from "../../usage/rate-limit.ts";
import { SmallTable } from "../tables/table.ts";

/** With more counters, those whose uses no longer count are dropped. Clients can make any number. */
const MAX_COUNTERS = 10_000;

/** The counters of the rate limits of a workspace. */
export class Counters {
  #table = new SmallTable<Counter>(["id"]);
  /** With more counters, some are dropped. */
  #max = MAX_COUNTERS;
  readonly #onChange: () => void;

  /** @param onChange called after uses were counted */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  get(ownerId: string, name: string, duration: number): Counter | undefined {
    return this.#table.find("id", counterId(ownerId, name, duration));
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
    const { counters, results } = rule(requests, (id) => this.#table.find("id", id), now);
    if (counters.length === 0) return results;
    this.#table.addAll(counters);
    if (this.#table.size > this.#max) this.#drop(now);
    this.#onChange();
    return results;
  }

  addAll(counters: readonly CounterMembers[]): void {
    this.#table.addAll(counters.map(withId));
  }

  /** Drops the counters of these keys, identities or namespaces. */
  forget(ownerIds: ReadonlySet<string>): void {
    if (this.#table.size === 0) return;
    const all = Array.from(this.#table);
    for (const counter of all) if (ownerIds.has(counter.ownerId)) this.#table.remove(counter);
  }

  state(): SmallTable<Counter> {
    return this.#table.fork();
  }

  replace(table: SmallTable<Counter>): void {
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

function withId({ current, duration, name, ownerId, previous, window }: CounterMembers): Counter {
  const id = counterId(ownerId, name, duration);
  return { id, ownerId, name, duration, window, current, previous };
}
