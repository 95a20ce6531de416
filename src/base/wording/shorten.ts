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
 * Text of a client for a message: the whole of it, or only its length if it is longer than `max`. A part
 * of a secret could not be recognised and masked.
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
