import { concatenate } from "../../base/concatenate.ts";
import type { CacheBudget } from "./cache-budget.ts";

const encoder = new TextEncoder();
const comma = encoder.encode(",");
const nothing = new Uint8Array();

/**
 * The JSON of the records of a chunk, comma-separated in one buffer. A page is a slice of the
 * buffer and is sent without copying: slicing 100 records takes 0.2 µs, serializing them 300 µs.
 */
export class RenderedChunk<Item> {
  #bytes: Uint8Array = nothing;
  /** Where the JSON of each record ends. */
  #ends: number[] = [];

  /** Approximate memory (bytes). */
  get size(): number {
    return this.#bytes.length + 8 * this.#ends.length + OVERHEAD;
  }

  /**
   * The JSON of the records from index `from` up to, but not including, `to`.
   * @param items the items of the chunk, the same at every call except for appended ones
   */
  slice(
    items: readonly Item[],
    from: number,
    to: number,
    format: { write(item: Item): string },
    cacheBudget: CacheBudget,
  ): Uint8Array {
    const size = this.#ends.length === 0 ? 0 : this.size;
    const isShort = to > this.#ends.length;
    if (isShort) this.#extend(items, to, format);
    const start = from === 0 ? 0 : (this.#ends[from - 1] ?? 0) + comma.length;
    const slice = this.#bytes.subarray(start, this.#ends[to - 1]);
    // Called last, because the budget may drop this chunk too.
    if (isShort) cacheBudget.put(this, this.size - size);
    return slice;
  }

  /** Frees the JSON. The next call of `slice` makes it again. */
  drop(): void {
    this.#bytes = nothing;
    this.#ends = [];
  }

  /** Makes a new buffer, because slices of the old one may still be being sent. */
  #extend(items: readonly Item[], to: number, format: { write(item: Item): string }): void {
    const texts = items.slice(this.#ends.length, to).map((item) => format.write(item));
    const text = this.#ends.length === 0 ? texts.join(",") : `,${texts.join(",")}`;
    const bytes = encoder.encode(text);
    const isAscii = bytes.length === text.length;
    // The first record has no comma in front of it.
    let end = this.#bytes.length - (this.#ends.length === 0 ? comma.length : 0);
    for (const json of texts) {
      end += comma.length + (isAscii ? json.length : encoder.encode(json).length);
      this.#ends.push(end);
    }
    this.#bytes =
      this.#bytes.length === 0
        ? bytes
        : concatenate([this.#bytes, bytes], this.#bytes.length + bytes.length);
  }
}

/** Approximate memory of the object, its buffer header and its entry in the budget (bytes). */
const OVERHEAD = 400;
