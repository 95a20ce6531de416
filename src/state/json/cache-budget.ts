/** A cache that can be dropped and filled again. */
interface CacheEntry {
  /** Approximate bytes. */
  readonly size: number;
  drop(): void;
}

/** 64 MiB. */
const MAX_BYTES = 67_108_864;
/** The share to keep when the budget is exceeded. Much is dropped at once, so that it happens rarely. */
const KEPT_SHARE = 0.75;

/**
 * Limits the memory of the caches of all worlds of an emulator. The oldest entry is dropped first.
 * Entries are referenced weakly, so that those of a dropped world can be garbage-collected.
 */
export class CacheBudget {
  readonly #max: number;
  readonly #known = new WeakSet<CacheEntry>();
  #refs: WeakRef<CacheEntry>[] = [];
  /**
   * An upper bound of the bytes in use. It may include entries that were garbage-collected.
   */
  #size = 0;

  constructor(max: number = MAX_BYTES) {
    this.#max = max;
  }

  /** Registers that an entry has grown by `bytes`. Drops old entries if the budget is exceeded. */
  put(entry: CacheEntry, bytes: number): void {
    if (!this.#known.has(entry)) {
      this.#known.add(entry);
      this.#refs.push(new WeakRef(entry));
    }
    this.#size += bytes;
    if (this.#size > this.#max) this.#makeRoom();
  }

  #makeRoom(): void {
    const alive = this.#refs.flatMap((ref) => ref.deref() ?? []);
    this.#size = alive.reduce((sum, { size }) => sum + size, 0);
    let dropped = 0;
    while (this.#size > this.#max * KEPT_SHARE) {
      const oldest = alive[dropped];
      if (oldest === undefined) break;
      this.#size -= oldest.size;
      oldest.drop();
      this.#known.delete(oldest);
      dropped += 1;
    }
    this.#refs = alive.slice(dropped).map((entry) => new WeakRef(entry));
  }
}
