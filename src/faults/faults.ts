import { copyJson } from "../schema/copy-json.ts";
import { faultInit, MAX_LATENCY, type FaultMembers } from "./fault-schema.ts";
import { faultProblems } from "./fault-rules.ts";
import type { Contract } from "../contract/operation.ts";
import { problemLine } from "../schema/problem-line.ts";
import { readAs } from "../schema/problems.ts";
import { randomWords } from "../store/ids/random.ts";
import { UsageError } from "../usage-error.ts";
import { Fault, type FaultCall, type FaultInit, type FaultPhase } from "./fault.ts";

/** What faults do to one call. */
export interface AppliedFaults {
  readonly faults: readonly Fault[];
  /** Milliseconds to wait. */
  readonly latency: number;
  /** The fault that says what the call is answered with, if one does. */
  readonly decidingFault: Fault | undefined;
}

/** The faults that a world begins with. */
export interface Start {
  readonly faults: readonly FaultInit[];
  /** Those that are there all the time, like a latency of every operation. */
  readonly baseline: readonly FaultInit[];
}

/** The faults of a world, in the order in which they were added. */
export class Faults {
  readonly #contracts: readonly Contract[];
  readonly #seed: () => number;
  /** What `reset` brings back: faults that are known to be in order. */
  start: Start = { faults: [], baseline: [] };
  #faults: Fault[] = [];
  #made = 0;
  #revision = 0;
  /** Nobody expects these to strike. */
  readonly #baseline = new WeakSet<Fault>();

  constructor(contracts: readonly Contract[], seed: () => number) {
    this.#contracts = contracts;
    this.#seed = seed;
  }

  /**
   * Lets something go wrong from now on: for the next `times` calls, or until it is removed.
   * @throws UsageError with a line for everything that is wrong with it
   */
  add(init: FaultInit): Fault {
    return this.#put(this.#check(init));
  }

  #put(init: FaultInit): Fault {
    this.#made += 1;
    const id = `fault_${this.#made}`;
    const draw = (number: number) => randomWords(`${this.#seed()}/fault/${id}/${number}`);
    const fault = new Fault(id, init, draw);
    this.#faults.push(fault);
    this.#revision += 1;
    return fault;
  }

  /** Grows each time that one is added, strikes or goes. */
  get revision(): number {
    return this.#revision;
  }

  /** Those that are in force, and those that have struck as often as they were to. */
  list(): readonly Fault[] {
    return [...this.#faults];
  }

  /**
   * Those that have still to strike: a test that expects them to can fail on one. The latency that
   * the emulator was created with is none of them.
   */
  pending(): readonly Fault[] {
    return this.#faults.filter((fault) => fault.isPending && !this.#baseline.has(fault));
  }

  /** Removes one, by its id. Returns whether there was one. */
  remove({ id }: Pick<Fault, "id">): boolean {
    const count = this.#faults.length;
    this.#faults = this.#faults.filter((fault) => fault.id !== id);
    this.#revision += 1;
    return this.#faults.length < count;
  }

  clear(): void {
    this.#faults = [];
    this.#revision += 1;
  }

  /** Has those of the start and no others. */
  reset(): void {
    this.clear();
    this.#made = 0;
    for (const init of this.start.baseline) this.#baseline.add(this.#put(init));
    for (const init of this.start.faults) this.#put(init);
  }

  /**
   * Strikes a call at this phase. Each fault that does no more than slow it down does so, and the
   * first of the others decides what it is answered with.
   */
  apply(phase: FaultPhase, call: FaultCall): AppliedFaults | undefined {
    if (this.#faults.length === 0) return undefined;
    const faults: Fault[] = [];
    let latency = 0;
    let decidingFault: Fault | undefined;
    for (const fault of this.#faults) {
      if (fault.when !== phase || (fault.isDeciding && decidingFault !== undefined)) continue;
      const delay = fault.apply(call);
      if (delay === undefined) continue;
      latency += delay;
      faults.push(fault);
      if (fault.isDeciding) decidingFault = fault;
    }
    if (faults.length === 0) return undefined;
    this.#revision += 1;
    return { faults, latency: Math.min(latency, MAX_LATENCY), decidingFault };
  }

  #check(init: FaultInit): FaultInit {
    const match = typeof init === "object" ? init?.match : undefined;
    const isByFunction = typeof match === "function";
    const { value, problems, unknown } = readAs(
      faultInit,
      isByFunction ? { ...init, match: undefined } : init,
    );
    const wrong = [
      ...problems,
      ...unknown,
      ...(value === undefined ? [] : faultProblems(value, this.#contracts)),
    ];
    if (value === undefined || wrong.length > 0) {
      throw new UsageError(wrong.map((problem) => problemLine("fault", problem)));
    }
    return isByFunction ? { ...value, match } : ownMatch(value);
  }
}

/** What a test matches by stays what it was when the fault was added. */
function ownMatch(members: FaultMembers): FaultInit {
  return members.match === undefined ? members : { ...members, match: copyJson(members.match) };
}
