import type { Key } from "../records.ts";
import type { CacheBudget } from "./cache-budget.ts";
import type { ChunkRange } from "../tables/sorted-list.ts";
import { RenderedChunk } from "./rendered-chunk.ts";

/** A page of keys as comma-separated JSON, without brackets. */
export interface JsonPage {
  readonly slices: readonly Uint8Array[];
  /** The number of keys in the slices. */
  readonly count: number;
  readonly last: Key | undefined;
  /** Whether another key follows. */
  readonly isMore: boolean;
}

/**
 * Caches the JSON of keys, by the chunk of the sorted list that holds them. A chunk never changes,
 * except that keys are appended to it: a changed key is in a new chunk, so no entry becomes wrong.
 */
export class Pages {
  readonly #cacheBudget: CacheBudget;
  #chunks = new WeakMap<readonly Key[], RenderedChunk<Key>>();

  constructor(cacheBudget: CacheBudget) {
    this.#cacheBudget = cacheBudget;
  }

  /**
   * Clears the cache, because a role, permission or identity has changed that is part of the JSON.
   */
  forget(): void {
    this.#chunks = new WeakMap();
  }

  /** The first `limit` keys of these ranges. A further key in them only sets `isMore`. */
  write(ranges: readonly ChunkRange<Key>[], limit: number, toText: (key: Key) => string): JsonPage {
    const slices: Uint8Array[] = [];
    let [count, isMore] = [0, false];
    let last: Key | undefined;
    for (const { chunk, from, to } of ranges) {
      const end = Math.min(to, from + limit - count);
      isMore = end < to;
      if (end === from) break;
      slices.push(this.#renderedOf(chunk).slice(chunk, from, end, toText, this.#cacheBudget));
      count += end - from;
      last = chunk[end - 1];
    }
    return { slices, count, last, isMore };
  }

  #renderedOf(chunk: readonly Key[]): RenderedChunk<Key> {
    let rendered = this.#chunks.get(chunk);
    if (rendered === undefined) {
      rendered = new RenderedChunk();
      this.#chunks.set(chunk, rendered);
    }
    return rendered;
  }
}
