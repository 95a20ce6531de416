// Not the global timers: a test may replace them by fake ones that never call back.
import { setTimeout } from "node:timers/promises";
import { thrownText } from "../base/realm.ts";
import { throwLines } from "../base/usage-error.ts";
import { pluralize } from "../base/wording/text.ts";
import { serve } from "../doors/http/serve.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import type { PlainReply } from "../service/reply.ts";
import { SweepError } from "./baseline.ts";
import { Names } from "./names.ts";
import { Comparison, listed, recordsIn, type UsableRecord } from "./records.ts";
import { rowOf } from "./table.ts";
import { openWorld, type SweepWorld } from "./world.ts";

export interface OrdersOptions extends EmulatorOptions {
  /** How many runs of the program there are at once. Default: 2. */
  readonly runs?: number | undefined;
  /** How many orders are tried at most. Default: 200. */
  readonly most?: number | undefined;
  /** Tries this order alone: for each call, the number of the run that makes it, from 1. */
  readonly order?: readonly number[] | undefined;
}

export interface OrdersWorld extends SweepWorld {
  /** The number of the run, from 1. */
  readonly run: number;
}

type Program = (world: OrdersWorld) => unknown;

/** One order of the calls, and how it ended. */
interface Trial {
  /** The runs that waited with a call, the one that was let through, and its call. */
  readonly steps: { readonly waiting: readonly number[]; run: number; call: string }[];
  records: readonly UsableRecord[];
  /** What a run has thrown. */
  failure?: unknown;
  /** Whether a call was let through although a run had neither ended nor come to its next call. */
  isHurried: boolean;
}

/** How many milliseconds a run may take to its next call before the others go on, and to the first call. */
const PATIENCE = 200;
const LONG_PATIENCE = 8_000;
const STEP = 5;

/**
 * Runs a program several times at once, in every order of their calls. Each call is held until all runs
 * wait with one, and then one is let through. Every order has a fresh emulator with the same options. The
 * random seed is 1 unless you set it.
 * @returns a sentence that says how many orders were tried
 * @throws SweepError with each order in which a run fails, or that ends with other records than one run
 *   after the other does, and if the runs fail one after the other; UsageError for invalid options
 */
export async function orders(program: Program, options: OrdersOptions = {}): Promise<string> {
  const { runs = 2, most = 200, order, ...others } = options;
  const counts = Object.entries({ runs, most }).filter(([, count]) => !(count >= 1));
  const lines = counts.map(([name, count]) => `orders: ${name}: expected 1 or more, got ${count}`);
  if (others.isolate) lines.push("orders: isolate: cannot be used, because the runs share a world");
  throwLines(lines);
  const inSequence = await atOnce(program, runs, others, []);
  const { failure, records: expected } = inSequence;
  if (failure !== undefined) {
    const why = `one after the other, ${failureOf(failure)}; no order was tried`;
    throw new SweepError(`orders: ${why}`, [], { cause: failure });
  }
  const trials = [order === undefined ? inSequence : await atOnce(program, runs, others, order)];
  let next = order === undefined ? following(inSequence) : undefined;
  while (next !== undefined && trials.length < most) {
    const trial = await atOnce(program, runs, others, next);
    trials.push(trial);
    next = following(trial);
  }
  const same = new Comparison(expected, expected, 0);
  const wrong = trials.flatMap(({ failure: failed, records, steps }) => {
    const left = listed(same.differences(expected, records, LONG_PATIENCE));
    const whys = [failed !== undefined && failureOf(failed), left && `leaves ${left}`];
    const why = whys.filter(Boolean).join(", and ");
    const calls = steps.map(({ call, run }) => `run ${run} ${call}`);
    return why === "" ? [] : [{ why, calls, order: steps.map(({ run }) => run) }];
  });
  const head = [
    `${runs} runs at once, ${pluralize(trials.length, "order")} of their calls: ${wrong.length} wrong`,
    next !== undefined && "More orders were not tried, because of `most`.",
    trials.some(({ isHurried }) => isHurried) &&
      `A run took more than ${PATIENCE} ms to its next call, and others went on.`,
  ].filter((line) => line !== false);
  if (wrong.length === 0) return head.join("\n");
  // Orders that end alike share a row.
  const rows = [...new Set(wrong.map(({ why }) => why))].map((why) => {
    const [first, ...more] = wrong.filter((each) => each.why === why);
    const title = `${pluralize(more.length + 1, "order")}, like ${first?.calls.join(", ")}`;
    return rowOf(title, why, ADVICE, `with the option order: [${first?.order.join(", ")}]`);
  });
  throw new SweepError(`\n${[head.join("\n"), ...rows].join("\n\n")}`, wrong);
}

const ADVICE =
  "let the service decide with one call and take its refusal for an answer, or take a lock around these calls";

function failureOf(error: unknown): string {
  return `a run fails: ${thrownText(error).split("\n", 1)[0]}`;
}

/** The beginning of the next order: the last step that could let a later run through does so. */
function following({ steps }: Trial): readonly number[] | undefined {
  const others = steps.map(({ run, waiting }) => waiting.find((other) => other > run));
  const last = others.findLastIndex((other) => other !== undefined);
  if (last < 0) return undefined;
  return [...steps.slice(0, last).map(({ run }) => run), others[last] ?? 0];
}

/** @param order the runs whose calls are let through first; then the first run that waits */
async function atOnce(
  program: Program,
  runs: number,
  options: EmulatorOptions,
  order: readonly number[],
): Promise<Trial> {
  const { close, emulator } = await openWorld(options);
  const names = new Names(emulator);
  const trial: Trial = { steps: [], records: [], isHurried: false };
  // Each run has its own server, so the port shows which run made a call.
  const servers = await Promise.all(Array.from({ length: runs }, () => serve(emulator)));
  const ports = servers.map(({ port }) => String(port));
  /** The calls that are held, of each run that has not ended. */
  const held = new Map(
    servers.map((_, run) => [run + 1, [] as { call: string; pass(): unknown }[]]),
  );
  let isWoken = false;
  const handle = emulator.handle.bind(emulator);
  emulator.handle = (request) =>
    new Promise<PlainReply>((resolve) => {
      const run = ports.indexOf(request.header("host")?.split(":").at(-1) ?? "") + 1;
      const call = request.path.replace(/^\/v\d\//, "");
      held.get(run)?.push({ call, pass: async () => resolve(await handle(request)) });
      isWoken = true;
    });
  const start = async (run: number, url: string) => {
    try {
      await program({ emulator, url, run });
    } catch (error) {
      trial.failure ??= error;
    }
    held.delete(run);
    isWoken = true;
  };
  try {
    for (const [index, { url }] of servers.entries()) void start(index + 1, url);
    while (held.size > 0) {
      const waiting = [...held.keys()].filter((run) => held.get(run)?.length);
      if (waiting.length < held.size) {
        isWoken = false;
        const patience = waiting.length > 0 ? PATIENCE : LONG_PATIENCE;
        // In short steps, which take longer while the machine is busy.
        for (let time = 0; time < patience && !isWoken; time += STEP) await setTimeout(STEP);
        if (isWoken) continue;
        trial.isHurried = true;
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
    await Promise.all([...servers.map((server) => server.close({ grace: 0 })), close()]);
  }
}
