import { pluralize, printable } from "../base/wording/text.ts";
import { type Case, wordsOf } from "./cases.ts";
import type { Judgement } from "./verdicts.ts";

/** A case with its verdict, as a machine reads it. */
export interface TriedCase extends Judgement {
  /** Like `createKey.1.lost-after`. */
  readonly case: string;
  /** The call, like `keys.createKey (1st call, name "main")`. */
  readonly call: string;
  readonly operation: string;
  readonly how: Case["how"];
  /** Whether the option `allow` names it. */
  readonly isAllowed: boolean;
}

export interface Swept {
  /** How many calls were spoilt. */
  readonly calls: number;
  readonly cases: readonly TriedCase[];
  /** What a reader has to know of the runs. */
  readonly notes: readonly string[];
}

/**
 * The table of a sweep. It is the same each time: it has no times and no ids.
 * @param again how to repeat a case
 */
export function tableOf({ calls, cases, notes }: Swept, again: (name: string) => string): string {
  // Cases of a call with the same sentence share a row; if the program hangs, also those of all calls.
  const rows = new Map<string, TriedCase[]>();
  for (const wrong of cases.filter(isWrong)) {
    const name = `${wrong.verdict === "hangs" ? "" : wrong.call} ${wrong.why}`;
    rows.set(name, [...(rows.get(name) ?? []), wrong]);
  }
  const told = [...rows.values()].map((row) => {
    const [{ change, case: name, why }] = row as [TriedCase];
    const places = new Set(row.map(({ call }) => call));
    const ways = new Set(row.map(({ how }) => wordsOf(how)));
    return [
      `${[...places].join(", ")}: ${[...ways].join(" / ").replaceAll(" / answered", " /")}`,
      `  ${why}`,
      `  change: ${change}`,
      `  again:  ${again(name)}`,
    ];
  });
  const head = `${pluralize(calls, "call")}, ${pluralize(cases.length, "case")}: ${countsOf(cases)}`;
  return [[head, ...notes], ...told].map((lines) => lines.map(printable).join("\n")).join("\n\n");
}

export function isWrong({ isAllowed, why }: TriedCase): boolean {
  return why !== undefined && !isAllowed;
}

/** Like `2 wrong, 18 cope, 1 fails clearly`. */
function countsOf(cases: readonly TriedCase[]): string {
  const count = (verdict: Judgement["verdict"]) =>
    cases.filter((item) => item.verdict === verdict).length;
  const [copes, fails] = [count("copes"), count("fails-clearly")];
  const counts = [
    [copes, copes === 1 ? "copes" : "cope"],
    [fails, fails === 1 ? "fails clearly" : "fail clearly"],
    [cases.filter(({ isAllowed }) => isAllowed).length, "allowed"],
    [count("not-reached"), "not reached"],
  ].filter(([number]) => number !== 0);
  return [[cases.filter(isWrong).length, "wrong"], ...counts]
    .map((part) => part.join(" "))
    .join(", ");
}

/** Like `keys.createKey (1st call, name "main")`. */
export function placeOf({ call: { number, operation } }: Case, telling: readonly string[]): string {
  const kind = new Intl.PluralRules("en", { type: "ordinal" }).select(number);
  const suffix = { one: "st", two: "nd", few: "rd" }[kind as string] ?? "th";
  return `${operation} (${[`${number}${suffix} call`, ...telling].join(", ")})`;
}
