/** Cuts text to `length` characters and an ellipsis, so that messages stay short. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // A character of two UTF-16 units is not cut in half.
  const end = text.charCodeAt(length - 1) >> 10 === HIGH_SURROGATE ? length - 1 : length;
  return `${text.slice(0, end)}\u2026`;
}

/** The upper bits of a UTF-16 unit that is the first of two. */
const HIGH_SURROGATE = 0xd800 >> 10;
