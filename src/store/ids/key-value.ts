import { decodeBase58, encodeBase58 } from "./base58.ts";
import { randomBigInt } from "./random.ts";
import type { VersionName } from "../../contract/version.ts";
import type { Api, KeyInit } from "../records.ts";

/** Characters of the value that `start` shows after the prefix, including the underscore. */
const START_LENGTH = 5;
/** The version of v1's format, which is the first byte of every value. */
const VERSION = 1;

/**
 * A key value in the format of the service: `[prefix + "_"] + base58(bytes)`. An empty prefix adds
 * no underscore. The bytes are `[1, byteLength, ...random]` in v1, and the random ones alone in v2.
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
 * Random bytes for a value of v2. Nothing in the service's values of v2 tells them from other text.
 * The last two bytes here depend on the others, so that a value can be recognised and masked. The
 * first byte is not zero, because base58 would need a digit for it.
 */
function checkedBytes(address: string, byteLength: number): bigint {
  const random = randomBigInt(address, byteLength - 2) | (1n << BigInt(8 * (byteLength - 2) - 1));
  return (random << 16n) | (random % CHECK);
}

/** The largest prime below 2^16. */
const CHECK = 65_521n;

/** Matches the base58 digits of a value with 16 to 255 bytes. */
const DIGITS = /[1-9A-HJ-NP-Za-km-z]{21,350}/g;
const SHOWN_DIGITS = 4;

/** Shortens the key values in a text to their first four digits and `***`. */
export function maskKeyValues(text: string): string {
  return text.replace(DIGITS, (digits) =>
    isKeyValue(digits) ? `${digits.slice(0, SHOWN_DIGITS)}***` : digits,
  );
}

/** The first two bytes tell a value of v1, and the last two a value of v2. */
function isKeyValue(digits: string): boolean {
  const number = decodeBase58(digits) ?? 0n;
  const [, version, byteLength = "", random = ""] = /^(.)(..)(.*)$/.exec(number.toString(16)) ?? [];
  const isOfV1 =
    version === String(VERSION) && Number.parseInt(byteLength, 16) * 2 === random.length;
  return isOfV1 || (number >> 16n) % CHECK === (number & 0xffffn);
}

/** V8 copies slices up to this length. A longer slice refers to the whole original string. */
const MAX_COPIED_SLICE = 12;

/** The leading characters of a key value, which lists show. v2 shows one less without a prefix. */
export function startOf(value: string, prefix: string, version: VersionName = "v1"): string {
  const length = version !== "v1" && prefix === "" ? START_LENGTH - 1 : START_LENGTH;
  const start = value.slice(0, prefix.length + length);
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
