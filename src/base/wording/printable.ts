// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Control characters and separators of lines that `JSON.stringify` leaves as they are. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029]/g;

/** Text for a terminal, without control characters: they could move its cursor or forge a line. */
export function printable(text: string): string {
  return text.replace(CONTROL, "?");
}

/** A value as JSON in which every control character is escaped. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
