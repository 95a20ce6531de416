import { pluralize } from "../base/wording/text.ts";
import { type Baseline, recordsBeforeResets, toleranceOf } from "./baseline.ts";
import { createdIdMembers } from "./calls.ts";
import { type Case, isChangedAnswer, isQuestion } from "./cases.ts";
import { lossIn } from "./owners.ts";
import { Comparison, namesIn, summarize } from "./records.ts";
import type { Run } from "./run.ts";

/** The verdicts for mistakes, the worst first, each with what to change. Each can be allowed. */
const advice = {
  lost: "make the new key before you remove the old one, and do not remove a key because a call failed",
  "half-done": "when a call fails, undo what the program has changed before",
  orphan: "when the call fails, look for what it may have made, and use or delete it",
  "charged-twice": "do not retry a verification, or allow the verdict charged-twice",
  "passes-but": "do not go on as if the call had succeeded: retry it, or fail",
  "no-answer":
    "refuse if the call has no answer; if going on without it is intended, allow the verdict no-answer",
  unnoticed:
    "refuse unless the answer is yes (`valid: true`, `success: true`), and test that; if the program only reports the answer, allow the verdict unnoticed",
  hangs: "give the call a timeout, and limit its retries",
  "not-reached":
    "let the test make the same calls in each run; until then, nothing is known about this case",
} as const;
export type FaultyVerdict = keyof typeof advice;
export const faultyVerdicts = Object.keys(advice) as [FaultyVerdict, ...FaultyVerdict[]];

/** Clients by their `User-Agent`: pattern, name, how to set a timeout, how to turn off retries. */
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
  /** What happened; undefined if nothing is wrong, like `change`. */
  readonly why?: string | undefined;
  /** What to change. */
  readonly change?: string | undefined;
}

/** @param options.patience time allowed beyond three times the usual time, in words */
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
  if (target === undefined)
    return faulty("not-reached", "was not tried: the program did not make this call again");
  const [, client, timeout, noRetries] = clients.find(([name]) => name.test(target.client)) ?? [];
  if (run.outcome === "hangs") {
    const how = timeout === undefined ? "" : ` (${client}: ${timeout})`;
    const why = `does not end within three times its usual time plus ${patience}`;
    return faulty("hangs", why, advice.hangs.replace("timeout", `timeout${how}`));
  }
  const { first, second, comparisons } = baseline;
  const isEqual = ({ fingerprint }: Run["calls"][0]) => fingerprint === tried.fingerprint;
  const sent = run.calls.filter(isEqual).length - tried.equal + 1;
  const isRepeated = target.tookEffect && sent > 1;
  // It is not known which of several equal calls was a retry.
  const count = tried.equal === 1 ? `the call ${sent} times` : "an equal call again";
  const times = isRepeated ? `: it sent ${count}` : "";
  const ending =
    noRetries === undefined ? "" : `; to turn off the retries of ${client}: ${noRetries}`;
  const lookFirst = `before the call is sent again, ${lookFor(target.operation)}${ending}`;
  const passes = run.outcome === "passes";

  const lost = lossIn(run.checkpoints, first.checkpoints, run.calls.indexOf(target));
  if (lost !== undefined)
    return faulty("lost", `${passes ? "passes" : "fails"}, and ${describeLoss(lost)}`);
  if (!passes) {
    const left = recordsBeforeResets(run)
      .flat()
      .find(({ id }) => id === target.createdId);
    if (left !== undefined) {
      const lacks = left.kind === "keys" ? "nobody has its value" : "the program does not know it";
      const why = `fails, but the ${comparisons.at(-1)?.nameOf(left)} exists, and ${lacks}${times}`;
      return faulty("orphan", why, isRepeated ? lookFirst : advice.orphan);
    }
    const leaves = atomic ? describeHalfDone(run) : "";
    return leaves === ""
      ? { verdict: "fails-clearly" }
      : faulty("half-done", `fails, and leaves ${leaves}`);
  }
  const asksQuestion = isQuestion(target.operation);
  // A test that expects a no passes without an answer too: a program that went on would fail it.
  const saidYes = first.calls.some((call) => isEqual(call) && call.isYes);
  const answered = ({ calls }: Run) =>
    calls.filter((call) => isEqual(call) && call.tookEffect && call !== target).length;
  if (saidYes && answered(run) < Math.max(1, Math.min(answered(first), answered(second)))) {
    const noun = tried.operation === "keys.verifyKey" ? "verification" : "rate limit";
    return isChangedAnswer(tried.how)
      ? faulty("unnoticed", `passes although the ${noun} said no: nothing in this run notices it`)
      : faulty("no-answer", `passes although the ${noun} had no answer`);
  }
  const differences = differencesOf(run, baseline);
  const isCredits = ({ path }: (typeof differences)[0]) => path === "remaining";
  if (asksQuestion && isRepeated && differences.some((each) => isCredits(each) && each.isLess)) {
    const who = client === undefined ? "the program" : `${client} or the program`;
    const why = `passes, but a verification took its credits more than once: ${who} sent it again`;
    return faulty("charged-twice", why, advice["charged-twice"] + ending);
  }
  // A question that was not answered takes no credits.
  const left = summarize(differences.filter((each) => !(asksQuestion && isCredits(each))));
  if (left === "") return { verdict: "copes" };
  const change = isRepeated ? lookFirst : advice["passes-but"];
  return faulty("passes-but", `passes, but leaves ${left}${times}`, change);
}

function lookFor(operation: string): string {
  const member = createdIdMembers.get(operation);
  if (member === "keyId")
    return "look for the key that the first one made, and reroll or delete it: its value is lost";
  return member === undefined
    ? "read what the first one changed"
    : "look for what the first one made";
}

/** Compares the parts between resets; only the last parts if the number of resets differs. */
function differencesOf(run: Run, { comparisons, first }: Baseline) {
  const parts = recordsBeforeResets(run);
  const from = parts.length === comparisons.length ? 0 : -1;
  const found = parts.slice(from);
  return comparisons
    .slice(from)
    .flatMap((one, index) => one.differences(found[index] ?? [], toleranceOf(run, first)));
}

/** How the records differ from those of the last start. Ignores what the service creates as a side effect. */
function describeHalfDone({ calls, checkpoints, took }: Run): string {
  const [start = [], end = []] = [checkpoints.at(-2)?.after, checkpoints.at(-1)?.before];
  const known = new Set([...start.map(({ id }) => id), ...calls.map(({ createdId }) => createdId)]);
  const left = end.filter(({ id }) => known.has(id));
  // Not a comparison of the baseline, which would ignore what differs from run to run.
  const all = new Comparison(start, start, 0, left.flatMap(namesIn));
  return summarize(all.differences(left, took).filter(({ path }) => path !== "remaining"));
}

/** Like `user_1 has no key that works: it had one`. */
function describeLoss({ had, has, owner }: { owner: string; had: number; has: number }): string {
  const [, name, title] = JSON.parse(owner) as string[];
  if (title !== undefined) return `the key ${JSON.stringify(title)} no longer works`;
  const keys = has === 0 ? "no key that works" : `${pluralize(has, "key")} that work`;
  return `${name} has ${keys}: it had ${had === 1 ? "one" : had}`;
}
