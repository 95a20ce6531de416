import type { Key } from "../key.ts";
import type { CacheBudget } from "./cache-budget.ts";
import type { ChunkRange } from "../tables/sorted-list.ts";
import { type KeyFormat, RenderedChunk } from "./rendered-chunk.ts";

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
 * Caches the JSON of keys for each chunk of the sorted list. The cache of a chunk knows from which
 * versions of the keys it was made, so a changed key is written again.
 */
export class Pages {
  readonly #cacheBudget: CacheBudget;
  /** By the name of the format. */
  readonly #chunks = new Map<string, WeakMap<readonly Key[], RenderedChunk>>();

  constructor(cacheBudget: CacheBudget) {
    this.#cacheBudget = cacheBudget;
  }

  /**
   * Clears the cache. Called when a role, a permission or an identity changes that the JSON may show.
   */
  forget(): void {
    this.#chunks.clear();
  }

  /**
   * The first `limit` keys of these ranges. The key after them is `next`. Undefined if some of them are
   * still to be written: a later call goes on.
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
