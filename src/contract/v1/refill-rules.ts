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
