import { isRecord } from "../base/is-record.ts";
import { printable } from "../base/wording/printable.ts";
import { shorten } from "../base/wording/shorten.ts";

/** Masks in a text the secrets that an emulator knows. */
export type Mask = (text: string) => string;

/**
 * Names of members whose values are always masked: `key`, `access_token`, `rootKeys`. Only in a list of
 * objects called `keys`, as `keys.migrateKeys` takes, the members are masked by their own names.
 */
export const SECRET_NAME = /(?:key|token|secret|password|plaintext|authorization)s?$/i;
/** A name like these and its value, in text that is not valid JSON. */
const NAMED_SECRET =
  /("[^"]*(?:key|token|secret|password|plaintext|authorization)s?"\s*:\s*)"[^"]*"?/gi;
/**
 * Longer than a generated id, which has at most 21 characters (`role_` and sixteen), and shorter than a
 * generated key value, which has at least 24.
 */
const LONG_RUN = /[A-Za-z0-9_~+=-]{22,}/g;
/** Long names like `LATCHKEY_CONTROL_TOKEN` are not secrets. */
const CAPITAL_NAME = /^[A-Z]+(?:_[A-Z]+)+$/;
const SHOWN_CHARACTERS = 5;
const MASK = "***";
const MAX_LENGTH = 500;
/** Longer text is cut before it is masked: with millions of characters, a pattern overflows V8's stack. */
const MAX_READ = 10_000;
/** Deeper than any valid input, but not too deep for `JSON.stringify`. */
const MAX_DEPTH = 110;

/**
 * Prepares text from a request for the log: one short line, without known secrets and without anything
 * that looks like a secret. It is shortened last, so that no part of a secret is left.
 */
export function toLogText(text: string, mask: Mask): string {
  const masked = mask(shorten(text, MAX_READ)).replace(LONG_RUN, (run) =>
    CAPITAL_NAME.test(run) ? run : `${run.slice(0, SHOWN_CHARACTERS)}${MASK}`,
  );
  return shorten(printable(masked), MAX_LENGTH);
}

/** Masks known secrets, and members with names of secrets, in parsed JSON. */
export function maskJson(value: unknown, mask: Mask, depth = 0): unknown {
  if (typeof value === "string") return mask(value);
  // A secret that consists of digits may be sent as a number.
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : MASK;
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "(nested too deeply)";
  if (Array.isArray(value)) return value.map((item) => maskJson(item, mask, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      mask(name),
      SECRET_NAME.test(name) && !isListOfKeys(name, member)
        ? MASK
        : maskJson(member, mask, depth + 1),
    ]),
  );
}

function isListOfKeys(name: string, value: unknown): boolean {
  return name === "keys" && Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/** Masks a body that is not valid JSON. */
export function maskMalformed(text: string, mask: Mask): string {
  return toLogText(mask(text).replace(NAMED_SECRET, `$1"${MASK}"`), mask);
}
