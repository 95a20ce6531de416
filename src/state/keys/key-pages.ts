import type { Key } from "./key.ts";
import type { ChunkRange } from "../tables/sorted-list.ts";
import { concatenate } from "../../base/concatenate.ts";

/** A page of keys as comma-separated JSON, without brackets. */
export interface JsonPage {
  readonly slices: readonly Uint8Array[];
  /** The number of keys in the slices. */
  readonly count: number;
  readonly last: Key | undefined;
  /** The key after the page; undefined on the last page. */
  readonly next: Key | undefined;
}

/**
 * Caches the JSON of keys for each chunk of the sorted list. The cache remembers the versions of the keys, so a
 * changed key is written again.
 */
export class Pages {
  readonly #cacheBudget: CacheBudget;
  /** By the name of the format. */
  readonly #chunks = new Map<string, WeakMap<readonly Key[], RenderedChunk>>();

  constructor(cacheBudget: CacheBudget) {
    this.#cacheBudget = cacheBudget;
  }

  /** Clears the cache. Called when a role, a permission or an identity changes that the JSON may show. */
  forget(): void {
    this.#chunks.clear();
  }

  /**
   * The first `limit` keys of these ranges; the key after them is `next`. Undefined if time ran out: call again
   * to continue.
   */
  write(
    ranges: readonly ChunkRange<Key>[],
    limit: number,
    format: KeyFormat,
  ): JsonPage | undefined {
    const slices: Uint8Array[] = [];
    let count = 0;
    let last: Key | undefined;
    let next: Key | undefined;
    for (const { chunk, from, to } of ranges) {
      const end = Math.min(to, from + limit - count);
      next = end < to ? chunk[end] : undefined;
      // A page that ends with a chunk: this range has only the key after it.
      if (end === from) break;
      const rendered = this.#renderedOf(chunk, format);
      const slice = rendered.slice(chunk, from, end, format, this.#cacheBudget);
      if (slice === undefined) return undefined;
      slices.push(slice);
      count += end - from;
      last = chunk[end - 1];
    }
    return { slices, count, last, next };
  }

  #renderedOf(chunk: readonly Key[], { name }: KeyFormat): RenderedChunk {
    let chunks = this.#chunks.get(name);
    if (chunks === undefined) this.#chunks.set(name, (chunks = new WeakMap()));
    let rendered = chunks.get(chunk);
    if (rendered === undefined) chunks.set(chunk, (rendered = new RenderedChunk()));
    return rendered;
  }
}

const encoder = new TextEncoder();
const comma = encoder.encode(",");
const nothing = new Uint8Array();

/** How a version of the interface writes a key. */
export interface KeyFormat {
  /**
   * Selects the cache, because each call creates a new format. Two formats with the same name must write the
   * same JSON.
   */
  readonly name: string;
  /** How long a call writes (ms): a key may have roles with thousands of permissions. Default: any time. */
  readonly longest?: number;
  write(key: Key): string;
}

/**
 * The JSON of the keys of a chunk, comma-separated in one buffer. A page is a slice of the buffer,
 * and is sent without a copy. Decision 8 has figures.
 */
export class RenderedChunk {
  #bytes: Uint8Array = nothing;
  /** The records, as they were when their JSON was made. */
  #items: Key[] = [];
  /** Where the JSON of each record ends. */
  #ends: number[] = [];

  /** Approximate memory, in bytes. */
  get size(): number {
    return this.#bytes.length + 16 * this.#ends.length + OVERHEAD;
  }

  /**
   * The JSON of the records from index `from` up to, but not including, `to`. Undefined if time ran out: call
   * again to continue.
   * @param items the items of the chunk
   */
  slice(
    items: readonly Key[],
    from: number,
    to: number,
    format: KeyFormat,
    cacheBudget: CacheBudget,
  ): Uint8Array | undefined {
    const size = this.#ends.length === 0 ? 0 : this.size;
    if (!this.#has(items, from, to)) this.drop();
    const isShort = to > this.#ends.length;
    if (isShort) this.#extend(items, to, format);
    const start = from === 0 ? 0 : (this.#ends[from - 1] ?? 0) + comma.length;
    const isWhole = to <= this.#ends.length;
    const slice = isWhole ? this.#bytes.subarray(start, this.#ends[to - 1]) : undefined;
    if (isShort) cacheBudget.put(this, this.size - size);
    return slice;
  }

  #has(items: readonly Key[], from: number, to: number): boolean {
    const end = Math.min(to, this.#items.length);
    for (let index = from; index < end; index += 1) {
      if (items[index] !== this.#items[index]) return false;
    }
    return true;
  }

  /** Frees the JSON. The next call of `slice` makes it again. */
  drop(): void {
    this.#bytes = nothing;
    this.#items = [];
    this.#ends = [];
  }

  /** Makes a new buffer, because a reply may still use slices of the old one. */
  #extend(items: readonly Key[], to: number, format: KeyFormat): void {
    const texts: string[] = [];
    const end = performance.now() + (format.longest ?? Infinity);
    for (const item of items.slice(this.#items.length, to)) {
      texts.push(format.write(item));
      this.#items.push(item);
      if (performance.now() > end) break;
    }
    const text = this.#ends.length === 0 ? texts.join(",") : `,${texts.join(",")}`;
    const bytes = encoder.encode(text);
    const isAscii = bytes.length === text.length;
    // The first record has no comma in front of it.
    let place = this.#bytes.length - (this.#ends.length === 0 ? comma.length : 0);
    for (const json of texts) {
      place += comma.length + (isAscii ? json.length : encoder.encode(json).length);
      this.#ends.push(place);
    }
    this.#bytes =
      this.#bytes.length === 0
        ? bytes
        : concatenate([this.#bytes, bytes], this.#bytes.length + bytes.length);
  }
}

/** Approximate memory of the object, its buffer header and its entry in the budget, in bytes. */
const OVERHEAD = 400;

const MAX_BYTES = 64 * 1_048_576;

/** A cache that can be dropped and filled again. */
interface Cache {
  /** Approximate bytes. */
  readonly size: number;
  drop(): void;
}

/**
 * Limits the memory of the caches of all worlds of an emulator. Above the limit, all caches are dropped except
 * the one that is being filled, so that even a very large page can be finished. Caches are referenced weakly,
 * so that a dropped world can be garbage-collected.
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
