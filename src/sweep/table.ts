import { grouped } from "../base/grouped.ts";
import { pluralize, printable } from "../base/wording/text.ts";
import { type Case, describeSpoil } from "./cases.ts";
import type { Judgement } from "./verdicts.ts";

/** A case with its verdict, for the table and for reports. */
export interface TriedCase extends Judgement, Omit<Case, "fingerprint"> {
  /** Whether the option `allow` names it. */
  readonly isAllowed: boolean;
  /** If the program fails: the line of its output that says why. */
  readonly said: string | undefined;
  /** How long the run took. */
  readonly seconds: number;
}

export interface Swept {
  /** How many calls were spoilt; equal calls count as one. */
  readonly calls: number;
  readonly cases: readonly TriedCase[];
  /** Sentences about the runs, to show above the rows. */
  readonly notes: readonly string[];
  /** How many cases did not run. */
  readonly notRun: number;
}

/**
 * Rows for the wrong cases. Cases of a call share a row if their sentence is the same. If the client
 * is to blame, cases of different calls share a row too.
 * @param again how to repeat a case
 */
export function rowsOf(cases: readonly TriedCase[], again: (name: string) => string): string[] {
  const keyOf = ({ call, verdict, why = "" }: TriedCase) =>
    ["charged-twice", "hangs"].includes(verdict) ? why : `${call} ${why}`;
  return [...grouped(cases.filter(isWrong), keyOf).values()].map((row) => {
    const [{ change, row: shown, why }] = row as [TriedCase];
    const places = [...new Set(row.map(({ call }) => call))].join(", ");
    const ways = [...new Set(row.map(({ how }) => describeSpoil(how)))].join(" / ");
    return rowOf(`${places}: ${ways.replaceAll(" / answered", " /")}`, why, change, again(shown));
  });
}

export function rowOf(title: string, why = "", change = "", again = ""): string {
  const lines = [title, `  ${why}`, `  change: ${change}`, `  again:  ${again}`];
  return lines.map(printable).join("\n");
}

/** The table of a sweep. It has no times and no ids, so it is the same each time. */
export function tableOf(swept: Swept, again: (name: string) => string): string {
  const head = [headOf(swept), ...swept.notes].map(printable).join("\n");
  return [head, ...rowsOf(swept.cases, again)].join("\n\n");
}

export function isWrong({ isAllowed, why }: TriedCase): boolean {
  return why !== undefined && !isAllowed;
}

/** Like `1 call, 7 cases: 2 wrong, 4 cope, 1 fails clearly`. */
export function headOf({ calls, cases, notRun }: Swept): string {
  const withVerdict = (verdict: Judgement["verdict"]) =>
    cases.filter((each) => each.verdict === verdict);
  const unreached = withVerdict("not-reached").filter(isWrong).length;
  const copes = withVerdict("copes").length;
  const fails = withVerdict("fails-clearly").length;
  const wrong = cases.filter(isWrong).length - unreached;
  const counts = [
    [unreached, "not reached"],
    [copes, copes === 1 ? "copes" : "cope"],
    [fails, fails === 1 ? "fails clearly" : "fail clearly"],
    [cases.filter(({ isAllowed }) => isAllowed).length, "allowed"],
    [notRun, "did not run"],
  ].filter(([number]) => number !== 0);
  const parts = [[wrong, "wrong"], ...counts].map((part) => part.join(" "));
  return `${pluralize(calls, "call")}, ${pluralize(cases.length, "case")}: ${parts.join(", ")}`;
}
