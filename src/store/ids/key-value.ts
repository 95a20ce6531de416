import { lazily } from "../../base/lazily.ts";
import { digitAt, encodeBase58, isDigitAt } from "./base58.ts";
import { randomBigInt } from "./random.ts";
import type { VersionName } from "../../contract/version.ts";
import type { KeyInit } from "../key.ts";
import type { Api } from "../records.ts";

/** How many characters `start` shows after the prefix, with the underscore. */
const START_LENGTH = 5;
/** How many random bytes a value has. */
const [MIN_BYTES, MAX_BYTES] = [16, 255];
/** The version of v1's format, which is the first byte of every value. */
const VERSION = 1;

/**
 * A key value in the format of the service: `[prefix + "_"] + base58(bytes)`. An empty prefix adds
 * no underscore. The bytes are `[1, byteLength, ...random]` in v1, and only random ones in v2.
 * @param address selects the random bytes
 */
export function makeKeyValue(
  address: string,
  prefix: string,
  byteLength: number,
  version: VersionName = "v1",
): string {
  const start = prefix === "" ? "" : `${prefix}_`;
  if (version !== "v1") return encodeBase58(checkedBytes(address, byteLength), 1, start);
  const head = BigInt(VERSION * 256 + byteLength) << BigInt(8 * byteLength);
  return encodeBase58(head | randomBigInt(address, byteLength), 1, start);
}

/**
 * Random bytes for a value of v2. In the service, all bytes are random. Here, the last two depend on
 * the others, so that a value can be recognised and masked. The first byte is not zero, because base58
 * would write it as an additional digit.
 */
function checkedBytes(address: string, byteLength: number): bigint {
  const random = randomBigInt(address, byteLength - 2) | (1n << BigInt(8 * (byteLength - 2) - 1));
  return (random << 16n) | (random % BigInt(CHECK));
}

/** The largest prime below 2^16. */
const CHECK = 65_521;
/** The values of the last two bytes. */
const WORD = 65_536;

/** The place of a secret in a text: from `from` up to, but not including, `to`. */
export type Span = readonly [from: number, to: number];

/** The number of digits of the shortest value, which has 16 bytes. */
const MIN_DIGITS = 21;
/** Digits in a row that may contain values. The longest value has 255 bytes. */
const DIGITS = new RegExp(`[1-9A-HJ-NP-Za-km-z]{${MIN_DIGITS},350}`, "g");
/** Up to this length, values are searched within a row of digits: two usual values, or one and a word. */
const MAX_SEARCHED = 64;
const SHOWN_DIGITS = 4;

const ENOUGH_DIGITS = new RegExp(`[1-9A-HJ-NP-Za-km-z]{${MIN_DIGITS}}`);

/** Finds the key values in a text, without their first four digits. */
export function keyValueSpans(text: string): Span[] {
  // Most texts have no such row, and this is much quicker.
  if (!ENOUGH_DIGITS.test(text)) return [];
  return Array.from(text.matchAll(DIGITS), ({ 0: digits, index }) =>
    valuesIn(digits, index),
  ).flat();
}

/** Whether the text is a key value, with or without a prefix. Quicker than to search it for values. */
export function endsInKeyValue(text: string): boolean {
  if (text.length < MIN_DIGITS) return false;
  let from = text.length;
  while (from > 0 && isDigitAt(text, from - 1)) from -= 1;
  const isComplete = from === 0 || text[from - 1] === "_";
  return isComplete && text.length - from >= MIN_DIGITS && isKeyValue(text.slice(from));
}

function valuesIn(digits: string, index: number): Span[] {
  const value = valueIn(digits);
  if (value === undefined) return [];
  const [from, to] = value;
  return [
    ...valuesIn(digits.slice(0, from), index),
    [index + from + SHOWN_DIGITS, index + to],
    ...valuesIn(digits.slice(to), index + to),
  ];
}

/** Finds a value that is all of the digits, their end or their beginning; undefined if there is none. */
function valueIn(digits: string): Span | undefined {
  if (digits.length < MIN_DIGITS) return undefined;
  if (isKeyValue(digits)) return [0, digits.length];
  if (digits.length > MAX_SEARCHED) return undefined;
  for (let cut = 1; cut <= digits.length - MIN_DIGITS; cut += 1) {
    if (isKeyValue(digits.slice(cut))) return [cut, digits.length];
    if (isKeyValue(digits.slice(0, -cut))) return [0, digits.length - cut];
  }
  return undefined;
}

/** The first two bytes identify a value of v1, the last two a value of v2. */
function isKeyValue(digits: string): boolean {
  return isOfV1(digits) || isOfV2(digits);
}

/** Compares texts, which sort like the numbers if they have the same number of digits. */
function isOfV1(digits: string): boolean {
  const [first, last] = rangesOfV1().get(digits.length) ?? ["", ""];
  return first <= digits && digits <= last;
}

/** The first and the last value of v1, by the number of digits, which is different for each byte length. */
const rangesOfV1 = lazily(() => {
  const ranges = new Map<number, readonly [first: string, last: string]>();
  for (let bytes = MIN_BYTES; bytes <= MAX_BYTES; bytes += 1) {
    const head = BigInt(VERSION * 256 + bytes) << BigInt(8 * bytes);
    const first = encodeBase58(head);
    ranges.set(first.length, [first, encodeBase58(head + (1n << BigInt(8 * bytes)) - 1n)]);
  }
  return ranges;
});

/** Computes with the remainders of the number, because the number itself has hundreds of digits. */
function isOfV2(digits: string): boolean {
  let [low, rest] = [0, 0];
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digitAt(digits, index);
    low = (low * 58 + digit) & (WORD - 1);
    rest = (rest * 58 + digit) % CHECK;
  }
  // The number is `high * WORD + low`, and `low` is the remainder of `high`.
  return low < CHECK && rest === (low * (WORD % CHECK) + low) % CHECK;
}

/** V8 copies slices up to this length. A longer slice refers to the whole original string. */
const MAX_COPIED_SLICE = 12;

/** The first characters of a key value, for lists. Without a prefix, v2 shows one character less. */
export function startOf(value: string, prefix: string, version: VersionName = "v1"): string {
  const length = version !== "v1" && prefix === "" ? START_LENGTH - 1 : START_LENGTH;
  const start = value.slice(0, prefix.length + length);
  // Joined, to copy the characters. A slice would keep the whole secret value in memory.
  return start.length <= MAX_COPIED_SLICE ? start : [...start].join("");
}

/**
 * The prefix of a key: the given one, else the default of the API, unless a given value begins
 * differently. `start` shows the whole prefix.
 */
export function prefixOf(init: KeyInit, api: Api): string {
  if (init.prefix !== undefined) return init.prefix;
  const prefix = api.defaultPrefix ?? "";
  return init.key === undefined || init.key.startsWith(`${prefix}_`) ? prefix : "";
}
