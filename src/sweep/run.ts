import { AsyncLocalStorage } from "node:async_hooks";
// Not the global timers: a test may replace them by fake ones that never call back.
import { setTimeout } from "node:timers/promises";
import { UsageError } from "../base/usage-error.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { PlainReply } from "../service/reply.ts";
import { type Call, createdIdMembers, type Fingerprints, toCall } from "./calls.ts";
import { type Case, faultOf, isQuestion } from "./cases.ts";
import { Names } from "./names.ts";
import type { Checkpoint } from "./owners.ts";
import { recordsIn } from "./records.ts";

/** A fresh emulator, and the program to run against it once. */
export interface PreparedRun {
  readonly emulator: Emulator;
  /** Runs the program. Rejects if the program fails, with an error whose message says why. */
  run(): Promise<void>;
  /** Stops the server, and the program if it is still running. */
  close(): Promise<void>;
}

export type Prepare = () => Promise<PreparedRun>;

/** The fault of a run. */
interface Trial {
  readonly tried: Case;
  /** Recognize the call to spoil. */
  readonly fingerprints: Fingerprints;
  /** How long the program may take after its call was spoilt (ms). */
  readonly patience: number;
}

export interface Run {
  /** The calls that reached their operation, in the order of arrival. */
  readonly calls: readonly Call[];
  /** The first is the start of the run, the last its end. */
  readonly checkpoints: readonly Checkpoint[];
  /** The names of all operations. */
  readonly operations: readonly string[];
  /** The call that was spoilt. */
  readonly target: Call | undefined;
  readonly outcome: "passes" | "fails" | "hangs";
  /** What the program threw. */
  readonly error?: unknown;
  /** How long the run took (ms). */
  readonly took: number;
  /** Masks the secrets of the emulator. */
  readonly mask: (text: string) => string;
}

/** How long a run may take until its call is spoilt (ms). */
const LONGEST = 600_000;

/**
 * Runs the program once in a fresh world.
 * @param trial undefined for a run without a fault
 * @throws UsageError for an emulator with isolated workspaces
 */
export async function runOnce(prepare: Prepare, trial?: Trial): Promise<Run> {
  const { close, emulator, run } = await prepare();
  const stop = new AbortController();
  try {
    if (emulator.isIsolated)
      throw new UsageError("sweep: isolate: cannot be used, because every run has its own world");
    const { end, spoilt } = watch(emulator, trial);
    const startedAt = performance.now();
    const hangs = (time = LONGEST) =>
      setTimeout(time, { outcome: "hangs" } as const, { signal: stop.signal });
    const outcome = await Promise.race([
      run().then(
        () => ({ outcome: "passes" }) as const,
        (error: unknown) => ({ outcome: "fails", error }) as const,
      ),
      hangs(),
      spoilt.then(() => hangs(trial?.patience)),
    ]);
    const mask = (text: string) => emulator.mask(text);
    return { ...end(), ...outcome, took: performance.now() - startedAt, mask };
  } finally {
    stop.abort();
    await close();
  }
}

/** Records the calls of a run, and spoils the call of the case. */
function watch(emulator: Emulator, trial: Trial | undefined) {
  const { faults } = emulator;
  const contracts = emulator.operations.map(({ contract }) => contract);
  const names = new Names(emulator);
  const records = (state?: Iterable<string>) =>
    recordsIn(emulator, names, state && JSON.parse([...state].join("")));
  const calls: Call[] = [];
  const checkpoints: Checkpoint[] = [{ by: "reset", calls: 0, before: [], after: records() }];
  const isOfCase = ({ fingerprint }: Call) => fingerprint === trial?.tried.fingerprint;
  let target: Call | undefined;
  let spoiltCall: Call | undefined;
  let resolveSpoilt = () => {};
  const spoilt = new Promise<void>((resolve) => (resolveSpoilt = resolve));
  let isOver = false;
  /** The current request, with its call once it has reached its operation. */
  const requests = new AsyncLocalStorage<{ operation: string; client: string; call?: Call }>();
  // The text of a state is only built if the state then changes without a call.
  const currentState = () => ({ revision: emulator.revision, state: emulator.snapshotText() });
  let afterLastCall = currentState();

  const noteArrival = (input: unknown): boolean => {
    const current = requests.getStore();
    if (current === undefined) return false;
    const call = toCall(current.operation, input, current.client, names);
    current.call = call;
    calls.push(call);
    if (trial === undefined) return false;
    call.fingerprint = trial.fingerprints.of(call);
    if (isOfCase(call) && calls.filter(isOfCase).length === trial.tried.number) target = call;
    return false;
  };
  const noteEffect = (): boolean => {
    const { call } = requests.getStore() ?? {};
    if (call !== undefined) call.tookEffect = true;
    afterLastCall = currentState();
    return false;
  };
  const spoils = (): boolean => {
    const { call } = requests.getStore() ?? {};
    // The 500 lasts: a client that retries would hide a single one from the program.
    const lasts = trial?.tried.how === "500" && call !== undefined && isOfCase(call);
    if (target === undefined || (call !== target && !lasts)) return false;
    spoiltCall = target;
    resolveSpoilt();
    return true;
  };
  const addFaults = () => {
    // The first two match no call. They observe each call before and after it takes effect.
    const first = faults.add({ latency: 0, match: noteArrival });
    faults.add({ latency: 0, when: "after", match: noteEffect });
    if (trial !== undefined) faults.add({ ...faultOf(trial.tried), match: spoils });
    return first;
  };
  let firstFault = addFaults();

  /** Adds a checkpoint if a reset, a seed (or a similar method) or a mark came after the last call. */
  const addCheckpoint = () => {
    const isChanged = emulator.revision !== afterLastCall.revision;
    const isCleared = !faults.list().includes(firstFault);
    if (isCleared) firstFault = addFaults();
    const begin = checkpoints.findLast(({ by }) => by !== "seed") as Checkpoint;
    const isNewMark = emulator.isMarked && begin.by !== "mark";
    if (!isChanged && !isNewMark) return;
    // A reset clears faults. A mark that follows at once gets its checkpoint before the next call.
    const by = isCleared && isChanged ? "reset" : isNewMark ? "mark" : "seed";
    const before = records(afterLastCall.state);
    checkpoints.push({ by, calls: calls.length, before, after: records() });
    if (by === "mark") for (const call of calls.slice(begin.calls)) call.isSetup = true;
    afterLastCall = currentState();
  };

  const handle = emulator.handle.bind(emulator);
  emulator.handle = async (request) => {
    const operation = contracts.find(({ path }) => path === request.path)?.name;
    if (isOver || operation === undefined) return handle(request);
    addCheckpoint();
    const client = request.header("user-agent") ?? "";
    const current: ReturnType<typeof requests.getStore> = { operation, client };
    const reply = await requests.run(current, () => handle(request));
    if (current.call?.tookEffect === true) readAnswer(current.call, reply, names);
    return reply;
  };
  const end = () => {
    addCheckpoint();
    isOver = true;
    checkpoints.push({ by: "reset", calls: calls.length, before: records(), after: [] });
    const operations = contracts.map(({ name }) => name);
    return { calls, checkpoints, operations, target: spoiltCall };
  };
  return { end, spoilt };
}

/** Reads the whole answer of the operation, even if the client gets only a part of it or nothing. */
function readAnswer(call: Call, { body, status }: PlainReply, names: Names): void {
  if (status !== 200) return;
  const answer: unknown = JSON.parse(new TextDecoder().decode(body));
  const { data = answer } = Object(answer);
  names.remember(data);
  const { passed, success, valid } = Object(data);
  if (isQuestion(call.operation)) call.isYes = [passed, success, valid].includes(true);
  call.createdId = Object(data)[createdIdMembers.get(call.operation) ?? ""];
}
