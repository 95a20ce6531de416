import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import * as f from "../schema/fields.ts";
import { lazyMembers, type OptionsOf, shapeFor } from "../schema/lazy-shape.ts";
import { kindOf, type Problem, problemLine, readAs } from "../schema/problems.ts";
import type { Operation } from "../service/operations/operation.ts";
import type { Operation as OwnOperation } from "../service/operations/own-operation.ts";
import type { Fixture, GenerateInput } from "../seed/format.ts";
import { checkFixtures, restrictTokens, type TokenGrant } from "../seed/check.ts";
import { nameFixture } from "../seed/read.ts";
import { type CheckedFixtures } from "../seed/part.ts";
import { smallFixture } from "../seed/small-fixture.ts";
import { accessTokenInit } from "../state/records/tokens.ts";
import { Clock } from "../state/time/clock.ts";
import { toTime } from "../state/time/time-text.ts";
import { UsageError } from "../base/usage-error.ts";
import type { Log } from "../service/log.ts";
import * as served from "./served-operations.ts";
import { sharedOptions } from "./shared-options.ts";

const tokenGrant = lazily(() => z.pick(accessTokenInit(), { token: true, permissions: true }));

/** The options of `createEmulator`: those that the command line has too, and these. */
export interface EmulatorOptions extends OptionsOf<typeof sharedOptions> {
  /**
   * The initial state. Default: one API with three keys, an identity, a role and two permissions, open to
   * any token.
   */
  readonly fixtures?: readonly Fixture[] | undefined;
  /**
   * Keys to generate: a number, or objects with `count` and perhaps `apiId`. Without `apiId`, the keys
   * are spread over the APIs of the first workspace. With the same random seed, the keys are the same
   * except for their times, and a larger number only adds keys.
   */
  readonly generate?: number | GenerateInput | readonly GenerateInput[] | undefined;
  /**
   * The only tokens that are accepted. A token that a fixture lists stays in its workspace, by default
   * with its permissions there. Any other token belongs to the first workspace, by default with the
   * permission `*`.
   */
  readonly tokens?: readonly TokenGrant[] | undefined;
  /**
   * Your own operations, made with `defineOperation`. One with the name and version of a built-in
   * operation replaces it. Each path must be unique.
   */
  readonly operations?: readonly OwnOperation[] | undefined;
  /**
   * The path before the paths of operations and control routes, in the URLs of requests to `fetch`, for an
   * emulator within another server: with `/api/unkey`, `fetch` answers `/api/unkey/v2/keys.createKey`. A
   * path that is not below it gets 404. `serve` and msw handlers do not use it. Default: none.
   */
  readonly basePath?: string | undefined;
  /**
   * Called for each request, warning and unexpected exception. Default: writes warnings, paths that no
   * operation has (each once) and unexpected exceptions to the console.
   */
  readonly log?: Log | undefined;
}

const members = {
  ...lazyMembers({
    fixtures: () => f.listOf(z.unknown(), "fixtures"),
    // Validated by checkFixtures, as the member `generate` of a fixture.
    generate: () => z.unknown(),
    // An empty list would mean "any token".
    tokens: () => f.listOf(tokenGrant(), "tokens", { min: 1 }),
    operations: () => f.listOf(served.operationSchema(), "operations"),
    basePath: () => z.custom(isBasePath, { error: "expected a path like /api/unkey" }),
    log: () => z.custom((value) => typeof value === "function", { error: "expected a function" }),
  } satisfies Record<Exclude<keyof EmulatorOptions, keyof typeof sharedOptions>, unknown>),
  ...sharedOptions,
};

function isBasePath(value: unknown): boolean {
  return typeof value === "string" && served.isPath(value) && !value.endsWith("/");
}

/** @throws UsageError for invalid options or fixtures */
export function resolveOptions(options: EmulatorOptions) {
  if (typeof options !== "object" || options === null) {
    throw new UsageError(`options: expected an object, got ${kindOf(options)}`);
  }
  const { fixtures = [], now } = options;
  const lines = optionProblems(options);
  const quirks = served.toQuirks(options.quirks);
  const operations = served.servedOperations(options.operations, quirks);
  const isTime = now === undefined || toTime(now) !== undefined;
  const clock = new Clock(isTime ? now : undefined);
  // Frozen until everything is seeded (`World.start`), so that all initial records have the same time, and
  // relative times count from it.
  clock.freeze();
  let checked: CheckedFixtures | undefined;
  try {
    if (Array.isArray(fixtures)) checked = check(options, operations, clock.now());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    lines.push(...error.problems);
  }
  if (checked === undefined || lines.length > 0) throw new UsageError(lines);
  return { clock, fixtures: restrictTokens(checked, options), quirks, operations };
}

/**
 * Checks the fixtures of `reseed`, beside options that are valid.
 * @param operations the operations that are served
 * @param now the time from which relative times count, in unix milliseconds
 * @throws UsageError for invalid fixtures
 */
export function checkedFor(
  options: EmulatorOptions,
  operations: readonly Pick<Operation, "contract">[],
  now: number,
): CheckedFixtures {
  const { fixtures } = options;
  if (!Array.isArray(fixtures)) {
    throw new UsageError(`reseed: expected an array of fixtures, got ${kindOf(fixtures)}`);
  }
  return restrictTokens(check(options, operations, now), options);
}

function check(
  { fixtures, generate }: EmulatorOptions,
  operations: readonly Pick<Operation, "contract">[],
  now: number,
): CheckedFixtures {
  const all: unknown[] = [...(fixtures ?? [smallFixture])];
  if (generate !== undefined) {
    const requests = [generate]
      .flat()
      .map((request) => (typeof request === "number" ? { count: request } : request));
    all.push(nameFixture({ generate: requests }, "options"));
  }
  return checkFixtures(all, { contracts: operations.map(({ contract }) => contract), now });
}

function optionProblems(options: EmulatorOptions): string[] {
  const { value, problems, unknown } = readAs(f.objectOf(shapeFor(members, options)), options);
  const furtherProblems = value === undefined ? [] : togetherProblems(options);
  return [...problems, ...unknown, ...furtherProblems].map((problem) =>
    problemLine("options", problem),
  );
}

/** Problems of options that are valid each by itself. */
function togetherProblems({
  controlToken,
  operations = [],
  tokens: grants = [],
}: EmulatorOptions): Problem[] {
  const tokens = grants.map(({ token }) => token);
  const problems: Problem[] = served
    .ownOperationProblems(operations)
    .map(({ index, path, ...problem }) => ({ ...problem, path: ["operations", index, ...path] }));
  tokens.forEach((token, index) => {
    const first = tokens.indexOf(token);
    const expected = `duplicate of tokens[${first}].token`;
    if (first < index) problems.push({ path: ["tokens", index, "token"], expected });
  });
  if (controlToken !== undefined && tokens.includes(controlToken)) {
    const expected = "expected a token that is not among tokens";
    problems.push({ path: ["controlToken"], expected });
  }
  return problems;
}
