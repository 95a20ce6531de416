import { grouped } from "../base/grouped.ts";
import { thrownText } from "../base/realm.ts";
import { UsageError } from "../base/usage-error.ts";
import { Fingerprints, type Call, createdIdMembers } from "./calls.ts";
import type { Case } from "./cases.ts";
import { Comparison, namesIn } from "./records.ts";
import { type Prepare, type Run, runOnce } from "./run.ts";

/** Two runs without a fault, which runs with a fault are compared to. */
export interface Baseline {
  readonly first: Run;
  readonly second: Run;
  readonly fingerprints: Fingerprints;
  /** One for each part of a run that ends with a reset or with the run. */
  readonly comparisons: readonly Comparison[];
  /** Whether one of three runs failed. */
  readonly isFlaky: boolean;
}

/** `sweep` or `orders` has found a mistake, or the program fails without a fault. */
export class SweepError extends Error {
  override readonly name = "SweepError";
  /** The wrong cases or orders, for scripts; empty if the program fails without a fault. */
  readonly cases: readonly object[];

  constructor(message: string, cases: readonly object[] = [], options?: { cause?: unknown }) {
    super(message, options);
    this.cases = cases;
  }
}

/**
 * Runs the program twice without a fault. If one run fails, a third decides. With jobs, that many runs
 * are in parallel, as cases are.
 * @throws SweepError if the program fails twice; UsageError if it makes no call, or fails only in parallel
 */
export async function runBaseline(prepare: Prepare, jobs: number): Promise<Baseline> {
  const runs = await Promise.all(Array.from({ length: jobs }, () => runOnce(prepare)));
  const failed = () => runs.filter(({ outcome }) => outcome !== "passes");
  const [inParallel] = failed();
  if (jobs > 1 && inParallel !== undefined && (await runOnce(prepare)).outcome === "passes") {
    const why = `in parallel, a run without a fault ${failureOf(inParallel)}`;
    throw new UsageError(`sweep: jobs: expected runs that share nothing: ${why}`);
  }
  while (runs.length < 2 || (runs.length === 2 && failed().length === 1))
    runs.push(await runOnce(prepare));
  const [first, second] = runs.filter(({ outcome }) => outcome === "passes");
  const [failedRun] = failed();
  if (first === undefined || second === undefined) {
    const message = `sweep: without a fault, the program ${failureOf(failedRun as Run)}; nothing was swept`;
    throw new SweepError(message, [], { cause: failedRun?.error });
  }
  if (first.calls.length === 0 && second.calls.length === 0) throw new UsageError(NO_CALL);
  const fingerprints = new Fingerprints(first.calls, second.calls);
  const others = recordsBeforeResets(second);
  const comparisons = recordsBeforeResets(first).map((part, index) => {
    const other = others[index] ?? others.at(-1) ?? [];
    const known = [...fingerprints.values, ...(first.checkpoints[0]?.after ?? []).flatMap(namesIn)];
    return new Comparison(part, other, toleranceOf(first, second), known);
  });
  return { first, second, fingerprints, comparisons, isFlaky: failedRun !== undefined };
}

const NO_CALL =
  "sweep: the program made no call, so nothing was swept: expected a program that calls the `url` that it gets, or a command that calls LATCHKEY_URL; if tests start an emulator by themselves, sweep each with `sweep` or `test.sweep` in its code";

function failureOf({ error, outcome }: Run): string {
  return outcome === "fails" ? `fails: ${thrownText(error)}` : "does not end";
}

/** The records before each reset by the program, and those at the end. */
export function recordsBeforeResets({ checkpoints }: Run) {
  const ends = checkpoints.slice(1).filter(({ by }) => by === "reset");
  return ends.map(({ before }) => before);
}

/** Times may differ by the length of both runs, and by a second, because programs round to seconds. */
export function toleranceOf(one: Run, other: Run): number {
  return one.took + other.took + 1_000;
}

/** The cases of each call that both runs make, sorted by name. */
export function casesOf(
  { fingerprints, first, second }: Baseline,
  waysOf: (call: Call) => readonly Case["how"][],
): Case[][] {
  const others = byFingerprint(second);
  const both = [...byFingerprint(first)].filter(([fingerprint]) => others.has(fingerprint));
  const names = fingerprints.namesOf(both.flatMap(([, [call]]) => call ?? []));
  const byCall = both.flatMap(([fingerprint, calls], place) => {
    const equal = Math.min(calls.length, others.get(fingerprint)?.length ?? 0);
    return calls.slice(0, equal).map((call, index) => {
      const { operation } = call;
      const description = describeCall(call, fingerprints.wordsOf(call), equal);
      const shared = { call: description, operation, fingerprint, equal, number: index + 1 };
      return waysOf(call).map((how) => {
        const row = `${names[place]}.${how}`;
        const name = equal === 1 ? row : `${names[place]}.${index + 1}.${how}`;
        return { case: name, row, how, ...shared };
      });
    });
  });
  const nameOf = ([first]: readonly Case[]) => first?.row ?? "";
  return byCall.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function byFingerprint({ calls }: Run) {
  return grouped(calls, ({ fingerprint }) => fingerprint);
}

/** The call to show, like `keys.createKey (main, user_9; 3 equal calls)`. */
function describeCall({ operation }: Call, words: readonly string[], equal = 1): string {
  const inside = [words.join(", "), equal > 1 && `${equal} equal calls`].filter(Boolean);
  return inside.length === 0 ? operation : `${operation} (${inside.join("; ")})`;
}

/** A note that says how the calls of the two runs differ. */
export function callDifferences({ first, second }: Baseline): string | undefined {
  const runs = [byFingerprint(first), byFingerprint(second)];
  const namesIn = ({ members }: Call) =>
    members.filter(({ isName }) => isName).flatMap(({ words }) => words);
  const differing = [...first.calls, ...second.calls].flatMap((call) => {
    const [one, two] = runs.map((calls) => calls.get(call.fingerprint)?.length ?? 0);
    return one === two ? [] : `${describeCall(call, namesIn(call))} ${one} and ${two} times`;
  });
  const names = [...new Set(differing)].toSorted().join(", ");
  if (names === "") return undefined;
  return `The calls of the program are not the same from run to run: ${names}.`;
}

/** Whether the first call may be the setup of a test: it creates a record that a later call uses. */
export function mayBeSetup({ first: { calls, checkpoints } }: Baseline): boolean {
  const [{ createdId, operation }, ...later] = calls as [Call, ...Call[]];
  const isUsed = later.some(
    ({ input }) => createdId !== undefined && JSON.stringify(input).includes(createdId),
  );
  return createdIdMembers.has(operation) && isUsed && checkpoints.every(({ by }) => by !== "mark");
}
