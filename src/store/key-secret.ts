import { sha256 } from "@noble/hashes/sha2.js";

/** What is known of a value of which only the hash was given. */
export class HashedValue {
  /** SHA-256 of the value, in base64. */
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

/** The hash of a value, in base64. */
export function hashOf(secret: KeySecret): string {
  return typeof secret === "string" ? hashValue(secret) : secret.hash;
}

/** The members of a new key that give its value. */
export interface GivenValue {
  readonly key?: string | undefined;
  readonly hash?: string | undefined;
}

/** The given value or hash of a new key; undefined if there is none. */
export function givenSecret({ hash, key }: GivenValue): KeySecret | undefined {
  return key ?? (hash === undefined ? undefined : new HashedValue(hash));
}

/** The member that `givenSecret` reads. */
export function secretMember({ key }: GivenValue): "hash" | "key" {
  return key === undefined ? "hash" : "key";
}
