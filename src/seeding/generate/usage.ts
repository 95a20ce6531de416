import type { Complete } from "../../store/complete.ts";
import type { KeyMembers } from "../../store/key.ts";
import {
  DEFAULT_RATELIMIT,
  toRatelimits,
  type NamedRatelimit,
} from "../../store/limits/ratelimits.ts";
import { Draw } from "./draw.ts";
import { allowances, limits, shares, windows, type PlanName } from "./shares.ts";
import { DAY, HOUR } from "./times.ts";

/** The members that decide how long a key can be used. */
type Usage = Pick<
  Complete<KeyMembers>,
  "expires" | "lastUsedAt" | "ratelimits" | "refill" | "remaining"
>;

/**
 * The usage of a key. Some keys are interesting to verify: they have few uses left, an expiry or a refill
 * within a day, or another rate limit. It has separate draws, so that other members do not depend on it.
 */
export function usageOf(
  { expires, ratelimits, refill, remaining }: Omit<Usage, "lastUsedAt">,
  createdAt: number,
  address: string,
  until: number,
): Usage {
  const draw = new Draw(address);
  const lastUse = Math.min(until, expires ?? until) - 1;
  const isUsed = draw.chance(shares.used) && lastUse > createdAt;
  const lastUsedAt = draw.integer(
    Math.max(createdAt, lastUse - 30 * DAY),
    Math.max(createdAt, lastUse),
  );
  const isRunningOut = draw.chance(shares.runningOut) && remaining !== undefined && remaining > 3;
  const isRefilledTomorrow = draw.chance(shares.refilledTomorrow) && refill?.interval === "monthly";
  const isExpiringSoon = draw.chance(shares.expiringSoon) && (expires ?? until) >= until;
  const isLimitedByDay = draw.chance(shares.limitedByDay);
  const few = draw.integer(1, 3);
  const soon = until + draw.integer(HOUR / 60, DAY);
  return {
    expires: isExpiringSoon ? soon : expires,
    lastUsedAt: isUsed ? lastUsedAt : undefined,
    ratelimits: (isLimitedByDay ? byDay.get(ratelimits) : undefined) ?? ratelimits,
    refill: isRefilledTomorrow
      ? { ...refill, refillDay: new Date(until + DAY).getUTCDate() }
      : refill,
    remaining: isRunningOut ? few : remaining,
  };
}

export function countOf(draw: Draw, plan: PlanName): Pick<Usage, "refill" | "remaining"> {
  if (!draw.chance(shares.counted)) return { remaining: undefined, refill: undefined };
  const amount = Number(draw.weighted(Object.entries(allowances[plan])));
  const remaining = draw.chance(shares.usedUp) ? 0 : draw.integer(1, amount);
  if (!draw.chance(shares.refilled)) return { remaining, refill: undefined };
  if (!draw.chance(shares.monthly)) return { remaining, refill: { interval: "daily", amount } };
  // Most refills are on the first of the month, others on the day on which the customer began to pay.
  const refillDay = draw.chance(0.6) ? 1 : draw.integer(2, 28);
  return { remaining, refill: { interval: "monthly", amount, refillDay } };
}

/** Most keys have none. Keys with the same limit share the list, to save memory. */
export function ratelimitsOf(
  draw: Draw,
  limit: number,
  isLimited = draw.chance(shares.ratelimited),
): NamedRatelimit[] {
  if (!isLimited) return NO_LIMITS;
  const isAsync = draw.chance(shares.fast);
  const duration = Number(draw.weighted(Object.entries(windows)));
  return ratelimitOf[`${limit}/${duration}/${isAsync}`] ?? NO_LIMITS;
}

/** The lists of one rate limit that made-up keys have, by limit, window and `async`. */
const ratelimitOf: Readonly<Record<string, NamedRatelimit[]>> = Object.fromEntries(
  Object.values(limits).flatMap((limit) =>
    Object.keys(windows).flatMap((window) =>
      [true, false].map((async) => {
        const duration = Number(window);
        const named = { name: DEFAULT_RATELIMIT, limit, duration, autoApply: true, async };
        return [`${limit}/${duration}/${async}`, toRatelimits([named])] as const;
      }),
    ),
  ),
);

export const NO_LIMITS: NamedRatelimit[] = [];

/** The same lists with another limit for a whole day: a thousand times the uses of a window. */
const byDay: ReadonlyMap<NamedRatelimit[], NamedRatelimit[]> = new Map(
  Object.values(ratelimitOf).map((ratelimits) => {
    const limit = 1_000 * (ratelimits[0]?.limit ?? 1);
    const daily = { name: "daily", limit, duration: DAY, autoApply: true };
    return [ratelimits, toRatelimits([...ratelimits, daily])];
  }),
);
