/**
 * What the library puts on each record, under symbols that it keeps to itself: an identity and a
 * map of relations. The random identity and the map of its own cost 700 bytes a record and half of
 * the time, so records are marked here where nobody listens: with their id, which no other record of
 * the collection has, and with one empty map for all, because they have no relations.
 */
export class Marks {
  readonly #identity: symbol;
  readonly #relations: symbol;
  readonly #none: ReadonlyMap<string, unknown> = new Map();
  readonly #id: string;

  private constructor(identity: symbol, relations: symbol, id: string) {
    this.#identity = identity;
    this.#relations = relations;
    this.#id = id;
  }

  /**
   * How this record is marked; undefined where the library does it in a way that is not known.
   * @param id the member that holds the id of a record
   */
  static of(record: object, id = "id"): Marks | undefined {
    const symbols = Object.getOwnPropertySymbols(record);
    const valueOf = (symbol: symbol) => (record as Record<symbol, unknown>)[symbol];
    const identity = symbols.find((symbol) => typeof valueOf(symbol) === "string");
    const relations = symbols.find((symbol) => valueOf(symbol) instanceof Map);
    if (symbols.length !== 2 || identity === undefined || relations === undefined) return undefined;
    return new Marks(identity, relations, id);
  }

  put(record: object): void {
    const id = (record as Readonly<Record<string, unknown>>)[this.#id];
    // One by one: both at once takes twice as long.
    Object.defineProperty(record, this.#identity, { value: id });
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
