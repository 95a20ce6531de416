/*
 * Rate limits with a sliding window, as in v2 of the service. Time is divided into windows of the
 * limit's duration, from 1970 on. The uses of the current window count in full. The uses of the window
 * before it count in proportion to the time that is left of the current window.
 */

/** The uses of one limit of a key or an identity. A limit with another duration has its own counter. */
export interface Counter {
  /** The id of the key or identity whose uses are counted. */
  readonly ownerId: string;
  /** The name of the limit. */
  readonly name: string;
  /** The length of a window, in milliseconds. */
  readonly duration: number;
  /** The number of the current window. Window 0 starts in 1970. */
  readonly window: number;
  /** Uses in the current window. */
  readonly current: number;
  /** Uses in the window before it. */
  readonly previous: number;
}

/** A limit to check. All numbers are integers. Numbers of uses are at most 1e12. */
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
}

type CounterOf = (ownerId: string, name: string, duration: number) => Counter | undefined;

/**
 * Checks several limits. Either all of them deduct their cost or none does. Requests for the same
 * counter are checked as if they came one after the other.
 *
 * @param now the time in unix milliseconds
 * @returns a result for each request, and the counters that changed; none if a limit refuses
 */
export function checkLimits(
  requests: readonly LimitRequest[],
  counterOf: CounterOf,
  now: number,
): { readonly results: readonly LimitResult[]; readonly counters: readonly Counter[] } {
  const changed = new Map<string, Counter>();
  const results = requests.map((request) => {
    const id = JSON.stringify([request.ownerId, request.name, request.duration]);
    const counter = changed.get(id) ?? currentCounter(request, counterOf, now);
    const result = checkLimit(request, counter, now);
    if (!result.exceeded && request.cost > 0) changed.set(id, deduct(counter, request.cost));
    return result;
  });
  const isRefused = results.some(({ exceeded }) => exceeded);
  if (!isRefused) return { results, counters: [...changed.values()] };
  const asRefused = results.map((result, index) => {
    if (result.exceeded) return result;
    const request = { ...(requests[index] as LimitRequest), cost: 0 };
    return checkLimit(request, currentCounter(request, counterOf, now), now);
  });
  return { results: asRefused, counters: [] };
}

/**
 * The counter of a request in the window of `now`. If the clock was set back to an earlier window, the
 * counter keeps its window until the clock reaches it again. Meanwhile, the window before it counts in
 * full.
 */
function currentCounter(
  { duration, name, ownerId }: LimitRequest,
  counterOf: CounterOf,
  now: number,
): Counter {
  const window = Math.floor(now / duration);
  const counter = counterOf(ownerId, name, duration);
  if (counter === undefined) return { ownerId, name, duration, window, current: 0, previous: 0 };
  if (counter.window >= window) return counter;
  const previous = counter.window === window - 1 ? counter.current : 0;
  return { ...counter, window, current: 0, previous };
}

function checkLimit({ cost, limit }: LimitRequest, counter: Counter, now: number): LimitResult {
  const uses = counter.current + previousUses(counter, now) + cost;
  const exceeded = limit === 0 || uses > limit;
  return { exceeded, remaining: exceeded ? 0 : limit - uses, reset: endOf(counter) };
}

/** The uses of the previous window that still count, rounded down. */
function previousUses(counter: Counter, now: number): number {
  const { duration, previous } = counter;
  if (previous === 0) return 0;
  const rest = Math.min(endOf(counter) - now, duration);
  // The product can exceed 2^53. A quotient of floats would round: 10 × (1 − 0.9) is below 1.
  return Number((BigInt(previous) * BigInt(rest)) / BigInt(duration));
}

function endOf({ duration, window }: Counter): number {
  return (window + 1) * duration;
}

function deduct(counter: Counter, cost: number): Counter {
  return { ...counter, current: counter.current + cost };
}
