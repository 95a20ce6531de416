const MAX_BYTES = 64 * 1_048_576;

/** A cache that can be dropped and filled again. */
interface Cache {
  /** Approximate bytes. */
  readonly size: number;
  drop(): void;
}

/**
 * Limits the memory of the caches of all worlds of an emulator: when they have more, all are dropped but
 * the one that is being filled, so that a page larger than the limit can be finished. Caches are
 * referenced weakly, so that those of a dropped world can be garbage-collected.
 */
export class CacheBudget {
  #known = new WeakSet<Cache>();
  #refs: WeakRef<Cache>[] = [];
  /** An upper bound of the bytes in use. It may include caches that were garbage-collected. */
  #size = 0;

  /** Registers that a cache has grown by about `bytes`. */
  put(cache: Cache, bytes: number): void {
    this.#size += bytes;
    if (this.#size > MAX_BYTES) this.#dropOthers(cache);
    if (this.#known.has(cache)) return;
    this.#known.add(cache);
    this.#refs.push(new WeakRef(cache));
  }

  #dropOthers(filled: Cache): void {
    for (const ref of this.#refs) {
      const cache = ref.deref();
      if (cache !== filled) cache?.drop();
    }
    this.#known = new WeakSet();
    this.#refs = [];
    this.#size = filled.size;
  }
}
