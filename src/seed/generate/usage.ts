import type { History, Key, KeyMembers } from "../../state/keys/key.ts";
import {
  DEFAULT_RATELIMIT,
  toRatelimits,
  type NamedRatelimit,
} from "../../state/limits/ratelimits.ts";
import { DAY, lastRefill, startOfDay } from "../../state/time/refill.ts";
import type { Draw } from "./draw.ts";
import {
  type Environment,
  environments,
  RECENT,
  shares,
  TRIED_OUT,
  windows,
} from "./parameters.ts";

/** A key stops working at a time (unix ms), and is refused with this outcome from then on. */
export type Stop = readonly [time: number, as: NonNullable<History["refused"]>["as"]];

export interface Life extends Pick<KeyMembers, "createdAt" | "refill" | "remaining"> {
  readonly ratelimits: Key["ratelimits"];
  /** The verifications on a working day, if nothing limits them. */
  readonly perDay: number;
  readonly stops: readonly Stop[];
  /** Whether it is the first key of a customer, which has to be in use. */
  readonly isFirst: boolean;
  /** All verifications are before this 00:00 UTC (unix ms). */
  readonly until: number;
}

/** The verifications of the busiest day, as a multiple of a usual working day. */
const BUSIEST = 1.3;

/** The history of a key that was used, which ends with its last use. */
export function usedIn(life: Life, draw: Draw): { history?: History; lastUsedAt?: number } {
  const { createdAt, isFirst, ratelimits, stops, until } = life;
  const isUsed = draw.chance(shares.used) || isFirst;
  const isForgotten = draw.chance(shares.forgotten) && !isFirst;
  const forgottenAt = draw.integer(createdAt, until);
  const isOverLimit = draw.chance(shares.overLimit);
  const timeOfDay = Math.sqrt(draw.fraction());
  const [stop, as] = stops.toSorted(([a], [b]) => a - b)[0] ?? [Infinity];
  // A client that was refused only recently still tries.
  const last = Math.min(
    ...[isForgotten ? forgottenAt : Infinity, stop].map((at) =>
      at > until - RECENT ? Infinity : at,
    ),
  );
  const end = Math.min(until, startOfDay(last) + DAY);
  const perDay = Math.min(toTwoDigits(life.perDay), ...bounds(life));
  if (!isUsed || perDay < 1 || startOfDay(createdAt) + DAY >= end) return {};
  const start = end - DAY;
  const refusedFrom = startOfDay(stop) + DAY;
  return {
    lastUsedAt: start + Math.floor((Math.min(end, last) - start) * timeOfDay),
    history: {
      perDay,
      until: end,
      ...(ratelimits.length > 0 && isOverLimit && { limited: true }),
      ...(as !== undefined && refusedFrom < end && { refused: { as, from: refusedFrom } }),
    },
  };
}

/** The verifications of a key, as a fraction of a usual production key. */
export function callShareOf(environment: Environment, isNew: boolean, draw: Draw): number {
  return environments[environment].calls * (0.6 + 0.8 * draw.fraction()) * (isNew ? TRIED_OUT : 1);
}

/** How many verifications on a working day the rate limits and credits of a key allow. */
function bounds({ createdAt, ratelimits, refill, remaining = 0, until }: Life): number[] {
  const byLimits = ratelimits.map(({ duration, limit }) => (limit * DAY) / duration / BUSIEST);
  if (refill === undefined) return byLimits.map(Math.floor);
  const { amount, interval } = refill;
  if (interval === "daily") return [...byLimits, amount / BUSIEST].map(Math.floor);
  const days = (until - (lastRefill(refill, createdAt, until) ?? startOfDay(createdAt))) / DAY;
  const sinceRefill = days > 0 ? [(amount - remaining) / (days + 1)] : [];
  return [...byLimits, amount / 31 / BUSIEST, ...sinceRefill].map(Math.floor);
}

/** Rounded, so that many keys get the same number and share a history. */
function toTwoDigits(number: number): number {
  return Math.max(3, Math.round(Number(number.toPrecision(2))));
}

/** The credits of a key, and their number when it was new. */
export interface Count extends Pick<KeyMembers, "refill" | "remaining"> {
  readonly full?: number;
}

/**
 * Most keys have none. A key with a refill every day was refilled at the 00:00 UTC at which its history
 * ends, so it has all its uses. A key without a refill has used some.
 */
export function countOf(draw: Draw, perDay: number, isFirst: boolean): Count {
  const [isCounted, isRefilled] = [draw.chance(shares.counted), draw.chance(shares.refilled)];
  const [isUsedUp, share] = [draw.chance(shares.usedUp), draw.fraction()];
  if (!isCounted) return {};
  const full = roundUp(perDay * (isRefilled ? 2 : 90));
  if (isRefilled) return { remaining: full, refill: { interval: "daily", amount: full }, full };
  return { remaining: isUsedUp && !isFirst ? 0 : Math.ceil(full * share), full };
}

/** 100, 250, 500, 1,000 and so on. */
function roundUp(number: number): number {
  const power = 10 ** Math.max(2, Math.floor(Math.log10(number)));
  return power * ([1, 2.5, 5].find((times) => number <= times * power) ?? 10);
}

export const NO_LIMITS: NamedRatelimit[] = [];

/** Most keys have none. */
export function ratelimitsOf(
  draw: Draw,
  limit: number,
  isLimited = draw.chance(shares.ratelimited),
): NamedRatelimit[] {
  if (!isLimited) return NO_LIMITS;
  const duration = draw.oneOf(windows);
  return toRatelimits([{ name: DEFAULT_RATELIMIT, limit, duration, autoApply: true }]);
}
