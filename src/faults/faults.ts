import { copyJson } from "../base/json.ts";
import { faultInit, type FaultMembers, MAX_LATENCY } from "./fault-schema.ts";
import { faultProblems } from "./fault-rules.ts";
import type { ServedContract } from "../api/operation.ts";
import { readOrThrow } from "../schema/problems.ts";
import { randomWords } from "../base/random.ts";
import { Fault, type FaultCall, type FaultInit, type FaultPhase } from "./fault.ts";

export interface AppliedFaults {
  readonly faults: readonly Fault[];
  /** The sum of their delays in milliseconds, at most an hour. */
  readonly latency: number;
  /** The fault that decides the reply; undefined if all of them only delay it. */
  readonly decidingFault: Fault | undefined;
}

interface FaultSettings {
  readonly contracts: readonly ServedContract[];
  /** Faults from options like `latency`, which every reset brings back. `pending()` leaves them out. */
  readonly faults: readonly FaultInit[];
}

/** The faults of a world, in the order in which they were added. */
export class Faults {
  readonly #settings: FaultSettings;
  readonly #seed: () => number;
  /** The faults of the last `resetTo`. */
  initial: readonly FaultInit[] = [];
  #faults: Fault[] = [];
  #addedCount = 0;
  #revision = 0;
  readonly #baseline = new WeakSet<Fault>();

  constructor(settings: FaultSettings, seed: () => number) {
    this.#settings = settings;
    this.#seed = seed;
  }

  /**
   * Adds a fault. From now on it is applied, to `times` calls or until it is removed.
   * @throws UsageError
   */
  add(init: FaultInit): Fault {
    return this.#put(this.#check(init));
  }

  #put(init: FaultInit): Fault {
    this.#addedCount += 1;
    const id = `fault_${this.#addedCount}`;
    const draw = (number: number) => randomWords(`${this.#seed()}/fault/${id}/${number}`);
    const fault = new Fault(id, init, draw);
    this.#faults.push(fault);
    this.#revision += 1;
    return fault;
  }

  /** Increases when a fault is added, hits a call or is removed. */
  get revision(): number {
    return this.#revision;
  }

  /** How many faults there are, including those that have hit `times` calls. */
  get size(): number {
    return this.#faults.length;
  }

  /** All faults, including those that have hit `times` calls. */
  list(): readonly Fault[] {
    return [...this.#faults];
  }

  /**
   * The faults that are still waited for: they have hit fewer calls than `times` (default: 1). A test
   * can fail if there are any. Faults from the emulator's options, like `latency`, are left out.
   */
  pending(): readonly Fault[] {
    return this.#faults.filter((fault) => fault.isPending && !this.#baseline.has(fault));
  }

  /** Removes a fault by its id. Returns whether there was one. */
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

  /** Replaces all faults with those of the options and these, and numbers ids from 1 again. */
  resetTo(validated: readonly FaultInit[]): void {
    this.clear();
    this.initial = validated;
    this.#addedCount = 0;
    for (const init of this.#settings.faults) this.#baseline.add(this.#put(init));
    for (const init of validated) this.#put(init);
  }

  /**
   * Applies faults to a call in this phase. All matching faults that only delay the call or add headers
   * to its reply hit it, and their delays add up. Only the first of the other matching faults hits it,
   * and decides the reply. Returns undefined if no fault hits.
   */
  apply(phase: FaultPhase, call: FaultCall): AppliedFaults | undefined {
    const faults: Fault[] = [];
    let latency = 0;
    let decidingFault: Fault | undefined;
    for (const fault of this.#faults) {
      if (fault.when !== phase) continue;
      const delay = fault.apply(call, decidingFault !== undefined);
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
    const input = isByFunction ? { ...init, match: undefined } : init;
    const members = readOrThrow(faultInit(), input, "fault", (value) =>
      faultProblems(value, this.#settings.contracts),
    );
    return isByFunction ? { ...members, match } : withOwnMatch(members);
  }
}

/** Copies `match`, because the test may change its object later. */
export function withOwnMatch(members: FaultMembers): FaultMembers {
  return members.match === undefined ? members : { ...members, match: copyJson(members.match) };
}
