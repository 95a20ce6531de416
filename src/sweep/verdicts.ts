import { isDeepStrictEqual } from "node:util";
import { type Case, isAnswer, isQuestion } from "./cases.ts";
import { type Comparison, differences, nameOf, type UsableRecord } from "./records.ts";
import type { Run } from "./run.ts";

/** The verdicts that tell of a mistake, each with what to change. Each can be allowed. */
const advice = {
  "passes-but": "do not go on as if the call had succeeded: repeat it, or fail",
  orphan: "where the call fails, look for what it may have made, and use or delete it",
  "no-answer":
    "refuse where the call has no answer; if the opposite is meant, allow the verdict no-answer",
  unnoticed:
    "refuse unless the answer is yes (`valid: true`, `success: true`), and check that; if the program only reports the answer, allow the verdict unnoticed",
  hangs:
    "give the call a time-out (fetch: `signal: AbortSignal.timeout(2_000)`), and bound its repeats",
} as const;
export type FaultyVerdict = keyof typeof advice;
export const faultyVerdicts = Object.keys(advice) as [FaultyVerdict, ...FaultyVerdict[]];
const ADVICE_OF_REPEATS =
  'before the call is sent again, look for what the first one made; if the client repeats calls by itself, end that (@unkey/api: `retryConfig: { strategy: "none" }`)';

/** The verdict on one case. */
export interface Judgement {
  readonly verdict: FaultyVerdict | "copes" | "fails-clearly" | "not-reached";
  /** What happened; only of a faulty verdict, like `change`. */
  readonly why?: string;
  /** What to change. */
  readonly change?: string;
}

/**
 * How many seconds a run may take beside three times the run without a fault. A 500 lasts, and some
 * clients repeat a call that fails for ten seconds.
 */
export function patienceOf(how: Case["how"]): number {
  return how === "500" ? 20 : 8;
}

/** Judges a run with a fault by the run without. */
export function judge({ call, how }: Case, run: Run, baseline: Run, by?: Comparison): Judgement {
  if (!run.isHit) return { verdict: "not-reached" };
  if (run.outcome === "hangs") {
    const time = `three times its usual time and ${patienceOf(how)} s`;
    return faulty("hangs", `does not end, although ${time} have passed`);
  }
  if (run.outcome === "fails") return judgeFailure(run, by);
  const [times, usual] = [timesOf(run, run), timesOf(run, baseline)];
  const isOfKeys = call.operation === "keys.verifyKey";
  if (isQuestion(call) && times.done < Math.max(1, usual.done)) {
    if (isAnswer(how)) {
      const guest = isOfKeys ? "a key that is not valid is let in" : "a use over the limit goes on";
      return faulty("unnoticed", `passes: ${guest}, or nothing in this run checks that`);
    }
    const missing = isOfKeys
      ? "knowing whether the key is valid: while the service fails, every caller is let in"
      : "knowing whether the limit is reached: while the service fails, nothing is limited";
    return faulty("no-answer", `passes without ${missing}`);
  }
  // A question that was asked again may have taken credits twice.
  const found = by === undefined ? [] : differencesOf(run, baseline, by, isQuestion(call));
  if (found.length === 0) return { verdict: "copes" };
  const why = `passes, but leaves ${found.slice(0, MAX_SHOWN).join(", ")}`;
  const isRepeated = run.target?.isDone === true && times.sent > Math.max(1, usual.sent);
  if (!isRepeated) return faulty("passes-but", why);
  return faulty("passes-but", `${why}: it sent the call ${times.sent} times`, ADVICE_OF_REPEATS);
}

/** How many differences a sentence names. */
const MAX_SHOWN = 3;

function faulty(verdict: FaultyVerdict, why: string, change: string = advice[verdict]): Judgement {
  return { verdict, why, change };
}

/** The program fails. It is to blame if the spoilt call made a record that stays. */
function judgeFailure({ made, parts }: Run, by?: Comparison): Judgement {
  // Namespaces are made at their first use, and the owner of a key with the key.
  const own = made.filter(({ kind }) => kind !== "ratelimitNamespaces");
  const keys = own.filter(({ kind }) => kind === "keys");
  const isIn = (records: readonly UsableRecord[]) => (record: UsableRecord) =>
    records.some(({ id }) => id === record.id);
  const part = parts.find((records) => made.some(isIn(records))) ?? [];
  const orphans = (keys.length > 0 ? keys : own).filter(isIn(part));
  if (orphans.length === 0) return { verdict: "fails-clearly" };
  const stays = orphans.length === 1 ? "stays" : "stay";
  // Where names differ from run to run, the table leaves them out.
  const names = orphans.map((each) => nameOf(by === "members" ? each : { ...each, label: "" }));
  return faulty("orphan", `fails, but ${names.join(" and ")}, which the call made, ${stays}`);
}

/** How often a run sent the call of the case, and how often another such call took effect. */
export function timesOf({ target }: Run, { calls }: Run): { sent: number; done: number } {
  const isSame = ({ input, operation }: (typeof calls)[number]) =>
    operation === target?.operation && isDeepStrictEqual(input, target.input);
  const same = calls.filter(isSame);
  return { sent: same.length, done: same.filter((each) => each.isDone && each !== target).length };
}

/** Part by part, if the program reset the emulator as often in both runs. */
export function differencesOf(
  { parts }: Run,
  baseline: Run,
  by: Comparison,
  ignoresCredits?: boolean,
): string[] {
  const first = parts.length === baseline.parts.length ? 0 : -1;
  const expected = baseline.parts.slice(first);
  const compare = (records: readonly UsableRecord[], index: number) =>
    differences(expected[index] ?? [], records, by, ignoresCredits);
  return parts.slice(first).flatMap(compare);
}
