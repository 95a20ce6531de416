/** The service serves a cached page as fresh for a minute, and as stale for a day (ms). */
const FRESH_FOR = 60_000;
const STALE_FOR = 24 * 60 * 60_000;
/**
 * Limits the memory, because clients choose which pages are cached. The oldest is dropped first.
 */
const MAX_PAGES = 1_000;

interface Entry<Page> {
  readonly page: Page;
  /** When it was read (unix ms). */
  readonly time: number;
}

/**
 * The service's cache of list pages, for the quirk `stale-list`. It works like
 * stale-while-revalidate: a stale page is served once more, and loaded again for the next request.
 * Changes of keys do not invalidate it.
 */
export class StaleCache<Page> {
  readonly #clock: { now(): number };
  readonly #entries = new Map<string, Entry<Page>>();

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /**
   * The page that is cached under `address`. `load` makes it if it is missing, or always if
   * `isForced`. A stale page is returned once more, while `load` replaces it for the next call.
   */
  read(address: string, load: () => Page, { isForced }: { readonly isForced: boolean }): Page {
    const now = this.#clock.now();
    const entry = this.#entries.get(address);
    const age = entry === undefined ? Infinity : now - entry.time;
    // The age is negative after the clock was set back; the page counts as missing then.
    const isUsable = age >= 0 && age < STALE_FOR;
    if (entry !== undefined && isUsable && age < FRESH_FOR && !isForced) return entry.page;
    const page = load();
    this.#entries.delete(address);
    this.#entries.set(address, { page, time: now });
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= MAX_PAGES) break;
      this.#entries.delete(oldest);
    }
    return entry !== undefined && isUsable && !isForced ? entry.page : page;
  }

  clear(): void {
    this.#entries.clear();
  }
}
