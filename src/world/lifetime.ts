/**
 * How long something lasts that delays wait in: what a world holds, until it is replaced, or an open
 * door. It is no `AbortSignal`: Node 20 warns of a leak at the eleventh listener of one, and a signal
 * that lives long keeps track of each that `AbortSignal.any` makes of it (nodejs/node#55351).
 */
export class Lifetime {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends it, and every delay that waits in it. */
  end(): void {
    this.#isOver = true;
    for (const wake of this.#waiting) wake();
  }

  /**
   * Waits so many real milliseconds, but no longer than each of these lasts. Resolves to whether all
   * of them still do.
   */
  static delay(milliseconds: number, lifetimes: readonly Lifetime[]): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        for (const each of lifetimes) each.#waiting.delete(wake);
        resolve(lifetimes.every(({ isOver }) => !isOver));
      };
      const timer = setTimeout(wake, milliseconds);
      for (const each of lifetimes) each.#waiting.add(wake);
      if (lifetimes.some(({ isOver }) => isOver)) wake();
    });
  }
}
