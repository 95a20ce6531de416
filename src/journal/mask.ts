import { shorten } from "../schema/wording/shorten.ts";
import { maskKeyValues } from "../store/ids/key-value.ts";

/** Names of members whose values are always masked: `key`, `access_token`, `rootKeys`. */
const SECRET_NAME = /(?:key|token|secret|password|plaintext|authorization)s?$/i;
/** Such a name and its value, in text that is not valid JSON. */
const NAMED_SECRET =
  /("[^"]*(?:key|token|secret|password|plaintext|authorization)s?"\s*:\s*)"[^"]*"?/gi;
/**
 * Generated key values have at least 24 characters; generated ids have at most 21 (`role_` and
 * sixteen).
 */
const LONG_RUN = /[A-Za-z0-9_~+=-]{22,}/g;
/** Long names like `LATCHKEY_CONTROL_TOKEN` are not secrets. */
const CAPITAL_NAME = /^[A-Z]+(?:_[A-Z]+)+$/;
const SHOWN_CHARACTERS = 5;
const MASK = "***";
/** Shorter tokens are not masked, because they may be ordinary words of the text. */
const MIN_TOKEN_LENGTH = 6;
const MAX_LENGTH = 500;
/** Deeper than any valid input, and shallow enough for `JSON.stringify`. */
const MAX_DEPTH = 110;
// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * Prepares text with parts of a request for the log: one short line, in which these tokens and
 * everything that looks like a secret are masked.
 */
export function maskSecrets(text: string, tokens: readonly string[] = []): string {
  const masked = tokens
    .reduce(maskToken, text)
    .replace(LONG_RUN, (run) =>
      CAPITAL_NAME.test(run) ? run : `${run.slice(0, SHOWN_CHARACTERS)}${MASK}`,
    )
    .replace(CONTROL, "?");
  return shorten(masked, MAX_LENGTH);
}

/** Masks these tokens, key values, and members with names of secrets, in parsed JSON. */
export function maskJson(value: unknown, tokens: readonly string[], depth = 0): unknown {
  if (typeof value === "string") return maskText(value, tokens);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "(nested too deeply)";
  if (Array.isArray(value)) return value.map((item) => maskJson(item, tokens, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      maskText(name, tokens),
      SECRET_NAME.test(name) ? MASK : maskJson(member, tokens, depth + 1),
    ]),
  );
}

/** Masks a body that is not valid JSON, as `maskJson` masks one that is. */
export function maskMalformed(text: string, tokens: readonly string[]): string {
  return maskSecrets(maskText(text, tokens).replace(NAMED_SECRET, `$1"${MASK}"`));
}

function maskText(text: string, tokens: readonly string[]): string {
  return maskKeyValues(tokens.reduce(maskToken, text));
}

function maskToken(text: string, token: string): string {
  return token.length < MIN_TOKEN_LENGTH ? text : text.replaceAll(token, MASK);
}
