/** Cuts text from outside to `length` characters and an ellipsis, so that messages stay short. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}\u2026` : text;
}
