import { decodeBase58, encodeBase58 } from "./base58.ts";
import { randomBigInt } from "./random.ts";
import type { Api, KeyInit } from "../records.ts";

/** Characters of the value that `start` shows after the prefix, including the underscore. */
const START_LENGTH = 5;
/** The version of the format, which is the first byte of every value. */
const VERSION = 1;

/**
 * A key value in the format of the service: `[prefix + "_"] + base58([1, byteLength, ...random])`.
 * An empty prefix adds no underscore.
 * @param address selects the random bytes
 */
export function makeKeyValue(address: string, prefix: string, byteLength: number): string {
  const head = BigInt(VERSION * 256 + byteLength) << BigInt(8 * byteLength);
  const number = head | randomBigInt(address, byteLength);
  return encodeBase58(number, 1, prefix === "" ? "" : `${prefix}_`);
}

/** Matches the base58 digits of a value with 16 to 255 random bytes. */
const DIGITS = /[1-9A-HJ-NP-Za-km-z]{24,350}/g;
const SHOWN_DIGITS = 4;

/**
 * Shortens the key values in a text to their first four digits and `***`. The first two bytes of
 * base58 text tell whether it is a key value.
 */
export function maskKeyValues(text: string): string {
  return text.replace(DIGITS, (digits) =>
    isKeyValue(digits) ? `${digits.slice(0, SHOWN_DIGITS)}***` : digits,
  );
}

function isKeyValue(digits: string): boolean {
  const [, version, byteLength = "", random = ""] =
    /^(.)(..)(.*)$/.exec(decodeBase58(digits)?.toString(16) ?? "") ?? [];
  return version === String(VERSION) && Number.parseInt(byteLength, 16) * 2 === random.length;
}

/** V8 copies slices up to this length. A longer slice refers to the whole original string. */
const MAX_COPIED_SLICE = 12;

/** The leading characters of a key value, which lists show. */
export function startOf(value: string, prefix: string): string {
  const start = value.slice(0, prefix.length + START_LENGTH);
  // Joining copies the characters; a slice would keep the whole secret value in memory.
  return start.length <= MAX_COPIED_SLICE ? start : [...start].join("");
}

/**
 * The prefix of a key: the one given, else the default of the API, unless a given value does not
 * begin with it. `start` shows the whole prefix.
 */
export function prefixOf(init: KeyInit, api: Api): string {
  if (init.prefix !== undefined) return init.prefix;
  const prefix = api.defaultPrefix ?? "";
  return init.key === undefined || init.key.startsWith(`${prefix}_`) ? prefix : "";
}
