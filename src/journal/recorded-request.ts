import type { ErrorCode } from "../contract/errors.ts";
import type { RecordedContent } from "./recorded-content.ts";

/** The oldest entries of a journal go beyond so many. */
export const MAX_ENTRIES = 1_000;

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
  /**
   * What the client was told: the body of the reply, and of a page how many keys it had. Undefined
   * where there is no reply.
   */
  readonly answer: unknown;
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

/** How a request ended; of one that a fault still delays, as far as that is known. */
export interface RequestEnd extends Pick<
  RecordedRequest,
  "status" | "code" | "duration" | "faults"
> {
  readonly answer: RecordedContent | undefined;
}

/** A request to be recorded; how it ended may come later. */
export interface JournalEntry
  extends Omit<RecordedRequest, "input" | keyof RequestEnd>, Changeable<RequestEnd> {
  input: RecordedContent;
  /** The tokens that nobody is to see, asked for when somebody looks. */
  readonly secrets: () => readonly string[];
  /** Its JSON, where somebody has followed; it goes when the entry changes. */
  text?: string | undefined;
}

type Changeable<Members> = { -readonly [Name in keyof Members]: Members[Name] };

/** The entry as it stands. */
export function toRequest(entry: JournalEntry): RecordedRequest {
  const { answer, code, duration, faults, input, method, operation } = entry;
  const { path, requestId, secrets, status, time } = entry;
  const tokens = secrets();
  return {
    operation,
    method,
    path,
    time,
    input: input.read(tokens),
    answer: answer?.read(tokens),
    status,
    code,
    duration,
    requestId,
    faults,
  };
}
