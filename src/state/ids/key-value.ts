import { encodeBase58, randomBigInt } from "./random.ts";
import type { VersionName } from "../../api/version.ts";

/** How many characters `start` shows after the prefix, with the underscore. */
const START_LENGTH = 5;
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
  if (version !== "v1") {
    // The first byte is not zero, because base58 would write it as an additional digit.
    const first = 1n << BigInt(8 * byteLength - 1);
    return encodeBase58(randomBigInt(address, byteLength) | first, 1, start);
  }
  const head = BigInt(VERSION * 256 + byteLength) << BigInt(8 * byteLength);
  return encodeBase58(head | randomBigInt(address, byteLength), 1, start);
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
export function prefixOf(
  init: { readonly prefix?: string | undefined; readonly key?: string | undefined },
  api: { readonly defaultPrefix: string | undefined },
): string {
  if (init.prefix !== undefined) return init.prefix;
  const prefix = api.defaultPrefix ?? "";
  return init.key === undefined || init.key.startsWith(`${prefix}_`) ? prefix : "";
}
