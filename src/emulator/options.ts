import * as z from "zod/mini";
import { latency, type Latency } from "../faults/fault-schema.ts";
import { faultProblems } from "../faults/fault-rules.ts";
import { flag, integer, listOf, objectOf } from "../schema/fields.ts";
import { problemLine } from "../schema/problem-line.ts";
import { kindOf, readAs, type Problem } from "../schema/problems.ts";
import { quirkNames, type Quirk, type Quirks } from "../contract/quirks.ts";
import { unknownName } from "../schema/unknown-name.ts";
import type { Operation } from "../operations/operation.ts";
import { operationsWith } from "../operations/table.ts";
import type { Fixture, GenerateRequest } from "../seeding/fixtures/format.ts";
import { planFixtures, type Plan } from "../seeding/fixtures/plan.ts";
import { EXPECTED_NO_PROMISE, isPromise } from "../seeding/fixtures/no-promise.ts";
import { smallFixture } from "../seeding/fixtures/small-fixture.ts";
import { toSource } from "../seeding/fixtures/source.ts";
import { restrictTokens, type TokenGrant } from "../seeding/fixtures/tokens.ts";
import { accessTokenInit } from "../store/records.ts";
import { Clock, type Time } from "../store/clock.ts";
import { UsageError } from "../usage-error.ts";
import type { Log } from "../service/log.ts";
import { operationSchema, takenProblems } from "../service/operation-rules.ts";

export interface EmulatorOptions {
  /** What the emulator starts with. Default: one API with a few keys, open to any token. */
  readonly fixtures?: readonly Fixture[] | undefined;
  /**
   * Keys to make up: this many for one API, or spread over all of the first workspace. They are the
   * same for the same random seed and time, and a larger count keeps those of a smaller one.
   */
  readonly generate?: number | GenerateRequest | readonly GenerateRequest[] | undefined;
  /** Decides ids and key values: with the same seed they are the same. Default: random. */
  readonly randomSeed?: number | undefined;
  /** Where the clock stands still: ISO 8601, unix milliseconds or a `Date`. Default: real time. */
  readonly now?: Time | undefined;
  /**
   * The only tokens that may come. One that a fixture lists keeps its workspace and, unless given
   * here, its permissions; any other may do everything in the first workspace, unless its
   * permissions are given.
   */
  readonly tokens?: readonly TokenGrant[] | undefined;
  /**
   * Opens the control routes, under `/_latchkey`, and no operation. Where it is given they need it,
   * or a listed token with the permission `latchkey.control` or `*`. No fixture may list it.
   * Default: none; one is made where tokens are listed and none of them may use control routes.
   */
  readonly controlToken?: string | undefined;
  /** Refuse fields and parameters that an operation does not know. Default: warn once for each. */
  readonly strict?: boolean | undefined;
  /**
   * Every token that no fixture lists gets a copy of the first workspace for itself, as it is at the
   * start, with a clock, faults and a journal of its own. Default: all share one.
   */
  readonly isolate?: boolean | undefined;
  /** What the live service does at odds with its interface: names, or `all`. Default: none. */
  readonly quirks?: readonly (Quirk | "all")[] | "all" | undefined;
  /** Milliseconds that every operation takes, or [min, max] to draw from. Default: none. */
  readonly latency?: Latency | undefined;
  /**
   * Further operations, made with `defineOperation`; served as the emulator's own are. Neither a
   * name nor a path may be taken.
   */
  readonly operations?: readonly Operation[] | undefined;
  /** Told now and then how many of the keys have been made up. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /**
   * Hears of requests, warnings and bugs. Default: warnings, paths that lead to no operation (each
   * once) and bugs go to the console.
   */
  readonly log?: Log | undefined;
}

const tokenGrant = z.pick(accessTokenInit, { token: true, permissions: true });

function aFunction<Value>() {
  const isFunction = (value: unknown) => typeof value === "function";
  return z.custom<Value>(isFunction, { error: "expected a function" });
}

const EXPECTED_QUIRKS = 'expected "all" or an array of names';

const schema = objectOf({
  fixtures: z.optional(listOf(z.unknown(), "fixtures")),
  // Read as the fixture member of that name.
  generate: z.optional(z.unknown()),
  randomSeed: z.optional(integer({ min: 0 })),
  now: z.optional(z.unknown()),
  // None at all would read as: everybody.
  tokens: z.optional(listOf(tokenGrant, "tokens", { min: 1 })),
  controlToken: z.optional(accessTokenInit.shape.token),
  strict: z.optional(flag()),
  isolate: z.optional(flag()),
  // Read one by one: a name that is misspelt is told with those that there are.
  quirks: z.optional(z.union([z.literal("all"), z.array(z.unknown())], { error: EXPECTED_QUIRKS })),
  latency: z.optional(latency),
  operations: z.optional(listOf(operationSchema, "operations")),
  onProgress: z.optional(aFunction()),
  log: z.optional(aFunction<Log>()),
});

/** What the options come to. */
export interface CheckedOptions {
  readonly clock: Clock;
  readonly plan: Plan;
  readonly quirks: Quirks;
  readonly operations: readonly Operation[];
}

/** @throws UsageError with a line for everything that is wrong with the options and the fixtures */
export function checkOptions(options: EmulatorOptions): CheckedOptions {
  if (typeof options !== "object" || options === null) {
    throw new UsageError(`options: expected an object, got ${kindOf(options)}`);
  }
  const { fixtures = [], now } = options;
  const lines = optionProblems(options);
  const collect = <Value>(make: () => Value, prefix = ""): Value | undefined => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      for (const problem of error.problems) lines.push(prefix + problem);
      return undefined;
    }
  };
  const clock = collect(() => new Clock(now), "options: ");
  const plan = collect(() =>
    Array.isArray(fixtures) && !fixtures.some(isPromise) ? readPlan(options) : undefined,
  );
  if (clock === undefined || plan === undefined || lines.length > 0) throw new UsageError(lines);
  const quirks = toQuirks(options.quirks);
  const operations = [...operationsWith(quirks), ...(options.operations ?? [])];
  return { clock, plan: restrict(plan, options), quirks, operations };
}

/**
 * The plan of options of which all but the fixtures have been checked.
 * @throws UsageError with a line for everything that is wrong with the fixtures
 */
export function planOf(options: EmulatorOptions): Plan {
  return restrict(readPlan(options), options);
}

function restrict(plan: Plan, { isolate = false, tokens }: EmulatorOptions): Plan {
  return restrictTokens(plan, tokens, { isIsolated: isolate });
}

function readPlan(options: EmulatorOptions): Plan {
  const { fixtures, generate } = options;
  const sources = Array.from(fixtures ?? [smallFixture], toSource);
  if (generate !== undefined) {
    const requests = [generate]
      .flat()
      .map((request) => (typeof request === "number" ? { count: request } : request));
    sources.push({ name: "options", fixture: { generate: requests } });
  }
  return planFixtures(sources, { contracts: contractsOf(options) });
}

/** What faults can strike; an operation that is wrong itself is told as what it is. */
function contractsOf({ operations, quirks }: EmulatorOptions) {
  const own = (Array.isArray(operations) ? operations : []) as readonly Partial<Operation>[];
  const ours = operationsWith(toQuirks(quirks));
  const named = own.filter((operation) => typeof operation?.contract?.name === "string");
  return [...ours, ...(named as Operation[])].map(({ contract }) => contract);
}

/** @throws UsageError for what is no list of fixtures, where TypeScript did not say so */
export function checkFixtures(fixtures: readonly Fixture[], what: string): void {
  if (!Array.isArray(fixtures)) {
    throw new UsageError(`${what}: expected an array of fixtures, got ${kindOf(fixtures)}`);
  }
  const lines = fixtures.flatMap((fixture, index) =>
    isPromise(fixture) ? [`${what}: [${index}]: ${EXPECTED_NO_PROMISE}`] : [],
  );
  if (lines.length > 0) throw new UsageError(lines);
}

function optionProblems(options: EmulatorOptions): string[] {
  const { value, problems, unknown } = readAs(schema, options);
  const taken = value?.operations === undefined ? [] : takenProblems(options.operations ?? []);
  const slow = value?.latency === undefined ? [] : faultProblems({ latency: value.latency }, []);
  const odd = Array.isArray(value?.quirks) ? quirkProblems(value.quirks) : [];
  const lines = [...problems, ...unknown, ...taken, ...slow, ...odd].map((problem) =>
    problemLine("options", problem),
  );
  (value?.fixtures ?? []).forEach((fixture, index) => {
    if (!isPromise(fixture)) return;
    lines.push(`options: fixtures[${index}]: ${EXPECTED_NO_PROMISE}`);
  });
  const tokens = value?.tokens?.map(({ token }) => token) ?? [];
  tokens.forEach((token, index) => {
    const first = tokens.indexOf(token);
    const expected = `expected one that is not taken (tokens[${first}].token has it)`;
    const path = ["tokens", index, "token"];
    if (first < index) lines.push(problemLine("options", { path, expected, value: token }));
  });
  if (value?.controlToken !== undefined && tokens.includes(value.controlToken)) {
    lines.push("options: controlToken: expected a token that is not among tokens");
  }
  return lines;
}

/** Names that are no quirk. */
function quirkProblems(names: readonly unknown[]): Problem[] {
  return names.flatMap((name, index) => {
    const known = [...quirkNames, "all"];
    if (known.some((each) => each === name)) return [];
    const expected =
      typeof name === "string"
        ? unknownName("quirk", name, known)
        : `expected a name, got ${kindOf(name)}`;
    return [{ path: ["quirks", index], expected, value: name, omitValue: true }];
  });
}

/** Those that are meant; what is no quirk is told elsewhere. */
function toQuirks(names: EmulatorOptions["quirks"] = []): Quirks {
  const given: readonly unknown[] = [names].flat();
  return new Set(
    given.includes("all") ? quirkNames : quirkNames.filter((name) => given.includes(name)),
  );
}
