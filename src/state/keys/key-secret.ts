import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** A key value of which only the hash is known. */
export class HashedValue {
  /** SHA-256 of the value in base64, or the given hash of a migrated key. */
  readonly hash: string;

  constructor(hash: string) {
    this.hash = hash;
  }
}

/**
 * What is known of the value of a key: the value, or its hash. It is private. Only a recoverable key
 * shows its value, and never in a log or the journal.
 */
export type KeySecret = string | HashedValue;

const encoder = new TextEncoder();

/** SHA-256 in base64, as the service stores values. Not `crypto.subtle`, which is asynchronous. */
export function hashValue(value: string): string {
  return btoa(String.fromCharCode(...sha256(encoder.encode(value))));
}

export function isValueHash(hash: string): boolean {
  return VALUE_HASH.test(hash);
}

export const EXPECTED_HASH = "expected a SHA-256 hash in base64, which has 43 characters and a `=`";
const VALUE_HASH = /^[A-Za-z0-9+/]{43}=$/;

/** The parts of a value like `prefix_short_long`, whose prefix may have underscores too. */
const PREFIXED = /^(.*)_([^_]*)_([^_]*)$/s;

/**
 * The hash of the last part (in hex) and the leading characters of a prefixed API key
 * (https://github.com/seamapi/prefixed-api-key). Undefined for a value of another form.
 */
export function readPrefixedKey(
  value: string,
): { readonly hash: string; readonly start: string } | undefined {
  const [, prefix, short, long] = PREFIXED.exec(value) ?? [];
  if (long === undefined) return undefined;
  const start = `${prefix}_${`${short}_${long}`.slice(0, SHOWN_CHARACTERS)}`;
  return { hash: bytesToHex(sha256(encoder.encode(long))), start };
}

/** How many characters `start` shows after the prefix and its underscore. */
const SHOWN_CHARACTERS = 4;

export function hashOf(secret: KeySecret): string {
  return typeof secret === "string" ? hashValue(secret) : secret.hash;
}

export interface GivenValue {
  readonly key?: string | undefined;
  readonly hash?: string | undefined;
}

/** The given value or hash of a new key; undefined if there is none. */
export function givenSecret({ hash, key }: GivenValue): KeySecret | undefined {
  return key ?? (hash === undefined ? undefined : new HashedValue(hash));
}

export function secretMember({ key }: GivenValue): "hash" | "key" {
  return key === undefined ? "hash" : "key";
}
