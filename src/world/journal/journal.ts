import type { ServedContract } from "../../api/operation.ts";
import { errorsFrom } from "../../base/errors-from.ts";
import type { Lifetime } from "../../base/lifetime.ts";
import { printableJson } from "../../base/wording/text.ts";
import { type Duration, EXPECTED_DURATION, toDuration } from "../../state/clock.ts";
import { UsageError } from "../../base/usage-error.ts";
import { clearTimeout, setTimeout } from "../../base/real-timers.ts";
import type { Mask } from "../../base/wording/mask.ts";
import {
  type EntryEnd,
  type JournalEntry,
  RecentEntries,
  type RecordedRequest,
  toRequest,
} from "./recorded-request.ts";
import {
  checkFilter,
  countedFilter,
  type CountedFilter,
  matchesFilter,
  type RequestFilter,
} from "./request-filter.ts";
import { shortfall } from "./shortfall.ts";

/** How long `waitFor` waits by default, in milliseconds. */
const DEFAULT_TIMEOUT = 5_000;
/** The longest delay of a timer, in milliseconds. A timer with a longer delay fires at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** At least one request, the newest last. */
export type Requests = [RecordedRequest, ...RecordedRequest[]];

/**
 * Called with an entry when it is recorded, and again when its request ends. Called with undefined
 * when the journal is cleared.
 */
export type JournalListener = (entry: JournalEntry | undefined) => void;

/** The requests that a world received, the newest last. */
export class Journal {
  readonly #contracts: readonly ServedContract[];
  readonly #listeners = new Set<JournalListener>();
  readonly #mask: Mask;
  readonly #lifetime: () => Lifetime;
  #entries = new RecentEntries();

  /**
   * @param contracts the contracts of the served operations
   * @param lifetime that of the state, with which waiting ends
   */
  constructor(contracts: readonly ServedContract[], mask: Mask, lifetime: () => Lifetime) {
    this.#contracts = contracts;
    this.#mask = mask;
    this.#lifetime = lifetime;
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
   * @throws Error if the time is up and too few requests match. It names the filter, where the nearest
   *   request differs from it, and the requests that came. Also if the emulator is reset or restored
   *   meanwhile
   */
  async waitFor(filter: CountedFilter, timeout: Duration = DEFAULT_TIMEOUT): Promise<Requests> {
    const failure = errorsFrom(this.waitFor);
    const end = await this.wait(filter, timeout);
    if (typeof end === "object") return end;
    throw failure(
      `requests.waitFor: ${end ?? "the emulator was reset or restored while it waited"}`,
    );
  }

  /**
   * Waits like `waitFor`. Resolves to the reason if the time is up, and to undefined as soon as the state
   * is replaced, or the lifetime of the client ends.
   * @throws UsageError for an invalid filter or timeout
   */
  async wait(
    filter: CountedFilter,
    timeout: Duration,
    client?: Lifetime,
  ): Promise<Requests | string | undefined> {
    if (filter !== undefined) checkFilter(filter, this.#contracts, countedFilter);
    const { count = 1, ...requestFilter } = filter ?? {};
    const milliseconds = toDuration(timeout);
    if (milliseconds === undefined) throw new UsageError(`requests: timeout: ${EXPECTED_DURATION}`);
    return new Promise((resolve, reject) => {
      const matching = new Set(this.#matching(requestFilter));
      const cleanUps: (() => void)[] = [];
      const end = (result?: Requests | string) => {
        for (const cleanUp of cleanUps) cleanUp();
        resolve(result);
      };
      const current = () => this.#entries.list().filter((entry) => matching.has(entry));
      const check = (entry: JournalEntry | undefined) => {
        try {
          // Test only the new entry, because a predicate over all 1,000 is slow.
          if (entry !== undefined && matchesFilter(entry, requestFilter)) matching.add(entry);
          const [first, ...more] = current();
          if (first === undefined || more.length + 1 < count) return;
          end([toRequest(first), ...more.map(toRequest)]);
        } catch (error) {
          // The caller's predicate threw. Reject here, so that the recorded request does not fail.
          reject(error);
          end();
        }
      };
      const timer = setTimeout(
        () => {
          const seen = this.#entries.list();
          end(
            shortfall({ filter: requestFilter, count, milliseconds, seen, matching }, this.#mask),
          );
        },
        Math.min(milliseconds, MAX_TIMEOUT),
      );
      cleanUps.push(() => clearTimeout(timer), this.listen(check));
      cleanUps.push(this.#lifetime().onEnd(() => end()));
      if (client !== undefined) cleanUps.push(client.onEnd(() => end()));
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
  finish(entry: JournalEntry, end: EntryEnd): void {
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
}
