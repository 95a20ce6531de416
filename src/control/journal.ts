import type { ErrorCode } from "../contract/errors.ts";
import { shorten } from "../contract/shorten.ts";
import { unknownName } from "../contract/unknown-name.ts";
import { UsageError } from "../usage-error.ts";
import { contains } from "./contains.ts";
import type { Input } from "./fault.ts";

/** The oldest entries go beyond so many. */
const MAX_ENTRIES = 1_000;
/** How long `waitFor` waits unless it is told (ms). */
const PATIENCE = 5_000;

/** What the emulator was asked, and how it answered. It holds no token and no key value. */
export interface RecordedRequest {
  /** `<group>.<operation>`; undefined where the path leads to none. */
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  /** When it came, by the clock of the emulator (unix milliseconds). */
  readonly time: number;
  /** What the client sent: a JSON body, or the text of each parameter of a query. */
  readonly input: unknown;
  /** Undefined where a fault let there be no reply. */
  readonly status: number | undefined;
  /** Of a refusal. */
  readonly code: ErrorCode | undefined;
  /** Milliseconds. */
  readonly duration: number;
  readonly requestId: string;
  /** The ids of the faults that struck it. */
  readonly faults: readonly string[];
}

/** A request to be recorded; its input is read when somebody looks at it. */
export interface JournalEntry extends Omit<RecordedRequest, "input"> {
  readonly readInput: () => unknown;
}

/** Which requests are meant; what is left out lets all pass. */
export interface RequestFilter {
  readonly operation?: string | undefined;
  readonly status?: number | undefined;
  readonly code?: ErrorCode | undefined;
  /** Members that the input contains, or a function that tells of a request whether it is meant. */
  readonly match?: Input | ((request: RecordedRequest) => boolean) | undefined;
}

/** What a world was asked, the newest last. */
export class Journal {
  readonly #operations: readonly string[];
  readonly #listeners = new Set<() => void>();
  #entries: JournalEntry[] = [];

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
    this.#entries = [];
  }

  /**
   * Resolves to the requests that are meant, once there are `count` of them (1).
   * @param timeout real milliseconds; 5,000 unless given
   * @throws Error that tells what was seen, when there are fewer by then
   */
  waitFor(
    { count = 1, ...filter }: RequestFilter & { readonly count?: number },
    timeout: number = PATIENCE,
  ): Promise<RecordedRequest[]> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      const look = () => {
        try {
          if (this.count(filter) < count) return;
          resolve(this.list(filter));
        } catch (error) {
          // The caller's own function failed, which is nothing to the request that came.
          reject(error);
        }
        stop();
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(this.#missing(filter, count, timeout)));
      }, timeout);
      this.#listeners.add(look);
      look();
    });
  }

  record(entry: JournalEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    for (const look of this.#listeners) look();
  }

  #matching({ code, match, operation, status }: RequestFilter): JournalEntry[] {
    // A name that is misspelt would be found nowhere, and a test might be content with that.
    if (operation !== undefined && !this.#operations.includes(operation)) {
      const expected = unknownName("operation", operation, this.#operations);
      throw new UsageError(`requests: operation: ${expected}`);
    }
    return this.#entries.filter((entry) => {
      if (operation !== undefined && entry.operation !== operation) return false;
      if (status !== undefined && entry.status !== status) return false;
      if (code !== undefined && entry.code !== code) return false;
      if (typeof match === "function") return match(toRequest(entry));
      return match === undefined || contains(entry.readInput(), match);
    });
  }

  #missing(filter: RequestFilter, count: number, timeout: number): string {
    const { operation = "any operation" } = filter;
    const seen = this.#entries.map(({ operation: name, status }) => `${name} ${status ?? "-"}`);
    const told = seen.length === 0 ? "nothing" : shorten(seen.slice(-20).join(", "), 500);
    return `requests.waitFor: expected ${count} of ${operation} within ${timeout} ms, got ${this.count(filter)}; seen: ${told}`;
  }
}

function toRequest({ readInput, ...entry }: JournalEntry): RecordedRequest {
  const { operation, method, path, time, ...rest } = entry;
  return { operation, method, path, time, input: readInput(), ...rest };
}
