/** A text with `*`, taken apart: the texts between the stars. */
export type Pattern = readonly string[];

export function toPattern(text: string): Pattern {
  return text.split("*");
}

/**
 * Whether a whole text matches. A `*` stands for any characters but line breaks, also for none. Each
 * part is looked for once, from left to right, so no pattern takes long.
 */
export function matches(pattern: Pattern, text: string): boolean {
  const [first = "", ...rest] = pattern;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let position = first.length;
  for (const part of rest) {
    // The leftmost place leaves most room for later parts.
    const start = text.indexOf(part, position);
    if (start === -1 || hasBreak(text, position, start)) return false;
    position = start + part.length;
  }
  return position <= end && !hasBreak(text, position, end);
}

function hasBreak(text: string, start: number, end: number): boolean {
  return text.slice(start, end).includes("\n");
}
