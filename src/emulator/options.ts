import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import { isSameOperation } from "../api/operation.ts";
import { choice, flag, listOf, objectOf, text } from "../schema/fields.ts";
import { lazyMembers, type OptionsOf, shapeFor } from "../schema/lazy-shape.ts";
import { below, kindOf, type Problem, problemLine, readAs } from "../schema/problems.ts";
import { quirkNames, type Quirks } from "../api/quirks.ts";
import {
  type Operation as OwnOperation,
  toOperation,
} from "../service/operations/own-operation.ts";
import type { Operation } from "../service/operations/operation.ts";
import { operationsOf as builtInOperations } from "../service/operations/table.ts";
import type { Fixture, GenerateInput } from "../seed/format.ts";
import { checkFixtures, restrictTokens, type TokenGrant } from "../seed/check.ts";
import { isPromise } from "../base/realm.ts";
import { type CheckedFixtures, EXPECTED_NO_PROMISE, nameFixture } from "../seed/read.ts";
import { smallFixture } from "../seed/small-fixture.ts";
import { accessTokenInit } from "../state/tokens.ts";
import { Clock, toTime } from "../state/clock.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import type { Log } from "../service/log.ts";
import { sharedOptions } from "./shared-options.ts";
import { errorCodes } from "../api/errors.ts";
import { versionAt, versionNames } from "../api/version.ts";
import { isControlPath } from "../service/request.ts";

const NAME = /^[A-Za-z][A-Za-z0-9]*\.[A-Za-z][A-Za-z0-9]*$/;
const nameError = 'expected a name like "keys.deleteKey"';
const pathError =
  "expected a path as it stands in a URL, like /v1/keys.deleteKey, without query or parameters, and neither / nor under /_latchkey, where the web page is";

function schemaOf(kind: "object" | undefined, what: string) {
  return z.custom<z.core.$ZodType>(
    (value) => isSchema(value) && (kind === undefined || value._zod.def.type === kind),
    { error: `expected ${what}, made with zod 4 (or zod/v4)` },
  );
}

function functionOf(what: string) {
  return z.custom((value) => typeof value === "function", {
    error: `expected a function that ${what}`,
  });
}

/** Checks a user's operation, because not all users have TypeScript. */
export const operationSchema = lazily(() =>
  objectOf({
    contract: objectOf({
      name: z.string({ error: nameError }).check(z.regex(NAME, { error: nameError })),
      method: choice(["GET", "POST"]),
      path: z.custom((value) => typeof value === "string" && isPath(value), { error: pathError }),
      version: z.optional(choice(versionNames)),
      isReadOnly: z.optional(flag()),
      summary: z.optional(text()),
      description: z.optional(text()),
      input: schemaOf("object", "the schema of an object"),
      output: schemaOf(undefined, "a schema"),
      errors: z.optional(listOf(choice(errorCodes), "error codes")),
    }),
    state: z.optional(functionOf("returns an object")),
    requires: functionOf("returns the requirements of the call"),
    run: functionOf("runs the operation"),
  }),
);

interface OperationProblem extends Problem {
  readonly index: number;
}

/**
 * Reports users' operations that cannot be served: the name or the path is taken, or the version does
 * not fit.
 * @param builtIn the operations of latchkey that users' operations do not replace
 * @param placeOf names an operation of a user by its position, for messages
 */
function operationProblems(
  operations: readonly Operation[],
  builtIn: readonly Operation[],
  placeOf: (index: number) => string,
): OperationProblem[] {
  return operations.flatMap(({ contract }, index) => {
    const { name, path, version } = contract;
    const before = operations.slice(0, index);
    const sameName = before.findIndex((other) => isSameOperation(other.contract, contract));
    const samePath = [...before, ...builtIn].find((other) => other.contract.path === path);
    const pathVersion = versionAt(path) ?? version;
    const problems: Problem[] = [];
    if (sameName !== -1) {
      const expected = `duplicate of the name of ${placeOf(sameName)}: ${JSON.stringify(name)}`;
      problems.push({ path: ["name"], expected });
    }
    if (samePath !== undefined) {
      const expected = `duplicate of the path of ${samePath.contract.name}: ${JSON.stringify(path)}`;
      problems.push({ path: ["path"], expected });
    }
    if (pathVersion !== version) {
      const expected = `expected ${pathVersion}, as in the path`;
      problems.push({ path: ["version"], expected, value: version });
    }
    return below(["contract"], problems).map((problem) => ({ ...problem, index }));
  });
}

/**
 * Whether a request can have this path. Clients send the path of a parsed URL, and paths are compared
 * exactly, so a path that a URL parser would change never matches.
 */
function isPath(text: string): boolean {
  const url = `http://localhost${text}`;
  const isPlain = /^\/./.test(text) && !text.includes("/:") && !isControlPath(text);
  return isPlain && URL.canParse(url) && new URL(url).pathname === text;
}

function isBasePath(value: unknown): boolean {
  return typeof value === "string" && isPath(value) && !value.endsWith("/");
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

const tokenGrant = lazily(() => z.pick(accessTokenInit(), { token: true, permissions: true }));

/** The options of `createEmulator`: those that the command line has too, and these. */
export interface EmulatorOptions extends OptionsOf<typeof sharedOptions> {
  /** The initial state. Default: one API with a few keys, open to any token. */
  readonly fixtures?: readonly Fixture[] | undefined;
  /**
   * Keys to make up: a number, or objects with `count` and perhaps `apiId`. Without `apiId`, the keys
   * are spread over the APIs of the first workspace. With the same random seed, the keys are the same but
   * for their times, and a larger number only adds keys to those of a smaller one.
   */
  readonly generate?: number | GenerateInput | readonly GenerateInput[] | undefined;
  /**
   * The only tokens that are accepted. A token that a fixture lists stays in its workspace, with the
   * permissions from there as the default. Any other token belongs to the first workspace, with the
   * permission `*` as the default.
   */
  readonly tokens?: readonly TokenGrant[] | undefined;
  /**
   * Your own operations, made with `defineOperation`. One with the name and version of a built-in
   * operation replaces it. Paths must differ from those of all other operations.
   */
  readonly operations?: readonly OwnOperation[] | undefined;
  /**
   * The path before those of operations and control routes in the URLs that `fetch` gets, for an emulator
   * within another server: with `/api/unkey`, `fetch` answers `/api/unkey/v2/keys.createKey`. A path that
   * is not below it gets 404. `serve` and msw handlers do not use it. Default: none.
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
    fixtures: () => listOf(z.unknown(), "fixtures"),
    // Validated by checkFixtures, as the member `generate` of a fixture.
    generate: () => z.unknown(),
    // An empty list would mean "any token".
    tokens: () => listOf(tokenGrant(), "tokens", { min: 1 }),
    operations: () => listOf(operationSchema(), "operations"),
    basePath: () => z.custom(isBasePath, { error: "expected a path like /api/unkey" }),
    log: () => z.custom((value) => typeof value === "function", { error: "expected a function" }),
  } satisfies Record<Exclude<keyof EmulatorOptions, keyof typeof sharedOptions>, unknown>),
  ...sharedOptions,
};

const schemaFor = (options: unknown) => objectOf(shapeFor(members, options));

/** @throws UsageError for invalid options or fixtures */
export function resolveOptions(options: EmulatorOptions) {
  if (typeof options !== "object" || options === null) {
    throw new UsageError(`options: expected an object, got ${kindOf(options)}`);
  }
  const { fixtures = [], now } = options;
  const lines = optionProblems(options);
  const isTime = now === undefined || toTime(now) !== undefined;
  const clock = isTime ? new Clock(now) : undefined;
  // Frozen until everything is seeded (`World.begin`), so that all initial records have the same time, and
  // relative times count from it.
  clock?.freeze();
  let checked: CheckedFixtures | undefined;
  try {
    if (Array.isArray(fixtures) && !fixtures.some(isPromise)) {
      checked = check(options, clock?.now());
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    lines.push(...error.problems);
  }
  if (clock === undefined || checked === undefined || lines.length > 0) throw new UsageError(lines);
  const quirks = toQuirks(options.quirks);
  const operations = servedOperations(options);
  return { clock, fixtures: restrictTokens(checked, options), quirks, operations };
}

/**
 * Checks the fixtures of valid options.
 * @param now the time from which relative times count, in unix milliseconds
 * @throws UsageError for invalid fixtures
 */
export function checkedFor(options: EmulatorOptions, now: number): CheckedFixtures {
  return restrictTokens(check(options, now), options);
}

function check(options: EmulatorOptions, now: number | undefined): CheckedFixtures {
  const { fixtures, generate } = options;
  const all: unknown[] = [...(fixtures ?? [smallFixture])];
  if (generate !== undefined) {
    const requests = [generate]
      .flat()
      .map((request) => (typeof request === "number" ? { count: request } : request));
    all.push(nameFixture({ generate: requests }, "options"));
  }
  return checkFixtures(all, { contracts: contractsOf(options), now });
}

/** The contracts that faults can name. Another check reports invalid operations. */
function contractsOf(options: EmulatorOptions) {
  const { operations } = options;
  const customOperations = (
    Array.isArray(operations) ? operations : []
  ) as readonly Partial<OwnOperation>[];
  const named = customOperations.filter(
    (operation) =>
      typeof operation?.contract?.name === "string" && typeof operation.contract.path === "string",
  ) as OwnOperation[];
  return servedOperations({ ...options, operations: named }).map(({ contract }) => contract);
}

function servedOperations(options: EmulatorOptions): readonly Operation[] {
  const own = (options.operations ?? []).map(toOperation);
  return [...builtInsFor(options, own), ...own];
}

/** The built-in operations that are served, without those that users' operations replace. */
function builtInsFor({ quirks }: EmulatorOptions, own: readonly Operation[]): readonly Operation[] {
  return builtInOperations(undefined, toQuirks(quirks)).filter(
    ({ contract }) => !own.some((operation) => isSameOperation(operation.contract, contract)),
  );
}

/** @throws UsageError if the value is no array, or contains a promise instead of a fixture */
export function checkFixtureList(fixtures: readonly Fixture[], caller: string): void {
  if (!Array.isArray(fixtures)) {
    throw new UsageError(`${caller}: expected an array of fixtures, got ${kindOf(fixtures)}`);
  }
  const lines = fixtures.flatMap((fixture, index) =>
    isPromise(fixture) ? [`${caller}: [${index}]: ${EXPECTED_NO_PROMISE}`] : [],
  );
  throwLines(lines);
}

function optionProblems(options: EmulatorOptions): string[] {
  const { value, problems, unknown } = readAs(schemaFor(options), options);
  const furtherProblems = value === undefined ? [] : togetherProblems(value, options);
  return [...problems, ...unknown, ...furtherProblems].map((problem) =>
    problemLine("options", problem),
  );
}

function togetherProblems(
  value: z.output<ReturnType<typeof schemaFor>>,
  options: EmulatorOptions,
): Problem[] {
  const { controlToken, fixtures = [], operations } = value;
  const tokens = value.tokens?.map(({ token }) => token) ?? [];
  const problems: Problem[] = (operations === undefined ? [] : ownOperationProblems(options)).map(
    ({ index, path, ...problem }) => ({ ...problem, path: ["operations", index, ...path] }),
  );
  fixtures.forEach((fixture, index) => {
    if (!isPromise(fixture)) return;
    problems.push({ path: ["fixtures", index], expected: EXPECTED_NO_PROMISE });
  });
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

/**
 * Problems of users' operations that their schema cannot find.
 * @param placeOf names an operation by its position. Default: as a member of the options
 */
export function ownOperationProblems(
  options: Pick<EmulatorOptions, "operations">,
  placeOf = (index: number) => `operations[${index}]`,
): OperationProblem[] {
  const { operations = [] } = options;
  const own = operations.map(toOperation);
  return operationProblems(own, builtInsFor(options, own), placeOf);
}

/** Skips unknown names, which the schema reports. */
function toQuirks(names: EmulatorOptions["quirks"] = []): Quirks {
  const list: readonly unknown[] = [names].flat();
  return new Set(
    list.includes("all") ? quirkNames : quirkNames.filter((name) => list.includes(name)),
  );
}
