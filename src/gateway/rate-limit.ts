import type { Counters, LimitResult } from "../state/limits/counters.ts";
import type { World } from "../world/world.ts";
import type { Ratelimit } from "./policies.ts";
import { type Principal, textAt } from "./principal.ts";
import { type GatewayRequest, pathOf, valuesOf } from "./request.ts";

/** A limit that a request was checked against. */
export interface CheckedLimit extends Omit<LimitResult, "used"> {
  readonly name: string;
  readonly limit: number;
  readonly duration: number;
}

export function limitHint({ duration, limit, name, reset }: CheckedLimit): string {
  return `the limit ${name} of ${limit} in ${duration} ms refused; its window ends at ${new Date(reset).toJSON()}`;
}

/**
 * Counts a request by a policy's limit; undefined for one without an identifier, which is not counted.
 * @param countersOf by which a world has the counters of one gateway until it is reset
 */
export function takeUse(
  { clock, operationStates }: World,
  countersOf: () => Counters,
  { limit, windowMs: duration }: Ratelimit,
  { id, identifier }: { readonly id: string; readonly identifier: string },
): CheckedLimit | undefined {
  if (identifier === "") return undefined;
  const counters = (operationStates.get(countersOf) as Counters | undefined) ?? countersOf();
  operationStates.set(countersOf, counters);
  const request = { ownerId: id, name: identifier, duration, limit, cost: 1 };
  return counters
    .take([request], clock.now())
    .map((result) => ({ ...result, name: id, limit, duration }))[0];
}

/** Whose uses are counted together; empty if nothing of it is in the request. */
export function identifierOf(
  request: GatewayRequest,
  { identifier, identifiers = [] }: Ratelimit,
  principal: Principal | undefined,
): string {
  const sources = identifiers.length > 0 || identifier === undefined ? identifiers : [identifier];
  const values = sources.map((source) => {
    if (source.remoteIp) return request.address;
    if (source.header) return valuesOf(request, source.header.name)[0] ?? "";
    if (source.path) return pathOf(request);
    if (source.authenticatedSubject) return principal?.subject ?? "";
    return principal && source.principalField ? textAt(principal, source.principalField.path) : "";
  });
  if (values.every((value) => value === "")) return "";
  if (values.length === 1) return values.join("");
  // Escaped, so that `a:b` and `c` are not `a` and `b:c`.
  return values
    .map((value) => (value || "unknown").replaceAll(/[\\:]/g, String.raw`\$&`))
    .join(":");
}

/** The headers that tell of the strictest of these limits. The first of two equal ones counts. */
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
