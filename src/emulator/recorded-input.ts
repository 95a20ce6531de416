import { contains } from "../control/contains.ts";
import type { Input } from "../control/fault.ts";
import type { RecordedInput } from "../control/recorded-request.ts";
import { maskKeyValues } from "../store/key-value.ts";
import type { PlainRequest } from "./exchange.ts";
import { maskSecrets, maskToken } from "./mask-secrets.ts";
import { secretsOf } from "./place.ts";
import type { World } from "./world.ts";

/** A longer body is not kept: a journal of the longest would take a gigabyte. */
const MAX_KEPT_BYTES = 100_000;
/** Names of members that hold secrets, whatever they look like: `key`, `access_token`, `rootKeys`. */
const SECRET = /(?:key|token|secret|password|plaintext|authorization)s?$/i;
/** The same in text that is no JSON, with the value behind it. */
const NAMED_SECRET =
  /("[^"]*(?:key|token|secret|password|plaintext|authorization)s?"\s*:\s*)"[^"]*"?/gi;
const MASK = "***";

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
    const tokens = secretsOf(this.#world, this.#authorization);
    const maskText = (text: string) => maskKeyValues(tokens.reduce(maskToken, text));
    if (typeof this.#sent === "string") return mask(toParameters(this.#sent), maskText);
    return readBody(
      this.#sent,
      (input) => mask(input, maskText),
      (text) =>
        text === "" ? undefined : maskSecrets(maskText(text).replace(NAMED_SECRET, `$1"${MASK}"`)),
    );
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

/** What is no JSON, or nested deeper than the stack goes, is taken as text. */
function readBody<Value>(
  body: Uint8Array,
  read: (input: unknown) => Value,
  readText: (text: string) => Value,
): Value {
  const text = new TextDecoder().decode(body);
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    return readText(text);
  }
  return read(input);
}

/** Deeper than any input that an operation takes, and within what JSON can be written of. */
const MAX_DEPTH = 110;

function mask(value: unknown, maskText: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "(nested too deeply)";
  if (Array.isArray(value)) return value.map((item) => mask(item, maskText, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      return [maskText(name), SECRET.test(name) ? MASK : mask(member, maskText, depth + 1)];
    }),
  );
}
