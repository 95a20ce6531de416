import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import type { Mask } from "../base/wording/mask.ts";
import { errorCodes } from "../contract/errors.ts";
import type { OperationName } from "../contract/operation-name.ts";
import { problemType } from "../contract/v2/problem.ts";
import { versionNames } from "../contract/version.ts";
import {
  choice,
  described,
  docs,
  integer,
  listOf,
  objectOf,
  optional,
  type ShownBy,
  text,
  typed,
} from "../schema/fields.ts";
import type { RecordedContent } from "./recorded-content.ts";

/** A journal keeps this many entries, the newest ones. */
export const MAX_ENTRIES = 1_000;

export const recordedRequest = lazily(() =>
  objectOf({
    version: optional(
      choice(versionNames),
      "The version of the interface that the path belongs to; absent if it belongs to none.",
    ),
    operation: z.optional(
      typed<OperationName>(
        described(text(), "Like `keys.createKey`; absent if the path leads to no operation."),
      ),
    ),
    method: described(text(), "The method, as it was sent."),
    path: described(text(), "Without the query, tokens and key values."),
    time: described(
      integer({ min: 0 }),
      "When it arrived, by the emulator's clock. Unix milliseconds.",
    ),
    input: optional(
      z.unknown(),
      "The JSON body, or the parameters of the query as text. Tokens and key values are masked.",
    ),
    answer: optional(
      z.unknown(),
      "The body of the reply, masked like `input`; for a page of keys only their number. Absent if there is no reply.",
    ),
    status: optional(
      integer({ min: 100, max: 599 }),
      "The status of the reply. Absent if a fault prevented or still delays it.",
    ),
    code: optional(choice(errorCodes), "The error code, for an error reply of v1."),
    type: z.optional(problemType("The type of the problem, for an error reply of v2.")),
    hint: optional(text(), "Advice with an error reply, as in `X-Latchkey-Hint`."),
    duration: described(z.number(), "How long it took. Milliseconds."),
    requestId: described(
      text(),
      "The id in the reply: in v1 its header `Unkey-Request-Id`, in v2 `meta.requestId`.",
    ),
    faults: described(listOf(text(), "ids of faults"), "Ids of the faults that hit it."),
  }).register(docs, { id: "RecordedRequest", description: "A request and its outcome." }),
);

/** A request to the emulator and how it was answered, with tokens and key values masked. */
export type RecordedRequest = ShownBy<typeof recordedRequest>;

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
