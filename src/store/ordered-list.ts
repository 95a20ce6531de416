import { WrittenRun, type Pen } from "./written-run.ts";

/** Small enough that a shift within a chunk costs nothing, large enough that chunks are few. */
const CHUNK_SIZE = 128;

/** Neighbouring items, as JSON that commas join. */
export interface WrittenPage<Item> {
  readonly slices: readonly Uint8Array[];
  /** How many items they hold. */
  readonly count: number;
  readonly last: Item | undefined;
  /** Whether another item follows. */
  readonly isMore: boolean;
}

/**
 * Items in ascending order of their id, compared bytewise (ids are ASCII, so by UTF-16 unit).
 * Finding a place, adding and removing cost the logarithm of the size; a page costs its length.
 * Ids are unique: the caller sees to that.
 */
export class OrderedList<Item extends { readonly id: string }> {
  #chunks: Item[][] = [];
  #size = 0;

  /** The chunks that are not shared with another list; undefined where none is. */
  #own: Set<Item[]> | undefined;
  /** What was written of chunks, from their first item on. A chunk that changes loses it. */
  #runs: WeakMap<readonly Item[], WrittenRun<Item>> | undefined;

  /** Another list of the same items, which it shares with this one: this must not change any more. */
  copy(): OrderedList<Item> {
    const copy = new OrderedList<Item>();
    copy.#chunks = this.#chunks.slice();
    copy.#size = this.#size;
    copy.#own = new Set();
    return copy;
  }

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    // Keys mostly arrive in order.
    const isLast = item.id > (this.#chunks.at(-1)?.at(-1)?.id ?? "");
    const position = isLast ? Math.max(0, this.#chunks.length - 1) : this.#chunkFor(item.id);
    const chunk = this.#ownChunk(position);
    this.#size += 1;
    if (chunk === undefined) {
      this.#insert(0, [item]);
      return;
    }
    if (isLast) chunk.push(item);
    else {
      this.#runs?.delete(chunk);
      chunk.splice(indexBehind(chunk, item.id), 0, item);
    }
    if (chunk.length > CHUNK_SIZE) this.#split(position, chunk, item);
  }

  /** Removes the item with this id, if there is one. */
  remove(id: string): void {
    const position = this.#chunkFor(id);
    const chunk = this.#ownChunk(position);
    if (chunk === undefined) return;
    const index = indexBehind(chunk, id) - 1;
    if (chunk[index]?.id !== id) return;
    this.#runs?.delete(chunk);
    chunk.splice(index, 1);
    this.#size -= 1;
    if (chunk.length === 0) this.#chunks.splice(position, 1);
  }

  /** At most `limit` items whose id is greater than `id`; from the beginning without one. */
  after(id: string | undefined, limit: number): Item[] {
    return this.#stretches(id, limit).flatMap(({ chunk, from, to }) => chunk.slice(from, to));
  }

  /** The same as JSON. What was written before, and has not changed, is not written again. */
  written(id: string | undefined, limit: number, pen: Pen<Item>): WrittenPage<Item> {
    const stretches = this.#stretches(id, limit);
    const end = stretches.at(-1);
    let count = 0;
    for (const { from, to } of stretches) count += to - from;
    return {
      count,
      slices: stretches.map(({ chunk, from, to }) =>
        this.#runOf(chunk, pen.era).slice(chunk, from, to, pen),
      ),
      last: end?.chunk[end.to - 1],
      isMore:
        end !== undefined && (end.to < end.chunk.length || end.position + 1 < this.#chunks.length),
    };
  }

  /** The item with this id would be written in another way by now. */
  rewrite(id: string): void {
    this.#runs?.delete(this.#chunks[this.#chunkFor(id)] ?? []);
  }

  #runOf(chunk: readonly Item[], era: object): WrittenRun<Item> {
    this.#runs ??= new WeakMap();
    let run = this.#runs.get(chunk);
    if (run === undefined || run.era !== era) {
      run = new WrittenRun(era);
      this.#runs.set(chunk, run);
    }
    return run;
  }

  /** Where at most `limit` items behind `id` stand; nothing of it is empty. */
  #stretches(id: string | undefined, limit: number): Stretch<Item>[] {
    const stretches: Stretch<Item>[] = [];
    let position = id === undefined ? 0 : this.#chunkFor(id);
    let from = id === undefined ? 0 : indexBehind(this.#chunks[position] ?? [], id);
    let left = limit;
    for (let chunk = this.#chunks[position]; chunk && left > 0;) {
      const to = Math.min(chunk.length, from + left);
      if (from < to) stretches.push({ position, chunk, from, to });
      left -= to - from;
      position += 1;
      from = 0;
      chunk = this.#chunks[position];
    }
    return stretches;
  }

  /** The last chunk that starts at or before `id`, else the first. */
  #chunkFor(id: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (firstId(this.#chunks[middle]) <= id) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #split(position: number, chunk: Item[], added: Item): void {
    // A full last chunk stays full, and the new key starts the next.
    const isAppend = position === this.#chunks.length - 1 && chunk.at(-1) === added;
    const cut = isAppend ? CHUNK_SIZE : CHUNK_SIZE >>> 1;
    this.#insert(position + 1, chunk.splice(cut));
  }

  #insert(position: number, chunk: Item[]): void {
    // A new array has no room to spare; most lists have one chunk, and for ever.
    this.#chunks = this.#chunks.toSpliced(position, 0, chunk);
    this.#own?.add(chunk);
  }

  /** A chunk to change. */
  #ownChunk(position: number): Item[] | undefined {
    const chunk = this.#chunks[position];
    if (chunk === undefined || this.#own === undefined || this.#own.has(chunk)) return chunk;
    const own = chunk.slice();
    this.#chunks[position] = own;
    this.#own.add(own);
    return own;
  }
}

/** Items of a chunk, from `from` up to, and without, `to`. */
interface Stretch<Item> {
  readonly position: number;
  readonly chunk: readonly Item[];
  readonly from: number;
  readonly to: number;
}

function firstId<Item extends { readonly id: string }>(chunk: Item[] | undefined): string {
  return chunk?.[0]?.id ?? "";
}

/** How many items of an ordered array have an id up to and including `id`. */
function indexBehind<Item extends { readonly id: string }>(items: Item[], id: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.id ?? "") <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
