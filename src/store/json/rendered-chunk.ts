import { concatenate } from "../../schema/concatenate.ts";
import type { CacheBudget } from "./cache-budget.ts";

const encoder = new TextEncoder();
const comma = encoder.encode(",");
const nothing = new Uint8Array();

/**
 * The JSON of neighbouring records, joined by commas in one piece of memory. A page is a slice of
 * it: to write 100 records takes 300 µs, to cut them out 0.2, and they are sent without being copied.
 */
export class RenderedChunk<Item> {
  #bytes: Uint8Array = nothing;
  /** Where the JSON of each record ends. */
  #ends: number[] = [];

  /** How much memory it takes, about (bytes). */
  get size(): number {
    return this.#bytes.length + 8 * this.#ends.length + OVERHEAD;
  }

  /** The records from `from` up to, and without, `to`; of the items that it is a run of. */
  slice(
    items: readonly Item[],
    from: number,
    to: number,
    write: (item: Item) => string,
    cacheBudget: CacheBudget,
  ): Uint8Array {
    const size = this.#ends.length === 0 ? 0 : this.size;
    const isShort = to > this.#ends.length;
    if (isShort) this.#extend(items, to, write);
    const start = from === 0 ? 0 : (this.#ends[from - 1] ?? 0) + comma.length;
    const slice = this.#bytes.subarray(start, this.#ends[to - 1]);
    // Last: to make room, the cacheBudget may drop what is older, this run too.
    if (isShort) cacheBudget.put(this, this.size - size);
    return slice;
  }

  /** Lets what was written go; it is written again when it is asked for. */
  drop(): void {
    this.#bytes = nothing;
    this.#ends = [];
  }

  /** What slices were taken of may still be on its way to a client, so it stays as it is. */
  #extend(items: readonly Item[], to: number, write: (item: Item) => string): void {
    const texts = items.slice(this.#ends.length, to).map((item) => write(item));
    const text = this.#ends.length === 0 ? texts.join(",") : `,${texts.join(",")}`;
    const bytes = encoder.encode(text);
    const isAscii = bytes.length === text.length;
    let end = this.#bytes.length - (this.#ends.length === 0 ? comma.length : 0);
    for (const each of texts) {
      end += comma.length + (isAscii ? each.length : encoder.encode(each).length);
      this.#ends.push(end);
    }
    this.#bytes =
      this.#bytes.length === 0
        ? bytes
        : concatenate([this.#bytes, bytes], this.#bytes.length + bytes.length);
  }
}

/** Of the object itself, its memory and what the cacheBudget knows of it (bytes). */
const OVERHEAD = 400;
