/**
 * A map that may begin as another one, which must not change any more: only what differs from that
 * is kept, so that a thousand worlds of the same seed do not take a thousand times its memory.
 */
export class LayeredMap<Key, Value extends object> {
  #base: LayeredMap<Key, Value> | undefined;
  /** Undefined stands for what was deleted from the base. */
  readonly #own = new Map<Key, Value | undefined>();

  constructor(base?: LayeredMap<Key, Value>) {
    this.#base = base;
  }

  get(key: Key): Value | undefined {
    const own = this.#own.get(key);
    if (own !== undefined || this.#base === undefined || this.#own.has(key)) return own;
    return this.#base.get(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  /** What stands there, if it is of this map alone. */
  getOwn(key: Key): Value | undefined {
    return this.#own.get(key);
  }

  set(key: Key, value: Value): void {
    this.#own.set(key, value);
  }

  delete(key: Key): void {
    if (this.#base?.has(key)) this.#own.set(key, undefined);
    else this.#own.delete(key);
  }

  clear(): void {
    this.#base = undefined;
    this.#own.clear();
  }
}
