import type { ErrorCode } from "../contract/errors.ts";
import type { OperationName } from "../contract/operation-name.ts";
import type { ProblemType } from "../contract/v2/problem.ts";
import type { VersionName } from "../contract/version.ts";
import type { Mask } from "../base/wording/mask.ts";
import type { RecordedContent } from "./recorded-content.ts";

/** A journal keeps this many entries, the newest ones. */
export const MAX_ENTRIES = 1_000;

/** A request to the emulator and how it was answered, with tokens and key values masked. */
export interface RecordedRequest {
  /** The version of the operation, else that of the path; undefined if the path belongs to none. */
  readonly version: VersionName | undefined;
  /** `<group>.<operation>`; undefined if the path belongs to no operation. */
  readonly operation: OperationName | undefined;
  /** The HTTP method, like `POST`. */
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** When it arrived, by the emulator's clock (Unix milliseconds). */
  readonly time: number;
  /** The JSON body that the client sent, or an object with the query parameters as strings. */
  readonly input: unknown;
  /**
   * The body of the reply; for a list of keys, a summary with the number of keys. Undefined if there is
   * no reply.
   */
  readonly answer: unknown;
  /** Undefined if a fault prevents the reply, or still delays it. */
  readonly status: number | undefined;
  /** The error code of a refusal of v1; undefined for other replies. */
  readonly code: ErrorCode | undefined;
  /** The type of the problem of a refusal of v2; undefined for other replies. */
  readonly type: ProblemType | undefined;
  /** Advice with a refusal, as in the header `X-Latchkey-Hint`; undefined if there is none. */
  readonly hint: string | undefined;
  /** Real time in milliseconds; while a fault delays the reply, the time until the delay. */
  readonly duration: number;
  /** The id of the request, which is also in the reply. */
  readonly requestId: string;
  /** The ids of the faults that hit it. */
  readonly faults: readonly string[];
}

/** The outcome of a request. While a fault delays the reply, only a part of it is known. */
export interface EntryEnd extends Pick<
  RecordedRequest,
  "status" | "code" | "type" | "hint" | "duration" | "faults"
> {
  readonly answer: RecordedContent | undefined;
}

/** An entry of the journal. Its outcome may be set later, when the request ends. */
export interface JournalEntry
  extends Omit<RecordedRequest, "input" | keyof EntryEnd>, Changeable<EntryEnd> {
  input: RecordedContent;
  /** Masks secrets; called when the entry is read. */
  readonly mask: Mask;
  /** Cached JSON, for clients that follow the journal; removed when the entry changes. */
  text?: string | undefined;
}

type Changeable<Members> = { -readonly [Name in keyof Members]: Members[Name] };

/** A copy of an entry in its current state, for a test or a person. */
export function toRequest(entry: JournalEntry): RecordedRequest {
  const { mask, text: _, ...request } = entry;
  return {
    ...request,
    method: mask(request.method),
    path: mask(request.path),
    input: request.input.read(mask),
    answer: request.answer?.read(mask),
    hint: request.hint && mask(request.hint),
  };
}
