import { atOnce, STEP, type Steps } from "../../base/steps.ts";
import { HashedValue, hashOf, hashValue, isValueHash, type KeySecret } from "./key-secret.ts";
import { Key } from "./key.ts";
import type { Table } from "../tables/table.ts";

/** The index is rebuilt if it has this many ids more than twice the keys of a table. */
const MAX_STALE = 10_000;

/**
 * Finds keys by their values, or by the hashes of the values. It is filled when a value is first looked
 * up, so that an emulator that never verifies keys needs no index. All forks of a table share one index.
 * It may have keys that a fork does not have, so each found key is looked up in the caller's table.
 */
export class ValueIndex {
  /**
   * Ids by value. Several keys can have the same value: after a reset, new keys get the same values
   * again, but perhaps later ids.
   */
  #ids: Ids = new Map();
  /** Ids by hash: of keys whose value is not known, and of all keys after a hash was looked up. */
  #idsByHash: Ids = new Map();
  /** How many ids there are, also of keys that no table has any more. */
  #count = 0;
  /** Whether all values are in `#idsByHash` too. It is filled late, because a hash takes time. */
  #hasAllHashes = false;
  /** Changes when all entries are dropped, so that a table adds its keys again. */
  generation = 0;

  /** @param size the number of keys in the table that adds this key, including it */
  add(key: Key, size: number): void {
    if (this.#count > size * 2 + MAX_STALE) this.#clear();
    const secret = Key.secretOf(key);
    if (secret === undefined) return;
    if (secret instanceof HashedValue) {
      this.#addId(this.#idsByHash, secret.hash, key.id);
      return;
    }
    this.#addId(this.#ids, secret, key.id);
    if (this.#hasAllHashes) this.#addId(this.#idsByHash, hashValue(secret), key.id);
  }

  #clear(): void {
    this.#ids = new Map();
    this.#idsByHash = new Map();
    this.#count = 0;
    this.#hasAllHashes = false;
    this.generation += 1;
  }

  #addId(all: Ids, entry: string, id: string): void {
    const ids = all.get(entry);
    // Forks share records, so most of them are in the index already.
    if (ids === id || (typeof ids === "object" && ids.includes(id))) return;
    this.#count += 1;
    if (ids === undefined) all.set(entry, id);
    else if (typeof ids === "string") all.set(entry, [ids, id]);
    else ids.push(id);
  }

  /** @param keys the caller's table */
  find(secret: KeySecret, keys: Pick<Table<Key>, "find">): Key | undefined {
    if (secret instanceof HashedValue) {
      // The hash of a migrated key may have another form, and is not compared with values.
      if (isValueHash(secret.hash)) atOnce(this.addHashes());
      return this.#findByHash(secret.hash, keys);
    }
    for (const id of all(this.#ids.get(secret))) {
      const key = keys.find("id", id);
      if (key !== undefined && Key.secretOf(key) === secret) return key;
    }
    return this.#idsByHash.size === 0 ? undefined : this.#findByHash(hashValue(secret), keys);
  }

  #findByHash(hash: string, keys: Pick<Table<Key>, "find">): Key | undefined {
    for (const id of all(this.#idsByHash.get(hash))) {
      const key = keys.find("id", id);
      const secret = key && Key.secretOf(key);
      if (secret !== undefined && hashOf(secret) === hash) return key;
    }
    return undefined;
  }

  /** Adds the hashes of all values. Keys may be added and looked up between two steps. */
  *addHashes(): Steps<void> {
    if (this.#hasAllHashes) return;
    const ids = this.#ids;
    // A loop over a Map also visits entries that are added during the loop.
    let done = 0;
    for (const [value, own] of ids) {
      if ((done += 1) % STEP === 0) yield;
      // Everything was dropped between two steps.
      if (ids !== this.#ids) return;
      const hash = hashValue(value);
      for (const id of all(own)) this.#addId(this.#idsByHash, hash, id);
    }
    this.#hasAllHashes = true;
  }
}

/** The ids of keys by a value or a hash. Nearly all have one id, without the memory of a list. */
type Ids = Map<string, string | string[]>;

function all(ids: string | string[] = []): readonly string[] {
  return typeof ids === "string" ? [ids] : ids;
}
