import type { Outcome, OutcomeCounts } from "../contract/outcomes.ts";
import { isIdAt } from "../store/ids/id-sequence.ts";
import { fractionOf, randomWords } from "../store/ids/random.ts";
import type { Key } from "../store/key.ts";
import { DAY, lastRefill } from "../usage/refill.ts";

/** What a key was like before its first verification that was counted. */
type Before = Pick<Key, "lastUsedAt" | "remaining">;

/** The verifications of a key on a day, which is numbered from 1970 on; undefined outside of its life. */
export type History = (day: number) => OutcomeCounts | undefined;

/** Calls on a working day: `2 ** (MAX_POWER * u ** QUIETNESS)`, with u from 0 to 1, so most keys have few. */
const [MAX_POWER, QUIETNESS] = [12, 1.6];
/** Keys with a higher u work in runs of some days, of which the last one ends with their last use. */
const STEADY = 0.75;
/** The calls between two runs, as a share of those in a run. */
const BETWEEN_RUNS = 0.02;
/** The share of these calls in other environments than production. */
const shares: Readonly<Record<string, number>> = { staging: 0.5, development: 0.2 };
/** A key with more uses a day takes several of them for a call. */
const MOST_COUNTED = 500;
/** The least and the largest share of the usual calls that a day has. */
const [LEAST, MOST] = [0.6, 1.4];
/** The share of days on which a rate limit refuses calls, and the largest share of calls that it refuses. */
const [LIMITED_DAYS, LIMITED_CALLS] = [0.15, 0.1];

/**
 * The made-up history of a key that `generate` made; undefined for any other key, and for one that was
 * not used. It is a pure function of the key, so nothing is stored.
 *
 * A key is used from its creation until its last use, which is always counted, and not after it expired.
 * Since its last refill it has as many valid uses as its remaining uses tell; each takes one of them, or
 * more where there are very many. After it was disabled, its client goes on and is refused.
 */
export function historyOf(key: Key, { lastUsedAt, remaining }: Before): History | undefined {
  const until = Math.min(lastUsedAt ?? -1, key.expires ?? Infinity);
  if (until < key.createdAt || !isMadeUp(key)) return undefined;
  const [first, last] = [dayOf(key.createdAt), dayOf(until)];
  const disabledFrom = key.enabled ? Infinity : dayOf(key.updatedAt ?? Infinity) + 1;
  const pace = paceOf(key, until);
  const counted = countedUses(key, remaining, Math.min(until, disabledFrom * DAY - 1), pace);
  return (day) => {
    if (day < first || day > last) return undefined;
    const calls = pace.callsOn(day);
    const isLast = day === last;
    if (day >= disabledFrom) {
      return withLast({ DISABLED: Math.floor(calls / 4) }, isLast, "DISABLED");
    }
    const valid = counted?.(day) ?? calls;
    const limited = key.ratelimits.length > 0 ? pace.limitedOf(valid, day) : 0;
    const isUsedUp = isLast && remaining !== undefined && remaining <= 0;
    const exceeded = isUsedUp ? 1 + Math.floor(valid / 20) : 0;
    const some = { VALID: valid, RATE_LIMITED: limited, USAGE_EXCEEDED: exceeded };
    return withLast(some, isLast, "VALID");
  };
}

/** Made-up keys have an environment, and an id that contains the millisecond of their creation. */
function isMadeUp({ createdAt, environment, id }: Key): boolean {
  return environment !== undefined && isIdAt("key", createdAt, id);
}

/** On the day of the last use, there was at least one. */
function withLast(outcomes: OutcomeCounts, isLast: boolean, first: Outcome): OutcomeCounts {
  const isNone = Object.values(outcomes).every((count) => count === 0);
  return isLast && isNone ? { [first]: 1 } : outcomes;
}

/** How busy a key is. */
interface Pace {
  /** The part of a usual working day; 0 before the creation of the key and after its last use. */
  partOf(day: number): number;
  /** The calls of a day. */
  callsOn(day: number): number;
  /** The calls that a rate limit refused, on a day with this many others. */
  limitedOf(calls: number, day: number): number;
}

function paceOf({ createdAt, environment = "", id, refill }: Key, until: number): Pace {
  const next = randomWords(`${id}/history`);
  const fraction = () => next() / 0x1_0000_0000;
  const drawn = fraction();
  const every = 9 + Math.floor(14 * fraction());
  const length = 2 + Math.floor(3 * fraction());
  const share = fraction();
  const busy =
    refill === undefined
      ? 2 ** (MAX_POWER * drawn ** QUIETNESS) * (shares[environment] ?? 1)
      : (0.2 + 0.7 * share) * callsOfDay(refill);
  // Production has visitors at the weekend too, but fewer.
  const weekend = (environment === "production" ? 0.3 : 0.05) + 0.4 * fraction();
  const [noise, rounding, limits] = [next(), next(), next()];
  const isSteady = drawn < STEADY;
  const last = dayOf(until);
  const partOf = (day: number) => {
    const start = day * DAY;
    const time = Math.min(until + 1, start + DAY) - Math.max(createdAt, start);
    // 1970 began on a Thursday.
    const isWeekend = (day + 3) % 7 >= 5;
    const isRunning = isSteady || (last - day) % every < length;
    const part = (time / DAY) * (isWeekend ? weekend : 1) * (isRunning ? 1 : BETWEEN_RUNS);
    return Math.max(0, part) * (LEAST + (MOST - LEAST) * fractionOf(noise, day));
  };
  return {
    partOf,
    // Rounded at random, so that a quiet key is used on some days only.
    callsOn: (day) => Math.floor(busy * partOf(day) + fractionOf(rounding, day)),
    limitedOf(calls, day) {
      const draw = fractionOf(limits, day) / LIMITED_DAYS;
      return draw < 1 ? Math.floor(calls * LIMITED_CALLS * draw) : 0;
    },
  };
}

/** So many calls that a refill lasts until the next one, on a month of the busiest days too. */
function callsOfDay(refill: NonNullable<Key["refill"]>): number {
  return amountOfDay(refill) / costOf(refill) / MOST;
}

/** How many uses a call takes: 1, or a power of ten that leaves hundreds of calls a day at most. */
function costOf(refill: NonNullable<Key["refill"]>): number {
  return 10 ** Math.max(0, Math.ceil(Math.log10(amountOfDay(refill) / MOST_COUNTED)));
}

function amountOfDay({ amount, interval }: NonNullable<Key["refill"]>): number {
  return interval === "daily" ? amount : amount / 31;
}

/**
 * The valid verifications of a day since the last refill. Together they take the uses that its amount
 * lacks. Undefined for an earlier day, and if the key has no refill.
 */
function countedUses(
  { createdAt, refill }: Key,
  remaining: number | undefined,
  until: number,
  { partOf }: Pace,
): ((day: number) => number | undefined) | undefined {
  if (refill === undefined || remaining === undefined) return undefined;
  // After a later refill, the remaining uses tell nothing about the time before it.
  if ((refill.lastRefillAt ?? 0) > until) return undefined;
  const used = Math.floor(Math.max(0, refill.amount - remaining) / costOf(refill));
  const start = dayOf(lastRefill(refill, createdAt, until) ?? createdAt);
  const sums = [0];
  for (let day = start; day <= dayOf(until); day += 1) sums.push((sums.at(-1) ?? 0) + partOf(day));
  const whole = sums.at(-1) ?? 0;
  // Rounded down, so that one is left for the last day.
  const usedBefore = (day: number) => Math.floor(used * ((sums[day - start] ?? whole) / whole));
  return (day) => (day < start ? undefined : usedBefore(day + 1) - usedBefore(day));
}

function dayOf(time: number): number {
  return Math.floor(time / DAY);
}
