/** Waits that are under way, all of which can be ended early. */
export class Delays {
  readonly #waiting = new Set<() => void>();

  /**
   * Waits so many real milliseconds, but no longer than until all are ended, or one of `others` is
   * called. Resolves to whether it waited for all of them.
   */
  wait(milliseconds: number, others: Set<() => void> = new Set()): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isWhole: boolean) => {
        clearTimeout(timer);
        for (const listeners of [this.#waiting, others]) listeners.delete(wake);
        resolve(isWhole);
      };
      const wake = () => end(false);
      const timer = setTimeout(() => end(true), milliseconds);
      for (const listeners of [this.#waiting, others]) listeners.add(wake);
    });
  }

  endAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
