import { HashedValue, hashValue, type KeySecret } from "../key-secret.ts";
import { Key } from "../records.ts";

/** Entries beyond twice the keys of a table, after which the index is made anew. */
const MAX_STALE = 10_000;

/**
 * Finds keys by their values. It is filled when a value is first looked up, so that creating keys
 * costs nothing until then. All forks of a table share one index: it may have entries of keys that a
 * fork does not have, so each found key is looked up in the table of the caller.
 */
export class ValueIndex {
  /** Ids by value or by hash. Two keys have the same value only if a test gave it to both. */
  #ids = new Map<string, string[]>();
  /** Keys whose entry was made. Forks share records. */
  #seen = new WeakSet<Key>();
  #hasHashes = false;
  #generation = 0;

  /** Changes when all entries are dropped, so that a table adds its keys again. */
  get generation(): number {
    return this.#generation;
  }

  add(key: Key): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const secret = Key.secretOf(key);
    if (secret === undefined) return;
    const isHash = secret instanceof HashedValue;
    if (isHash) this.#hasHashes = true;
    const entry = isHash ? secret.hash : secret;
    const ids = this.#ids.get(entry);
    if (ids === undefined) this.#ids.set(entry, [key.id]);
    else if (!ids.includes(key.id)) ids.push(key.id);
  }

  addAll(keys: { readonly size: number } & Iterable<Key>): void {
    if (this.#ids.size > keys.size * 2 + MAX_STALE) {
      this.#ids = new Map();
      this.#seen = new WeakSet();
      this.#hasHashes = false;
      this.#generation += 1;
    }
    for (const key of keys) this.add(key);
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
