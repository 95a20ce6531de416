/** Lets work on one thing wait for the work on it that began before. */
export class Turns {
  readonly #last = new Map<unknown, Promise<unknown>>();

  /** Does the work once all that was asked for before, under the same name, has ended. */
  async take<Value>(name: unknown, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(name);
    const turn = (async () => {
      await before?.catch(() => {});
      return work();
    })();
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }

  /** Nobody waits any longer for what is under way now. */
  forget(name: unknown): void {
    this.#last.delete(name);
  }

  /** As `forget`, for every name. */
  clear(): void {
    this.#last.clear();
  }
}
