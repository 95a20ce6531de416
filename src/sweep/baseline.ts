import { grouped } from "../base/grouped.ts";
import { thrownText } from "../base/realm.ts";
import { UsageError } from "../base/usage-error.ts";
import { Asking, type Call, makers } from "./calls.ts";
import type { Case } from "./cases.ts";
import { Comparison } from "./records.ts";
import { type Run, runOnce, type Stage } from "./run.ts";

/** Two runs without a fault, by which a run with a fault is judged. */
export interface Baseline {
  readonly first: Run;
  readonly second: Run;
  readonly asking: Asking;
  /** For each part of a run between two resets. */
  readonly comparisons: readonly Comparison[];
  /** Whether a third run failed. */
  readonly isUncertain: boolean;
}

/** A sweep or `orders` has found a mistake, or the program fails without a fault. */
export class SweepError extends Error {
  override readonly name = "SweepError";
  /** What was found, for machines; empty if the program fails without a fault. */
  readonly cases: readonly object[];

  constructor(message: string, cases: readonly object[] = [], options?: { cause?: unknown }) {
    super(message, options);
    this.cases = cases;
  }
}

/**
 * Two runs without a fault. If one fails, a third decides. With jobs, runs are side by side, as cases are.
 * @throws SweepError if the program fails twice; UsageError if it makes no call, and if runs cannot stand
 *   side by side
 */
export async function runBaseline(open: () => Promise<Stage>, jobs: number): Promise<Baseline> {
  const runs = await Promise.all(Array.from({ length: jobs }, () => runOnce(open)));
  const failed = () => runs.filter(({ outcome }) => outcome !== "passes");
  const [beside] = failed();
  if (jobs > 1 && beside !== undefined && (await runOnce(open)).outcome === "passes") {
    const why = `beside others, a run without a fault ${failureOf(beside)}`;
    throw new UsageError(`sweep: jobs: expected runs that share nothing: ${why}`);
  }
  while (runs.length < 2 || (runs.length === 2 && failed().length === 1))
    runs.push(await runOnce(open));
  const [first, second] = runs.filter(({ outcome }) => outcome === "passes");
  const [wrong] = failed();
  if (first === undefined || second === undefined) {
    const message = `sweep: without a fault, the program ${failureOf(wrong as Run)}; nothing was swept`;
    throw new SweepError(message, [], { cause: wrong?.error });
  }
  if (first.calls.length === 0 && second.calls.length === 0) throw new UsageError(NO_CALL);
  const others = partsOf(second);
  const comparisons = partsOf(first).map((part, index) => {
    const other = others[index] ?? others.at(-1) ?? [];
    return new Comparison(part, other, slackOf(first, second), first.cuts[0]?.after);
  });
  const asking = new Asking(first.calls, second.calls);
  return { first, second, asking, comparisons, isUncertain: wrong !== undefined };
}

const NO_CALL =
  "sweep: no call came, so nothing was swept: expected a program that calls the `url` that it gets, or a command that calls LATCHKEY_URL; tests that start an emulator by themselves are swept one by one, with `sweep` or `test.sweep` in their code";

function failureOf({ error, outcome }: Run): string {
  return outcome === "fails" ? `fails: ${thrownText(error)}` : "does not end";
}

/** The records before each reset by the program, and at the end. */
export function partsOf({ cuts }: Run) {
  const ends = cuts.slice(1).filter(({ by }) => by === "reset");
  return ends.map(({ before }) => before);
}

/** Times count as the same within the length of two runs, and a second, to which programs round. */
export function slackOf(one: Run, other: Run): number {
  return one.took + other.took + 1_000;
}

/** The cases of each call that both runs make, in the order of their names. */
export function casesOf(
  { asking, first, second }: Baseline,
  waysOf: (call: Call) => readonly Case["how"][],
): Case[][] {
  const [ones, others] = [first, second].map(({ calls }) => grouped(calls, ({ asks }) => asks));
  const both = [...(ones ?? [])].filter(([asks]) => others?.has(asks));
  const names = asking.namesOf(both.flatMap(([, [call]]) => call ?? []));
  const byCall = both.flatMap(([asks, calls], place) => {
    const equal = Math.min(calls.length, others?.get(asks)?.length ?? 0);
    return calls.slice(0, equal).map((asked, index) =>
      waysOf(asked).map((how) => {
        const number = index + 1;
        const row = `${names[place]}.${how}`;
        const name = equal === 1 ? row : `${names[place]}.${number}.${how}`;
        const call = placeOf(asked, asking.wordsOf(asked), equal);
        return { case: name, row, call, operation: asked.operation, how, asks, equal, number };
      }),
    );
  });
  const nameOf = ([first]: readonly Case[]) => first?.row ?? "";
  return byCall.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Like `keys.createKey (main, user_9; 3 equal calls)`. */
function placeOf({ operation }: Call, words: readonly string[], equal = 1): string {
  const inside = [words.join(", "), equal > 1 && `${equal} equal calls`].filter(Boolean);
  return inside.length === 0 ? operation : `${operation} (${inside.join("; ")})`;
}

/** How the calls of the two runs differ. */
export function unlikeCalls({ first, second }: Baseline): string | undefined {
  const [ones, others] = [first, second].map(({ calls }) => grouped(calls, ({ asks }) => asks));
  const namesIn = ({ members }: Call) =>
    members.filter(({ isName }) => isName).flatMap(({ words }) => words);
  const unlike = [...first.calls, ...second.calls].flatMap((call) => {
    const [one, two] = [ones, others].map((calls) => calls?.get(call.asks)?.length ?? 0);
    return one === two ? [] : `${placeOf(call, namesIn(call))} ${one} and ${two} times`;
  });
  const names = [...new Set(unlike)].toSorted().join(", ");
  if (names === "") return undefined;
  return `The calls of the program are not the same from run to run: ${names}.`;
}

/** Whether the first call may be the set-up of a test: a later call names the record that it makes. */
export function isLikeSetup({ first: { calls, cuts } }: Baseline): boolean {
  const [{ made, operation }, ...later] = calls as [Call, ...Call[]];
  const isUsed = later.some(
    ({ input }) => made !== undefined && JSON.stringify(input).includes(made),
  );
  return makers.has(operation) && isUsed && cuts.every(({ by }) => by !== "mark");
}
