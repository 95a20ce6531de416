import type { Refill } from "./key-record.ts";
import type { Problem } from "../schema/problems.ts";

/** A new key has uses. One that exists may have none left, so this is no rule of fixtures. */
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
 * What a refill needs beside its shape. The service checks these after it has found the API, so
 * they are rules of the operation and not of the body.
 */
export function refillProblems(key: {
  readonly remaining?: number | undefined;
  readonly refill?: Refill | undefined;
}): Problem[] {
  const { remaining, refill } = key;
  if (refill === undefined) return [];
  const problems: Problem[] = [];
  if (remaining === undefined) {
    const expected = "expected a number of uses, because `refill` fills it up";
    problems.push({ path: ["remaining"], expected, value: undefined });
  }
  if (refill.interval === "daily" && refill.refillDay !== undefined) {
    const expected = "expected no day, because the interval is daily";
    problems.push({ path: ["refill", "refillDay"], expected, value: refill.refillDay });
  }
  return problems;
}
