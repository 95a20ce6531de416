import { pluralize, printable } from "../base/wording/text.ts";
import { type Case, wordsOf } from "./cases.ts";
import type { Judgement } from "./verdicts.ts";

/** A case with its verdict, as a machine reads it. */
export interface TriedCase extends Judgement, Omit<Case, "asks"> {
  /** Whether the option `allow` names it. */
  readonly isAllowed: boolean;
  /** Of a program that fails, the line of its output that says why. */
  readonly said: string | undefined;
  /** How long the run took. */
  readonly seconds: number;
}

export interface Swept {
  /** How many calls were spoilt; equal ones count as one. */
  readonly calls: number;
  readonly cases: readonly TriedCase[];
  /** What a reader has to know of the runs. */
  readonly notes: readonly string[];
  /** How many cases did not run. */
  readonly notRun: number;
}

/**
 * The wrong cases, as a person reads them: those of a call with the same sentence are one row; where the
 * client is to blame, those of all calls.
 * @param again how to repeat a case
 */
export function rowsOf(cases: readonly TriedCase[], again: (name: string) => string): string[] {
  const rows = new Map<string, TriedCase[]>();
  for (const wrong of cases.filter(isWrong)) {
    const isOfClient = ["charged-twice", "hangs"].includes(wrong.verdict);
    const name = `${isOfClient ? "" : wrong.call} ${wrong.why}`;
    rows.set(name, [...(rows.get(name) ?? []), wrong]);
  }
  return [...rows.values()].map((row) => {
    const [{ change, row: shown, why }] = row as [TriedCase];
    const places = [...new Set(row.map(({ call }) => call))].join(", ");
    const ways = [...new Set(row.map(({ how }) => wordsOf(how)))].join(" / ");
    return rowOf(`${places}: ${ways.replaceAll(" / answered", " /")}`, why, change, again(shown));
  });
}

export function rowOf(title: string, why = "", change = "", again = ""): string {
  const lines = [title, `  ${why}`, `  change: ${change}`, `  again:  ${again}`];
  return lines.map(printable).join("\n");
}

/** The table of a sweep. It is the same each time: it has no times and no ids. */
export function tableOf(swept: Swept, again: (name: string) => string): string {
  const head = [headOf(swept), ...swept.notes].map(printable).join("\n");
  return [head, ...rowsOf(swept.cases, again)].join("\n\n");
}

export function isWrong({ isAllowed, why }: TriedCase): boolean {
  return why !== undefined && !isAllowed;
}

/** Like `1 call, 7 cases: 2 wrong, 4 cope, 1 fails clearly`. */
export function headOf({ calls, cases, notRun }: Swept): string {
  const count = (verdict: Judgement["verdict"], isAny = true) =>
    cases.filter((each) => each.verdict === verdict && (isAny || isWrong(each))).length;
  const [copes, fails, unreached] = [
    count("copes"),
    count("fails-clearly"),
    count("not-reached", false),
  ];
  const counts = [
    [unreached, "not reached"],
    [copes, copes === 1 ? "copes" : "cope"],
    [fails, fails === 1 ? "fails clearly" : "fail clearly"],
    [cases.filter(({ isAllowed }) => isAllowed).length, "allowed"],
    [notRun, "did not run"],
  ].filter(([number]) => number !== 0);
  const wrong = cases.filter(isWrong).length - unreached;
  const parts = [[wrong, "wrong"], ...counts].map((part) => part.join(" "));
  return `${pluralize(calls, "call")}, ${pluralize(cases.length, "case")}: ${parts.join(", ")}`;
}
