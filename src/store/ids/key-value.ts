import { decodeBase58, encodeBase58 } from "./base58.ts";
import { randomBigInt } from "./random.ts";
import type { Api, KeyInit } from "../records.ts";

/** Characters of the value that `start` shows behind the prefix; the underscore is one of them. */
const START_LENGTH = 5;
/** The first byte of every value: the version of the format. */
const VERSION = 1;

/**
 * A key value as the service forms it: `[prefix + "_"] + base58([1, byteLength, ...random bytes])`.
 * An empty prefix adds no underscore.
 */
export function makeKeyValue(address: string, prefix: string, byteLength: number): string {
  const head = BigInt(VERSION * 256 + byteLength) << BigInt(8 * byteLength);
  const number = head | randomBigInt(address, byteLength);
  return encodeBase58(number, 1, prefix === "" ? "" : `${prefix}_`);
}

/** The digits of a value of 16 to 255 bytes. */
const DIGITS = /[1-9A-HJ-NP-Za-km-z]{24,350}/g;
const SHOWN_DIGITS = 4;

/** Text without the key values in it, which are known by their first two bytes. */
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

/** V8 copies a slice of so few characters, instead of keeping what it was taken of. */
const MAX_COPIED = 12;

/** The leading characters of a value that a list shows. */
export function startOf(value: string, prefix: string): string {
  const start = value.slice(0, prefix.length + START_LENGTH);
  // Put together anew, because a longer slice would keep the whole value in memory.
  return start.length <= MAX_COPIED ? start : [...start].join("");
}

/** The prefix that `start` shows whole: the one named, else the API's where the value has it. */
export function prefixOf(init: KeyInit, api: Api): string {
  if (init.prefix !== undefined) return init.prefix;
  const prefix = api.defaultPrefix ?? "";
  return init.key === undefined || init.key.startsWith(`${prefix}_`) ? prefix : "";
}
