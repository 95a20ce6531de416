/** Text of which somebody else chose the length, cut to what a message can carry. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}\u2026` : text;
}
