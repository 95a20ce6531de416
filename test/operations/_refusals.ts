import type { Emulator } from "../../src/index.ts";
import { expect } from "vitest";
import type { Answer, CallOptions } from "../_emulator.ts";
import { expectRefusal, missingHeader, type Refusal } from "../_v2.ts";
import { expectRefusalOfV1, stateOf, type RefusalOfV1, type Version } from "./_keys.ts";

/** The same refusal in the words of each version. */
export type Refusals = Readonly<{ v1: RefusalOfV1; v2: Refusal }>;

export function expectRefused(answer: Answer, version: Version, refusals: Refusals): void {
  if (version === "v1") expectRefusalOfV1(answer, refusals.v1);
  else expectRefusal(answer, refusals.v2);
}

/** Expects that a call is refused, and that nothing of it is left behind. */
export async function expectNothingLeft(
  emulator: Emulator,
  version: Version,
  refusals: Refusals,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const before = stateOf(emulator);
  const answer = await act();
  expectRefused(answer, version, refusals);
  expect(stateOf(emulator)).toEqual(before);
  return answer;
}

/**
 * The refusal of a token that lacks permissions.
 * @param missing those that v1 names: the ones that the token lacks
 * @param demanded those that v2 names: all that the call needs at this point. Default: `missing`
 */
export function insufficient(missing: string, demanded = missing): Refusals {
  const isOne = !demanded.includes(" ");
  return {
    v1: { status: 403, code: "INSUFFICIENT_PERMISSIONS", message: `the token needs ${missing}` },
    v2: {
      status: 403,
      type: "unkey/authorization/insufficient_permissions",
      detail: isOne
        ? `Missing permission: '${demanded}'`
        : `Missing one of these permissions: ${demanded}`,
    },
  };
}

/** The texts of v2 about keys. Operations on roles and permissions, and rerollKey, know only `other`. */
export const keyTexts = {
  unknown: "We could not find the requested key.",
  other: "The specified key was not found.",
} as const;

/** The refusal of the id of a key that does not exist. */
export function noKey(keyId: string, detail: string = keyTexts.other): Refusals {
  const message = `The key ${JSON.stringify(keyId)} was not found.`;
  return {
    v1: { status: 404, code: "NOT_FOUND", message },
    v2: { status: 404, type: "unkey/data/key_not_found", detail },
  };
}

type HeaderRow = readonly [authorization: string | undefined, Refusals];

const unauthorized = (message: string): RefusalOfV1 => ({
  status: 401,
  code: "UNAUTHORIZED",
  message: `authorization: ${message}`,
});

const headerRows: readonly HeaderRow[] = [
  [
    undefined,
    {
      v1: unauthorized("expected the header, found none"),
      v2: missingHeader,
    },
  ],
  [
    "Basic cm9vdA==",
    {
      v1: unauthorized("expected `Bearer <token>`"),
      v2: {
        status: 400,
        type: "unkey/authentication/malformed",
        detail:
          "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
      },
    },
  ],
  [
    "Bearer nobody",
    {
      v1: unauthorized("the token is not known"),
      v2: {
        status: 401,
        type: "unkey/authentication/key_not_found",
        detail: "The provided root key is invalid. We could not find the requested key.",
      },
    },
  ],
];

/** Expects that a call is refused without a token that is known, and then changes nothing. */
export async function expectTokenNeeded(
  emulator: Emulator,
  version: Version,
  act: (options: CallOptions) => Promise<Answer>,
): Promise<void> {
  for (const [authorization, refusals] of headerRows) {
    const headers: Record<string, string> =
      authorization === undefined ? {} : { Authorization: authorization };
    await expectNothingLeft(emulator, version, refusals, () => act({ token: null, headers }));
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
