/** What takes memory and can be made again. */
interface CacheEntry {
  /** Bytes, about. */
  readonly size: number;
  drop(): void;
}

/** 64 MB hold the pages of some 110,000 keys. */
const MAX_BYTES = 67_108_864;
/** How much of it is left when there was more, so that room is made seldom and much at once. */
const LEFT = 0.75;

/**
 * Bounds the memory of what could be made again, of all worlds of an emulator together: the oldest
 * goes first. It keeps nothing alive that nobody else does.
 */
export class CacheBudget {
  readonly #max: number;
  readonly #known = new WeakSet<CacheEntry>();
  #refs: WeakRef<CacheEntry>[] = [];
  /** What has come since room was made last, and what was left then. */
  #size = 0;

  constructor(max: number = MAX_BYTES) {
    this.#max = max;
  }

  /** Takes note of something that has come to take so many more bytes. */
  put(kept: CacheEntry, bytes: number): void {
    if (!this.#known.has(kept)) {
      this.#known.add(kept);
      this.#refs.push(new WeakRef(kept));
    }
    this.#size += bytes;
    if (this.#size > this.#max) this.#makeRoom();
  }

  #makeRoom(): void {
    const alive = this.#refs.flatMap((ref) => ref.deref() ?? []);
    this.#size = alive.reduce((sum, { size }) => sum + size, 0);
    let dropped = 0;
    while (this.#size > this.#max * LEFT) {
      const oldest = alive[dropped];
      if (oldest === undefined) break;
      this.#size -= oldest.size;
      oldest.drop();
      this.#known.delete(oldest);
      dropped += 1;
    }
    this.#refs = alive.slice(dropped).map((kept) => new WeakRef(kept));
  }
}
