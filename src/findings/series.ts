import { elapsed, isSameCall, isSentAfter, type Remembered, type SeenCall } from "./seen-call.ts";
import type { Sighting } from "./rule.ts";

interface Step extends Remembered {
  /** Whether the client had the reply to an earlier call of the series when it sent this one. */
  readonly isAfter: boolean;
}

/** The same call, sent again and again. */
export class Series {
  readonly #times: number;
  readonly #period: number;
  readonly #first: SeenCall;
  #steps: readonly Step[];
  #isTold = false;

  /**
   * @param times how many calls, each after the reply to another, are a mistake
   * @param period within how many milliseconds
   */
  constructor(first: Remembered, { times, period }: Readonly<Record<"times" | "period", number>>) {
    this.#times = times;
    this.#period = period;
    this.#first = first.call;
    this.#steps = [{ ...first, isAfter: true }];
  }

  /** Whether the call is that of the series. */
  has(call: SeenCall): boolean {
    return isSameCall(call, this.#first);
  }

  /** Adds a call. Returns the ids of requests that show a mistake and were not returned before. */
  add(step: Remembered): Omit<Sighting, "why"> | undefined {
    const { call } = step;
    const recent = this.#steps.filter(({ at }) => elapsed(at, step.at) <= this.#period);
    const isAfter = recent.length === 0 || recent.some((earlier) => isSentAfter(call, earlier));
    this.#steps = [...recent, { ...step, isAfter }].slice(-2 * this.#times);
    const certain = this.#steps.filter((each) => each.isAfter);
    if (!isAfter || certain.length < this.#times) return undefined;
    const requests = this.#isTold ? [call.requestId] : certain.map((each) => each.call.requestId);
    this.#isTold = true;
    return { subject: this.#first.requestId, requests };
  }
}
