import { isDeepStrictEqual } from "node:util";
// Not the global timers: a test may replace them by fake ones that never call back.
import { setTimeout } from "node:timers/promises";
import { UsageError } from "../base/usage-error.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { RecordedRequest } from "../world/journal/recorded-request.ts";
import { type Call, type Case, faultOf, isQuestion } from "./cases.ts";
import { recordsIn, type UsableRecord } from "./records.ts";

/** A fresh emulator, and the program that is run against it once. */
export interface Stage {
  readonly emulator: Emulator;
  /** Runs the program. Rejects if the program fails. */
  run(): Promise<void>;
  /** Ends the server, and the program if it still runs. */
  close(): Promise<void>;
}

interface Seen {
  /** The calls that reached their operation, as they arrived. */
  readonly calls: Call[];
  /** The records that could be used before each reset by the program, and at the end. */
  readonly parts: (readonly UsableRecord[])[];
  /** The call of the case, once it came. */
  target?: Call;
  /** Whether the fault of the case was applied. */
  isHit: boolean;
  /** The records that the call of the case made, if its reply was lost after that. */
  made: readonly UsableRecord[];
}

export interface Run extends Readonly<Seen> {
  readonly outcome: "passes" | "fails" | "hangs";
  /** Why it failed. */
  readonly error?: unknown;
  /** How long it took, in milliseconds. */
  readonly took: number;
}

/**
 * Runs the program once in a fresh world.
 * @param tried undefined for a run without a fault
 * @param patience after how many milliseconds the program hangs
 */
export async function runOnce(
  open: () => Promise<Stage>,
  tried: Case | undefined,
  patience: number,
): Promise<Run> {
  const { close, emulator, run } = await open();
  if (emulator.isIsolated) {
    await close();
    throw new UsageError("sweep: isolate: cannot be used, because every run has its own world");
  }
  const { end, seen } = watch(emulator, tried);
  const startedAt = performance.now();
  const stop = new AbortController();
  try {
    const outcome = await Promise.race([
      run().then(
        () => ({ outcome: "passes" }) as const,
        (error: unknown) => ({ outcome: "fails", error }) as const,
      ),
      setTimeout(patience, { outcome: "hangs" } as const, { signal: stop.signal }),
    ]);
    seen.parts.push(recordsIn(emulator));
    return { ...seen, ...outcome, took: performance.now() - startedAt };
  } finally {
    stop.abort();
    await close();
    await end();
  }
}

/** Watches the calls of a run, and spoils that of the case. */
function watch(emulator: Emulator, tried: Case | undefined) {
  const { faults, operations, requests } = emulator;
  const seen: Seen = { calls: [], parts: [], isHit: false, made: [] };
  let before: readonly UsableRecord[] = [];
  let isOver = false;
  // The state after the last call. Its text is made only if the program then resets the emulator.
  const lookAt = ({ revision }: Emulator) => ({ revision, state: emulator.snapshotText() });
  let last = lookAt(emulator);

  const arrive = (operation: string, input: unknown): boolean => {
    const number = 1 + seen.calls.filter((call) => call.operation === operation).length;
    const call: Call = { operation, number, input, isDone: false };
    seen.calls.push(call);
    if (operation !== tried?.call.operation || number !== tried.call.number) return false;
    seen.target = call;
    before = recordsIn(emulator);
    return false;
  };
  const takeEffect = (input: unknown): boolean => {
    const call = seen.calls.findLast((each) => each.input === input);
    if (call !== undefined) call.isDone = true;
    last = lookAt(emulator);
    return false;
  };
  const isSpoilt = (input: unknown): boolean => {
    const { target } = seen;
    // The 500 lasts. A client that repeats calls by itself would hide a single one from its program.
    const isRepeat = tried?.how === "500" && isDeepStrictEqual(input, target?.input);
    if (target === undefined || (input !== target.input && !isRepeat)) return false;
    seen.isHit = true;
    const known = new Set(before.map(({ id }) => id));
    if (target.isDone) seen.made = recordsIn(emulator).filter(({ id }) => !known.has(id));
    return true;
  };
  const add = () => {
    // These two hit no call: they see the parsed input of each, before and after it takes effect.
    for (const operation of new Set(operations.map(({ contract }) => contract.name))) {
      const look = { operation, latency: 0 };
      faults.add({ ...look, match: (input) => arrive(operation, input) });
      faults.add({ ...look, when: "after", match: takeEffect });
    }
    if (tried !== undefined) faults.add({ ...faultOf(tried), match: isSpoilt });
  };
  add();
  const clear = faults.clear.bind(faults);
  // A reset clears the faults too, once it has replaced the state.
  faults.clear = () => {
    clear();
    if (isOver) return;
    const isReset = emulator.revision !== last.revision;
    if (isReset) seen.parts.push(recordsIn(emulator, JSON.parse([...last.state].join(""))));
    last = lookAt(emulator);
    add();
  };

  /** The answers are in the journal alone. */
  const answer = ({ answer: body, operation, status }: RecordedRequest): boolean => {
    const call = seen.calls.find(
      (each) => each.operation === operation && each.isDone && each.isYes === undefined,
    );
    if (call === undefined || status !== 200 || !isQuestion(call)) return false;
    const { data = body } = Object(body);
    const { passed, success, valid } = Object(data);
    call.isYes = [passed, success, valid].includes(true);
    return false;
  };
  const listen = () => {
    // At once, the journal passes the requests that it has already.
    let isNew = false;
    const ended = requests.waitFor({ match: (request) => isNew && answer(request) }, "20d");
    isNew = true;
    // It rejects at each reset.
    ended.catch(() => isOver || listen());
  };
  listen();
  const end = () => {
    isOver = true;
    // This ends the wait for answers, whose timer would keep the process alive.
    return emulator.reset();
  };
  return { seen, end };
}
