import type { ServedContract } from "../../api/operation.ts";
import { errorsFrom } from "../../base/errors-from.ts";
import type { Lifetime } from "../../base/lifetime.ts";
import { pluralize, printableJson } from "../../base/wording/text.ts";
import { type Duration, EXPECTED_DURATION, toDuration } from "../../state/time/time-text.ts";
import { UsageError } from "../../base/usage-error.ts";
import { clearTimeout, MAX_DELAY, setTimeout } from "../../base/real-timers.ts";
import type { Mask } from "../../base/wording/mask.ts";
import type { EntryEnd, JournalEntry, RecordedRequest } from "./recorded-request.ts";
import { RecentEntries, toRequest } from "./recorded-request.ts";
import type { CountedFilter, Outcome, RequestFilter } from "./request-filter.ts";
import { checkFilter, countedFilter, hasOutcome, matchesFilter } from "./request-filter.ts";
import { shortfall } from "./shortfall.ts";

/** How long `waitFor` waits by default, in milliseconds. */
const DEFAULT_TIMEOUT = 5_000;

function forgottenText(count: number): string {
  return `${pluralize(count, "call")} that may match ${count === 1 ? "is" : "are"} forgotten, because the journal keeps the last 1,000 calls and 1 MiB of bodies; count without match, which is exact, or call requests.clear() earlier`;
}

/** At least one request, the newest last. */
export type Requests = [RecordedRequest, ...RecordedRequest[]];

/**
 * Called with an entry when it is recorded, and again when its request ends. Called with undefined
 * when the journal is cleared.
 */
export type JournalListener = (entry: JournalEntry | undefined) => void;

/** How many calls there were, by version, operation and status. */
class CallCounts {
  readonly #counts = new Map<string, { readonly outcome: Outcome; count: number }>();

  /** @param by 1 for another call, -1 for one whose outcome has changed */
  add({ operation, status, version }: Outcome, by: 1 | -1 = 1): void {
    const key = `${version} ${operation} ${status}`;
    const known = this.#counts.get(key);
    if (known === undefined) {
      this.#counts.set(key, { outcome: { operation, status, version }, count: by });
    } else known.count += by;
  }

  /** How many calls match a filter, whatever its `match`. */
  of(filter: Partial<Outcome>): number {
    let sum = 0;
    for (const { count, outcome } of this.#counts.values()) {
      if (hasOutcome(outcome, filter)) sum += count;
    }
    return sum;
  }
}

/** The requests that a world received, the newest last. */
export class Journal {
  readonly #contracts: readonly ServedContract[];
  readonly #listeners = new Set<JournalListener>();
  readonly #mask: Mask;
  readonly #lifetime: () => Lifetime;
  #entries = new RecentEntries();
  /** Counts all calls since the journal was last emptied. */
  #counts = new CallCounts();
  /** Counts those calls whose entries are gone. */
  #forgotten = new CallCounts();
  /** Entries that were counted without a status. `finish` counts them again, each time a delay ends. */
  #unfinished = new WeakSet<JournalEntry>();

  /**
   * @param contracts the contracts of the served operations
   * @param lifetime the lifetime of the state; waiting ends with it
   */
  constructor(contracts: readonly ServedContract[], mask: Mask, lifetime: () => Lifetime) {
    this.#contracts = contracts;
    this.#mask = mask;
    this.#lifetime = lifetime;
  }

  /**
   * The requests that match the filter. Without a filter, the last 1,000.
   * @throws UsageError for an invalid filter or an operation that is not served, as every method with a
   *   filter does; and if forgotten requests may match: the journal has the last 1,000, and 1 MiB of
   *   their bodies
   */
  list(filter: RequestFilter = {}): RecordedRequest[] {
    const matching = this.#matching(filter);
    if (Object.values(filter).some((member) => member !== undefined)) this.#checkKept(filter);
    return matching.map(toRequest);
  }

  /** The oldest request that matches the filter. Throws as `list` with a filter. */
  find(filter: RequestFilter = {}): RecordedRequest | undefined {
    const [first] = this.#matching(filter);
    this.#checkKept(filter);
    return first && toRequest(first);
  }

  /**
   * How many requests match the filter, also of those that are no longer in the journal. With `match`, it
   * throws as `list`.
   */
  count(filter: RequestFilter = {}): number {
    const { length } = this.#matching(filter);
    if (filter.match === undefined) return this.#counts.of(filter);
    this.#checkKept(filter);
    return length;
  }

  clear(): void {
    this.#entries = new RecentEntries();
    this.#counts = new CallCounts();
    this.#forgotten = new CallCounts();
    this.#unfinished = new WeakSet();
    for (const listener of this.#listeners) listener(undefined);
  }

  /** @throws UsageError if requests that are forgotten, or whose input is, may match the filter */
  #checkKept(filter: RequestFilter): void {
    const forgotten = this.#forgottenOf(filter);
    if (forgotten > 0) throw new UsageError(`requests: ${forgottenText(forgotten)}`);
  }

  #forgottenOf(filter: RequestFilter): number {
    const withoutInput =
      filter.match === undefined
        ? []
        : this.#entries
            .list()
            .filter((entry) => entry.input.isForgotten && hasOutcome(entry, filter));
    return this.#forgotten.of(filter) + withoutInput.length;
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
   * @param timeout in real time, not by the emulator's clock: milliseconds, or text like `2s`. Default:
   *   5,000
   * @throws UsageError for an invalid filter or timeout
   * @throws Error if the time is up and too few requests match. It names the filter, where the nearest
   *   request differs from it, and the requests that came. Also if the emulator is reset or restored
   *   during the wait
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
          const wait = { filter: requestFilter, count, milliseconds, seen, matching };
          const forgotten = this.#forgottenOf(requestFilter);
          const note = forgotten === 0 ? "" : `; ${forgottenText(forgotten)}`;
          end(shortfall(wait, this.#mask) + note);
        },
        Math.min(milliseconds, MAX_DELAY),
      );
      cleanUps.push(() => clearTimeout(timer), this.listen(check));
      cleanUps.push(this.#lifetime().onEnd(() => end()));
      if (client !== undefined) cleanUps.push(client.onEnd(() => end()));
      check(undefined);
    });
  }

  record(entry: JournalEntry): void {
    this.#counts.add(entry);
    if (entry.status === undefined) this.#unfinished.add(entry);
    const forgotten = this.#entries.add(entry);
    if (forgotten !== undefined) this.#forgotten.add(forgotten);
    for (const listener of this.#listeners) listener(entry);
  }

  /**
   * Completes the entry of a request that was recorded when a fault began to delay it. If the journal
   * has dropped the entry, it is recorded again.
   */
  finish(entry: JournalEntry, end: EntryEnd): void {
    const { operation, status, version } = entry;
    const before = { operation, status, version };
    const isCounted = this.#unfinished.has(entry);
    if (isCounted) this.#counts.add(before, -1);
    if (this.#entries.finish(entry, end)) {
      this.#counts.add(entry);
      for (const listener of this.#listeners) listener(entry);
      return;
    }
    if (isCounted) this.#forgotten.add(before, -1);
    this.record(entry);
  }

  #matching(filter: RequestFilter): JournalEntry[] {
    checkFilter(filter, this.#contracts);
    return this.#entries.list().filter((entry) => matchesFilter(entry, filter));
  }
}
