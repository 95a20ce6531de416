import { mergedInSteps, sortedInSteps, type Steps } from "../../base/steps.ts";

/** Small enough for a cheap copy of a chunk, and large enough for few chunks. */
const CHUNK_SIZE = 128;

/** The items of a chunk from index `from` up to, but not including, `to`. */
export interface ChunkRange<Item> {
  readonly chunk: readonly Item[];
  readonly from: number;
  readonly to: number;
}

/**
 * A sorted list. `isAfter(a, b)` says whether `a` sorts after `b`; two different items never sort alike. It
 * reads only `SortMembers`, so a search needs no whole item. It returns a boolean, because -1, 0 or 1 would
 * take two comparisons of most texts.
 *
 * The items are stored in chunks, which forks share. A chunk that neither a fork nor a loop has seen is changed
 * in place, because every new key and every verification changes up to four lists. Any other chunk is copied
 * first. A loop visits the items that exist when it begins, so it may add and remove items.
 */
export class SortedList<SortMembers, Item extends SortMembers> {
  readonly #isAfter: (a: SortMembers, b: SortMembers) => boolean;
  #chunks: Item[][] = [];
  #size = 0;
  /** The chunks that no fork shares, and that were made after the last loop began. */
  #owned = new Set<Item[]>();

  constructor(isAfter: (a: SortMembers, b: SortMembers) => boolean) {
    this.#isAfter = isAfter;
  }

  get size(): number {
    return this.#size;
  }

  fork(): SortedList<SortMembers, Item> {
    const fork = new SortedList<SortMembers, Item>(this.#isAfter);
    fork.#chunks = this.#chunks.slice();
    fork.#size = this.#size;
    this.#owned = new Set();
    return fork;
  }

  /** Items added and removed since `before`. Chunks that both share are skipped. */
  changesSince(before: this): { readonly added: Item[]; readonly removed: Item[] } {
    const chunks = differences(before.#chunks, this.#chunks);
    return differences(chunks.removed.flat(), chunks.added.flat());
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const chunk of this.#chunksFrom(0)) yield* chunk;
  }

  /** The items from the first one that does not sort before `start`. */
  *from(start: SortMembers): Generator<Item> {
    const [first, ...others] = this.#chunksFrom(this.#chunkOf(start));
    const at = first?.findIndex((item) => !this.#isAfter(start, item)) ?? -1;
    if (first !== undefined && at !== -1) yield* at === 0 ? first : first.slice(at);
    for (const chunk of others) yield* chunk;
  }

  /** The chunks from this index on, for a loop. From now on they are copied before a change. */
  #chunksFrom(index: number): readonly (readonly Item[])[] {
    this.#owned = new Set();
    return this.#chunks.slice(index);
  }

  get(members: SortMembers): Item | undefined {
    // Fast path: most failed lookups are for a new id, which is greater than all others.
    const greatest = this.#chunks.at(-1)?.at(-1);
    if (greatest === undefined || this.#isAfter(members, greatest)) return undefined;
    const chunk = this.#chunks[this.#chunkOf(members)] ?? [];
    const item = chunk[this.#countUpTo(chunk, members) - 1];
    return item === undefined || this.#isAfter(members, item) ? undefined : item;
  }

  add(item: Item): void {
    this.#size += 1;
    const last = this.#chunks.at(-1);
    const greatest = last?.at(-1);
    // Fast path: new keys mostly have the greatest id.
    if (last === undefined || greatest === undefined || this.#isAfter(item, greatest)) {
      this.#append(last, item);
      return;
    }
    const index = this.#chunkOf(item);
    const chunk = this.#own(index);
    chunk.splice(this.#countUpTo(chunk, item), 0, item);
    if (chunk.length > CHUNK_SIZE) this.#put(index, [chunk, chunk.splice(CHUNK_SIZE / 2)]);
  }

  #append(last: Item[] | undefined, item: Item): void {
    if (last !== undefined && last.length < CHUNK_SIZE) {
      this.#own(this.#chunks.length - 1).push(item);
      return;
    }
    const chunk = [item];
    this.#chunks.push(chunk);
    this.#owned.add(chunk);
  }

  #put(index: number, chunks: readonly Item[][]): void {
    for (const before of this.#chunks.splice(index, 1, ...chunks)) this.#owned.delete(before);
    for (const chunk of chunks) this.#owned.add(chunk);
  }

  /** A chunk that can be changed in place. It is a copy if a fork shares the chunk. */
  #own(index: number): Item[] {
    const chunk = this.#chunks[index] ?? [];
    if (this.#owned.has(chunk)) return chunk;
    const copy = chunk.slice();
    this.#put(index, [copy]);
    return copy;
  }

  /**
   * Adds items in steps, between which nothing else may change the list. If there are many, it sorts once
   * instead of inserting them one by one.
   */
  *addInSteps(items: readonly Item[]): Steps<void> {
    if (this.#areFew(items)) {
      for (const item of items) this.add(item);
      return;
    }
    const sorted = yield* sortedInSteps(items, this.#isAfter);
    const all = yield* mergedInSteps(this.#chunks.flat(), sorted, this.#isAfter);
    this.#size = all.length;
    this.#chunks = [];
    for (let start = 0; start < all.length; start += CHUNK_SIZE) {
      this.#chunks.push(all.slice(start, start + CHUNK_SIZE));
    }
    this.#owned = new Set(this.#chunks);
  }

  replace(before: Item, after: Item): void {
    const chunk = this.#own(this.#chunkOf(before));
    chunk[this.#countUpTo(chunk, before) - 1] = after;
  }

  /**
   * Replaces items, each by one with the same place.
   * @param versions has the next version of each, and perhaps of items of other lists
   */
  replaceAll(items: readonly Item[], versions: ReadonlyMap<Item, Item>): void {
    if (this.#areFew(items)) {
      for (const item of items) this.replace(item, versions.get(item) as Item);
      return;
    }
    this.#mapChunks((chunk) => {
      if (!chunk.some((item) => versions.has(item))) return chunk;
      return chunk.map((item) => versions.get(item) ?? item);
    });
  }

  remove(members: SortMembers): void {
    const index = this.#chunkOf(members);
    const chunk = this.#chunks[index] ?? [];
    const at = this.#countUpTo(chunk, members) - 1;
    const item = chunk[at];
    if (item === undefined || this.#isAfter(members, item)) return;
    this.#size -= 1;
    const next = chunk.toSpliced(at, 1);
    this.#put(index, next.length > 0 ? [next] : []);
  }

  /**
   * Removes items.
   * @param removed has all of them, and perhaps items of other lists
   */
  removeAll(items: readonly Item[], removed: ReadonlySet<Item>): void {
    if (this.#areFew(items)) {
      for (const item of items) this.remove(item);
      return;
    }
    this.#mapChunks((chunk) => {
      const left = chunk.filter((item) => !removed.has(item));
      return left.length === chunk.length ? chunk : left;
    });
    this.#size = this.#chunks.reduce((size, chunk) => size + chunk.length, 0);
  }

  /** Whether it is quicker to search each of these items than to go over the whole list. */
  #areFew(items: readonly Item[]): boolean {
    return items.length * (CHUNK_SIZE / 2) < this.#size;
  }

  /** Replaces each chunk. An empty replacement is dropped. */
  #mapChunks(next: (chunk: Item[]) => Item[]): void {
    const before = this.#chunks;
    const owned = this.#owned;
    this.#owned = new Set();
    this.#chunks = [];
    for (const chunk of before) {
      const after = next(chunk);
      if (after.length === 0) continue;
      this.#chunks.push(after);
      if (after !== chunk || owned.has(chunk)) this.#owned.add(after);
    }
  }

  /**
   * The ranges of at most `limit` items that sort after `start` and not after `end`. With
   * `isInclusive`, an item that sorts at `start` is the first. No range is empty.
   */
  ranges(
    start: SortMembers,
    end: SortMembers,
    limit: number,
    isInclusive = false,
  ): ChunkRange<Item>[] {
    const ranges: ChunkRange<Item>[] = [];
    let index = this.#chunkOf(start);
    const chunkAtStart = this.#chunks[index] ?? [];
    let from = this.#countUpTo(chunkAtStart, start);
    const before = chunkAtStart[from - 1];
    if (isInclusive && before !== undefined && !this.#isAfter(start, before)) from -= 1;
    for (let left = limit; left > 0; index += 1, from = 0) {
      const chunk = this.#chunks[index];
      const last = chunk?.at(-1);
      if (chunk === undefined || last === undefined) break;
      const isEnd = this.#isAfter(last, end);
      const to = Math.min(isEnd ? this.#countUpTo(chunk, end) : chunk.length, from + left);
      if (from < to) ranges.push({ chunk, from, to });
      left -= to - from;
      if (isEnd) break;
    }
    return ranges;
  }

  /** The index of the last chunk whose first item sorts before or at `members`; 0 if there is none. */
  #chunkOf(members: SortMembers): number {
    const [chunks, isAfter] = [this.#chunks, this.#isAfter];
    let [low, high] = [0, chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (!isAfter((chunks[middle] as Item[])[0] as Item, members)) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** The number of items of a chunk that sort before or at `members`. */
  #countUpTo(chunk: readonly Item[], members: SortMembers): number {
    const isAfter = this.#isAfter;
    let [low, high] = [0, chunk.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (!isAfter(chunk[middle] as Item, members)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function differences<Item>(
  before: readonly Item[],
  after: readonly Item[],
): { readonly added: Item[]; readonly removed: Item[] } {
  const [then, now] = [new Set(before), new Set(after)];
  return {
    added: after.filter((item) => !then.has(item)),
    removed: before.filter((item) => !now.has(item)),
  };
}
