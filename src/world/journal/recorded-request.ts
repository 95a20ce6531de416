import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import { type Mask, maskJson, maskMalformed } from "../../base/wording/mask.ts";
import { errorCodes } from "../../api/errors.ts";
import type { OperationName } from "../../api/operation-name.ts";
import { problemType } from "../../api/v2/problem.ts";
import { versionNames } from "../../api/version.ts";
import * as f from "../../schema/fields.ts";
import { type Difference, differences, inputContains, isRecord } from "../../base/json.ts";
import type { Input } from "../../faults/fault.ts";
import { timestamp } from "../../state/vocabulary.ts";

/** A journal keeps this many entries, the newest ones. */
export const MAX_ENTRIES = 1_000;

export const recordedRequest = lazily(() =>
  f.component("RecordedRequest", "A request and its outcome.", {
    version: f.optional(
      f.choice(versionNames),
      "The version of the interface that the path belongs to; absent if it belongs to none.",
    ),
    operation: z.optional(
      f.typed<OperationName>(
        f.described(f.text(), "Like `keys.createKey`; absent if the path leads to no operation."),
      ),
    ),
    method: f.described(f.text(), "The method, as it was sent."),
    path: f.described(f.text(), "Without the query, tokens and key values."),
    token: f.optional(
      f.text(),
      "Whose call it was: `tokens[0]` for the first listed token, `unlisted[0]` for the first one that is not listed and called. Absent if no token was sent.",
    ),
    headers: f.optional(
      z.record(z.string(), z.string()),
      "The headers that the option `recordHeaders` names, by their names in lower case. Tokens and key values are masked.",
    ),
    time: timestamp("When it arrived, by the emulator's clock."),
    input: f.optional(
      z.unknown(),
      "The JSON body, or the parameters of the query as text. Tokens and key values are masked.",
    ),
    answer: f.optional(
      z.unknown(),
      "The body of the reply, masked like `input`; see `shortened`. Absent if there is no reply.",
    ),
    shortened: f.optional(
      f.listOf(f.choice(["input", "answer"]), "members"),
      "Which of `input` and `answer` contains a number or a note instead of the body.",
    ),
    status: f.optional(
      f.integer({ min: 100, max: 599 }),
      "The status of the reply. Absent if a fault prevented or still delays it.",
    ),
    code: f.optional(f.choice(errorCodes), "The error code, for an error reply of v1."),
    type: z.optional(problemType("The type of the problem, for an error reply of v2.")),
    hint: f.optional(f.text(), "Advice with the reply, as in `X-Latchkey-Hint`."),
    duration: f.described(z.number(), "How long it took. Milliseconds."),
    requestId: f.described(
      f.text(),
      "The id in the reply: in v1 its header `Unkey-Request-Id`, in v2 `meta.requestId`.",
    ),
    faults: f.described(f.listOf(f.text(), "ids of faults"), "Ids of the faults that hit it."),
  }),
);

/** A request to the emulator and how it was answered, with tokens and key values masked. */
export type RecordedRequest = f.ShownBy<typeof recordedRequest>;

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
  /** Names the token without showing it; called when the entry is read. */
  readonly nameOf: (token: string) => string;
  /** Cached JSON, for clients that follow the journal; removed when the entry changes. */
  text?: string | undefined;
}

type Changeable<Members> = { -readonly [Name in keyof Members]: Members[Name] };

/** A copy of an entry in its current state, for a test or a person. */
export function toRequest(entry: JournalEntry): RecordedRequest {
  const { headers, mask, nameOf, text: _, token, ...request } = entry;
  const shortened = (["input", "answer"] as const).filter((name) => entry[name]?.isSummary);
  return {
    ...request,
    ...(shortened.length > 0 && { shortened }),
    ...(token !== undefined && { token: nameOf(token) }),
    ...(headers && { headers: maskValues(headers, mask) }),
    method: mask(request.method),
    path: mask(request.path),
    input: request.input.read(mask),
    answer: request.answer?.read(mask),
    hint: request.hint && mask(request.hint),
  };
}

/**
 * The code of a verification, like `RATE_LIMITED`. Its status is 200, whatever the code. Undefined for
 * other operations, and without a reply.
 * @param answer the body of the reply, of either version
 */
export function verifiedAs(operation: string | undefined, answer: unknown): string | undefined {
  if (operation !== "keys.verifyKey" || !isRecord(answer)) return undefined;
  const data = isRecord(answer["data"]) ? answer["data"] : answer;
  return typeof data["code"] === "string" ? data["code"] : undefined;
}

function maskValues(headers: Readonly<Record<string, string>>, mask: Mask) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)]));
}

/** A summary (also the note that a body is not kept) is shown unchanged, so it must not contain secrets. */
type Format = "body" | "query" | "summary";

/**
 * A body or a query in the journal, or a summary instead of a body. It is parsed and masked only when it
 * is read, because most recorded requests are never read.
 */
export class RecordedContent {
  readonly #format: Format;
  readonly #content: Uint8Array | string | object;
  /** Its share of the journal's memory limit, in bytes. */
  readonly size: number;
  /** Whether there was a body that is not kept. */
  readonly isForgotten: boolean;

  constructor(
    format: Format,
    content: Uint8Array | string | object,
    size: number,
    isForgotten = false,
  ) {
    this.isForgotten = isForgotten;
    this.#format = format;
    this.#content = content;
    this.size = size;
  }

  get isSummary(): boolean {
    return this.#format === "summary";
  }

  /** The parsed content, with all secrets masked. */
  read(mask: Mask): unknown {
    if (this.#format === "summary") return this.#content;
    const value = this.#parse();
    if (value !== undefined) return maskJson(value, mask);
    const { size } = this;
    if (size === 0) return undefined;
    return maskMalformed(this.#text(), mask) ?? `(a body of ${size} bytes, which is not JSON)`;
  }

  /** Whether the content matches `part`. Compares the unmasked content. */
  contains(part: Input): boolean {
    if (this.#format === "summary") return false;
    return inputContains(this.#parse(), this.#format === "query" ? toTexts(part) : part);
  }

  /** Where the content differs from `part`, unmasked. Undefined for a summary. */
  differences(part: Input): readonly Difference[] | undefined {
    if (this.#format === "summary") return undefined;
    return differences(this.#parse(), this.#format === "query" ? toTexts(part) : part);
  }

  /** Undefined for invalid JSON, and for JSON nested too deeply for the parser. */
  #parse(): unknown {
    if (this.#format === "query") return Object.fromEntries(new URLSearchParams(this.#text()));
    try {
      return JSON.parse(this.#text());
    } catch {
      return undefined;
    }
  }

  #text(): string {
    const content = this.#content;
    // Not `instanceof Uint8Array`: in jsdom, the bytes of a request belong to another realm.
    return typeof content === "string" ? content : new TextDecoder().decode(content as Uint8Array);
  }
}

/** Query values are strings. So that `{ limit: 10 }` matches them, numbers become text. */
function toTexts(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return String(part);
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, toTexts(value)]));
}

/** The memory for the contents of all entries, in bytes. The oldest contents are removed first. */
const MAX_BYTES = 1_048_576;

const REMOVED = "(removed: the journal keeps 1 MiB of bodies)";

/** The last 1,000 entries, with the contents (input and answer) of as many as fit into 1 MiB. */
export class RecentEntries {
  readonly #entries: JournalEntry[] = [];
  /** How many of the oldest entries have lost their contents. */
  #emptied = 0;
  #size = 0;
  /** Shown instead of removed contents. */
  readonly #removed = new RecordedContent("summary", REMOVED, 0, true);

  /** The oldest first. */
  list(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** Returns the entry that it displaces, if there is one. */
  add(entry: JournalEntry): JournalEntry | undefined {
    this.#entries.push(entry);
    this.#size += sizeOf(entry);
    let forgotten: JournalEntry | undefined;
    if (this.#entries.length > MAX_ENTRIES) {
      forgotten = this.#entries.shift();
      this.#size -= sizeOf(forgotten);
      this.#emptied = Math.max(0, this.#emptied - 1);
    }
    while (this.#size > MAX_BYTES) this.#emptyNext();
    return forgotten;
  }

  /** Completes an entry with the end of its request. Returns whether the entry is in this list. */
  finish(entry: JournalEntry, end: EntryEnd): boolean {
    const before = sizeOf(entry);
    Object.assign(entry, end, { text: undefined });
    const index = this.#entries.indexOf(entry);
    if (index === -1) return false;
    this.#size += sizeOf(entry) - before;
    if (index < this.#emptied) this.#empty(entry);
    while (this.#size > MAX_BYTES) this.#emptyNext();
    return true;
  }

  #emptyNext(): void {
    this.#empty(this.#entries[this.#emptied] as JournalEntry);
    this.#emptied += 1;
  }

  /** Removes the contents of an entry, unless their size is 0. */
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
