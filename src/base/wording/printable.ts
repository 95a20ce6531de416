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

function escapeOf(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}
