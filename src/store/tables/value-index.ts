import { HashedValue, hashValue, type KeySecret } from "../key-secret.ts";
import { Key } from "../records.ts";

/** Ids beyond twice the keys of a table, after which the index is made anew. */
const MAX_STALE = 10_000;

/**
 * Finds keys by their values. It is filled when a value is first looked up, so that creating keys
 * costs nothing until then. All forks of a table share one index: it may have entries of keys that a
 * fork does not have, so each found key is looked up in the table of the caller.
 */
export class ValueIndex {
  /**
   * Ids by value or by hash. Two keys have the same value if a test gave it to both, or if a reset
   * came in between: the keys made after it have the same values again, but later ids.
   */
  #ids = new Map<string, string[]>();
  /** How many ids there are, with those of keys that no table has any more. */
  #count = 0;
  /** Keys whose entry was made. Forks share records. */
  #seen = new WeakSet<Key>();
  #hasHashes = false;
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
    this.#count = 0;
    this.#seen = new WeakSet();
    this.#hasHashes = false;
    this.#generation += 1;
  }

  #add(key: Key): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const secret = Key.secretOf(key);
    if (secret === undefined) return;
    const isHash = secret instanceof HashedValue;
    if (isHash) this.#hasHashes = true;
    const entry = isHash ? secret.hash : secret;
    const ids = this.#ids.get(entry);
    if (ids?.includes(key.id)) return;
    this.#count += 1;
    if (ids === undefined) this.#ids.set(entry, [key.id]);
    else ids.push(key.id);
  }

  /** @param get finds a key of the caller's table by its id */
  find(value: string, get: (id: string) => Key | undefined): Key | undefined {
    const known = this.#firstOf(value, value, get);
    if (known !== undefined || !this.#hasHashes) return known;
    const hash = hashValue(value);
    return this.#firstOf(hash, new HashedValue(hash), get);
  }

  #firstOf(
    entry: string,
    secret: KeySecret,
    get: (id: string) => Key | undefined,
  ): Key | undefined {
    for (const id of this.#ids.get(entry) ?? []) {
      const key = get(id);
      if (key !== undefined && isSame(Key.secretOf(key), secret)) return key;
    }
    return undefined;
  }
}

function isSame(one: KeySecret | undefined, other: KeySecret): boolean {
  if (one instanceof HashedValue && other instanceof HashedValue) return one.hash === other.hash;
  return one === other;
}
