/** Characters that Go's JSON encoder, which the service uses, escapes in strings. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** Serializes a value as the service does; undefined if JSON has no such value. */
export function toWireJson(value: unknown): string | undefined {
  // In JSON, these characters occur only in strings.
  return JSON.stringify(value)?.replace(ESCAPED, toEscape);
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
