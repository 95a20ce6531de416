const decoder = new TextDecoder("utf-8", { fatal: true });

/** Why the bytes of a body are no JSON. */
export type JsonProblem = "nothing" | "malformed JSON" | "bytes that are not UTF-8" | "too deep";

/** A parsed body and its text, or the reason why it cannot be parsed. */
export type JsonBody =
  | { readonly value: unknown; readonly text: string; readonly problem?: undefined }
  | { readonly problem: JsonProblem };

/** Bodies up to this size are parsed whatever their nesting, because even the worst takes little memory. */
const SMALL_BYTES = 1_048_576;

/**
 * Parses the JSON of a body. The message of `JSON.parse` is not part of the result, because it quotes
 * the body, which may contain a secret.
 */
export function parseJson(body: Uint8Array, isAlwaysMeasured = false): JsonBody {
  if (body.length === 0) return { problem: "nothing" };
  if ((isAlwaysMeasured || body.length > SMALL_BYTES) && isTooDeep(body)) {
    return { problem: "too deep" };
  }
  try {
    const text = decoder.decode(body);
    return { value: JSON.parse(text), text };
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    return { problem: isSyntax ? "malformed JSON" : "bytes that are not UTF-8" };
  }
}

/**
 * More levels than a fixture with the deepest `meta` has. Parsing deeper JSON could take fifty times
 * the memory of its text.
 */
export const MAX_DEPTH = 200;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/** Counts brackets outside of strings, so that deep JSON is refused before it is parsed. */
function isTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) index += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
