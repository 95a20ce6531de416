const MAX_BYTES = 67_108_864;

/**
 * Limits the memory of the caches of all worlds of an emulator: when they have more, all are dropped.
 * Entries are referenced weakly, so that those of a dropped world can be garbage-collected.
 */
export class CacheBudget {
  #known = new WeakSet<{ drop(): void }>();
  #refs: WeakRef<{ drop(): void }>[] = [];
  /** An upper bound of the bytes in use. It may include entries that were garbage-collected. */
  #size = 0;

  /** Registers that an entry has grown by about `bytes`. */
  put(entry: { drop(): void }, bytes: number): void {
    if (!this.#known.has(entry)) {
      this.#known.add(entry);
      this.#refs.push(new WeakRef(entry));
    }
    this.#size += bytes;
    if (this.#size <= MAX_BYTES) return;
    for (const ref of this.#refs) ref.deref()?.drop();
    this.#known = new WeakSet();
    this.#refs = [];
    this.#size = 0;
  }
}
