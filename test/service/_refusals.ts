import type { Emulator } from "../../src/index.ts";
import { expect } from "vitest";
import type { Answer } from "../_emulator.ts";
import { expectRefusal, type Refusal } from "../_v2.ts";
import { expectRefusalOfV1, stateOf, type RefusalOfV1 } from "./_keys.ts";

/** The same refusal in the words of each version. */
export type Refusals = Readonly<{ v1: RefusalOfV1; v2: Refusal }>;

/** Expects exactly this refusal: of v1 if it has a code. */
export function expectRefused(answer: Answer, refusal: RefusalOfV1 | Refusal): void {
  if ("code" in refusal) expectRefusalOfV1(answer, refusal);
  else expectRefusal(answer, refusal);
}

/** Expects that a call is refused and leaves nothing behind. */
export async function expectNothingLeft(
  emulator: Emulator,
  refusal: RefusalOfV1 | Refusal,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const before = stateOf(emulator);
  const answer = await act();
  expectRefused(answer, refusal);
  expect(stateOf(emulator)).toEqual(before);
  return answer;
}

/** The refusal of v1 of a token that lacks these permissions. */
export const lacking = (...missing: readonly string[]): RefusalOfV1 => ({
  status: 403,
  code: "INSUFFICIENT_PERMISSIONS",
  message: `the token needs ${missing.join(", and ")}`,
});

/** The refusal of v2, which names everything that the call needs at this point. */
export const insufficient = (demanded: string): Refusal => ({
  status: 403,
  type: "unkey/authorization/insufficient_permissions",
  detail: demanded.includes(" ")
    ? `Missing one of these permissions: ${demanded}`
    : `Missing permission: '${demanded}'`,
});

/** The texts of v2 about keys. Operations on roles and permissions, and rerollKey, know only `other`. */
export const keyTexts = {
  unknown: "We could not find the requested key.",
  other: "The specified key was not found.",
} as const;

/** The refusal of v2 of a key that does not exist. */
export const noKey = (detail: string = keyTexts.other): Refusal => ({
  status: 404,
  type: "unkey/data/key_not_found",
  detail,
});
