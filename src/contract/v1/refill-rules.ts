import type { Refill } from "./key-record.ts";
import type { Problem } from "../../schema/problems.ts";

/** A new key needs at least one use left. In a fixture 0 is valid: a key may be used up. */
export function remainingProblems({
  remaining,
}: {
  readonly remaining?: number | undefined;
}): readonly Problem[] {
  if (remaining !== 0) return [];
  return [{ path: ["remaining"], expected: EXPECTED_USES, value: remaining }];
}

export const EXPECTED_USES = "expected an integer of at least 1";

/**
 * Rules for `refill` that its schema does not have. The service checks them only after it has found
 * the API, so they belong to the operation and not to the body.
 */
export function refillProblems(key: {
  readonly remaining?: number | undefined;
  readonly refill?: Refill | undefined;
}): Problem[] {
  const { remaining, refill } = key;
  if (refill === undefined) return [];
  const problems: Problem[] = [];
  if (remaining === undefined) {
    const expected = "expected a number of uses, because there is a `refill`";
    problems.push({ path: ["remaining"], expected, value: undefined });
  }
  if (refill.interval === "daily" && refill.refillDay !== undefined) {
    const expected = "expected no day, because the interval is daily";
    problems.push({ path: ["refill", "refillDay"], expected, value: refill.refillDay });
  }
  return problems;
}
