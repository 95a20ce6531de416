import { contains } from "../schema/contains.ts";
import type { Input } from "../faults/fault.ts";
import { maskJson, maskMalformed } from "./mask.ts";

type Format = "body" | "query" | "summary";

/**
 * What the journal keeps of a body or a query, or what it tells instead. It is parsed and masked only
 * when somebody looks: most requests nobody ever asks about.
 */
export class RecordedContent {
  readonly #format: Format;
  readonly #content: Uint8Array | string | object;
  /** How much of the journal's memory it counts for (bytes). */
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

  /** Tells this in the place of a body; it is shown as it is. */
  static ofSummary(summary: string | object, size = 0): RecordedContent {
    return new RecordedContent("summary", summary, size);
  }

  /** For a test or a person to look at, without these tokens and without key values. */
  read(tokens: readonly string[]): unknown {
    if (this.#format === "summary") return this.#content;
    const value = this.#parse();
    if (value !== undefined) return maskJson(value, tokens);
    const text = this.#text();
    return text === "" ? undefined : maskMalformed(text, tokens);
  }

  /** Compares all that was sent, the secrets too. */
  contains(part: Input): boolean {
    if (this.#format === "summary") return false;
    return contains(this.#parse(), this.#format === "query" ? toTexts(part) : part);
  }

  /** Undefined for what is no JSON, or nested deeper than the stack goes. */
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
    return content instanceof Uint8Array ? new TextDecoder().decode(content) : String(content);
  }
}

/** In a query everything is text; a test may write `{ limit: 10 }` all the same. */
function toTexts(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return String(part);
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, toTexts(value)]));
}
