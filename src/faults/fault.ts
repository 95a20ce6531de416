import type { ErrorCode } from "../api/errors.ts";
import type { OperationName } from "../api/operation-name.ts";
import type { RefusedAnswer } from "../api/outcomes.ts";
import { type ProblemType, statusOfType } from "../api/v2/problem.ts";
import type { VersionName } from "../api/version.ts";
import { codeOf, type Effect, type FaultMembers, type Latency } from "./fault-schema.ts";
import type { ParsedInput } from "../api/operation.ts";
import { inputContains } from "../base/json.ts";
import { ignore, isPromise, thrownText, toShowable } from "../base/realm.ts";

/** When a fault is applied: before the operation runs, or after it took effect. */
export type FaultPhase = "before" | "after";

/**
 * The input of a call, as the schema of the operation parsed it. For `ratelimit.multiLimit` it is a list,
 * although the type says object, as for all other operations.
 */
export type Input = Readonly<Record<string, unknown>>;

/** A call to which faults may be applied. */
export interface FaultCall {
  readonly operation: string;
  readonly version: VersionName;
  readonly input: ParsedInput;
}

/**
 * A fault to add. It needs at least one of `status`, `code`, `type`, `answer`, `headers`, `effect` and
 * `latency`.
 */
export interface FaultInit extends Omit<FaultMembers, "match"> {
  /**
   * Members that the input must contain (if it is a list, one of its items), or a synchronous function
   * that returns whether the fault may hit a call with this input. Default: any input.
   */
  readonly match?: Input | ((input: Input) => boolean) | undefined;
}

/** A fault that was added to an emulator. */
export class Fault {
  /** `fault_1`, `fault_2` and so on. A reset starts at 1 again. */
  readonly id: string;
  readonly operation: OperationName | undefined;
  readonly version: VersionName | undefined;
  readonly match: FaultInit["match"];
  readonly times: number | undefined;
  readonly skip: number | undefined;
  readonly probability: number | undefined;
  /** The status of the refusal; undefined if it follows from `code`, or if there is no refusal. */
  readonly status: number | undefined;
  readonly code: ErrorCode | undefined;
  /** The type of the refusal in v2; undefined if it follows from the status. */
  readonly type: ProblemType | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly latency: Latency | undefined;
  readonly effect: Effect | undefined;
  /** The answer that says no; undefined if the fault leaves the answer to the operation. */
  readonly answer: RefusedAnswer | undefined;
  readonly when: FaultPhase;
  /** Random 32-bit words for a matching call, by the number of the call. */
  readonly #draw: (number: number) => () => number;
  /** How many matching calls it has skipped. */
  #skipped = 0;
  /** How many calls have matched after the skipped ones, hit or not. */
  #calls = 0;
  #hits = 0;

  constructor(id: string, init: FaultInit, draw: (number: number) => () => number) {
    const { code, effect, type, when } = init;
    const status = init.status ?? statusOfType(type);
    const isRefusal = code !== undefined || status !== undefined;
    const isDistorted = effect === "truncate" || effect === "malformed";
    this.id = id;
    this.operation = init.operation;
    this.version = init.version;
    this.match = init.match;
    this.times = init.times;
    this.skip = init.skip;
    this.probability = init.probability;
    this.status = status;
    this.code = code ?? (status === undefined ? undefined : codeOf(status));
    this.type = type;
    this.headers = init.headers;
    this.latency = init.latency;
    this.effect = effect;
    this.answer = init.answer;
    this.when = when ?? (isDistorted && !isRefusal ? "after" : "before");
    this.#draw = draw;
  }

  /** How many calls it has hit. */
  get hits(): number {
    return this.#hits;
  }

  /** Whether it is still waited for: it has hit fewer calls than `times` (default: 1). */
  get isPending(): boolean {
    return this.#hits < (this.times ?? 1);
  }

  /** Whether it decides the reply: with a refusal, an effect or an answer. Other faults only delay it. */
  get isDeciding(): boolean {
    return this.code !== undefined || this.effect !== undefined || this.answer !== undefined;
  }

  /**
   * Decides whether the fault hits this call, and counts the hit. Returns the latency in milliseconds,
   * or undefined if it does not hit.
   * @param isDecided whether another fault decides the reply. Such a call still counts for `skip`
   */
  apply({ input, operation, version }: FaultCall, isDecided: boolean): number | undefined {
    const isSkipping = this.#skipped < (this.skip ?? 0);
    if (isDecided && this.isDeciding && !isSkipping) return undefined;
    if (this.#hits >= (this.times ?? Infinity)) return undefined;
    if (this.operation !== undefined && this.operation !== operation) return undefined;
    if (this.version !== undefined && this.version !== version) return undefined;
    if (!this.#matches(input)) return undefined;
    if (isSkipping) {
      this.#skipped += 1;
      return undefined;
    }
    this.#calls += 1;
    const next = this.#draw(this.#calls);
    if (next() / 2 ** 32 >= (this.probability ?? 1)) return undefined;
    this.#hits += 1;
    const { latency = 0 } = this;
    const [min, max] = typeof latency === "number" ? [latency, latency] : latency;
    return Math.floor(min + (next() / 2 ** 32) * (max - min + 1));
  }

  /** For JSON. A `match` that is a function is left out. */
  toJSON(): object {
    const { hits, isPending, match } = this;
    return { ...this, match: typeof match === "function" ? undefined : match, hits, isPending };
  }

  #matches(input: ParsedInput): boolean {
    if (typeof this.match === "function") {
      return askPredicate(this.match, input as Input, `${this.id}: match`);
    }
    return this.match === undefined || inputContains(input, this.match);
  }
}

export function faultLabel(fault: Fault): string {
  const { answer, code, effect, id, latency, status, type, when } = fault;
  const delays = latency === undefined ? [] : [`${[latency].flat().join("-")} ms`];
  const refusal = status ?? type ?? code ?? answer;
  return `${id} (${[refusal, effect, ...delays, when].filter(Boolean).join(" ")})`;
}

/**
 * Calls a predicate that a test passed in, and returns its answer as a boolean.
 * @param label names the function in error messages, like `requests: match`
 * @throws Error if the function throws or returns a promise
 */
export function askPredicate<Value>(
  predicate: (value: Value) => boolean,
  value: Value,
  label: string,
): boolean {
  let answer: unknown;
  try {
    answer = predicate(value);
  } catch (error) {
    throw new Error(`${label}: the function failed: ${thrownText(error)}`, {
      cause: toShowable(error),
    });
  }
  if (!isPromise(answer)) return Boolean(answer);
  ignore(answer);
  throw new Error(`${label}: expected a synchronous function, got a promise`);
}
