import { shorten } from "../base/wording/shorten.ts";

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Node's clients, for example, read at most 16 KiB of headers. */
const MAX_VALUE = 4_000;
/** Printable ASCII without space at the ends, which only some clients remove. */
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
/** Headers that the emulator sets itself, and headers about the connection. */
const RESERVED =
  /^(?:access-control-.*|connection|content-.*|keep-alive|proxy-connection|te|trailer|transfer-encoding|unkey-request-id|upgrade|x-latchkey-.*)$/i;

/**
 * Checks a header that an operation adds to a reply, or a refusal.
 * @param where names the caller in the message, like `ApiError`
 * @throws TypeError for a header that no reply can carry, or that the emulator sets itself
 */
export function checkHeader(where: string, name: unknown, value: unknown): void {
  const problem = headerProblem(name, value);
  if (problem === undefined) return;
  if (problem === EMULATED) throw new TypeError(`${where}: ${String(name)} ${problem}`);
  const shown = typeof name === "string" ? JSON.stringify(name) : `of type ${typeof name}`;
  throw new TypeError(`${where}: header ${shown}: ${problem}`);
}

/** Why no reply can carry this header; undefined if it can. */
export function headerProblem(name: unknown, value: unknown): string | undefined {
  if (typeof name === "string" && RESERVED.test(name)) return EMULATED;
  const isValue = typeof value === "string" && value.length <= MAX_VALUE && VALUE.test(value);
  return typeof name === "string" && NAME.test(name) && isValue ? undefined : EXPECTED_HEADER;
}

const EMULATED = "is set by the emulator";
const EXPECTED_HEADER =
  "expected a valid header name and a value of printable ASCII without space at its ends, at most 4,000 characters";

const MAX_TEXT = 2_000;

/** Turns any text into a value of a header: shortened, and with `?` for each invalid character. */
export function toHeaderText(text: string): string {
  return shorten(text, MAX_TEXT)
    .replaceAll(/[^\x20-\x7e]+/g, "?")
    .trim();
}
