import type { ServedContract } from "../contract/operation.ts";
import { printable, printableJson } from "../base/wording/printable.ts";
import { shorten } from "../base/wording/shorten.ts";
import { type Duration, EXPECTED_DURATION, toDuration } from "../store/clock.ts";
import { UsageError } from "../usage-error.ts";
import { clearTimeout, setTimeout } from "../base/real-timers.ts";
import {
  type JournalEntry,
  MAX_ENTRIES,
  type RecordedRequest,
  type RequestEnd,
  toRequest,
} from "./recorded-request.ts";
import { type RequestFilter, checkFilter, countedFilter, matchesFilter } from "./request-filter.ts";
import { RecordedContent } from "./recorded-content.ts";

/** How long `waitFor` waits by default, in milliseconds. */
const DEFAULT_TIMEOUT = 5_000;
/** The longest delay of a timer, in milliseconds. A timer with a longer delay fires at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * Called with an entry when it is recorded, and again when its request ends. Called with undefined
 * when the journal is cleared.
 */
export type JournalListener = (entry: JournalEntry | undefined) => void;

/** The requests that a world received, the newest last. */
export class Journal {
  readonly #contracts: readonly ServedContract[];
  readonly #listeners = new Set<JournalListener>();
  #entries = new RecentEntries();

  /** @param contracts the contracts of the served operations */
  constructor(contracts: readonly ServedContract[]) {
    this.#contracts = contracts;
  }

  /**
   * Those of the last 1,000 requests that match the filter. Default: all of them.
   * @throws UsageError for an invalid filter, or an operation that is not served. All methods that take
   *   a filter throw it
   */
  list(filter: RequestFilter = {}): RecordedRequest[] {
    return this.#matching(filter).map(toRequest);
  }

  /** The oldest request that matches the filter. */
  find(filter: RequestFilter = {}): RecordedRequest | undefined {
    return this.list(filter)[0];
  }

  /** How many requests match the filter. */
  count(filter: RequestFilter = {}): number {
    return this.#matching(filter).length;
  }

  clear(): void {
    this.#entries = new RecentEntries();
    this.#notify(undefined);
  }

  /** The entries themselves, which change when their requests end. `list()` returns copies. */
  entries(): readonly JournalEntry[] {
    return this.#entries.list();
  }

  /** The JSON of an entry, cached for all clients that follow the journal. */
  textOf(entry: JournalEntry): string {
    entry.text ??= printableJson(toRequest(entry));
    return entry.text;
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves to the requests that match the filter, once there are at least `count` of them
   * (default: 1). A request that a fault delays counts as soon as the delay begins.
   * @param timeout in real time, not that of the emulator's clock: milliseconds, or text like `2s`.
   *   Default: 5,000
   * @throws UsageError for an invalid filter or timeout
   * @throws Error that lists the recorded requests, if the time is up and too few of them match
   */
  async waitFor(
    filter: RequestFilter & { readonly count?: number },
    timeout: Duration = DEFAULT_TIMEOUT,
  ): Promise<RecordedRequest[]> {
    if (filter !== undefined) checkFilter(filter, this.#contracts, countedFilter);
    const { count = 1, ...requestFilter } = filter ?? {};
    const milliseconds = toDuration(timeout);
    if (milliseconds === undefined) throw new UsageError(`requests: timeout: ${EXPECTED_DURATION}`);
    return new Promise((resolve, reject) => {
      const matching = new Set(this.#matching(requestFilter));
      const cleanUp = () => {
        clearTimeout(timer);
        removeListener();
      };
      const current = () => this.#entries.list().filter((entry) => matching.has(entry));
      const check = (entry: JournalEntry | undefined) => {
        try {
          // Test only the new entry, because a predicate over all 1,000 is slow.
          if (entry !== undefined && matchesFilter(entry, requestFilter)) matching.add(entry);
          if (current().length < count) return;
          resolve(current().map(toRequest));
        } catch (error) {
          // The caller's predicate threw. Reject here, so that the recorded request does not fail.
          reject(error);
        }
        cleanUp();
      };
      const timer = setTimeout(
        () => {
          cleanUp();
          const expected = `${count} of ${requestFilter.operation ?? "any operation"}`;
          const reason = `expected ${expected} within ${milliseconds} ms, got ${current().length}`;
          reject(new Error(`requests.waitFor: ${reason}; seen: ${this.#summary()}`));
        },
        Math.min(milliseconds, MAX_TIMEOUT),
      );
      const removeListener = this.listen(check);
      check(undefined);
    });
  }

  record(entry: JournalEntry): void {
    this.#entries.add(entry);
    this.#notify(entry);
  }

  /**
   * Completes the entry of a request that was recorded when a fault began to delay it. If the journal
   * has dropped the entry, it is recorded again.
   */
  finish(entry: JournalEntry, end: RequestEnd): void {
    if (this.#entries.finish(entry, end)) this.#notify(entry);
    else this.record(entry);
  }

  #notify(entry: JournalEntry | undefined): void {
    for (const listener of this.#listeners) listener(entry);
  }

  #matching(filter: RequestFilter): JournalEntry[] {
    checkFilter(filter, this.#contracts);
    return this.#entries.list().filter((entry) => matchesFilter(entry, filter));
  }

  #summary(): string {
    const seen = this.#entries
      .list()
      .map(
        ({ mask, method, operation, path, status }) =>
          `${operation ?? `${method} ${mask(path)}`} ${status ?? "-"}`,
      );
    return seen.length === 0 ? "nothing" : shorten(printable(seen.slice(-20).join(", ")), 500);
  }
}

/** The memory for the contents of all entries, in bytes. The oldest contents are removed first. */
const MAX_BYTES = 1_048_576;

/** The last 1,000 entries, with the contents (input and answer) of as many as fit into 1 MiB. */
export class RecentEntries {
  readonly #entries: JournalEntry[] = [];
  /** How many of the oldest entries have lost their contents. */
  #emptied = 0;
  /** The size of all contents, in bytes. */
  #size = 0;
  /** Shown in place of contents that were removed. */
  readonly #removed = RecordedContent.ofSummary("(removed: the journal keeps 1 MiB of bodies)");

  /** The oldest first. */
  list(): readonly JournalEntry[] {
    return this.#entries;
  }

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#size += sizeOf(entry);
    if (this.#entries.length > MAX_ENTRIES) {
      this.#size -= sizeOf(this.#entries.shift());
      this.#emptied = Math.max(0, this.#emptied - 1);
    }
    this.#makeRoom();
  }

  /** Completes an entry with the end of its request. Returns whether the entry is in this list. */
  finish(entry: JournalEntry, end: RequestEnd): boolean {
    const before = sizeOf(entry);
    Object.assign(entry, end, { text: undefined });
    const index = this.#entries.indexOf(entry);
    if (index === -1) return false;
    this.#size += sizeOf(entry) - before;
    if (index < this.#emptied) this.#empty(entry);
    this.#makeRoom();
    return true;
  }

  #makeRoom(): void {
    while (this.#size > MAX_BYTES) {
      const entry = this.#entries[this.#emptied];
      if (entry === undefined) return;
      this.#empty(entry);
      this.#emptied += 1;
    }
  }

  /** Removes the contents of an entry, except for those of size 0. */
  #empty(entry: JournalEntry): void {
    this.#size -= sizeOf(entry);
    if (entry.input.size > 0) entry.input = this.#removed;
    if (entry.answer !== undefined && entry.answer.size > 0) entry.answer = this.#removed;
    entry.text = undefined;
  }
}

function sizeOf(entry: JournalEntry | undefined): number {
  return (entry?.input.size ?? 0) + (entry?.answer?.size ?? 0);
}
