/** Characters that the service's JSON writer, that of Go, escapes in strings. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** A value as JSON as the service writes it; undefined if JSON cannot hold it. */
export function toWireJson(value: unknown): string | undefined {
  // Outside of strings, these characters do not occur.
  return JSON.stringify(value)?.replace(ESCAPED, toEscape);
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
