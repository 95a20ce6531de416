import type { Counters, LimitResult } from "../state/limits/counters.ts";
import type { Ratelimit } from "./policies.ts";
import type { Principal } from "./principal.ts";
import { Refusal } from "./refusals.ts";
import { type GatewayRequest, textsAt } from "./request.ts";

/** A limit that a request was checked against, with the result. */
export interface CheckedLimit extends Pick<LimitResult, "exceeded" | "remaining" | "reset"> {
  readonly limit: number;
}

/** The identifier that requests are counted by; empty if the request has none of its parts. */
export function identifierOf(
  request: GatewayRequest,
  { identifier, identifiers = [] }: Ratelimit,
  principal: Principal | undefined,
): string {
  const sources = identifiers.length > 0 || identifier === undefined ? identifiers : [identifier];
  const values = sources.map((source) => textsAt(source, request, principal)[0] ?? "");
  if (values.length <= 1 || values.every((value) => value === "")) return values[0] ?? "";
  // Escaped, so that `a:b` and `c` differ from `a` and `b:c`.
  const escaped = values.map((value) => (value || "unknown").replaceAll(/[\\:]/g, "\\$&"));
  return escaped.join(":");
}

/**
 * Counts a request for the limit of a policy.
 * @param limits the limit is added, even if it refuses
 * @throws Refusal if the limit is exceeded, or if there is no identifier; then nothing is counted
 */
export function countRequest(
  counters: Counters,
  now: number,
  { id, limit, name, windowMs: duration }: Ratelimit & Readonly<Record<"id" | "name", string>>,
  limits: CheckedLimit[],
): void {
  if (name === "")
    throw new Refusal("client:rate_limited", "the request has none of the policy's identifiers");
  const use = { ownerId: id, name, duration, limit, cost: 1 };
  for (const result of counters.take([use], now)) {
    limits.push({ ...result, limit });
    if (!result.exceeded) continue;
    const end = new Date(result.reset).toJSON();
    const hint = `more than ${limit} in ${duration} ms; the window ends at ${end}`;
    throw new Refusal("client:rate_limited", hint);
  }
}

/** The headers for the strictest of these limits, or the first of equally strict ones. */
export function limitHeaders(limits: readonly CheckedLimit[], now: number): Record<string, string> {
  const [strictest] = limits.toSorted(
    (one, other) =>
      Number(other.exceeded) - Number(one.exceeded) ||
      one.remaining - other.remaining ||
      (one.exceeded ? other.reset - one.reset : 0),
  );
  if (strictest === undefined) return {};
  const { exceeded, limit, remaining, reset } = strictest;
  const seconds = Math.max(1, Math.ceil((reset - now) / 1_000));
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(Math.floor(reset / 1_000)),
    ...(exceeded ? { "Retry-After": String(seconds) } : {}),
  };
}
