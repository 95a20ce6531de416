import type { ErrorCode } from "../contract/errors.ts";
import { codeOf, type Effect, type FaultMembers, type Latency } from "./fault-schema.ts";
import { askPredicate } from "./ask-predicate.ts";
import { contains } from "../schema/contains.ts";

/** Whether the operation has taken effect. */
export type FaultPhase = "before" | "after";

/** What a call asks for, as the operation reads it. */
export type Input = Readonly<Record<string, unknown>>;

/** A call that a fault may strike. */
export interface FaultCall {
  readonly operation: string;
  readonly input: Input;
}

/** A fault as a test describes it. */
export interface FaultInit extends Omit<FaultMembers, "match"> {
  /** Members that the input contains, or a function that tells whether to strike it. */
  readonly match?: Input | ((input: Input) => boolean) | undefined;
}

/** A fault that is in force, with what it has done so far. */
export class Fault {
  readonly id: string;
  readonly operation: string | undefined;
  readonly match: FaultInit["match"];
  readonly times: number | undefined;
  readonly probability: number | undefined;
  /** Of the refusal; undefined where it refuses nothing. */
  readonly status: number | undefined;
  readonly code: ErrorCode | undefined;
  readonly message: string | undefined;
  readonly latency: Latency | undefined;
  readonly effect: Effect | undefined;
  readonly when: FaultPhase;
  /** Where its random numbers come from. */
  readonly #draw: (number: number) => () => number;
  #calls = 0;
  #hits = 0;

  constructor(id: string, init: FaultInit, draw: (number: number) => () => number) {
    const { code, effect, status, when } = init;
    const isRefusal = code !== undefined || status !== undefined;
    const isDistorted = effect === "truncate" || effect === "malformed";
    this.id = id;
    this.operation = init.operation;
    this.match = init.match;
    this.times = init.times;
    this.probability = init.probability;
    this.status = status;
    this.code = code ?? (status === undefined ? undefined : codeOf(status));
    this.message = init.message;
    this.latency = init.latency;
    this.effect = effect;
    this.when = when ?? (isDistorted && !isRefusal ? "after" : "before");
    this.#draw = draw;
  }

  /** How many calls it has hits. */
  get hits(): number {
    return this.#hits;
  }

  /** Whether it has still to strike: as often as `times` says, or once. */
  get isPending(): boolean {
    return this.#hits < (this.times ?? 1);
  }

  /** Whether it says what a call is answered with; others only slow it down. */
  get isDeciding(): boolean {
    return this.code !== undefined || this.effect !== undefined;
  }

  /**
   * For the list that it is in: strikes a call, if it is one of its own. Returns the latency (ms),
   * or undefined where it leaves the call alone.
   */
  apply({ operation, input }: FaultCall): number | undefined {
    if (this.#hits >= (this.times ?? Infinity)) return undefined;
    if (this.operation !== undefined && this.operation !== operation) return undefined;
    if (!this.#matches(input)) return undefined;
    this.#calls += 1;
    const next = this.#draw(this.#calls);
    if (next() / 2 ** 32 >= (this.probability ?? 1)) return undefined;
    this.#hits += 1;
    const { latency = 0 } = this;
    const [min, max] = typeof latency === "number" ? [latency, latency] : latency;
    return Math.floor(min + (next() / 2 ** 32) * (max - min + 1));
  }

  /** What there is to tell of it; a function that it matches by cannot be told. */
  toJSON(): object {
    const { code, effect, id, isPending, latency, match, message } = this;
    const { operation, probability, status, hits, times, when } = this;
    return {
      id,
      operation,
      match: typeof match === "function" ? undefined : match,
      times,
      probability,
      status,
      code,
      message,
      latency,
      effect,
      when,
      hits,
      isPending,
    };
  }

  #matches(input: Input): boolean {
    if (typeof this.match === "function") {
      return askPredicate(this.match, input, `${this.id}: match`);
    }
    return this.match === undefined || contains(input, this.match);
  }
}
