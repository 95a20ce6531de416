import { shorten } from "../schema/shorten.ts";
import { maskKeyValues } from "../store/ids/key-value.ts";

/** Names of members that hold secrets, whatever they look like: `key`, `access_token`, `rootKeys`. */
const SECRET_NAME = /(?:key|token|secret|password|plaintext|authorization)s?$/i;
/** The same in text that is no JSON, with the value behind it. */
const NAMED_SECRET =
  /("[^"]*(?:key|token|secret|password|plaintext|authorization)s?"\s*:\s*)"[^"]*"?/gi;
/** Shorter runs are names and ids (`key_` and sixteen characters); key values are longer. */
const LONG_RUN = /[A-Za-z0-9_~+=-]{22,}/g;
/** Names like `LATCHKEY_CONTROL_TOKEN` are long too, and no secrets. */
const CAPITAL_NAME = /^[A-Z]+(?:_[A-Z]+)+$/;
const SHOWN_CHARACTERS = 5;
const MASK = "***";
/** A shorter token is a word like any other, and masking it would garble the rest. */
const MIN_TOKEN_LENGTH = 6;
const MAX_LENGTH = 500;
/** Deeper than any input that an operation takes, and within what JSON can be written of. */
const MAX_DEPTH = 110;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * Makes text that holds parts of a request fit for a log: one short line without the given tokens,
 * and without what looks like a secret.
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

/** Takes the given tokens, key values and members with the names of secrets out of parsed JSON. */
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

/** The same for a body that is no JSON. */
export function maskMalformed(text: string, tokens: readonly string[]): string {
  return maskSecrets(maskText(text, tokens).replace(NAMED_SECRET, `$1"${MASK}"`));
}

function maskText(text: string, tokens: readonly string[]): string {
  return maskKeyValues(tokens.reduce(maskToken, text));
}

function maskToken(text: string, token: string): string {
  return token.length < MIN_TOKEN_LENGTH ? text : text.replaceAll(token, MASK);
}
