import { HashedValue, hashOf, hashValue, type KeySecret } from "../key-secret.ts";
import { Key } from "../key.ts";

/** Ids beyond twice the keys of a table, after which the index is made anew. */
const MAX_STALE = 10_000;

/**
 * Finds keys by their values, or by the hashes of these. It is filled when a value is first looked up, so that creating keys
 * costs nothing until then. All forks of a table share one index: it may have entries of keys that a
 * fork does not have, so each found key is looked up in the table of the caller.
 */
export class ValueIndex {
  /**
   * Ids by value. Several keys have the same value if a reset came in between: the keys made after it
   * have the same values again, but later ids.
   */
  #ids = new Map<string, string[]>();
  /** Ids by hash, of keys whose value is not known, and of all keys once a hash was looked up. */
  #idsByHash = new Map<string, string[]>();
  /** How many ids there are, with those of keys that no table has any more. */
  #count = 0;
  /** Keys whose entry was made. Forks share records. */
  #seen = new WeakSet<Key>();
  /** Whether the values are in `#idsByHash` too. A hash takes longer than all else. */
  #hasAllHashes = false;
  #generation = 0;

  /** Changes when all entries are dropped, so that a table adds its keys again. */
  get generation(): number {
    return this.#generation;
  }

  /** @param size how many keys the table has that adds these keys, with them */
  addAll(keys: Iterable<Key>, size: number): void {
    if (this.#count > size * 2 + MAX_STALE) this.#clear();
    for (const key of keys) this.#add(key);
  }

  #clear(): void {
    this.#ids = new Map();
    this.#idsByHash = new Map();
    this.#count = 0;
    this.#seen = new WeakSet();
    this.#hasAllHashes = false;
    this.#generation += 1;
  }

  #add(key: Key): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const secret = Key.secretOf(key);
    if (secret === undefined) return;
    if (secret instanceof HashedValue) {
      this.#addId(this.#idsByHash, secret.hash, key.id);
      return;
    }
    this.#addId(this.#ids, secret, key.id);
    if (this.#hasAllHashes) this.#addId(this.#idsByHash, hashValue(secret), key.id);
  }

  #addId(all: Map<string, string[]>, entry: string, id: string): void {
    const ids = all.get(entry);
    if (ids?.includes(id)) return;
    this.#count += 1;
    if (ids === undefined) all.set(entry, [id]);
    else ids.push(id);
  }

  /** @param get finds a key of the caller's table by its id */
  find(secret: KeySecret, get: (id: string) => Key | undefined): Key | undefined {
    if (secret instanceof HashedValue) {
      this.#addAllHashes();
      return this.#findByHash(secret.hash, get);
    }
    for (const id of this.#ids.get(secret) ?? []) {
      const key = get(id);
      if (key !== undefined && Key.secretOf(key) === secret) return key;
    }
    return this.#idsByHash.size === 0 ? undefined : this.#findByHash(hashValue(secret), get);
  }

  #findByHash(hash: string, get: (id: string) => Key | undefined): Key | undefined {
    for (const id of this.#idsByHash.get(hash) ?? []) {
      const key = get(id);
      const secret = key && Key.secretOf(key);
      if (secret !== undefined && hashOf(secret) === hash) return key;
    }
    return undefined;
  }

  #addAllHashes(): void {
    if (this.#hasAllHashes) return;
    this.#hasAllHashes = true;
    for (const [value, ids] of this.#ids) {
      const hash = hashValue(value);
      for (const id of ids) this.#addId(this.#idsByHash, hash, id);
    }
  }
}
