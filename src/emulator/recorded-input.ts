import { contains } from "../contract/contains.ts";
import type { Input } from "../control/fault.ts";
import type { RecordedInput } from "../control/recorded-request.ts";
import type { PlainRequest } from "./exchange.ts";
import { mask, maskerOf, readBody, readMasked } from "./masked-content.ts";
import type { World } from "./world.ts";

/** A longer body is not kept: a journal of the longest would take a gigabyte. */
const MAX_KEPT_BYTES = 100_000;

/**
 * What a client sent, for a test to look at, without key values and tokens. It is read only when
 * somebody looks: most requests nobody ever asks about.
 */
export function toRecordedInput(
  { body, method, query }: PlainRequest,
  world: World,
  authorization: string | undefined,
): RecordedInput {
  if (method === "GET" || method === "HEAD") return new Recorded(query, world, authorization);
  if (body !== "too large" && body.length <= MAX_KEPT_BYTES) {
    return new Recorded(body, world, authorization);
  }
  return unkept(body === "too large" ? "too large" : `of ${body.length} bytes, which is not kept`);
}

/** A query as text, or the bytes of a body. A class: a journal keeps a thousand, without closures. */
class Recorded implements RecordedInput {
  readonly #sent: string | Uint8Array;
  readonly #world: World;
  readonly #authorization: string | undefined;

  constructor(sent: string | Uint8Array, world: World, authorization: string | undefined) {
    this.#sent = sent;
    this.#world = world;
    this.#authorization = authorization;
  }

  get size(): number {
    return this.#sent.length;
  }

  read(): unknown {
    const maskText = maskerOf(this.#world, this.#authorization);
    if (typeof this.#sent === "string") return mask(toParameters(this.#sent), maskText);
    return readMasked(this.#sent, maskText);
  }

  contains(part: Input): boolean {
    if (typeof this.#sent === "string") return contains(toParameters(this.#sent), asText(part));
    return readBody(
      this.#sent,
      (input) => contains(input, part),
      () => false,
    );
  }
}

function toParameters(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

/** A function of its own: what stands beside it would keep the body. */
function unkept(what: string): RecordedInput {
  return { size: 0, read: () => `(a body ${what})`, contains: () => false };
}

/** In a query everything is text; a test may write `{ limit: 10 }` all the same. */
function asText(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return String(part);
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, asText(value)]));
}
