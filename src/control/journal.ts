import * as z from "zod/mini";
import { errorCodes, type ErrorCode } from "../contract/errors.ts";
import { choice, integer, objectOf, text } from "../contract/fields.ts";
import { problemLine } from "../contract/problem-line.ts";
import { readAs, type Problem } from "../contract/problems.ts";
import { shorten } from "../contract/shorten.ts";
import { unknownName } from "../contract/unknown-name.ts";
import { toDuration, EXPECTED_DURATION, type Duration } from "../store/clock.ts";
import { UsageError } from "../usage-error.ts";
import type { Input } from "./fault.ts";

/** The oldest entries go beyond so many. */
const MAX_ENTRIES = 1_000;
/** How long `waitFor` waits unless it is told (ms), and the most that a timer counts. */
const PATIENCE = 5_000;
const MAX_PATIENCE = 2 ** 31 - 1;

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
  /** Undefined where a fault let there be no reply, or still delays it. */
  readonly status: number | undefined;
  /** Of a refusal. */
  readonly code: ErrorCode | undefined;
  /** Milliseconds. */
  readonly duration: number;
  readonly requestId: string;
  /** The ids of the faults that struck it. */
  readonly faults: readonly string[];
}

/** What a client sent; it is read when somebody looks at it. */
export interface RecordedInput {
  /** In bytes, as far as it is kept. */
  readonly size: number;
  /** Without secrets. */
  read(): unknown;
  /** Compares all of it, the secrets too. */
  contains(part: Input): boolean;
}

/** How a request ended; of one that a fault still delays, as far as that is known. */
export type RequestEnd = Pick<RecordedRequest, "status" | "code" | "duration" | "faults">;

/** A request to be recorded. */
export interface JournalEntry extends Omit<RecordedRequest, "input" | keyof RequestEnd> {
  input: RecordedInput;
  end: RequestEnd;
}

/** Which requests are meant; what is left out lets all pass. */
export interface RequestFilter {
  readonly operation?: string | undefined;
  readonly status?: number | undefined;
  readonly code?: ErrorCode | undefined;
  /** Members that the input contains, or a function that tells of a request whether it is meant. */
  readonly match?: Input | ((request: RecordedRequest) => boolean) | undefined;
}

/** Inputs take no more than this (bytes) in all; the oldest go first. */
const MAX_INPUT_BYTES = 1_048_576;

const NOT_KEPT: RecordedInput = {
  size: 0,
  read: () => "(not kept: there is too much of it)",
  contains: () => false,
};

const matchError = "expected an object that the input is to contain, or a function of the request";

const requestFilter = objectOf({
  operation: z.optional(text({ min: 1 })),
  status: z.optional(integer({ min: 100, max: 599 })),
  code: z.optional(choice(errorCodes)),
  match: z.optional(
    z.custom<RequestFilter["match"]>(
      (value) => typeof value === "function" || isPlainObject(value),
      { error: matchError },
    ),
  ),
});

const countedFilter = z.extend(requestFilter, { count: z.optional(integer({ min: 1 })) });

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a world was asked, the newest last. */
export class Journal {
  readonly #operations: readonly string[];
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #entries: JournalEntry[] = [];
  /** Of all inputs, in bytes. */
  #size = 0;

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
    this.#size = 0;
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
    if (filter !== undefined) this.#check(filter, { isCounted: true });
    const { count = 1, ...meant } = filter ?? {};
    const patience = toDuration(timeout);
    if (patience === undefined) throw new UsageError(`requests: timeout: ${EXPECTED_DURATION}`);
    const isMeant = this.#toPredicate(meant);
    return new Promise((resolve, reject) => {
      const found = new Set(this.#entries.filter(isMeant));
      const stop = () => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      const look = (entry: JournalEntry | undefined) => {
        try {
          // Only at what is new: a journal may hold much.
          if (entry !== undefined && isMeant(entry)) found.add(entry);
          const kept = this.#entries.filter((each) => found.has(each));
          if (kept.length < count) return;
          resolve(kept.map(toRequest));
        } catch (error) {
          // The caller's own function failed, which is nothing to the request that came.
          reject(error);
        }
        stop();
      };
      const timer = setTimeout(
        () => {
          stop();
          reject(new Error(this.#missing(meant, count, patience)));
        },
        Math.min(patience, MAX_PATIENCE),
      );
      this.#listeners.add(look);
      look(undefined);
    });
  }

  record(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#size += entry.input.size;
    if (this.#entries.length > MAX_ENTRIES) this.#size -= this.#entries.shift()?.input.size ?? 0;
    this.#dropInputs();
    this.#tell(entry);
  }

  /** A request that was recorded while it was delayed has ended. */
  finish(entry: JournalEntry, end: RequestEnd): void {
    entry.end = end;
    this.#tell(entry);
  }

  #tell(entry: JournalEntry): void {
    for (const look of this.#listeners) look(entry);
  }

  /** Lets the oldest inputs go where all of them take too much. */
  #dropInputs(): void {
    for (const entry of this.#entries) {
      if (this.#size <= MAX_INPUT_BYTES) return;
      this.#size -= entry.input.size;
      entry.input = NOT_KEPT;
    }
  }

  #matching(filter: RequestFilter): JournalEntry[] {
    return this.#entries.filter(this.#toPredicate(filter));
  }

  #toPredicate(filter: RequestFilter): (entry: JournalEntry) => boolean {
    const { code, match, operation, status } = this.#check(filter);
    return (entry) => {
      if (operation !== undefined && entry.operation !== operation) return false;
      if (status !== undefined && entry.end.status !== status) return false;
      if (code !== undefined && entry.end.code !== code) return false;
      if (typeof match === "function") return match(toRequest(entry));
      return match === undefined || entry.input.contains(match);
    };
  }

  /** A name that is misspelt would be found nowhere, and a test might be content with that. */
  #check(filter: RequestFilter, { isCounted = false } = {}): RequestFilter {
    const schema = isCounted ? countedFilter : requestFilter;
    const { value, problems, unknown } = readAs(schema, filter);
    const wrong: Problem[] = [...problems, ...unknown];
    const operation = value?.operation;
    if (operation !== undefined && !this.#operations.includes(operation)) {
      const expected = unknownName("operation", operation, this.#operations);
      wrong.push({ path: ["operation"], expected, value: operation, isWhole: true });
    }
    if (wrong.length === 0) return filter;
    throw new UsageError(wrong.map((problem) => problemLine("requests", problem)));
  }

  #missing(filter: RequestFilter, count: number, timeout: number): string {
    const { operation = "any operation" } = filter;
    const seen = this.#entries.map(({ end, operation: name }) => `${name} ${end.status ?? "-"}`);
    const told = seen.length === 0 ? "nothing" : shorten(seen.slice(-20).join(", "), 500);
    return `requests.waitFor: expected ${count} of ${operation} within ${timeout} ms, got ${this.count(filter)}; seen: ${told}`;
  }
}

function toRequest({ end, input, ...entry }: JournalEntry): RecordedRequest {
  const { operation, method, path, time, requestId } = entry;
  const { code, duration, faults, status } = end;
  return {
    operation,
    method,
    path,
    time,
    input: input.read(),
    status,
    code,
    duration,
    requestId,
    faults,
  };
}
