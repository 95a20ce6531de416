/** How long a cached page is fresh, and when it is gone, in milliseconds. Between them, it is stale. */
interface Ages {
  readonly freshFor: number;
  readonly goneAfter: number;
}

/** As in the service. */
export const LISTS: Ages = { freshFor: 60_000, goneAfter: 24 * 60 * 60_000 };
/** The service serves a stale key once more within ten minutes, depending on the machine that answers. */
export const KEYS: Ages = { freshFor: 10_000, goneAfter: 10_000 };
/** Limits the memory, because clients choose which pages are cached. The oldest page is dropped first. */
const MAX_PAGES = 1_000;

interface Entry<Page> {
  readonly page: Page;
  /** When it was read, in unix milliseconds. */
  readonly time: number;
}

/**
 * A cache of the service, for the quirks `stale-list` and `cached-verifications`. It works like
 * stale-while-revalidate: a stale page is served once more, and loaded again for the next request.
 * Changes of keys do not empty it.
 */
export class StaleCache<Page> {
  readonly #clock: { now(): number };
  readonly #ages: Ages;
  readonly #entries = new Map<string, Entry<Page>>();

  constructor(clock: { now(): number }, ages: Ages) {
    this.#clock = clock;
    this.#ages = ages;
  }

  /**
   * The page that is cached under `address`. If it is missing, or with `isForced`, `load` makes it. A
   * stale page is returned once more, and `load` replaces it for the next call.
   */
  read(address: string, load: () => Page, isForced = false): Page {
    const now = this.#clock.now();
    const entry = this.#entries.get(address);
    const age = entry === undefined ? Infinity : now - entry.time;
    // If the clock was set back, the age is negative, and the page is loaded again.
    const isUsable = age >= 0 && age < this.#ages.goneAfter;
    if (entry !== undefined && isUsable && age < this.#ages.freshFor && !isForced)
      return entry.page;
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
