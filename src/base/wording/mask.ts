import { printable, shorten } from "./text.ts";

/**
 * Keeps secrets out of everything that others read: log, journal, events and findings.
 *
 * - The value of a member whose name ends in a `SECRET_NAME` is never shown.
 * - Every other text is compared with the secrets in parts: the whole text, then the parts between the
 *   `SEPARATORS`, one separator after the other. A part with dots is also compared without the text before
 *   its first dot, without the text after its last dot, without both, and piece by piece. A part that is a
 *   secret, whole and as it is, is replaced.
 *
 * A text is masked before it is shortened, because the beginning of a secret is not recognised. Replies
 * are never masked: they may not depend on a secret that the client did not send.
 */
const SECRET_NAME = /(?:key|token|secret|password|plaintext|authorization)$/i;
const SECRET_WORD = /(?:key|token|secret|password|plaintext|authorization)\b/i;
/** Quotes, white space, brackets, and every character that secrets rarely contain. */
const SEPARATORS = [/(["'`])/, /(\s)/, /([<>()[\]{},;])/, /([^\p{L}\p{M}\p{N}_~+.-])/u] as const;
/** Shorter tokens and values may be ordinary words. */
export const MIN_SECRET_LENGTH = 6;
/** No token and no value is longer. */
const MAX_SECRET_LENGTH = 512;
const MASK = "***";

/** Masks the secrets of a world in a text. */
export type Mask = (text: string) => string;
/** Whether a text is, as a whole, a token or the value of a key. */
type IsSecret = (text: string) => boolean;

/** Whether the value of a member, a parameter or a header of this name is never shown. */
export function isSecretName(name: PropertyKey | undefined): boolean {
  return typeof name === "string" && SECRET_NAME.test(name);
}

/** Masks a text in a time that depends on its length alone, and not on the number of secrets. */
export function maskText(text: string, isSecret: IsSecret, level = 0): string {
  const { length } = text;
  if (length < MIN_SECRET_LENGTH) return text;
  if (length <= MAX_SECRET_LENGTH && isSecret(text)) return MASK;
  const next = SEPARATORS.findIndex((each, index) => index >= level && each.test(text));
  const separator = SEPARATORS[next];
  if (separator === undefined) return text.includes(".") ? maskDotted(text, isSecret) : text;
  return Array.from(text.split(separator), (part) => maskText(part, isSecret, next + 1)).join("");
}

function maskDotted(text: string, isSecret: IsSecret): string {
  const parts = text.split(".");
  for (const [from, to] of [
    [1, parts.length],
    [0, -1],
    [1, -1],
  ] as const) {
    const inner = parts.slice(from, to).join(".");
    const isLong = inner.length >= MIN_SECRET_LENGTH && inner.length <= MAX_SECRET_LENGTH;
    if (isLong && isSecret(inner)) {
      return [...parts.slice(0, from), MASK, ...parts.slice(to)].join(".");
    }
  }
  return Array.from(parts, (part) => maskText(part, isSecret, SEPARATORS.length)).join(".");
}

/** Deeper than any valid input, but not too deep for `JSON.stringify`. */
const MAX_DEPTH = 110;

/** Masks the texts, the names and the values of secret members in parsed JSON. */
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
      isSecretName(name) ? MASK : maskJson(member, mask, depth + 1),
    ]),
  );
}

/**
 * Masks text that should be JSON but is not. Undefined if it may contain a secret, because we cannot tell where
 * the secret ends.
 */
export function maskMalformed(text: string, mask: Mask): string | undefined {
  return SECRET_WORD.test(text) ? undefined : toLogText(text, mask);
}

const MAX_LENGTH = 500;

/** A text for the log: masked, on one line, and then shortened. */
export function toLogText(text: string, mask: Mask): string {
  return shorten(printable(mask(text)), MAX_LENGTH);
}

/** Compares two secrets in a time that depends only on their lengths, not on where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1) {
    // oxlint-disable-next-line no-bitwise -- an early return would reveal how many characters are right
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}
