// Not the global timers: a test may replace them by fake ones that never call back.
import { setTimeout } from "node:timers/promises";
import { thrownText } from "../base/realm.ts";
import { throwLines } from "../base/usage-error.ts";
import { pluralize, printable } from "../base/wording/text.ts";
import { type RunningServer, serve } from "../doors/http/serve.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import type { PlainReply } from "../service/reply.ts";
import type { PlainRequest } from "../service/request.ts";
import { Names } from "./calls.ts";
import { Comparison, recordsIn, type UsableRecord } from "./records.ts";
import { openWorld, SweepError, type SweepWorld } from "./sweep.ts";

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
  const trials: Trial[] = [];
  // The first order is that of one run after the other.
  const { failure, records: expected } = await atOnce(program, runs, others, []);
  const same = new Comparison(expected, expected, 0);
  if (failure !== undefined) {
    const why = `one after the other, ${failureOf(failure)}; no order was tried`;
    throw new SweepError(`orders: ${why}`, [], { cause: failure });
  }
  let next: readonly number[] | undefined = order ?? [];
  while (next !== undefined && trials.length < most) {
    const trial: Trial = await atOnce(program, runs, others, next);
    trials.push(trial);
    next = order === undefined ? following(trial) : undefined;
  }
  const wrong = trials.flatMap(({ failure: failed, records, steps }) => {
    const left = same.differences(expected, records, LONG_PATIENCE).join(", ");
    const whys = [failed !== undefined && failureOf(failed), left && `leaves ${left}`];
    const why = whys.filter(Boolean).join(", and ");
    const calls = steps.map(({ call, run }) => `run ${run} ${call}`);
    return why === "" ? [] : [{ why, calls, order: steps.map(({ run }) => run) }];
  });
  const head = `${runs} runs at once, ${pluralize(trials.length, "order")} of their calls: ${wrong.length} wrong`;
  const notes = [
    next !== undefined && "More orders were not tried, because of `most`.",
    trials.some(({ isHurried }) => isHurried) &&
      `A run took more than ${PATIENCE} ms to its next call, and others went on.`,
  ].filter((note) => note !== false);
  if (wrong.length === 0) return [head, ...notes].join("\n");
  // Orders that end alike share a row.
  const rows = [...new Set(wrong.map(({ why }) => why))].map((why) => {
    const alike = wrong.filter((each) => each.why === why);
    return [
      `${pluralize(alike.length, "order")}, like ${alike[0]?.calls.join(", ")}`,
      `  ${why}`,
      "  change: let the service decide with one call and take its refusal for an answer, or take a lock around these calls",
      `  again:  with the option order: [${alike[0]?.order.join(", ")}]`,
    ];
  });
  const table = [[head, ...notes], ...rows].map((lines) => lines.map(printable).join("\n"));
  throw new SweepError(`\n${table.join("\n\n")}`, wrong);
}

function failureOf(error: unknown): string {
  return `a run fails: ${thrownText(error).split("\n", 1)[0]}`;
}

/** How many milliseconds a run may take to its next call before the others go on. */
const PATIENCE = 200;
const STEP = 5;
/** The same if no run has come to a call. */
const LONG_PATIENCE = 8_000;

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
  /** By the number of each run that has not ended, the calls that are held. */
  const held = new Map<number, { call: string; pass: () => Promise<void> }[]>();
  let wake: () => unknown = () => {};
  const hold = (run: number, request: PlainRequest) =>
    new Promise<PlainReply>((resolve) => {
      const pass = async () => resolve(await emulator.handle(request));
      held.get(run)?.push({ call: request.path.replace(/^\/v\d\//, ""), pass });
      wake();
    });
  const start = async (run: number, url: string) => {
    try {
      await program({ emulator, url, run });
    } catch (error) {
      trial.failure ??= error;
    }
    held.delete(run);
    wake();
  };
  const servers: RunningServer[] = [];
  try {
    for (let run = 1; run <= runs; run += 1) {
      const handle = (request: PlainRequest) => hold(run, request);
      servers.push(await serve(withHandle(emulator, handle)));
      held.set(run, []);
    }
    for (const [index, { url }] of servers.entries()) void start(index + 1, url);
    while (held.size > 0) {
      const waiting = [...held.keys()].filter((run) => held.get(run)?.length);
      if (waiting.length < held.size) {
        let isWoken = false;
        wake = () => (isWoken = true);
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

/** The emulator with another way to answer calls. */
function withHandle(emulator: Emulator, handle: Emulator["handle"]): Emulator {
  return new Proxy(emulator, {
    get(target, name) {
      if (name === "handle") return handle;
      const member: unknown = Reflect.get(target, name);
      // Methods read private members, which a proxy does not have.
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
