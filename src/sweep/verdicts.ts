import { pluralize } from "../base/wording/text.ts";
import type { Asking } from "./calls.ts";
import { type Case, isAnswer, isQuestion } from "./cases.ts";
import { Comparison } from "./records.ts";
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

/** How clients are known by what they call themselves, and how each bounds a call and its repeats. */
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

/** What a run with a fault is judged by. */
export interface Baseline {
  readonly first: Run;
  readonly second: Run;
  readonly asking: Asking;
  /** For each part of a run between two resets. */
  readonly comparisons: readonly Comparison[];
}

/** @param options.patience how many milliseconds a run may take beside three times the usual time, in words */
export function judge(
  tried: Case,
  run: Run,
  baseline: Baseline,
  { atomic, patience }: { readonly atomic: boolean; readonly patience: string },
): Judgement {
  const faulty = (verdict: FaultyVerdict, why: string, change: string = advice[verdict]) => {
    return { verdict, why: run.mask(why), change };
  };
  if (!run.isHit) return faulty("not-reached", "was not tried: its call did not come");
  const [, client, limit, once] =
    clients.find(([name]) => name.test(run.target?.client ?? "")) ?? [];
  if (run.outcome === "hangs") {
    const own = limit === undefined ? "" : ` (${client}: ${limit})`;
    const change = `give the call a time-out${own}, and bound its repeats`;
    return faulty(
      "hangs",
      `does not end within three times its usual time and ${patience}`,
      change,
    );
  }
  const passes = run.outcome === "passes";
  const sent = sentOf(tried, run, baseline);
  const isRepeated = run.target?.isDone === true && sent > 1;
  const times = isRepeated ? `: it sent the call ${sent} times` : "";
  const repeats = `before the call is sent again, look for what the first one made${once === undefined ? "" : `; to end the repeats of ${client}: ${once}`}`;
  const ways = passes ? "passes" : "fails";

  const lost = run.owners.lost(baseline.first.owners);
  if (lost !== undefined) return faulty("lost", `${ways}, and ${lossOf(lost)}`);
  if (!passes) {
    const { made } = run.target ?? {};
    const left = run.parts.flatMap((part) => part.filter(({ id }) => id === made))[0];
    if (left !== undefined) {
      const lacks = left.kind === "keys" ? "nobody has its value" : "the program does not know it";
      const why = `fails, but ${baseline.comparisons.at(-1)?.nameOf(left)} exists, and ${lacks}${times}`;
      return faulty("orphan", why, isRepeated ? repeats : advice.orphan);
    }
    const half = atomic ? halfOf(run) : [];
    if (half.length === 0) return { verdict: "fails-clearly" };
    return faulty("half-done", `fails, and leaves ${half.slice(0, MAX_SHOWN).join(", ")}`);
  }
  const isAsked = isQuestion(tried);
  if (isAsked && isUnanswered(tried, run, baseline)) {
    const noun = tried.operation === "keys.verifyKey" ? "verification" : "rate limit";
    if (!isAnswer(tried.how))
      return faulty("no-answer", `passes although the ${noun} had no answer`);
    return faulty(
      "unnoticed",
      `passes although the ${noun} said no: nothing in this run notices it`,
    );
  }
  if (isAsked && isRepeated && isCharged(run, baseline)) {
    const who = client === undefined ? "it was" : `${client} or the program`;
    const why = `passes, but a verification took its credits more than once: ${who} sent it again`;
    const change = once === undefined ? "" : `; to end the repeats of ${client}: ${once}`;
    return faulty("charged-twice", why, advice["charged-twice"] + change);
  }
  // A question that was not answered takes no credits.
  const found = differencesOf(run, baseline, isAsked);
  if (found.length === 0) return { verdict: "copes" };
  const why = `passes, but leaves ${found.slice(0, MAX_SHOWN).join(", ")}${times}`;
  return faulty("passes-but", why, isRepeated ? repeats : advice["passes-but"]);
}

/** How many differences a sentence names. */
const MAX_SHOWN = 3;

/** How often the call of a case was sent: once, if it was not repeated. */
export function sentOf(tried: Case, run: Run, { asking, first, second }: Baseline): number {
  const count = ({ calls }: Run) =>
    calls.filter(
      (call) => call.operation === tried.operation && asking.of(call) === tried.asked.asks,
    ).length;
  return count(run) - Math.min(count(first), count(second)) + 1;
}

/** Whether no equal call took the place of a question that was not answered yes. */
function isUnanswered(tried: Case, run: Run, { asking, first, second }: Baseline): boolean {
  const done = ({ calls }: Run) =>
    calls.filter(
      (call) => call.isDone && call !== run.target && asking.of(call) === tried.asked.asks,
    ).length;
  return done(run) < Math.max(1, Math.min(done(first), done(second)));
}

/** Part by part, if the program reset the emulator as often in both runs. */
function partsOf({ parts }: Run, { comparisons, first }: Baseline) {
  const from = parts.length === first.parts.length ? 0 : -1;
  const expected = first.parts.slice(from);
  return parts.slice(from).map((found, index) => {
    const comparison = comparisons.slice(from)[index] as Comparison;
    return [expected[index] ?? [], found, comparison] as const;
  });
}

function differencesOf(run: Run, baseline: Baseline, ignoresCredits: boolean): string[] {
  return partsOf(run, baseline).flatMap(([expected, found, comparison]) =>
    comparison.differences(expected, found, slackOf(run, baseline.first), ignoresCredits),
  );
}

/** Times count as the same within the length of two runs, and a second, to which programs round. */
export function slackOf(one: Run, other: Run): number {
  return one.took + other.took + 1_000;
}

function isCharged(run: Run, baseline: Baseline): boolean {
  return partsOf(run, baseline).some(([expected, found, comparison]) =>
    comparison.areCreditsTaken(expected, found),
  );
}

/** How the records differ from those of the start, without what the service makes on the side. */
function halfOf(run: Run): string[] {
  const start = [...run.start.values()];
  const known = new Set([...run.start.keys(), ...run.calls.flatMap(({ made }) => made ?? [])]);
  const left = (run.parts.at(-1) ?? []).filter(({ id }) => known.has(id));
  // Nothing in the comparison of two runs excuses it.
  const own = new Comparison([...start, ...left], [...start, ...left], 0);
  return own.differences(start, left, run.took, true);
}

/** Like `user_1 has no key that works: it had one`. */
function lossOf({ had, has, owner }: { owner: string; had: number; has: number }): string {
  const [, name, title] = JSON.parse(owner) as string[];
  if (title !== undefined) return `the key ${JSON.stringify(title)} works no more`;
  const keys = has === 0 ? "no key that works" : `${pluralize(has, "key")} that work`;
  return `${name} has ${keys}: it had ${had === 1 ? "one" : had}`;
}
