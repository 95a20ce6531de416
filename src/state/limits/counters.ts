import type * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import * as f from "../../schema/fields.ts";

/*
 * Rate limits with a sliding window, as in v2 of the service. Time is divided into windows of the
 * limit's duration, from 1970 on. The uses of the current window count in full. The uses of the window
 * before it count in proportion to the time that is left of the current window.
 */

/** Above this number, counters whose uses no longer count are dropped. Clients can create any number. */
const MAX_COUNTERS = 10_000;

/** By owner, because the counters of a deleted key or identity are dropped; then by id. */
type ByOwner = ReadonlyMap<string, ReadonlyMap<string, Counter>>;

/** The counters at one moment. They never change. */
export interface CounterState {
  readonly byOwner: ByOwner;
  readonly size: number;
}

export class Counters {
  #byOwner: ByOwner = new Map();
  #size = 0;
  /** Maps that no state shares. All others are copied before a change. */
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

const uses = lazily(() => f.integer({ min: 0 }));

export const counter = lazily(() =>
  f.component("Counter", "How often a rate limit was used.", {
    ownerId: f.described(
      f.text({ min: 1 }),
      "The id of the key, the identity or the namespace; for v1, with the limit of the call.",
    ),
    name: f.described(f.text(), "The name of the rate limit, or the identifier of the call."),
    duration: f.described(f.integer({ min: 1 }), "The window, in milliseconds."),
    window: f.described(
      f.integer({ min: 0 }),
      "The number of the current window, counted from 1970 on.",
    ),
    current: f.described(uses(), "Uses in that window."),
    previous: f.described(uses(), "Uses in the window before it."),
  }),
);
/**
 * The uses of one limit of a key or an identity, or of one identifier in a namespace. A limit with
 * another duration has its own counter.
 */
export type CounterMembers = Readonly<z.infer<ReturnType<typeof counter>>>;

/** A counter with its id, which is made from owner, duration and name. */
export interface Counter extends CounterMembers {
  readonly id: string;
}

/** A limit to check. */
export interface LimitRequest extends Pick<Counter, "ownerId" | "name" | "duration"> {
  /** The uses that one window allows. A limit of 0 refuses even a cost of 0. */
  readonly limit: number;
  /** The uses to deduct. A cost of 0 only checks. */
  readonly cost: number;
}

export interface LimitResult {
  /** Whether this limit refuses the request. */
  readonly exceeded: boolean;
  /** The uses that are left; 0 if the limit refuses, even if some are left. */
  readonly remaining: number;
  /** The end of the current window, in unix milliseconds. */
  readonly reset: number;
  /** The uses that counted before this request. */
  readonly used: number;
  /** When a refused request would pass (unix milliseconds), if nothing else is counted; undefined for never. */
  readonly freeAt?: number | undefined;
}

/** Unique, because ids have no space and a duration is a number. */
function counterId(ownerId: string, name: string, duration: number): string {
  return `${ownerId} ${duration} ${name}`;
}

type FindCounter = (id: string, ownerId: string) => Counter | undefined;

/**
 * Checks several limits. Either all of them deduct their cost or none does. As in the service, the cost
 * of a request is in the count of later ones for the same counter, even if a limit refused it.
 *
 * @param now the time in unix milliseconds
 * @returns a result for each request, and the counters that changed; none if a limit refuses
 */
export function checkLimits(
  requests: readonly LimitRequest[],
  find: FindCounter,
  now: number,
): { readonly results: readonly LimitResult[]; readonly counters: readonly Counter[] } {
  const changed = new Map<string, Counter>();
  const results = requests.map((request) => {
    const id = counterId(request.ownerId, request.name, request.duration);
    const before = currentCounter(id, request, find, now);
    const counter = changed.get(id) ?? before;
    if (request.cost > 0) changed.set(id, deduct(counter, request.cost));
    const result = checkLimit(request, counter, now);
    if (!result.exceeded) return result;
    const cost = counter.current - before.current + request.cost;
    return { ...result, freeAt: freeAt({ ...request, cost }, before, now) };
  });
  const isRefused = results.some(({ exceeded }) => exceeded);
  if (!isRefused) return { results, counters: [...changed.values()] };
  const asRefused = results.map((result, index) => {
    if (result.exceeded) return result;
    return { ...result, remaining: result.remaining + (requests[index] as LimitRequest).cost };
  });
  return { results: asRefused, counters: [] };
}

/**
 * Checks limits with a fixed window, as v1 of the service does without a key: uses of the window before
 * do not count. A limit that is used up refuses even a cost of 0, and a refusal reports the uses left.
 * Each request has its own counter.
 */
export const checkFixedLimits: typeof checkLimits = (requests, find, now) => {
  const checked = requests.map((request) => {
    const { cost, duration, limit, name, ownerId } = request;
    const before = currentCounter(counterId(ownerId, name, duration), request, find, now);
    const exceeded = before.current >= limit || before.current + cost > limit;
    const counter = exceeded ? before : deduct(before, cost);
    const remaining = Math.max(0, limit - counter.current);
    const reset = endOf(counter);
    const freed = exceeded && cost <= limit ? { freeAt: reset } : {};
    const result = { exceeded, remaining, reset, used: before.current, ...freed };
    return { result, counter, before };
  });
  return {
    results: checked.map(({ result }) => result),
    counters: checked.flatMap(({ before, counter }) =>
      counter.current > before.current ? [counter] : [],
    ),
  };
};

/**
 * The counter of a request in the window of `now`. If the clock was set back to an earlier window, the counter
 * keeps its window until the clock reaches it again. Until then, the window before it counts in full.
 */
function currentCounter(
  id: string,
  { duration, name, ownerId }: LimitRequest,
  find: FindCounter,
  now: number,
): Counter {
  const window = Math.floor(now / duration);
  const counter = find(id, ownerId);
  if (counter !== undefined && counter.window >= window) return counter;
  const previous = counter?.window === window - 1 ? counter.current : 0;
  return { id, ownerId, name, duration, window, current: 0, previous };
}

function checkLimit({ cost, limit }: LimitRequest, counter: Counter, now: number): LimitResult {
  const used = usesAt(counter, now);
  const exceeded = limit === 0 || used + cost > limit;
  return { exceeded, remaining: exceeded ? 0 : limit - used - cost, reset: endOf(counter), used };
}

/** The first time at which a refused request passes. Until then, the uses that count only get fewer. */
function freeAt({ cost, limit }: LimitRequest, counter: Counter, now: number): number | undefined {
  if (limit === 0 || cost > limit) return undefined;
  let refused = now;
  let passes = endOf(counter) + counter.duration;
  // Limits the steps for windows so long that their ends are no exact numbers.
  for (let step = 0; step < 64 && passes - refused > 1; step += 1) {
    const middle = Math.floor((refused + passes) / 2);
    if (usesAt(counter, middle) + cost > limit) refused = middle;
    else passes = middle;
  }
  return passes;
}

/** The uses that count at a time from the counter's window on. */
function usesAt(counter: Counter, time: number): number {
  const { current, window } = counter;
  if (time < endOf(counter)) return current + previousUses(counter, time);
  return previousUses({ ...counter, window: window + 1, previous: current }, time);
}

/** The uses of the previous window that still count, rounded down. */
function previousUses(counter: Counter, now: number): number {
  const { duration, previous } = counter;
  if (previous === 0) return 0;
  const elapsed = Math.max(0, now - counter.window * duration) / duration;
  // In floating point, as in the service: 10 × (1 − 0.9) is below 1, so 0 of 10 uses count.
  return Math.trunc(previous * Math.max(0, 1 - elapsed));
}

function endOf({ duration, window }: Counter): number {
  return (window + 1) * duration;
}

function deduct(counter: Counter, cost: number): Counter {
  const { duration, id, name, ownerId, previous, window } = counter;
  return { id, ownerId, name, duration, window, current: counter.current + cost, previous };
}
