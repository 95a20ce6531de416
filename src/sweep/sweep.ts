import { thrownText } from "../base/realm.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import { pluralize, unknownName } from "../base/wording/text.ts";
import { serve } from "../doors/http/serve.ts";
import { createEmulator } from "../emulator/create-emulator.ts";
import { type Emulator } from "../emulator/emulator.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import { objectOf } from "../schema/fields.ts";
import { shapeOf } from "../schema/lazy-shape.ts";
import { readOrThrow } from "../schema/problems.ts";
import { toDuration } from "../state/time/time-text.ts";
import { Asking, makers, namesOf } from "./calls.ts";
import { type Asked, type Case, casesOf, inTurn, spoilNames } from "./cases.ts";
import { type SweepLimits, sweepLimits } from "./limits.ts";
import { Comparison } from "./records.ts";
import { type Run, runOnce, type Stage } from "./run.ts";
import { isWrong, placeOf, type Swept, tableOf, type TriedCase } from "./table.ts";
import { type Baseline, faultyVerdicts, judge, sentOf, slackOf } from "./verdicts.ts";

/** The options of `createEmulator`, what the sweep tries, and what comes before the program. */
export interface SweepOptions extends EmulatorOptions, SweepLimits {
  /**
   * Makes what the program needs, in each run. No call of it is spoilt, and the records after it are what
   * a program that fails has to leave. The program gets its result.
   */
  readonly setup?: ((world: SweepWorld) => unknown) | undefined;
}

/** What a run of the program gets. */
export interface SweepWorld {
  /** The base URL of the emulator of this run. */
  readonly url: string;
  /** The emulator of this run. */
  readonly emulator: Emulator;
}

/** A program to sweep. It gets what `setup` returns. */
export type SweptProgram = (world: SweepWorld, given: never) => unknown;

/** A sweep or `orders` has found a mistake, or the program fails without a fault. */
export class SweepError extends Error {
  override readonly name = "SweepError";
  /** What was found, for machines; empty if the program fails without a fault. */
  readonly cases: readonly object[];

  constructor(
    message: string,
    cases: readonly object[] = [],
    options?: { readonly cause?: unknown },
  ) {
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
 *   UsageError for invalid options, for a program that makes no call, and if no case ran
 */
export async function sweep(program: SweptProgram, options: SweepOptions = {}): Promise<string> {
  const { setup, ...rest } = options;
  const names = Object.keys(shapeOf(sweepLimits));
  const part = (isLimit: boolean) =>
    Object.fromEntries(Object.entries(rest).filter(([name]) => names.includes(name) === isLimit));
  const open = async () => {
    const { url, ...world } = await openWorld(part(false));
    const run = async () => {
      const own = { emulator: world.emulator, url };
      const given = await setup?.(own);
      if (setup !== undefined) world.emulator.mark();
      await program(own, given as never);
    };
    return { ...world, run };
  };
  const swept = await sweepStages(open, part(true));
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

/** How the command line follows a sweep. */
export interface Watch {
  /** Called before the first case, with a sentence. */
  onPlan?(plan: string): void;
  /** Called after each case, with how many have run, and how many there are. */
  onCase?(done: number, count: number): void;
  /** Ends the sweep. The cases that have run are told. */
  readonly signal?: AbortSignal;
}

/** Sweeps the program of the stages, which are the same. */
export async function sweepStages(
  open: () => Promise<Stage>,
  limits: SweepLimits,
  { onCase, onPlan, signal }: Watch = {},
): Promise<Swept> {
  readOrThrow(objectOf(shapeOf(sweepLimits)), limits, "sweep");
  const { answers = true, atomic = false, faults = spoilNames, jobs = 1, most = 200 } = limits;
  const { patience = "20s" } = limits;
  const { isUncertain, runs } = await runBaselines(open, jobs, limits);
  const baseline = toBaseline(runs);
  const { first } = baseline;
  const asked = askedIn(baseline, limits.only);
  const byCall = asked.flatMap((each) => casesOf(each, faults, answers));
  const all = byCall.flat();
  const isChosen = ({ name, row }: Case) => [name, row].includes(limits.case ?? name);
  if (limits.case !== undefined && !all.some(isChosen)) {
    const names = all.map(({ name }) => name);
    throw new UsageError(`sweep: case: ${unknownName("case", limits.case, names)}`);
  }
  const chosen = inTurn(byCall).filter(isChosen);
  const queue = chosen.slice(0, most);
  const each = first.took / 1_000;
  const about = `about ${Math.ceil((queue.length * each) / jobs)} s, ${each.toFixed(1)} s for each run`;
  onPlan?.(`${pluralize(asked.length, "call")}, ${pluralize(queue.length, "case")}: ${about}`);
  const end = performance.now() + (toDuration(limits.for) ?? Infinity);
  const longest = 3 * first.took + (toDuration(patience) ?? 0);
  const options = { atomic, patience: typeof patience === "number" ? `${patience} ms` : patience };
  const judged = new Map<Case, TriedCase>();
  const slow = new Set<string>();
  const isOver = () => signal?.aborted === true || performance.now() > end;
  const tryOut = async (tried: Case) => {
    const run = await runOnce(open, { tried, asking: baseline.asking }, longest);
    if (signal?.aborted) return;
    const judgement = judge(tried, run, baseline, options);
    const isAllowed = isIn(limits.allow, tried, judgement.verdict);
    const said = run.outcome === "fails" ? lastLine(run.error) : undefined;
    const { how, name, operation, row } = tried;
    const call = placeOf(tried, baseline.asking);
    const seconds = run.took / 1_000;
    judged.set(tried, {
      case: name,
      row,
      call,
      operation,
      how,
      isAllowed,
      said,
      seconds,
      ...judgement,
    });
    if (run.took > first.took + LONG && sentOf(tried, run, baseline) > MANY) slow.add(operation);
    onCase?.(judged.size, queue.length);
  };
  const waiting = [...queue];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !isOver(); next = waiting.shift())
      await tryOut(next);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  // What the machine or chance may have decided is decided by a run alone.
  for (const tried of queue) {
    const { verdict } = judged.get(tried) ?? {};
    if ((verdict === "hangs" || verdict === "not-reached") && !signal?.aborted) await tryOut(tried);
  }
  const tried = all.flatMap((known) => judged.get(known) ?? []);
  const left = chosen.length - tried.length;
  const notRun = `${pluralize(left, "more case")} did not run, because of ${signal?.aborted ? "the signal" : "`most` or `for`"}`;
  const isTold = tried.some(({ verdict }) => verdict !== "not-reached");
  if (!isTold && !signal?.aborted) {
    const why =
      left > 0 ? notRun : all.length > 0 ? "no call of a case came again" : "there is none";
    throw new UsageError(`sweep: no case ran: ${why}`);
  }
  const cases = withWorst(tried);
  const notes = [
    left > 0 && `${notRun}.`,
    isUncertain && "One of three runs without a fault failed, so the test is not certain.",
    ...notesOn(baseline),
    slow.size > 0 &&
      `${[...slow].join(", ")}: a call that fails is repeated for more than 5 s; with @unkey/api, \`retryConfig: { strategy: "none" }\` ends that.`,
    setupNote(cases, baseline),
    ...(limits.allow ?? [])
      .filter((allowed) => !cases.some((one) => isIn([allowed], one, one.verdict)))
      .map(({ operation, verdict }) => `Allowed, but not found: ${operation}=${verdict}.`),
    ...unlikeNotes(tried),
  ].filter((note) => typeof note === "string");
  return { calls: new Set(queue.map(({ asked: of }) => of)).size, cases, notes, notRun: left };
}

/** A note names a call that a run sent more often than this, if the run then took so much longer (ms). */
const MANY = 3;
const LONG = 5_000;
/** How long a run without a fault may take (ms). */
const LONGEST = 600_000;

/**
 * Two runs without a fault. If one fails, a third decides. With jobs, they run side by side, as cases do.
 * @throws SweepError if the program fails twice; UsageError if it makes no call, if runs cannot stand side
 *   by side, and for names of operations that are not served or not called
 */
async function runBaselines(open: () => Promise<Stage>, jobs: number, limits: SweepLimits) {
  let served: readonly string[] = [];
  const once = () =>
    runOnce(
      async () => {
        const stage = await open();
        served = [...new Set(stage.emulator.operations.map(({ contract }) => contract.name))];
        return stage;
      },
      undefined,
      LONGEST,
    );
  const runs = await Promise.all(Array.from({ length: jobs }, once));
  const failed = runs.find(({ outcome }) => outcome !== "passes");
  if (jobs > 1 && failed !== undefined && (await once()).outcome === "passes") {
    const why = `beside others, a run without a fault ${failureOf(failed)}`;
    throw new UsageError(`sweep: jobs: expected runs that share nothing: ${why}`);
  }
  while (runs.length < 2 || (runs.length === 2 && countPassed(runs) === 1)) runs.push(await once());
  const passed = runs.filter(({ outcome }) => outcome === "passes");
  const wrong = runs.filter(({ outcome }) => outcome !== "passes");
  if (passed.length < 2) {
    const why = failureOf(wrong[0] as Run);
    const message = `sweep: without a fault, the program ${why}; nothing was swept`;
    throw new SweepError(message, [], { cause: wrong[0]?.error });
  }
  const called = [
    ...new Set(passed.flatMap(({ calls }) => calls.map(({ operation }) => operation))),
  ];
  if (called.length === 0) throw new UsageError(NO_CALL);
  const check = (
    option: string,
    names: readonly string[],
    known: readonly string[],
    noun: string,
  ) =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => `sweep: ${option}: ${unknownName(noun, name, known)}`);
  const allowed = limits.allow?.map(({ operation }) => operation) ?? [];
  throwLines([
    ...check("only", limits.only ?? [], called, "operation in the calls of the program"),
    ...check("allow", allowed, served, "operation"),
  ]);
  return { runs: passed.slice(0, 2) as [Run, Run], isUncertain: wrong.length > 0 };
}

function countPassed(runs: readonly Run[]): number {
  return runs.filter(({ outcome }) => outcome === "passes").length;
}

function failureOf({ error, outcome }: Run): string {
  return outcome === "fails" ? `fails: ${thrownText(error)}` : "does not end";
}

const NO_CALL =
  "sweep: no call came, so nothing was swept: expected a program that calls the `url` that it gets, or a command that calls LATCHKEY_URL; tests that start an emulator by themselves are swept one by one, with `sweep` or `test.sweep` in their code";

function toBaseline([first, second]: readonly [Run, Run]): Baseline {
  const slack = slackOf(first, second);
  const comparisons = first.parts.map((part, index) => {
    const other = second.parts[index] ?? second.parts.at(-1) ?? [];
    return new Comparison(part, other, slack);
  });
  return { first, second, asking: new Asking(first.calls, second.calls), comparisons };
}

/** The calls that both runs make, by their names. */
function askedIn({ asking, first, second }: Baseline, only?: readonly string[]): Asked[] {
  const count = (calls: Run["calls"]) => {
    const counts = new Map<string, Run["calls"]>();
    for (const call of calls)
      counts.set(asking.of(call), [...(counts.get(asking.of(call)) ?? []), call]);
    return counts;
  };
  const others = count(second.calls);
  const both = [...count(first.calls)].filter(([asks]) => others.has(asks));
  const names = namesOf(
    both.map(([, [call]]) => call as Run["calls"][0]),
    asking,
  );
  const asked = both.map(([asks, calls], index) => {
    const shared = calls.slice(0, others.get(asks)?.length);
    const numbered = shared.map((call, place) => [place + 1, call] as const);
    const isTried = ({ isSetup, operation }: Run["calls"][0]) =>
      !isSetup && (only?.includes(operation) ?? true);
    const own = numbered.filter(([, call]) => isTried(call));
    return { name: names[index] as string, asks, count: shared.length, numbered: own };
  });
  return asked
    .filter(({ numbered }) => numbered.length > 0)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isIn(
  allow: SweepLimits["allow"],
  { operation }: { readonly operation: string },
  verdict: string,
): boolean {
  return allow?.some((each) => each.operation === operation && each.verdict === verdict) ?? false;
}

/** Where runs at once make equal calls, no one can tell which is whose: the worst counts for all. */
function withWorst(cases: readonly TriedCase[]): TriedCase[] {
  const rank = ({ isAllowed, verdict }: TriedCase) => {
    const place = (faultyVerdicts as readonly string[]).indexOf(verdict);
    return place < 0 || isAllowed ? faultyVerdicts.length + Number(verdict === "copes") : place;
  };
  return cases.map((each) => {
    const equal = cases.filter(({ row }) => row === each.row);
    const [worst = each] = equal.toSorted((a, b) => rank(a) - rank(b));
    const { change, isAllowed, verdict, why } = worst;
    return { ...each, change, isAllowed, verdict, why };
  });
}

function unlikeNotes(cases: readonly TriedCase[]): string[] {
  const unlike = cases.filter(({ row, verdict }) =>
    cases.some((other) => other.row === row && other.verdict !== verdict),
  );
  return [...new Set(unlike.map(({ call }) => call))].map(
    (call) =>
      `${call}: cases of equal calls end differently, and the worst counts. If they come from tests in parallel, give what they make or ask for names of their own.`,
  );
}

/** How the two runs without a fault differ. */
function notesOn({ asking, comparisons, first, second }: Baseline): (string | false)[] {
  const count = ({ calls }: Run, operation: string, asks: string) =>
    calls.filter((call) => call.operation === operation && asking.of(call) === asks).length;
  const differing = new Set<string>();
  for (const call of [...first.calls, ...second.calls]) {
    const [one, two] = [first, second].map((run) => count(run, call.operation, asking.of(call)));
    const words = asking.wordsOf(call, true).join(",");
    if (one !== two)
      differing.add(`${call.operation}${words && ` (${words})`} ${one} and ${two} times`);
  }
  const uneven = new Set(comparisons.flatMap((each) => each.uneven));
  return [
    differing.size > 0 &&
      `The calls of the program are not the same from run to run: ${[...differing].toSorted().join(", ")}.`,
    uneven.size > 0 &&
      `Their number differs from run to run, so they are not compared: ${[...uneven].join(", ")}.`,
  ];
}

/** Where the first calls may be the set-up of a test, and are told as if they were the program. */
function setupNote(cases: readonly TriedCase[], { first: { calls, isMarked } }: Baseline) {
  const isUsed = (id: string | undefined, index: number) =>
    id !== undefined &&
    calls.slice(index + 1).some(({ input }) => JSON.stringify(input).includes(id));
  const [call] = calls;
  if (isMarked || call === undefined || !makers.has(call.operation) || !isUsed(call.made, 0))
    return false;
  const isTold = cases.some((each) => isWrong(each) && each.operation === call.operation);
  return (
    isTold &&
    `The first calls make records that later calls name. If that is the set-up of a test, seed these records, or end the set-up with a mark (\`setup\` in code, \`POST /_latchkey/mark\`): then it is not tried.`
  );
}

/** What a person looks for: the last line that names an error, or else the last line. */
function lastLine(error: unknown): string {
  const { output = thrownText(error) } = Object(error) as { readonly output?: string };
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return (
    lines.findLast((line) => /\w*(?:Error|Exception)\b|panic/.test(line)) ??
    lines.at(-1) ??
    ""
  ).trim();
}
