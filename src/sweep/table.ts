import { pluralize, printable } from "../base/wording/text.ts";
import type { Asking } from "./calls.ts";
import { type Case, wordsOf } from "./cases.ts";
import type { Judgement } from "./verdicts.ts";

/** A case with its verdict, as a machine reads it. */
export interface TriedCase extends Judgement {
  /** Like `createKey(main,user_9).lost-after`. */
  readonly case: string;
  /** The same without the number of equal calls. */
  readonly row: string;
  /** The call, like `keys.createKey (main, user_9)`. */
  readonly call: string;
  readonly operation: string;
  readonly how: Case["how"];
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

/** Cases that a person reads as one. */
export interface Row {
  readonly title: string;
  readonly why: string;
  readonly change: string;
  /** The name of the case that shows it. */
  readonly shows: string;
  readonly cases: readonly TriedCase[];
}

/** The wrong cases: those of a call with the same sentence are one row; where the client is to blame, all. */
export function rowsOf(cases: readonly TriedCase[]): Row[] {
  const rows = new Map<string, TriedCase[]>();
  for (const wrong of cases.filter(isWrong)) {
    const isOfClient = ["charged-twice", "hangs"].includes(wrong.verdict);
    const name = `${isOfClient ? "" : wrong.call} ${wrong.why}`;
    rows.set(name, [...(rows.get(name) ?? []), wrong]);
  }
  return [...rows.values()].map((row) => {
    const [{ change = "", row: shows, why = "" }] = row as [TriedCase];
    const places = new Set(row.map(({ call }) => call));
    const ways = [...new Set(row.map(({ how }) => wordsOf(how)))].join(" / ");
    const title = `${[...places].join(", ")}: ${ways.replaceAll(" / answered", " /")}`;
    return { title, why, change, shows, cases: row };
  });
}

/**
 * The table of a sweep. It is the same each time: it has no times and no ids.
 * @param again how to repeat a case
 */
export function tableOf(swept: Swept, again: (name: string) => string): string {
  const rows = rowsOf(swept.cases).map(({ change, shows, title, why }) => [
    title,
    `  ${why}`,
    `  change: ${change}`,
    `  again:  ${again(shows)}`,
  ]);
  const table = [[headOf(swept), ...swept.notes], ...rows];
  return table.map((lines) => lines.map(printable).join("\n")).join("\n\n");
}

export function isWrong({ isAllowed, why }: TriedCase): boolean {
  return why !== undefined && !isAllowed;
}

/** Like `1 call, 7 cases: 2 wrong, 4 cope, 1 fails clearly`. */
export function headOf({ calls, cases, notRun }: Swept): string {
  const count = (verdict: Judgement["verdict"]) =>
    cases.filter((item) => item.verdict === verdict).length;
  const [copes, fails] = [count("copes"), count("fails-clearly")];
  const wrong = cases.filter(isWrong).length;
  const unreached = cases.filter((item) => isWrong(item) && item.verdict === "not-reached").length;
  const counts = [
    [unreached, "not reached"],
    [copes, copes === 1 ? "copes" : "cope"],
    [fails, fails === 1 ? "fails clearly" : "fail clearly"],
    [cases.filter(({ isAllowed }) => isAllowed).length, "allowed"],
    [notRun, "did not run"],
  ].filter(([number]) => number !== 0);
  const parts = [[wrong - unreached, "wrong"], ...counts].map((part) => part.join(" "));
  return `${pluralize(calls, "call")}, ${pluralize(cases.length, "case")}: ${parts.join(", ")}`;
}

/** Like `keys.createKey (main, user_9; 3 equal calls)`. */
export function placeOf({ asked, operation }: Case, asking: Asking): string {
  const [[, call]] = asked.numbered as [(typeof asked.numbered)[number]];
  const words = asking.wordsOf(call, true).join(", ");
  const equal = asked.count === 1 ? "" : `${asked.count} equal calls`;
  const inside = [words, equal].filter((part) => part !== "").join("; ");
  return inside === "" ? operation : `${operation} (${inside})`;
}
