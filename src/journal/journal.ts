import { shorten } from "../schema/shorten.ts";
import { EXPECTED_DURATION, toDuration, type Duration } from "../store/clock.ts";
import { UsageError } from "../usage-error.ts";
import { clearTimeout, setTimeout } from "./real-timers.ts";
import { RecentEntries } from "./recent-entries.ts";
import {
  toRequest,
  type JournalEntry,
  type RecordedRequest,
  type RequestEnd,
} from "./recorded-request.ts";
import { checkFilter, countedFilter, isMeant, type RequestFilter } from "./request-filter.ts";

/** How long `waitFor` waits unless it is told (ms), and the most that a timer counts. */
const PATIENCE = 5_000;
const MAX_PATIENCE = 2 ** 31 - 1;

/** Hears of an entry when it comes, and again when it ends; undefined: all were forgotten. */
export type JournalListener = (entry: JournalEntry | undefined) => void;

/** What a world was asked, the newest last. */
export class Journal {
  readonly #operations: readonly string[];
  readonly #listeners = new Set<JournalListener>();
  #entries = new RecentEntries();

  /** `operations` are those that are served. */
  constructor(operations: readonly string[]) {
    this.#operations = operations;
  }

  /**
   * The last 1,000 requests, or those of them that are meant.
   * @throws UsageError for an operation that is not served, here and wherever a filter is taken
   */
  list(filter: RequestFilter = {}): RecordedRequest[] {
    return this.#matching(filter).map(toRequest);
  }

  /** The first of them that is meant. */
  find(filter: RequestFilter = {}): RecordedRequest | undefined {
    return this.list(filter)[0];
  }

  /** How many of them are meant. */
  count(filter: RequestFilter = {}): number {
    return this.#matching(filter).length;
  }

  clear(): void {
    this.#entries = new RecentEntries();
    this.#tell(undefined);
  }

  /** The entries themselves, and not what they say by now. */
  entries(): readonly JournalEntry[] {
    return this.#entries.list();
  }

  /** The JSON of an entry as it stands; made once, however many follow. */
  textOf(entry: JournalEntry): string {
    entry.text ??= JSON.stringify(toRequest(entry));
    return entry.text;
  }

  /** Has a listener hear of all that comes. Returns what ends it. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves to the requests that are meant, once there are `count` of them (1). One that a fault
   * delays counts as soon as the delay begins.
   * @param timeout real milliseconds, or like `2s`; 5,000 unless given
   * @throws UsageError for a filter that cannot be used, and an Error that tells what was seen, when
   *   there are fewer by then
   */
  async waitFor(
    filter: RequestFilter & { readonly count?: number },
    timeout: Duration = PATIENCE,
  ): Promise<RecordedRequest[]> {
    if (filter !== undefined) checkFilter(filter, this.#operations, countedFilter);
    const { count = 1, ...meant } = filter ?? {};
    const patience = toDuration(timeout);
    if (patience === undefined) throw new UsageError(`requests: timeout: ${EXPECTED_DURATION}`);
    return new Promise((resolve, reject) => {
      const found = new Set(this.#matching(meant));
      const stop = () => {
        clearTimeout(timer);
        ignore();
      };
      const kept = () => this.#entries.list().filter((entry) => found.has(entry));
      const look = (entry: JournalEntry | undefined) => {
        try {
          // Only at what is new: a journal may hold much.
          if (entry !== undefined && isMeant(entry, meant)) found.add(entry);
          if (kept().length < count) return;
          resolve(kept().map(toRequest));
        } catch (error) {
          // The caller's own function failed, which is nothing to the request that came.
          reject(error);
        }
        stop();
      };
      const timer = setTimeout(
        () => {
          stop();
          const wanted = `${count} of ${meant.operation ?? "any operation"}`;
          const reason = `expected ${wanted} within ${patience} ms, got ${kept().length}`;
          reject(new Error(`requests.waitFor: ${reason}; seen: ${this.#seen()}`));
        },
        Math.min(patience, MAX_PATIENCE),
      );
      const ignore = this.listen(look);
      look(undefined);
    });
  }

  record(entry: JournalEntry): void {
    this.#entries.add(entry);
    this.#tell(entry);
  }

  /** A request that was recorded while it was delayed has ended; it may have been cleared since. */
  finish(entry: JournalEntry, end: RequestEnd): void {
    if (this.#entries.finish(entry, end)) this.#tell(entry);
    else this.record(entry);
  }

  #tell(entry: JournalEntry | undefined): void {
    for (const listener of this.#listeners) listener(entry);
  }

  #matching(filter: RequestFilter): JournalEntry[] {
    checkFilter(filter, this.#operations);
    return this.#entries.list().filter((entry) => isMeant(entry, filter));
  }

  #seen(): string {
    const seen = this.#entries
      .list()
      .map(
        ({ method, operation, path, status }) =>
          `${operation ?? `${method} ${path}`} ${status ?? "-"}`,
      );
    return seen.length === 0 ? "nothing" : shorten(seen.slice(-20).join(", "), 500);
  }
}
