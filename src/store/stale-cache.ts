/** How long (ms) the service takes a cached page for fresh, and how long it keeps one at all. */
const FRESH = 60_000;
const KEPT = 24 * 60 * 60_000;
/** Clients choose what is asked for, so only so many pages are kept, the oldest going first. */
const MAX_PAGES = 1_000;

interface Entry<Page> {
  readonly page: Page;
  /** When it was read (unix ms). */
  readonly time: number;
}

/**
 * The service's cache of lists, for the quirk `stale-list`: a page that is no longer fresh is
 * served once more while it is read again, and no change of a key takes one away.
 */
export class StaleCache<Page> {
  readonly #clock: { now(): number };
  readonly #entries = new Map<string, Entry<Page>>();

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /** The page at this place: `load` reads it where it is not there, or where `isForced`. */
  read(place: string, load: () => Page, { isForced }: { readonly isForced: boolean }): Page {
    const now = this.#clock.now();
    const entry = this.#entries.get(place);
    const age = entry === undefined ? Infinity : now - entry.time;
    // A clock that went back knows nothing of how old a page is.
    const isKept = age >= 0 && age < KEPT;
    if (entry !== undefined && isKept && age < FRESH && !isForced) return entry.page;
    const page = load();
    this.#entries.delete(place);
    this.#entries.set(place, { page, time: now });
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= MAX_PAGES) break;
      this.#entries.delete(oldest);
    }
    return entry !== undefined && isKept && !isForced ? entry.page : page;
  }

  clear(): void {
    this.#entries.clear();
  }
}
