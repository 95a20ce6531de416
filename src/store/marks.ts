/**
 * What the library puts on each record, under symbols that it keeps to itself: an identity and a
 * map of relations. The random identity and the map of its own cost 700 bytes a record and half of
 * the time, so a world that is put in place as a whole is marked here. Its records have no
 * relations, so one empty map does for all.
 */
export class Marks {
  readonly #identity: symbol;
  readonly #relations: symbol;
  readonly #none: ReadonlyMap<string, unknown> = new Map();
  /** Records of one world stand in copies of it too, which mark others: no two are to be alike. */
  readonly #name = Math.random().toString(36).slice(2, 8);
  #count = 0;

  private constructor(identity: symbol, relations: symbol) {
    this.#identity = identity;
    this.#relations = relations;
  }

  /** How this record is marked; undefined where the library does it in a way that is not known. */
  static of(record: object): Marks | undefined {
    const symbols = Object.getOwnPropertySymbols(record);
    const valueOf = (symbol: symbol) => (record as Record<symbol, unknown>)[symbol];
    const identity = symbols.find((symbol) => typeof valueOf(symbol) === "string");
    const relations = symbols.find((symbol) => valueOf(symbol) instanceof Map);
    if (symbols.length !== 2 || identity === undefined || relations === undefined) return undefined;
    return new Marks(identity, relations);
  }

  /** V8 keeps text of so few characters in one piece: 32 bytes instead of 120. */
  put(record: object): void {
    this.#count += 1;
    // One by one: both at once takes twice as long.
    Object.defineProperty(record, this.#identity, {
      value: `${this.#name}${this.#count.toString(36)}`,
    });
    Object.defineProperty(record, this.#relations, { value: this.#none });
  }
}

/** The same members, without marks. */
export function copyOf<Item extends object>(item: Item): Item {
  return Object.assign(Object.create(Object.getPrototypeOf(item)) as Item, item);
}

/**
 * A record can be frozen only when the library has put its symbols on it, and listeners hear of it
 * before that; so its members are fixed one by one.
 */
export function fixMembers(item: object): void {
  for (const name of Object.keys(item)) {
    Object.defineProperty(item, name, { writable: false, configurable: false });
  }
}
