// Not the global timers: a test may replace them by fake ones that never call back.
import { setTimeout } from "node:timers/promises";
import { grouped } from "../base/grouped.ts";
import { thrownText } from "../base/realm.ts";
import { throwLines } from "../base/usage-error.ts";
import { pluralize } from "../base/wording/text.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import type { PlainReply } from "../service/reply.ts";
import { SweepError } from "./baseline.ts";
import { Names } from "./names.ts";
import { Comparison, summarize, recordsIn, type UsableRecord } from "./records.ts";
import { rowOf } from "./table.ts";
import { openWorld, type SweepWorld } from "./world.ts";

export interface OrdersOptions extends EmulatorOptions {
  /** How many runs of the program are in parallel. Default: 2. */
  readonly runs?: number | undefined;
  /** The greatest number of orders to try. Default: 200. */
  readonly most?: number | undefined;
  /** Tries only this order: for each call, the number of the run that makes it, from 1. */
  readonly order?: readonly number[] | undefined;
}

export interface OrdersWorld extends SweepWorld {
  /** The number of the run, from 1. */
  readonly run: number;
}

type Program = (world: OrdersWorld) => unknown;

/** One order of the calls, and how it ended. */
interface Trial {
  /** For each call: the runs that waited with a call, the run that was let through, and its call. */
  readonly steps: { readonly waiting: readonly number[]; run: number; call: string }[];
  records: readonly UsableRecord[];
  /** What a run threw. */
  failure?: unknown;
  /** Whether a call was let through although a run had neither ended nor made its next call. */
  ranOutOfPatience: boolean;
}

/** How long to wait for a call if other runs wait with one, and if none does (ms). */
const PATIENCE = 200;
const LONG_PATIENCE = 8_000;
/** How often to look for a call (ms). */
const STEP = 5;

/**
 * Runs a program several times in parallel, in every order of the calls. Each call is held until all runs
 * wait with one, and then one is let through. Every order has a fresh emulator with the same options. The
 * random seed is 1 unless you set it.
 * @returns a sentence that says how many orders were tried
 * @throws SweepError with the orders in which a run fails, or that leave other records than runs in
 *   sequence, and if the runs fail in sequence; UsageError for invalid options
 */
export async function orders(program: Program, options: OrdersOptions = {}): Promise<string> {
  const { runs = 2, most = 200, order, ...others } = options;
  const counts = Object.entries({ runs, most }).filter(([, count]) => !(count >= 1));
  const lines = counts.map(([name, count]) => `orders: ${name}: expected 1 or more, got ${count}`);
  if (others.isolate)
    lines.push("orders: isolate: cannot be used, because the runs share one emulator");
  throwLines(lines);
  const tryOrder = (calls: readonly number[]) => runTogether(program, runs, others, calls);
  const inSequence = await tryOrder([]);
  const { failure, records: expected } = inSequence;
  if (failure !== undefined) {
    const why = `one after the other, ${failureOf(failure)}; no order was tried`;
    throw new SweepError(`orders: ${why}`, [], { cause: failure });
  }
  const trials = [order === undefined ? inSequence : await tryOrder(order)];
  let next = order === undefined ? nextOrder(inSequence) : undefined;
  while (next !== undefined && trials.length < most) {
    const trial = await tryOrder(next);
    trials.push(trial);
    next = nextOrder(trial);
  }
  const comparison = new Comparison(expected);
  const wrong = trials.flatMap(({ failure: failed, records, steps }) => {
    const left = summarize(comparison.differences(records, LONG_PATIENCE));
    const whys = [failed !== undefined && failureOf(failed), left && `leaves ${left}`];
    const why = whys.filter(Boolean).join(", and ");
    const calls = steps.map(({ call, run }) => `run ${run} ${call}`);
    return why === "" ? [] : [{ why, calls, order: steps.map(({ run }) => run) }];
  });
  const head = [
    `${runs} runs at once, ${pluralize(trials.length, "order")} of their calls: ${wrong.length} wrong`,
    next !== undefined && "More orders were not tried, because of `most`.",
    trials.some(({ ranOutOfPatience }) => ranOutOfPatience) &&
      `A run made no call for ${PATIENCE} ms, and the others went on without it.`,
  ].filter((line) => line !== false);
  if (wrong.length === 0) return head.join("\n");
  // Orders with the same result share a row.
  const rows = [...grouped(wrong, ({ why }) => why)].map(([why, same]) => {
    const title = `${pluralize(same.length, "order")}, like ${same[0]?.calls.join(", ")}`;
    return rowOf(title, why, ADVICE, `with the option order: [${same[0]?.order.join(", ")}]`);
  });
  throw new SweepError(`\n${[head.join("\n"), ...rows].join("\n\n")}`, wrong);
}

const ADVICE =
  "let the service decide: make one call and handle its refusal, or hold a lock around these calls";

function failureOf(error: unknown): string {
  return `a run fails: ${thrownText(error).split("\n", 1)[0]}`;
}

/** How the next order begins: the last step that had a choice lets a later run through. */
function nextOrder({ steps }: Trial): readonly number[] | undefined {
  const others = steps.map(({ run, waiting }) => waiting.find((other) => other > run));
  const last = others.findLastIndex((other) => other !== undefined);
  if (last < 0) return undefined;
  return [...steps.slice(0, last).map(({ run }) => run), others[last] ?? 0];
}

/** @param order the runs to let through first; after that, always the first run that waits */
async function runTogether(
  program: Program,
  runs: number,
  options: EmulatorOptions,
  order: readonly number[],
): Promise<Trial> {
  // Each run has its own server, so the port of a call shows which run made it.
  const { close, emulator, urls } = await openWorld(options, runs);
  const ports = urls.map((url) => new URL(url).port);
  const names = new Names(emulator);
  const trial: Trial = { steps: [], records: [], ranOutOfPatience: false };
  /** The calls that are held, by the run, for runs that have not ended. */
  const held = new Map(urls.map((_, run) => [run + 1, [] as { call: string; pass(): unknown }[]]));
  let hasNews = false;
  const handle = emulator.handle.bind(emulator);
  emulator.handle = (request) =>
    new Promise<PlainReply>((resolve) => {
      const run = ports.indexOf(request.header("host")?.split(":").at(-1) ?? "") + 1;
      const call = request.path.replace(/^\/v\d\//, "");
      held.get(run)?.push({ call, pass: async () => resolve(await handle(request)) });
      hasNews = true;
    });
  const start = async (run: number, url: string) => {
    try {
      await program({ emulator, url, run });
    } catch (error) {
      trial.failure ??= error;
    }
    held.delete(run);
    hasNews = true;
  };
  try {
    for (const [index, url] of urls.entries()) void start(index + 1, url);
    while (held.size > 0) {
      const waiting = [...held.keys()].filter((run) => held.get(run)?.length);
      if (waiting.length < held.size) {
        hasNews = false;
        const patience = waiting.length > 0 ? PATIENCE : LONG_PATIENCE;
        // Short steps take longer while the machine is busy, so a slow run gets more time.
        for (let time = 0; time < patience && !hasNews; time += STEP) await setTimeout(STEP);
        if (hasNews) continue;
        trial.ranOutOfPatience = true;
        if (waiting.length === 0) break;
      }
      const [first = 0] = waiting;
      const wanted = order[trial.steps.length] ?? first;
      const run = waiting.includes(wanted) ? wanted : first;
      const next = held.get(run)?.shift();
      trial.steps.push({ waiting, run, call: next?.call ?? "" });
      await next?.pass();
    }
    return { ...trial, records: recordsIn(emulator, names) };
  } finally {
    await close();
  }
}
