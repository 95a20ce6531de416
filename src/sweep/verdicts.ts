import { pluralize } from "../base/wording/text.ts";
import { type Baseline, partsOf, slackOf } from "./baseline.ts";
import { type Case, isAnswer, isQuestion } from "./cases.ts";
import { lostIn } from "./owners.ts";
import { Comparison, listed } from "./records.ts";
import type { Run } from "./run.ts";

/** The verdicts that tell of a mistake, the worst first, each with what to change. Each can be allowed. */
const advice = {
  lost: "make the new key before the old one goes, and take no key away because a call has failed",
  "half-done": "where a call fails, take back what the program has changed before",
  orphan: "where the call fails, look for what it may have made, and use or delete it",
  "charged-twice": "do not send a verification again, or allow the verdict charged-twice",
  "passes-but": "do not go on as if the call had succeeded: repeat it, or fail",
  "no-answer":
    "refuse where the call has no answer; if the opposite is meant, allow the verdict no-answer",
  unnoticed:
    "refuse unless the answer is yes (`valid: true`, `success: true`), and check that; if the program only reports the answer, allow the verdict unnoticed",
  hangs: "give the call a time-out, and bound its repeats",
  "not-reached":
    "let the test make the same calls in each run; until then, nothing is known of this case",
} as const;
export type FaultyVerdict = keyof typeof advice;
export const faultyVerdicts = Object.keys(advice) as [FaultyVerdict, ...FaultyVerdict[]];

/** How clients are known by their `User-Agent`, and how each bounds a call and its repeats. */
const clients = [
  [/@unkey\/api/, "@unkey/api", "`timeoutMs: 2_000`", '`retryConfig: { strategy: "none" }`'],
  [/httpx/, "httpx", "`timeout=2`", undefined],
  [/python-requests/, "requests", "`timeout=2`", undefined],
  [/^Go-http-client/, "Go", "`http.Client{Timeout: 2 * time.Second}`", undefined],
  [/^axios/, "axios", "`timeout: 2_000`", undefined],
  [/^(?:node|undici)/, "fetch", "`signal: AbortSignal.timeout(2_000)`", undefined],
] as const;

/** The verdict on one case. */
export interface Judgement {
  readonly verdict: FaultyVerdict | "copes" | "fails-clearly";
  /** What happened; only of a faulty verdict, like `change`. */
  readonly why?: string | undefined;
  /** What to change. */
  readonly change?: string | undefined;
}

/** @param options.patience how long a run may take beside three times the usual time, in words */
export function judge(
  tried: Case,
  run: Run,
  baseline: Baseline,
  { atomic, patience }: { readonly atomic: boolean; readonly patience: string },
): Judgement {
  const { target } = run;
  const faulty = (verdict: FaultyVerdict, why: string, change: string = advice[verdict]) => {
    return { verdict, why: run.mask(why), change };
  };
  if (target === undefined) return faulty("not-reached", "was not tried: its call did not come");
  const [, client, limit, once] = clients.find(([name]) => name.test(target.client)) ?? [];
  if (run.outcome === "hangs") {
    const own = limit === undefined ? "" : ` (${client}: ${limit})`;
    const why = `does not end within three times its usual time and ${patience}`;
    return faulty("hangs", why, `give the call a time-out${own}, and bound its repeats`);
  }
  const { first, second, comparisons } = baseline;
  const isEqual = ({ asks }: Run["calls"][0]) => asks === tried.asks;
  const sent = run.calls.filter(isEqual).length - tried.equal + 1;
  const isRepeated = target.isDone && sent > 1;
  // No one can tell which of several equal calls was sent again, and for which of them.
  const count = tried.equal === 1 ? `the call ${sent} times` : "an equal call again";
  const times = isRepeated ? `: it sent ${count}` : "";
  const ending = once === undefined ? "" : `; to end the repeats of ${client}: ${once}`;
  const repeats = `before the call is sent again, look for what the first one made${ending}`;
  const passes = run.outcome === "passes";

  const lost = lostIn(run.cuts, first.cuts, run.calls.indexOf(target));
  if (lost !== undefined)
    return faulty("lost", `${passes ? "passes" : "fails"}, and ${lossOf(lost)}`);
  if (!passes) {
    const left = partsOf(run)
      .flat()
      .find(({ id }) => id === target.made);
    if (left !== undefined) {
      const lacks = left.kind === "keys" ? "nobody has its value" : "the program does not know it";
      const why = `fails, but the ${comparisons.at(-1)?.nameOf(left)} exists, and ${lacks}${times}`;
      return faulty("orphan", why, isRepeated ? repeats : advice.orphan);
    }
    const half = atomic ? halfOf(run) : "";
    return half === ""
      ? { verdict: "fails-clearly" }
      : faulty("half-done", `fails, and leaves ${half}`);
  }
  const isAsked = isQuestion(target.operation);
  const answered = ({ calls }: Run) =>
    calls.filter((call) => isEqual(call) && call.isDone && call !== target).length;
  if (isAsked && answered(run) < Math.max(1, Math.min(answered(first), answered(second)))) {
    const noun = tried.operation === "keys.verifyKey" ? "verification" : "rate limit";
    return isAnswer(tried.how)
      ? faulty("unnoticed", `passes although the ${noun} said no: nothing in this run notices it`)
      : faulty("no-answer", `passes although the ${noun} had no answer`);
  }
  const differences = differencesOf(run, baseline);
  const isCredits = ({ path }: (typeof differences)[0]) => path === "remaining";
  if (isAsked && isRepeated && differences.some((each) => isCredits(each) && each.isLess)) {
    const who = client === undefined ? "it was" : `${client} or the program`;
    const why = `passes, but a verification took its credits more than once: ${who} sent it again`;
    return faulty("charged-twice", why, advice["charged-twice"] + ending);
  }
  // A question that was not answered takes no credits.
  const left = listed(differences.filter((each) => !(isAsked && isCredits(each))));
  if (left === "") return { verdict: "copes" };
  const change = isRepeated ? repeats : advice["passes-but"];
  return faulty("passes-but", `passes, but leaves ${left}${times}`, change);
}

/** Part by part, if the program reset the emulator as often in both runs. */
function differencesOf(run: Run, { comparisons, first }: Baseline) {
  const [expected, found] = [partsOf(first), partsOf(run)];
  const from = expected.length === found.length ? 0 : -1;
  const slack = slackOf(run, first);
  return comparisons.slice(from).flatMap((comparison, index) => {
    const [was = [], is = []] = [expected, found].map((parts) => parts.slice(from)[index]);
    return comparison.differences(was, is, slack);
  });
}

/** How the records differ from those of the last start, without what the service makes on the side. */
function halfOf({ calls, cuts, took }: Run): string {
  const [start = [], end = []] = [cuts.at(-2)?.after, cuts.at(-1)?.before];
  const known = new Set([...start.map(({ id }) => id), ...calls.map(({ made }) => made)]);
  const left = end.filter(({ id }) => known.has(id));
  // Nothing in the comparison of two runs excuses it.
  const all = new Comparison([...start, ...left], [...start, ...left], 0);
  return listed(all.differences(start, left, took).filter(({ path }) => path !== "remaining"));
}

/** Like `user_1 has no key that works: it had one`. */
function lossOf({ had, has, owner }: { owner: string; had: number; has: number }): string {
  const [, name, title] = JSON.parse(owner) as string[];
  if (title !== undefined) return `the key ${JSON.stringify(title)} works no more`;
  const keys = has === 0 ? "no key that works" : `${pluralize(has, "key")} that work`;
  return `${name} has ${keys}: it had ${had === 1 ? "one" : had}`;
}
