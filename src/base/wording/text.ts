import leven from "leven";

/** `1 key`, `2 keys` */
export function pluralize(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Control and format characters, like U+202E, which reverses what follows, and separators of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text for a terminal, where these characters could forge a line or hide a part of it. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, "?");
}

/** A value as JSON in which each of these characters is escaped. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(INVISIBLE, escapeOf);
}

/** A character as JSON escapes it: `\u003c`. */
export function escapeOf(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}

/** Quotes for a POSIX shell, where only the quote itself is special within single quotes. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `unknown member, did you mean "prefix"? (known: apiId, prefix, …)` */
export function unknownName(noun: string, name: string, known: readonly string[]): string {
  return describeUnknown(noun, closest(name, known), known);
}

/** @param meant the known name that was most likely meant; undefined if none is similar */
export function describeUnknown(
  subject: string,
  meant: string | undefined,
  known: readonly string[],
): string {
  const hint = meant === undefined ? "" : `, did you mean "${meant}"?`;
  return `unknown ${subject}${hint} (known: ${known.join(", ")})`;
}

/** Known names are shorter. To compare longer text would only take time. */
const COMPARED_CHARACTERS = 40;

/**
 * The known name that is most similar to a misspelt one. It differs by at most two edits, or by one if
 * the name has up to three characters. Undefined if there is none.
 */
export function closest(name: string, known: readonly string[]): string | undefined {
  const tolerance = name.length > 3 ? 2 : 1;
  const [best] = known
    .map((candidate) => ({
      candidate,
      distance: leven(name.slice(0, COMPARED_CHARACTERS), candidate),
    }))
    .filter(({ distance }) => distance <= tolerance)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Cuts text to `length` characters and an ellipsis. Only for text that is masked, or of latchkey. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // A character of two UTF-16 units is not cut in half.
  const end = text.charCodeAt(length - 1) >> 10 === HIGH_SURROGATE ? length - 1 : length;
  return `${text.slice(0, end)}\u2026`;
}

/** The upper bits of a UTF-16 unit that is the first of two. */
const HIGH_SURROGATE = 0xd800 >> 10;

/**
 * Text of a client for a message. If it is longer than `max`, only its length is shown, because a part of a
 * secret could not be recognised and masked.
 */
export function wholeOrLength(text: string, max: number): string {
  return text.length <= max ? text : lengthOf(text);
}

/** The same in quotes. Text that would need escapes, in which a secret could hide, is not shown either. */
export function quoted(text: string, max = 60): string {
  return text.length <= max && !/["\\\p{C}]/u.test(text) ? `"${text}"` : lengthOf(text);
}

function lengthOf({ length }: string): string {
  return `(${length} characters)`;
}
