/**
 * Runs changes of a whole world one after the other, in the order of the calls. A change is made before
 * its call returns, unless it or an earlier change waits for faker to load or pauses between slices.
 */
export class ChangeQueue {
  /** The last change that still runs. */
  #last: Promise<void> | undefined;

  async run(change: () => void | Promise<void>): Promise<void> {
    const running = this.#last === undefined ? change() : this.#last.then(change, change);
    if (running === undefined) return;
    this.#last = running;
    try {
      await running;
    } finally {
      if (this.#last === running) this.#last = undefined;
    }
  }
}

/** Calls `next` with a value, at once if it is no promise. */
export function chain<Value>(
  value: Value | Promise<Value>,
  next: (value: Value) => void | Promise<void>,
): void | Promise<void> {
  return value instanceof Promise ? value.then(next) : next(value);
}
