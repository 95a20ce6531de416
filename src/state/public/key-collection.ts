import type { KeySet } from "../key-set.ts";
import type { KeyDraft } from "../key-draft.ts";
import type { Stored } from "./library.ts";
import type { Key, KeyInput } from "../key.ts";
import { Collection } from "./collection.ts";

/** The keys of a workspace. */
export class KeyCollection extends Collection<KeyInput, Key, KeyDraft> {
  readonly #keys: KeySet;

  constructor(keys: KeySet) {
    super(keys);
    this.#keys = keys;
  }

  /** The key with this value, even if it is not recoverable; undefined if there is none. */
  findByValue(value: string): Stored<Key> | undefined {
    return this.#keys.findBySecret(value) as Stored<Key> | undefined;
  }
}
