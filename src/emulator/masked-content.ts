import { maskKeyValues } from "../store/key-value.ts";
import { maskSecrets, maskToken } from "./mask-secrets.ts";
import { secretsOf } from "./place.ts";
import type { World } from "./world.ts";

/** Names of members that hold secrets, whatever they look like: `key`, `access_token`, `rootKeys`. */
const SECRET = /(?:key|token|secret|password|plaintext|authorization)s?$/i;
/** The same in text that is no JSON, with the value behind it. */
const NAMED_SECRET =
  /("[^"]*(?:key|token|secret|password|plaintext|authorization)s?"\s*:\s*)"[^"]*"?/gi;
const MASK = "***";

/** Takes key values and tokens out of text. */
type MaskText = (text: string) => string;

/** What masks the text of a request, by what is a secret there. */
export function maskerOf(world: World, authorization: string | undefined): MaskText {
  const tokens = secretsOf(world, authorization);
  return (text) => maskKeyValues(tokens.reduce(maskToken, text));
}

/** A body, for a person to look at. */
export function readMasked(body: Uint8Array | string, maskText: MaskText): unknown {
  return readBody(
    body,
    (content) => mask(content, maskText),
    (text) =>
      text === "" ? undefined : maskSecrets(maskText(text).replace(NAMED_SECRET, `$1"${MASK}"`)),
  );
}

/** What is no JSON, or nested deeper than the stack goes, is taken as text. */
export function readBody<Value>(
  body: Uint8Array | string,
  read: (input: unknown) => Value,
  readText: (text: string) => Value,
): Value {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
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

export function mask(value: unknown, maskText: MaskText, depth = 0): unknown {
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
