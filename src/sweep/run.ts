import { AsyncLocalStorage } from "node:async_hooks";
// Not the global timers: a test may replace them by fake ones that never call back.
import { setTimeout } from "node:timers/promises";
import { UsageError } from "../base/usage-error.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { PlainReply } from "../service/reply.ts";
import { type Asking, type Call, makers, Names, toCall } from "./calls.ts";
import { type Case, faultOf, isQuestion } from "./cases.ts";
import { Owners } from "./owners.ts";
import { recordsIn, type UsableRecord } from "./records.ts";

/** A fresh emulator, and the program that is run against it once. */
export interface Stage {
  readonly emulator: Emulator;
  /** Runs the program. Rejects if the program fails, with an error whose message says why. */
  run(): Promise<void>;
  /** Ends the server, and the program if it still runs. */
  close(): Promise<void>;
}

interface Seen {
  /** The calls that reached their operation, as they arrived. */
  readonly calls: Call[];
  /** The records that could be used before each reset by the program, and at the end. */
  readonly parts: (readonly UsableRecord[])[];
  /** The records that could be used at the start, by their ids. */
  start: Map<string, UsableRecord>;
  readonly owners: Owners;
  /** The call of the case, once it came. */
  target?: Call;
  /** Whether the fault of the case was applied. */
  isHit: boolean;
  isMarked: boolean;
}

export interface Run extends Readonly<Seen> {
  readonly outcome: "passes" | "fails" | "hangs";
  /** Why it failed. */
  readonly error?: unknown;
  /** How long it took, in milliseconds. */
  readonly took: number;
  readonly mask: (text: string) => string;
}

interface Request {
  readonly path: string;
  readonly client: string;
  /** Once it has reached its operation. */
  call?: Call;
}

/** A case, and by what its call is found among those of the run. */
export interface Trial {
  readonly tried: Case;
  readonly asking: Asking;
}

/**
 * Runs the program once in a fresh world.
 * @param trial undefined for a run without a fault
 * @param patience after how many milliseconds the program hangs
 */
export async function runOnce(
  open: () => Promise<Stage>,
  trial: Trial | undefined,
  patience: number,
): Promise<Run> {
  const { close, emulator, run } = await open();
  if (emulator.isIsolated) {
    await close();
    throw new UsageError("sweep: isolate: cannot be used, because every run has its own world");
  }
  const { end, seen } = watch(emulator, trial);
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
    end();
    const mask = (text: string) => emulator.mask(text);
    return { ...seen, ...outcome, took: performance.now() - startedAt, mask };
  } finally {
    stop.abort();
    await close();
  }
}

/** Watches the calls of a run, and spoils that of the case. */
function watch(emulator: Emulator, trial: Trial | undefined) {
  const { faults, operations } = emulator;
  const names = new Names(emulator);
  const records = (state?: Iterable<string>) =>
    recordsIn(emulator, names, state && JSON.parse([...state].join("")));
  const atStart = records();
  const seen: Seen = {
    calls: [],
    parts: [],
    start: byId(atStart),
    owners: new Owners(atStart),
    isHit: false,
    isMarked: false,
  };
  const running = new AsyncLocalStorage<Request>();
  const served = new Map<string, string>(
    operations.map(({ contract }) => [contract.path, contract.name]),
  );
  let isOver = false;
  let pending = 0;
  let callsBeforeReset = 0;
  // The state after the last call. Its text is made only if something else then changes the state.
  const lookAt = ({ revision }: Emulator) => ({ revision, state: emulator.snapshotText() });
  let last = lookAt(emulator);

  /** Notes what has changed since the last call: by `seed`, `restore` or a collection, or by a mark. */
  const settle = () => {
    const isChanged = emulator.revision !== last.revision;
    if (isChanged) {
      const [before, after] = [records(last.state), records()];
      const changed = seen.owners.change(before, after);
      for (const record of changed) {
        const next = after.find(({ id }) => id === record.id);
        if (next === undefined) seen.start.delete(record.id);
        else seen.start.set(record.id, next);
      }
      last = lookAt(emulator);
    }
    if (!emulator.isMarked || seen.isMarked) return;
    seen.isMarked = true;
    for (const call of seen.calls.slice(callsBeforeReset)) call.isSetup = true;
    begin(records());
  };
  const begin = (now: readonly UsableRecord[], before = now) => {
    seen.start = byId(now);
    seen.owners.cut(before, now);
  };

  const arrive = (input: unknown): boolean => {
    const current = running.getStore();
    const operation = current && served.get(current.path);
    if (operation === undefined || current === undefined) return false;
    const call = toCall(operation, input, current.client, names);
    current.call = call;
    seen.calls.push(call);
    if (trial === undefined || !isAsked(call)) return false;
    const arrived = seen.calls.filter(isAsked).length;
    if (arrived !== trial.tried.number) return false;
    seen.target = call;
    seen.owners.reach();
    return false;
  };
  const isAsked = (call: Call) =>
    trial !== undefined &&
    call.operation === trial.tried.operation &&
    trial.asking.of(call) === trial.tried.asked.asks;
  const takeEffect = (): boolean => {
    const { call } = running.getStore() ?? {};
    if (call !== undefined) call.isDone = true;
    return false;
  };
  const isSpoilt = (): boolean => {
    const { call } = running.getStore() ?? {};
    const { target } = seen;
    if (target === undefined || call === undefined) return false;
    // The 500 lasts. A client that repeats calls by itself would hide a single one from its program.
    const isRepeat = trial?.tried.how === "500" && isAsked(call);
    if (call !== target && !isRepeat) return false;
    seen.isHit = true;
    return true;
  };
  const add = () => {
    // These two hit no call: they see each call before and after it takes effect.
    faults.add({ latency: 0, match: arrive });
    faults.add({ latency: 0, when: "after", match: takeEffect });
    if (trial !== undefined) faults.add({ ...faultOf(trial.tried), match: isSpoilt });
  };
  add();
  const clear = faults.clear.bind(faults);
  // A reset clears the faults too, once it has replaced the state.
  faults.clear = () => {
    clear();
    if (isOver) return;
    if (emulator.revision !== last.revision) {
      const before = records(last.state);
      seen.parts.push(before);
      begin(records(), before);
      seen.isMarked = false;
      callsBeforeReset = seen.calls.length;
    }
    last = lookAt(emulator);
    add();
  };

  const handle = emulator.handle.bind(emulator);
  emulator.handle = async (request) => {
    if (isOver) return handle(request);
    if (pending === 0) settle();
    pending += 1;
    const current: Request = { path: request.path, client: request.header("user-agent") ?? "" };
    try {
      const reply = await running.run(current, () => handle(request));
      if (current.call?.isDone === true) readAnswer(current.call, reply, names);
      return reply;
    } finally {
      pending -= 1;
      if (pending === 0 && !isOver) last = lookAt(emulator);
    }
  };
  const end = () => {
    settle();
    isOver = true;
    const atEnd = records();
    seen.parts.push(atEnd);
    seen.owners.end(atEnd);
  };
  return { seen, end };
}

/** Also the answer of which the client gets only a part, or nothing. */
function readAnswer(call: Call, { body, status }: PlainReply, names: Names): void {
  if (status !== 200) return;
  const answer: unknown = JSON.parse(new TextDecoder().decode(body));
  const { data = answer } = Object(answer);
  names.learn(data, call.operation);
  const { passed, success, valid } = Object(data);
  if (isQuestion(call)) call.isYes = [passed, success, valid].includes(true);
  const member = makers.get(call.operation);
  if (member !== undefined) call.made = Object(data)[member];
}

function byId(records: readonly UsableRecord[]): Map<string, UsableRecord> {
  return new Map(records.map((record) => [record.id, record]));
}
