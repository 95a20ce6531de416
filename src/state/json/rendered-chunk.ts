import { concatenate } from "../../base/concatenate.ts";
import type { Key } from "../key.ts";
import type { CacheBudget } from "./cache-budget.ts";

const encoder = new TextEncoder();
const comma = encoder.encode(",");
const nothing = new Uint8Array();

/** How a version of the interface writes a key. */
export interface KeyFormat {
  /**
   * Selects the cache, because each call makes its format anew. Two formats with the same name must
   * write the same JSON.
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
   * The JSON of the records from index `from` up to, but not including, `to`. Undefined if some of them
   * are still to be written: a later call goes on.
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
