import { differences, inputContains, type Difference } from "../base/contains.ts";
import type { Input } from "../faults/fault.ts";
import { maskJson, maskMalformed, type Mask } from "../base/wording/mask.ts";

type Format = "body" | "query" | "summary";

/**
 * A body or a query in the journal, or a summary in place of a body. It is parsed and masked only when
 * it is read, because most recorded requests are never read.
 */
export class RecordedContent {
  readonly #format: Format;
  readonly #content: Uint8Array | string | object;
  /** Its share of the journal's memory limit, in bytes. */
  readonly size: number;

  private constructor(format: Format, content: Uint8Array | string | object, size: number) {
    this.#format = format;
    this.#content = content;
    this.size = size;
  }

  static ofBody(body: Uint8Array | string): RecordedContent {
    return new RecordedContent("body", body, body.length);
  }

  static ofQuery(query: string): RecordedContent {
    return new RecordedContent("query", query, query.length);
  }

  /** A summary in place of a body. It is shown unchanged, so it must not contain secrets. */
  static ofSummary(summary: string | object, size = 0): RecordedContent {
    return new RecordedContent("summary", summary, size);
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

  /** Where the content differs from `part`, unmasked. Undefined for a summary, which is no content. */
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
