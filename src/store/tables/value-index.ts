import { Key } from "../records.ts";
import { HashedValue, hashValue, type KeySecret } from "../key-secret.ts";

/** Entries of keys that no table has any more, beyond which the index is made anew. */
const MAX_STALE = 10_000;

/**
 * Finds keys by their values. It is filled when a value is first looked up, so that creating keys
 * costs nothing more. All forks of a table share one index: it may have entries of keys that a fork
 * does not have, so the caller looks each found key up in its own table.
 */
export class ValueIndex {
  /** Ids by value or by hash. Two keys have the same value only if a test gave it to both. */
  #ids = new Map<string, string[]>();
  /** Keys whose entry was made. Forks share records. */
  #seen = new WeakSet<Key>();
  #hasHashes = false;

  /**
   * The first key with this value.
   * @param keys all keys of the table
   * @param get finds a key of the table by its id
   */
  find(
    value: string,
    keys: { readonly size: number } & Iterable<Key>,
    get: (id: string) => Key | undefined,
  ): Key | undefined {
    const known = this.#lookUp(value, get);
    if (known !== undefined) return known;
    if (this.#ids.size > keys.size * 2 + MAX_STALE) this.#clear();
    for (const key of keys) this.#add(key);
    return this.#lookUp(value, get);
  }

  #lookUp(value: string, get: (id: string) => Key | undefined): Key | undefined {
    return this.#firstOf(value, value, get) ?? this.#firstByHash(value, get);
  }

  #firstByHash(value: string, get: (id: string) => Key | undefined): Key | undefined {
    if (!this.#hasHashes) return undefined;
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

  #add(key: Key): void {
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

  #clear(): void {
    this.#ids = new Map();
    this.#seen = new WeakSet();
    this.#hasHashes = false;
  }
}

function isSame(one: KeySecret | undefined, other: KeySecret): boolean {
  if (one instanceof HashedValue && other instanceof HashedValue) return one.hash === other.hash;
  return one === other;
}
