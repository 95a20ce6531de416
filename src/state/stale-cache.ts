/** In the service, a cached page is fresh for a minute, then stale for a day (in milliseconds). */
const FRESH_FOR = 60_000;
const STALE_FOR = 24 * 60 * 60_000;
/**
 * Limits the memory, because clients choose which pages are cached. The oldest page is dropped first.
 */
const MAX_PAGES = 1_000;

interface Entry<Page> {
  readonly page: Page;
  /** When it was read, in unix milliseconds. */
  readonly time: number;
}

/**
 * The service's cache of list pages, for the quirk `stale-list`. It works like
 * stale-while-revalidate: a stale page is served once more, and loaded again for the next request.
 * Changes of keys do not empty it.
 */
export class StaleCache<Page> {
  readonly #clock: { now(): number };
  readonly #entries = new Map<string, Entry<Page>>();

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /**
   * The page that is cached under `address`. If it is missing, or with `isForced`, `load` makes it. A
   * stale page is returned once more, and `load` replaces it for the next call.
   */
  read(address: string, load: () => Page, { isForced }: { readonly isForced: boolean }): Page {
    const now = this.#clock.now();
    const entry = this.#entries.get(address);
    const age = entry === undefined ? Infinity : now - entry.time;
    // After the clock was set back, the age can be negative. Then the page is made anew.
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
