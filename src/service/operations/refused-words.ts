import type { PermissionQuery } from "../../api/permission-query.ts";
import { ordinal, toAgo, toRate, toWait, withCommas } from "../../base/wording/amounts.ts";
import { wholeOrLength } from "../../base/wording/text.ts";
import type { LimitRequest, LimitResult } from "../../state/limits/counters.ts";
import { DEFAULT_RATELIMIT } from "../../state/limits/ratelimits.ts";

// Why a key is not valid, or a use is refused. The hint of the reply has these words, and the log and the
// web page show the hint. They reveal no more than the reply itself.

export function expiredWords(expires: number, now: number): string {
  // v2 keeps an expiry of 0, and shows none.
  return expires === 0 ? "the key has expired" : `expired ${toAgo(now - expires)}`;
}

export function usesWords(left: number, cost: number): string {
  if (left <= 0) return "no uses left";
  return `a cost of ${withCommas(cost)} with ${withCommas(left)} uses left`;
}

/** @param granted the permissions of the key, which do not satisfy the query */
export function permissionWords(query: PermissionQuery, granted: ReadonlySet<string>): string {
  return `the key lacks ${lackOf(query, granted) ?? "no permission"}`;
}

/** The permissions that would satisfy the query, like `a and (b or c)`; undefined if it is satisfied. */
function lackOf(query: PermissionQuery, granted: ReadonlySet<string>): string | undefined {
  if ("name" in query) {
    return granted.has(query.name) ? undefined : wholeOrLength(query.name, MAX_NAME);
  }
  if ("or" in query) {
    const lacks = query.or.map((part) => lackOf(part, granted));
    return lacks.includes(undefined) ? undefined : lacks.join(" or ");
  }
  const lacks = query.and.map((part) => {
    const lack = lackOf(part, granted);
    return lack !== undefined && "or" in part && part.or.length > 1 ? `(${lack})` : lack;
  });
  return lacks.filter((lack) => lack !== undefined).join(" and ") || undefined;
}

const MAX_NAME = 100;

type RefusedLimit = Pick<LimitRequest, "cost" | "duration" | "limit">;

/** Like `6th use of 5 per 1 min (requests), free in 12 s`. */
export function limitWords(
  { cost, duration, limit }: RefusedLimit,
  { freeAt, used }: LimitResult,
  now: number,
  name: string = DEFAULT_RATELIMIT,
): string {
  const which = name === DEFAULT_RATELIMIT ? "" : ` (${wholeOrLength(name, MAX_NAME)})`;
  const rate = `${toRate(limit, duration)}${which}`;
  if (freeAt === undefined) return `a cost of ${withCommas(cost)}, more than ${rate} ever allows`;
  const left = Math.max(0, limit - used);
  const use =
    cost === 1
      ? `${ordinal(used + 1)} use of ${rate}`
      : `a cost of ${withCommas(cost)} with ${withCommas(left)} left of ${rate}`;
  return `${use}, free ${toWait(freeAt - now)}`;
}

/** The words for v1, which needs no token to verify a key, and does not answer the rate. */
export function windowWords({ reset }: LimitResult, name: string, now: number): string {
  return `over the rate limit ${wholeOrLength(name, MAX_NAME)}, whose window ends ${toWait(reset - now)}`;
}
