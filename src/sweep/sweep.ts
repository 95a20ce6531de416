import { isDeepStrictEqual } from "node:util";
import { thrownText } from "../base/realm.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import { pluralize, quoted, unknownName } from "../base/wording/text.ts";
import { serve } from "../doors/http/serve.ts";
import { createEmulator } from "../emulator/create-emulator.ts";
import { type Emulator } from "../emulator/emulator.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import { objectOf } from "../schema/fields.ts";
import { shapeOf } from "../schema/lazy-shape.ts";
import { readOrThrow } from "../schema/problems.ts";
import { toDuration } from "../state/time-text.ts";
import { type Call, casesOf, spoilNames } from "./cases.ts";
import { type SweepLimits, sweepLimits } from "./limits.ts";
import type { Comparison } from "./records.ts";
import { type Run, runOnce, type Stage } from "./run.ts";
import { isWrong, placeOf, type Swept, tableOf, type TriedCase } from "./table.ts";
import { differencesOf, judge, patienceOf, timesOf } from "./verdicts.ts";

/** The options of `createEmulator`, and what the sweep tries. */
export interface SweepOptions extends EmulatorOptions, SweepLimits {}

/** What a run of the program gets. */
export interface SweepWorld {
  /** The base URL of the emulator of this run. */
  readonly url: string;
  /** The emulator of this run. */
  readonly emulator: Emulator;
}

/** A sweep or `orders` has found a mistake, or the program fails without a fault. */
export class SweepError extends Error {
  override readonly name = "SweepError";
  /** What was found, for machines. */
  readonly cases: readonly object[];

  constructor(message: string, cases: readonly object[] = [], options?: ErrorOptions) {
    super(message, options);
    this.cases = cases;
  }
}

/**
 * Runs a program twice without a fault, then once for each case: each call spoilt in each way, and each
 * yes changed to each no. Every run has a fresh emulator with the same options. The random seed is 1
 * unless you set it.
 * @param program rejects or throws if it does not do what it should
 * @returns the table, if no case is wrong
 * @throws SweepError with the table, if a case is wrong, and if the program fails without a fault;
 *   UsageError for invalid options, and for a program that makes no call
 */
export async function sweep(
  program: (world: SweepWorld) => unknown,
  options: SweepOptions = {},
): Promise<string> {
  const { answers, allow, case: name, faults, for: time, most, only, ...others } = options;
  const open = async () => {
    const { url, ...world } = await openWorld(others);
    return { ...world, run: async () => void (await program({ emulator: world.emulator, url })) };
  };
  const limits = { answers, allow, case: name, faults, for: time, most, only };
  const swept = await sweepStages(open, limits);
  const table = tableOf(swept, (each) => `with the option case: "${each}"`);
  const wrong = swept.cases.filter(isWrong);
  if (wrong.length > 0) throw new SweepError(`\n${table}`, wrong);
  return table;
}

/** A fresh emulator that is served at a URL. */
export async function openWorld(options: EmulatorOptions) {
  const emulator = await createEmulator({ randomSeed: 1, log: () => {}, ...options });
  const server = await serve(emulator);
  return { emulator, url: server.url, close: () => server.close({ grace: 0 }) };
}

/**
 * Sweeps the program of the stages, which are the same.
 * @param onCase called before each case, with its number and how many there are
 */
export async function sweepStages(
  open: () => Promise<Stage>,
  limits: SweepLimits,
  onCase: (number: number, count: number) => void = () => {},
): Promise<Swept> {
  readOrThrow(objectOf(shapeOf(sweepLimits)), limits, "sweep");
  const { allow = [], answers = true, faults = spoilNames, most = 200, only } = limits;
  const end = performance.now() + (toDuration(limits.for) ?? Infinity);
  const both = [await runBaseline(open), await runBaseline(open)];
  // A call that only one of them makes, like a repeat after a time-out, is not expected of a case.
  const [baseline, second] = both.toSorted((a, b) => a.calls.length - b.calls.length) as [Run, Run];
  const calls = baseline.calls.filter(({ operation }) => only?.includes(operation) ?? true);
  const all = calls.flatMap((call) => casesOf(call, faults, answers));
  const chosen = all.filter(({ name }) => name === (limits.case ?? name));
  const called = new Set(baseline.calls.map(({ operation }) => operation));
  const lines = only
    ?.filter((name) => !called.has(name))
    .map((name) => `sweep: only: ${unknownName(`call of ${name}`, name, [...called])}`);
  throwLines(lines ?? []);
  if (limits.case !== undefined && chosen.length === 0) {
    const names = all.map(({ name }) => name);
    throw new UsageError(`sweep: case: ${unknownName("case", limits.case, names)}`);
  }
  const isAlike = (by: Comparison) => differencesOf(second, baseline, by).length === 0;
  const by = (["members", "numbers"] as const).find(isAlike);
  const cases: TriedCase[] = [];
  const repeated = new Set<string>();
  for (const tried of chosen.slice(0, most)) {
    if (performance.now() > end) break;
    onCase(cases.length + 1, Math.min(most, chosen.length));
    const patience = 3 * baseline.took + 1_000 * patienceOf(tried.how);
    const run = await runOnce(open, tried, patience);
    const judgement = judge(tried, run, baseline, by);
    const { operation } = tried.call;
    const isAllowed = allow.some(
      (each) => each.operation === operation && each.verdict === judgement.verdict,
    );
    const call = placeOf(tried, tellingOf(tried.call, second));
    cases.push({ case: tried.name, call, operation, how: tried.how, isAllowed, ...judgement });
    if (run.took > baseline.took + LONG && timesOf(run, run).sent > MANY) repeated.add(operation);
  }
  const left = chosen.length - cases.length;
  const notes = [
    !isDeepStrictEqual(namesOf(baseline), namesOf(second)) &&
      `The calls of the program are not the same from run to run: ${callsNote(baseline, second)}.`,
    by === "numbers" && "The names of records differ from run to run: only their number counts.",
    by === undefined && "The number of records differs from run to run: they are not compared.",
    repeated.size > 0 &&
      `${[...repeated].join(", ")}: a call that fails is repeated for more than 5 s; with @unkey/api, \`retryConfig: { strategy: "none" }\` ends that.`,
    left > 0 && `${pluralize(left, "more case")} did not run, because of \`most\` or \`for\`.`,
  ].filter((note) => note !== false);
  return { calls: new Set(chosen.map(({ call }) => call)).size, cases, notes };
}

/** A note names a call that a run sent more often than this, if the run then took so much longer (ms). */
const MANY = 3;
const LONG = 5_000;
/** How long a run without a fault may take (ms). */
const LONGEST = 600_000;

/** @throws SweepError if the program fails, UsageError if it makes no call */
async function runBaseline(open: () => Promise<Stage>): Promise<Run> {
  const run = await runOnce(open, undefined, LONGEST);
  if (run.outcome !== "passes") {
    const why = run.outcome === "fails" ? `fails: ${thrownText(run.error)}` : "does not end";
    const message = `sweep: without a fault, the program ${why}; nothing was swept`;
    throw new SweepError(message, [], { cause: run.error });
  }
  if (run.calls.length > 0) return run;
  throw new UsageError(
    "sweep: no call came, so nothing was swept: expected a program that calls the `url` that it gets, or a command that calls LATCHKEY_URL; tests that start an emulator by themselves are swept one by one, with `sweep` or `test.sweep` in their code",
  );
}

function namesOf({ calls }: Run): string[] {
  return calls.map(({ operation }) => operation);
}

/** Like `keys.createKey 1 and 2 times`. */
function callsNote(baseline: Run, second: Run): string {
  const [first, other] = [namesOf(baseline), namesOf(second)];
  const counts = [...new Set([...first, ...other])].flatMap((name) => {
    const [one, two] = [first, other].map((names) => names.filter((each) => each === name).length);
    return one === two ? [] : [`${name} ${one} and ${two} times`];
  });
  return counts.length === 0 ? "their order changes" : counts.join(", ");
}

/** Members of an input that tell a person which call it is. Ids differ from run to run. */
const TELLING = ["name", "externalId", "identity", "namespace", "identifier", "role", "permission"];

/** The telling members that were the same in both runs, like `name "main"`. */
function tellingOf({ input, number, operation }: Call, { calls }: Run): string[] {
  const same = calls.find((each) => each.operation === operation && each.number === number);
  const [one, other] = [input, same?.input].map((value) => Object([value].flat()[0]));
  const isTelling = (name: string) => typeof one[name] === "string" && one[name] === other[name];
  return TELLING.filter(isTelling).map((name) => `${name} ${quoted(one[name], 40)}`);
}
