import type { Emulator } from "../../src/index.ts";
import { expect } from "vitest";
import type { Answer, CallOptions } from "../_emulator.ts";
import { expectRefusal, missingHeader, type Refusal } from "../_v2.ts";
import { expectRefusalOfV1, stateOf, type RefusalOfV1 } from "./_keys.ts";

/** The same refusal in the words of each version. */
export type Refusals = Readonly<{ v1: RefusalOfV1; v2: Refusal }>;

/** Expects exactly this refusal: of v1 if it has a code. */
export function expectRefused(answer: Answer, refusal: RefusalOfV1 | Refusal): void {
  if ("code" in refusal) expectRefusalOfV1(answer, refusal);
  else expectRefusal(answer, refusal);
}

/** Expects that a call is refused, and that nothing of it is left behind. */
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

/** The refusal of v2, which names all that the call needs at this point. */
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

const headerRows: readonly (readonly [authorization: string | undefined, Refusal])[] = [
  [undefined, missingHeader],
  [
    "Basic cm9vdA==",
    {
      status: 400,
      type: "unkey/authentication/malformed",
      detail:
        "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
    },
  ],
  [
    "Bearer nobody",
    {
      status: 401,
      type: "unkey/authentication/key_not_found",
      detail: "The provided root key is invalid. We could not find the requested key.",
    },
  ],
];

/** Expects that a call of v2 is refused without a token that is known, and then changes nothing. */
export async function expectTokenNeeded(
  emulator: Emulator,
  act: (options: CallOptions) => Promise<Answer>,
): Promise<void> {
  for (const [authorization, refusal] of headerRows) {
    const headers: Record<string, string> =
      authorization === undefined ? {} : { Authorization: authorization };
    await expectNothingLeft(emulator, refusal, () => act({ token: null, headers }));
  }
}

type Violation = readonly [location: string, message: string];
/** A member and a value that a schema of v2 refuses. */
export type Refused = [member: string, value: unknown, ...violations: Violation[]];

/** The entries of `errors` in the reply. */
export function toErrors(violations: readonly Violation[]): object[] {
  return violations.map(([location, message]) => ({ location, message }));
}

/** Values of a member that v2 refuses where it expects an id of `min` to 255 characters. */
export function wrongIds(member: string, min: number): Refused[] {
  const at = `/properties/${member}`;
  const pattern = "^[a-zA-Z0-9_]+$";
  const unlike = (text: string): Violation => [
    `${at}/pattern`,
    `'${text}' does not match pattern '${pattern}'`,
  ];
  const short = (got: number): Violation => [
    `${at}/minLength`,
    `minLength: got ${got}, want ${min}`,
  ];
  return [
    [member, undefined, ["/required", `missing property '${member}'`]],
    [member, "", short(0), unlike("")],
    [member, "x".repeat(min - 1), short(min - 1)],
    [member, "x".repeat(256), [`${at}/maxLength`, "maxLength: got 256, want 255"]],
    ...["any-id-1", "any id 1", "any.id.1", "äny_id_1"].map((text): Refused => [
      member,
      text,
      unlike(text),
    ]),
    [member, 1, [`${at}/type`, "got number, want string"]],
    [member, null, [`${at}/type`, "got null, want string"]],
  ];
}
