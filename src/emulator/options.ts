import * as z from "zod/mini";
import { flag, integer, listOf, objectOf } from "../contract/fields.ts";
import { readAs } from "../contract/problems.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import { fixtureLine, unknownLine } from "../seeding/fixtures/problem-line.ts";
import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import { accessTokenInit } from "../store/records.ts";
import type { Time } from "../store/clock.ts";
import { UsageError } from "../usage-error.ts";
import type { Log } from "./log.ts";

export interface EmulatorOptions {
  /** What the emulator starts with. Default: one API with a few keys, open to any token. */
  readonly fixtures?: readonly Fixture[] | undefined;
  /** Decides ids and key values: with the same seed they are the same. Default: random. */
  readonly randomSeed?: number | undefined;
  /** Where the clock stands still: ISO 8601, unix milliseconds or a `Date`. Default: real time. */
  readonly now?: Time | undefined;
  /**
   * The only tokens that may come. One that a fixture lists keeps its workspace and, unless given
   * here, its permissions; any other may do everything in the first workspace.
   */
  readonly tokens?: readonly TokenGrant[] | undefined;
  /** Refuse fields and parameters that an operation does not know. Default: warn once for each. */
  readonly strict?: boolean | undefined;
  /** Hears of requests, warnings and bugs. Default: warnings and bugs go to the console. */
  readonly log?: Log | undefined;
}

const tokenGrant = z.pick(accessTokenInit, { token: true, permissions: true });

const schema = objectOf({
  fixtures: z.optional(listOf(z.unknown(), "fixtures")),
  randomSeed: z.optional(integer({ min: 0 })),
  now: z.optional(z.unknown()),
  // None at all would read as: everybody.
  tokens: z.optional(
    listOf(tokenGrant, "tokens").check(z.minLength(1, { error: "expected at least one token" })),
  ),
  strict: z.optional(flag()),
  log: z.optional(
    z.custom<Log>((value) => typeof value === "function", { error: "expected a function" }),
  ),
});

/** @throws UsageError with a line for every option that is unknown or does not fit */
export function checkOptions(options: EmulatorOptions): void {
  const { value, problems, unknown } = readAs(schema, options);
  const lines = [
    ...problems.map((problem) => fixtureLine("options", problem)),
    ...unknown.map((problem) => unknownLine("options", problem)),
  ];
  const tokens = value?.tokens?.map(({ token }) => token) ?? [];
  tokens.forEach((token, index) => {
    const first = tokens.indexOf(token);
    const expected = `expected one that tokens[${first}].token does not have already`;
    const path = ["tokens", index, "token"];
    if (first < index) lines.push(fixtureLine("options", { path, expected, value: token }));
  });
  if (lines.length > 0) throw new UsageError(lines);
}
