import { AsyncLocalStorage } from "node:async_hooks";
// Not the global timers: a test may replace them by fake ones that never call back.
import { setTimeout } from "node:timers/promises";
import { UsageError } from "../base/usage-error.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { PlainReply } from "../service/reply.ts";
import { type Asking, type Call, makers, toCall } from "./calls.ts";
import { type Case, faultOf, isQuestion } from "./cases.ts";
import { Names } from "./names.ts";
import type { Cut } from "./owners.ts";
import { recordsIn } from "./records.ts";

/** A fresh emulator, and the program that is run against it once. */
export interface Stage {
  readonly emulator: Emulator;
  /** Runs the program. Rejects if the program fails, with an error whose message says why. */
  run(): Promise<void>;
  /** Ends the server, and the program if it still runs. */
  close(): Promise<void>;
}

/** The case of a run, by what its call is found, and how long the program may take once it is hit (ms). */
interface Trial {
  readonly tried: Case;
  readonly asking: Asking;
  readonly patience: number;
}

export interface Run {
  /** The calls that reached their operation, as they arrived. */
  readonly calls: readonly Call[];
  /** The first is the start, the last the end. */
  readonly cuts: readonly Cut[];
  /** The names of all operations. */
  readonly served: readonly string[];
  /** The call of the case, once it was spoilt. */
  readonly target?: Call;
  readonly outcome: "passes" | "fails" | "hangs";
  /** Why it failed. */
  readonly error?: unknown;
  /** How long it took, in milliseconds. */
  readonly took: number;
  readonly mask: (text: string) => string;
}

/** How long a run may take until its case is hit (ms). */
const LONGEST = 600_000;

/**
 * Runs the program once in a fresh world.
 * @param trial undefined for a run without a fault
 * @throws UsageError for an emulator with isolated workspaces
 */
export async function runOnce(open: () => Promise<Stage>, trial?: Trial): Promise<Run> {
  const { close, emulator, run } = await open();
  const stop = new AbortController();
  try {
    if (emulator.isIsolated)
      throw new UsageError("sweep: isolate: cannot be used, because every run has its own world");
    const { end, hit } = watch(emulator, trial);
    const startedAt = performance.now();
    const hangs = (time = LONGEST) =>
      setTimeout(time, { outcome: "hangs" } as const, { signal: stop.signal });
    const outcome = await Promise.race([
      run().then(
        () => ({ outcome: "passes" }) as const,
        (error: unknown) => ({ outcome: "fails", error }) as const,
      ),
      hangs(),
      hit.then(() => hangs(trial?.patience)),
    ]);
    const mask = (text: string) => emulator.mask(text);
    return { ...end(), ...outcome, took: performance.now() - startedAt, mask };
  } finally {
    stop.abort();
    await close();
  }
}

/** Watches the calls of a run, and spoils that of the case. */
function watch(emulator: Emulator, trial: Trial | undefined) {
  const { faults, operations } = emulator;
  const contracts = operations.map(({ contract }) => contract);
  const names = new Names(emulator);
  const records = (state?: Iterable<string>) =>
    recordsIn(emulator, names, state && JSON.parse([...state].join("")));
  const calls: Call[] = [];
  const cuts: Cut[] = [{ by: "reset", calls: 0, before: [], after: records() }];
  const isAsked = ({ asks }: Call) => asks === trial?.tried.asks;
  let target: Call | undefined;
  let spoil = () => {};
  const hit = new Promise<void>((resolve) => (spoil = resolve));
  let isHit = false;
  let isOver = false;
  /** The request that is answered, with its call once it has reached its operation. */
  const running = new AsyncLocalStorage<{ path: string; client: string; call?: Call }>();
  // The state after the last call. Its text is made only if something else then changes the state.
  const look = () => ({ revision: emulator.revision, state: emulator.snapshotText() });
  let last = look();

  const arrive = (input: unknown): boolean => {
    const current = running.getStore();
    const operation = contracts.find(({ path }) => path === current?.path)?.name;
    if (operation === undefined || current === undefined) return false;
    const call = toCall(operation, input, current.client, names);
    current.call = call;
    calls.push(call);
    if (trial === undefined) return false;
    call.asks = trial.asking.of(call);
    if (isAsked(call) && calls.filter(isAsked).length === trial.tried.number) target = call;
    return false;
  };
  const takeEffect = (): boolean => {
    const { call } = running.getStore() ?? {};
    if (call !== undefined) call.isDone = true;
    last = look();
    return false;
  };
  const isSpoilt = (): boolean => {
    const { call } = running.getStore() ?? {};
    // The 500 lasts. A client that repeats calls by itself would hide a single one from its program.
    const lasts = trial?.tried.how === "500" && call !== undefined && isAsked(call);
    if (target === undefined || (call !== target && !lasts)) return false;
    isHit = true;
    spoil();
    return true;
  };
  const addFaults = () => {
    // These two hit no call: they see each call before and after it takes effect.
    const first = faults.add({ latency: 0, match: arrive });
    faults.add({ latency: 0, when: "after", match: takeEffect });
    if (trial !== undefined) faults.add({ ...faultOf(trial.tried), match: isSpoilt });
    return first;
  };
  let watching = addFaults();

  /** Notes what has changed since the last call: by a reset, by `seed` and the like, or by a mark. */
  const settle = () => {
    const isChanged = emulator.revision !== last.revision;
    const isCleared = !faults.list().includes(watching);
    if (isCleared) watching = addFaults();
    const begin = cuts.findLast(({ by }) => by !== "seed") as Cut;
    const isNewMark = emulator.isMarked && begin.by !== "mark";
    if (!isChanged && !isNewMark) return;
    // A reset clears faults. A mark may come right behind it, and is then seen before the next call.
    const by = isCleared && isChanged ? "reset" : isNewMark ? "mark" : "seed";
    cuts.push({ by, calls: calls.length, before: records(last.state), after: records() });
    if (by === "mark") for (const call of calls.slice(begin.calls)) call.isSetup = true;
    last = look();
  };

  const handle = emulator.handle.bind(emulator);
  emulator.handle = async (request) => {
    if (isOver) return handle(request);
    settle();
    const current: ReturnType<typeof running.getStore> = {
      path: request.path,
      client: request.header("user-agent") ?? "",
    };
    const reply = await running.run(current, () => handle(request));
    if (current.call?.isDone === true) readAnswer(current.call, reply, names);
    return reply;
  };
  const end = () => {
    settle();
    isOver = true;
    cuts.push({ by: "reset", calls: calls.length, before: records(), after: [] });
    const spoilt = isHit && target !== undefined ? { target } : {};
    return { calls, cuts, served: contracts.map(({ name }) => name), ...spoilt };
  };
  return { end, hit };
}

/** Also the answer of which the client gets only a part, or nothing. */
function readAnswer(call: Call, { body, status }: PlainReply, names: Names): void {
  if (status !== 200) return;
  const answer: unknown = JSON.parse(new TextDecoder().decode(body));
  const { data = answer } = Object(answer);
  names.learn(data);
  const { passed, success, valid } = Object(data);
  if (isQuestion(call.operation)) call.isYes = [passed, success, valid].includes(true);
  call.made = Object(data)[makers.get(call.operation) ?? ""];
}
