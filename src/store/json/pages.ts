import type { Key } from "../records.ts";
import type { CacheBudget } from "./cache-budget.ts";
import type { Stretch } from "../tables/sorted-list.ts";
import { RenderedChunk } from "./rendered-chunk.ts";

/** Neighbouring keys, as JSON that commas join. */
export interface JsonPage {
  readonly slices: readonly Uint8Array[];
  /** How many keys they hold. */
  readonly count: number;
  readonly last: Key | undefined;
  /** Whether another key follows. */
  readonly isMore: boolean;
}

/**
 * The JSON of keys, kept for the next time. It is kept by the chunk that holds them: a chunk never
 * changes but for keys that are pushed to it, so nothing has to be dropped when a key changes.
 */
export class Pages {
  readonly #cacheBudget: CacheBudget;
  #chunks = new WeakMap<readonly Key[], RenderedChunk<Key>>();

  constructor(cacheBudget: CacheBudget) {
    this.#cacheBudget = cacheBudget;
  }

  /** Forgets all of it, because something has changed that is written with keys. */
  forget(): void {
    this.#chunks = new WeakMap();
  }

  /** The first `limit` keys of these stretches, which may hold one more. */
  write(stretches: readonly Stretch<Key>[], limit: number, toText: (key: Key) => string): JsonPage {
    const slices: Uint8Array[] = [];
    let [count, isMore] = [0, false];
    let last: Key | undefined;
    for (const { chunk, from, to } of stretches) {
      const end = Math.min(to, from + limit - count);
      isMore = end < to;
      if (end === from) break;
      slices.push(this.#chunkOf(chunk).slice(chunk, from, end, toText, this.#cacheBudget));
      count += end - from;
      last = chunk[end - 1];
    }
    return { slices, count, last, isMore };
  }

  #chunkOf(chunk: readonly Key[]): RenderedChunk<Key> {
    let run = this.#chunks.get(chunk);
    if (run === undefined) {
      run = new RenderedChunk();
      this.#chunks.set(chunk, run);
    }
    return run;
  }
}
