import { isError } from "../base/realm.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Why the bytes of a body are no JSON, or are not parsed. */
export type JsonProblem =
  | "nothing"
  | "malformed JSON"
  | "bytes that are not UTF-8"
  | "too deep"
  | "too many values";

/** A parsed body, or the reason why it cannot be parsed. */
type JsonBody =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: JsonProblem };

/** Bodies up to this size are always parsed: even with the deepest nesting, they take little memory. */
const SMALL_BYTES = 1_048_576;
/**
 * `meta` may have 100 levels, and a fixture adds fewer than 100 around it. A large body with deeper JSON
 * could take very much memory.
 */
export const MAX_DEPTH = 200;
/**
 * The most values of a body: the body itself, each member of an object and each item of a list, at
 * every depth. The service has no such limit. Here, all other requests wait while a body is parsed and
 * checked, and millions of values fit into 10 MiB.
 */
const MAX_VALUES = 100_000;
/** A body with more values has more bytes, because each value takes at least one byte and a comma. */
const MANY_BYTES = 2 * MAX_VALUES;

/** The number is written out, because `toLocaleString` would load data for languages. */
export const EXPECTED_VALUES =
  "at most 100,000 JSON values, counting every member of an object and every item of an array";

/**
 * Parses the JSON of a body. The message of `JSON.parse` is not part of the result, because it quotes
 * the body, which may contain a secret.
 * @param isControl whether it is the body of a control route, which may have any number of values
 */
export function parseJson(body: Uint8Array, isControl = false): JsonBody {
  if (body.length === 0) return { problem: "nothing" };
  // A short body of an operation can have neither too many levels nor too many values.
  const problem = isControl || body.length > MANY_BYTES ? excessOf(body, isControl) : undefined;
  if (problem !== undefined) return { problem };
  try {
    return { value: JSON.parse(decoder.decode(body)) };
  } catch (error) {
    const isSyntax = isError(error) && error.name === "SyntaxError";
    return { problem: isSyntax ? "malformed JSON" : "bytes that are not UTF-8" };
  }
}

/** Whether a body has too many levels or values to be parsed; undefined if it has not. */
function excessOf(
  body: Uint8Array,
  isControl: boolean,
): "too deep" | "too many values" | undefined {
  const maxDepth = isControl || body.length > SMALL_BYTES ? MAX_DEPTH : Infinity;
  const maxValues = isControl ? Infinity : MAX_VALUES;
  let depth = 0;
  let values = 1;
  /** Whether a bracket was opened, and nothing has followed. */
  let isOpened = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] as number;
    if (byte <= SPACE) continue;
    const isClosing = byte === CLOSING_BRACKET || byte === CLOSING_BRACE;
    // The first value of a list or object. Each other value comes after a comma.
    if ((isOpened && !isClosing) || byte === COMMA) values += 1;
    isOpened = byte === OPENING_BRACKET || byte === OPENING_BRACE;
    if (isOpened) depth += 1;
    else if (isClosing) depth -= 1;
    else if (byte === QUOTE) index = endOfText(body, index);
    if (depth > maxDepth) return "too deep";
    if (values > maxValues) return "too many values";
  }
  return undefined;
}

/** The position of the quote that ends a string, or of the end of the body. */
function endOfText(body: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < body.length && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** Bytes up to this one are white space, or no JSON. */
const SPACE = 0x20;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, OPENING_BRACE] = [0x5b, 0x7b];
const [CLOSING_BRACKET, CLOSING_BRACE] = [0x5d, 0x7d];
