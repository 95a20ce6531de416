/** Small enough that copying a chunk costs nothing, large enough that chunks are few. */
const CHUNK_SIZE = 128;

/** Items of a chunk, from `from` up to, and without, `to`. */
export interface Stretch<Item> {
  readonly chunk: readonly Item[];
  readonly from: number;
  readonly to: number;
}

/**
 * Items in the order of `compare`, which says of no two of them that they are equal. A fork shares
 * the chunks. Nothing in a chunk ever changes but that items are pushed behind its last one, so what
 * was made of a chunk stays right.
 */
export class SortedList<Position, Item extends Position> {
  readonly #compare: (a: Position, b: Position) => number;
  #chunks: Item[][] = [];
  #size = 0;
  /** Whether the last chunk belongs to this list alone, so that an item may be pushed to it. */
  #ownsLast = false;

  constructor(compare: (a: Position, b: Position) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  fork(): SortedList<Position, Item> {
    const fork = new SortedList<Position, Item>(this.#compare);
    fork.#chunks = this.#chunks.slice();
    fork.#size = this.#size;
    this.#ownsLast = false;
    return fork;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  get(position: Position): Item | undefined {
    // Most that are asked for and not there are new, and so the greatest.
    const greatest = this.#chunks.at(-1)?.at(-1);
    if (greatest === undefined || this.#compare(position, greatest) > 0) return undefined;
    const chunk = this.#chunks[this.#chunkOf(position)] ?? [];
    const item = chunk[this.#countUpTo(chunk, position) - 1];
    return item !== undefined && this.#compare(item, position) === 0 ? item : undefined;
  }

  add(item: Item): void {
    this.#size += 1;
    const last = this.#chunks.at(-1);
    const greatest = last?.at(-1);
    // Keys mostly arrive in order.
    if (last === undefined || greatest === undefined || this.#compare(item, greatest) > 0) {
      this.#append(last, item);
      return;
    }
    const index = this.#chunkOf(item);
    const chunk = this.#chunks[index] ?? [];
    const next = chunk.toSpliced(this.#countUpTo(chunk, item), 0, item);
    const rest = next.length > CHUNK_SIZE ? next.splice(CHUNK_SIZE / 2) : [];
    this.#chunks.splice(index, 1, ...[next, rest].filter(({ length }) => length > 0));
    if (chunk === last) this.#ownsLast = true;
  }

  #append(last: Item[] | undefined, item: Item): void {
    if (last === undefined || last.length >= CHUNK_SIZE) this.#chunks.push([item]);
    else if (this.#ownsLast) last.push(item);
    else this.#chunks[this.#chunks.length - 1] = [...last, item];
    this.#ownsLast = true;
  }

  /** Many are sorted once, and not put in their places one by one. */
  addAll(items: readonly Item[]): void {
    if (items.length < CHUNK_SIZE) {
      for (const item of items) this.add(item);
      return;
    }
    const all = [...this.#chunks.flat(), ...items].sort(this.#compare);
    this.#size = all.length;
    this.#chunks = [];
    for (let start = 0; start < all.length; start += CHUNK_SIZE) {
      this.#chunks.push(all.slice(start, start + CHUNK_SIZE));
    }
    this.#ownsLast = true;
  }

  remove(position: Position): void {
    const index = this.#chunkOf(position);
    const chunk = this.#chunks[index] ?? [];
    const at = this.#countUpTo(chunk, position) - 1;
    const item = chunk[at];
    if (item === undefined || this.#compare(item, position) !== 0) return;
    this.#size -= 1;
    const next = chunk.toSpliced(at, 1);
    // Without the last one, another becomes the last, and a fork may have it too.
    if (next.length === 0 && index === this.#chunks.length - 1) this.#ownsLast = false;
    this.#chunks.splice(index, 1, ...(next.length > 0 ? [next] : []));
  }

  /** Where at most `limit` items behind `after`, up to `end`, stand; no stretch is empty. */
  stretches(after: Position, end: Position, limit: number): Stretch<Item>[] {
    const stretches: Stretch<Item>[] = [];
    let index = this.#chunkOf(after);
    let from = this.#countUpTo(this.#chunks[index] ?? [], after);
    for (let left = limit; left > 0; index += 1, from = 0) {
      const chunk = this.#chunks[index];
      const last = chunk?.at(-1);
      if (chunk === undefined || last === undefined) break;
      const isEnd = this.#compare(last, end) > 0;
      const to = Math.min(isEnd ? this.#countUpTo(chunk, end) : chunk.length, from + left);
      if (from < to) stretches.push({ chunk, from, to });
      left -= to - from;
      if (isEnd) break;
    }
    return stretches;
  }

  /** The index of the last chunk that starts at or before a position, else of the first. */
  #chunkOf(position: Position): number {
    const [chunks, compare] = [this.#chunks, this.#compare];
    let [low, high] = [0, chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare((chunks[middle] as Item[])[0] as Item, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** How many items of a chunk stand up to and including a position. */
  #countUpTo(chunk: readonly Item[], position: Position): number {
    const compare = this.#compare;
    let [low, high] = [0, chunk.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(chunk[middle] as Item, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function compareText(a = "", b = ""): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
