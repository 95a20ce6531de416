import { holdProcess } from "./real-timers.ts";

/**
 * Cancels delays when the state of a world is replaced, or when a door closes. It is not an
 * `AbortSignal`, because Node 20 warns of a leak at the eleventh listener of a signal, and
 * `AbortSignal.any` leaks memory if one of its signals lives long
 * (https://github.com/nodejs/node/issues/55351).
 */
export class Lifetime {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
    for (const wake of this.#waiting) wake();
  }

  /** Calls `wake` when the lifetime ends, or now if it has. Returns a function that undoes this. */
  onEnd(wake: () => void): () => void {
    this.#waiting.add(wake);
    if (this.#isOver) wake();
    return () => this.#waiting.delete(wake);
  }

  /** Waits for some milliseconds of real time, or until one of the lifetimes ends. */
  static delay(milliseconds: number, lifetimes: readonly Lifetime[]): Promise<void> {
    return Lifetime.#wait(lifetimes, (wake) => {
      const timer = setTimeout(wake, milliseconds);
      return () => clearTimeout(timer);
    });
  }

  /**
   * Waits until one of the lifetimes ends.
   * @param holds whether to keep the process alive until then
   */
  static untilEnd(lifetimes: readonly Lifetime[], holds: boolean): Promise<void> {
    return Lifetime.#wait(lifetimes, () => (holds ? holdProcess() : () => {}));
  }

  static #wait(
    lifetimes: readonly Lifetime[],
    begin: (wake: () => void) => () => void,
  ): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        stop();
        for (const lifetime of lifetimes) lifetime.#waiting.delete(wake);
        resolve();
      };
      const stop = begin(wake);
      for (const lifetime of lifetimes) lifetime.#waiting.add(wake);
      if (lifetimes.some(({ isOver }) => isOver)) wake();
    });
  }
}
