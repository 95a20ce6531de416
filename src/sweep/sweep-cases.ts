import { stripVTControlCharacters } from "node:util";
import { thrownText } from "../base/realm.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import { pluralize, unknownName } from "../base/wording/text.ts";
import * as f from "../schema/fields.ts";
import { shapeOf } from "../schema/lazy-shape.ts";
import { readOrThrow } from "../schema/problems.ts";
import { toDuration } from "../state/time/time-text.ts";
import { type Baseline, callDifferences, casesOf, mayBeSetup, runBaseline } from "./baseline.ts";
import { type Case, interleaved, spoilNames, waysOf } from "./cases.ts";
import { type Allowed, type SweepLimits, sweepLimits } from "./limits.ts";
import { type Prepare, runOnce } from "./run.ts";
import { isWrong, type Swept, type TriedCase } from "./table.ts";
import { faultyVerdicts, judge } from "./verdicts.ts";

/** How the command line follows the progress of a sweep. */
export interface Watch {
  /** Called before the first case, with the number of cases and the expected time. */
  onPlan?(plan: string): void;
  /** Called after each case, with how many cases have run, and how many there are. */
  onCase?(done: number, count: number): void;
  /** Ends the sweep. The cases that have run are reported. */
  readonly signal?: AbortSignal;
}

/** @param prepare makes a fresh emulator and the program for each run */
export async function sweepCases(
  prepare: Prepare,
  limits: SweepLimits,
  { onCase, onPlan, signal }: Watch = {},
): Promise<Swept> {
  readOrThrow(f.objectOf(shapeOf(sweepLimits)), limits, "sweep");
  const { allow = [], answers = true, atomic = false, faults = spoilNames, jobs = 1 } = limits;
  const { most = 200, only, patience = "20s" } = limits;
  const baseline = await runBaseline(prepare, jobs);
  const { fingerprints, first } = baseline;
  checkNames(limits, baseline);
  const byCall = casesOf(baseline, (call) => {
    const isTried = !call.isSetup && (only?.includes(call.operation) ?? true);
    return isTried ? waysOf(call, faults, answers) : [];
  });
  const all = byCall.flat();
  const isChosen = (tried: Case) => [tried.case, tried.row].includes(limits.case ?? tried.case);
  if (limits.case !== undefined && !all.some(isChosen)) {
    const names = all.map((tried) => tried.case);
    throw new UsageError(`sweep: case: ${unknownName("case", limits.case, names)}`);
  }
  const chosen = interleaved(byCall).filter(isChosen);
  const queue = chosen.slice(0, most);
  const each = first.took / 1_000;
  const about = `about ${Math.ceil((queue.length * each) / jobs)} s, ${each.toFixed(1)} s for each run`;
  onPlan?.(`${pluralize(callsOf(queue), "call")}, ${pluralize(queue.length, "case")}: ${about}`);

  const end = performance.now() + (toDuration(limits.for) ?? Infinity);
  const trial = { fingerprints, patience: 3 * first.took + (toDuration(patience) ?? 0) };
  const options = { atomic, patience: typeof patience === "number" ? `${patience} ms` : patience };
  const judged = new Map<Case, TriedCase>();
  const tryOut = async (tried: Case) => {
    const run = await runOnce(prepare, { ...trial, tried });
    if (signal?.aborted) return;
    const judgement = judge(tried, run, baseline, options);
    const isAllowed = allow.some((each) => allows(each, tried.operation, judgement.verdict));
    const said = run.outcome === "fails" ? lastLine(run.error) : undefined;
    // A fingerprint may have secrets.
    const { fingerprint: _, ...shown } = tried;
    judged.set(tried, { ...shown, ...judgement, isAllowed, said, seconds: run.took / 1_000 });
    onCase?.(judged.size, queue.length);
  };
  const waiting = [...queue];
  const work = async () => {
    while (!signal?.aborted && performance.now() <= end) {
      const next = waiting.shift();
      if (next === undefined) return;
      await tryOut(next);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  // A slow machine or chance may be the reason, so these run once more, without others in parallel.
  for (const tried of queue) {
    const { verdict = "" } = judged.get(tried) ?? {};
    if (["hangs", "not-reached"].includes(verdict) && !signal?.aborted) await tryOut(tried);
  }

  const tried = all.flatMap((known) => judged.get(known) ?? []);
  const notRun = chosen.length - tried.length;
  const limit = signal?.aborted ? "the signal" : "`most` or `for`";
  const left = `${pluralize(notRun, "case")} did not run, because of ${limit}`;
  if (!signal?.aborted && tried.every(({ verdict }) => verdict === "not-reached")) {
    const none =
      all.length > 0 ? "the program did not make the calls again" : "the options leave no case";
    throw new UsageError(`sweep: no case ran: ${notRun > 0 ? left : none}`);
  }
  const cases = withWorstVerdict(tried);
  const isFirstWrong = cases.some(
    (one) => isWrong(one) && one.operation === first.calls[0]?.operation,
  );
  const notes = [
    notRun > 0 && `${left}.`,
    baseline.isFlaky && "One of three runs without a fault failed, so the test is flaky.",
    callDifferences(baseline),
    isFirstWrong && mayBeSetup(baseline) && SETUP_NOTE,
    ...allow
      .filter((each) => !cases.some(({ operation, verdict }) => allows(each, operation, verdict)))
      .map(({ operation, verdict }) => `Allowed, but not found: ${operation}=${verdict}.`),
  ].filter((note) => typeof note === "string");
  const calls = callsOf(all.filter((known) => judged.has(known)));
  return { calls, cases, notes, notRun };
}

function callsOf(cases: readonly Case[]): number {
  return new Set(cases.map(({ fingerprint }) => fingerprint)).size;
}

const SETUP_NOTE =
  "The first calls make records that later calls use. If these calls are the set-up of a test, seed the records instead, or end the set-up with a mark (`setup` in code, `POST /_latchkey/mark`): then it is not spoilt.";

/** @throws UsageError for names of operations that are not served or not called */
function checkNames({ allow = [], only = [] }: SweepLimits, { first, second }: Baseline): void {
  const called = [...new Set([...first.calls, ...second.calls].map((call) => call.operation))];
  const check = (option: string, names: readonly string[], known: readonly string[]) =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => `sweep: ${option}: ${unknownName("operation", name, known)}`);
  const allowed = allow.map(({ operation }) => operation);
  throwLines([...check("only", only, called), ...check("allow", allowed, first.operations)]);
}

function allows(allowed: Allowed, operation: string, verdict: string): boolean {
  return allowed.operation === operation && allowed.verdict === verdict;
}

/** Gives equal calls the worst verdict of them: it is not known which test of several made which call. */
function withWorstVerdict(cases: readonly TriedCase[]): TriedCase[] {
  const order: readonly string[] = [...faultyVerdicts, "fails-clearly", "copes"];
  const rank = (each: TriedCase) =>
    order.indexOf(each.verdict) + (isWrong(each) ? 0 : order.length);
  return cases.map((each) => {
    const equal = cases.filter(({ row }) => row === each.row);
    const [worst = each] = equal.toSorted((a, b) => rank(a) - rank(b));
    const { isAllowed, verdict, why } = worst;
    const differs = equal.some((other) => other.verdict !== verdict);
    const change = worst.change && worst.change + (differs ? EQUAL_CALLS_DIFFER : "");
    return { ...each, change, isAllowed, verdict, why };
  });
}

const EQUAL_CALLS_DIFFER =
  "; equal calls have different verdicts here, and this is the worst: if they come from tests in parallel, let each test use names of its own";

/** The last line of the output that names an error, or else the last line. */
function lastLine(error: unknown): string {
  const { output = thrownText(error) } = Object(error) as { readonly output?: string };
  const lines = stripVTControlCharacters(output).split("\n");
  const filled = lines.filter((line) => line.trim() !== "");
  const last = filled.findLast((line) => /\w*(?:Error|Exception)\b|panic/.test(line));
  return (last ?? filled.at(-1) ?? "").trim();
}
