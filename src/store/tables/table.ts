import { SortedList } from "./sorted-list.ts";

/**
 * The storage of a set of records. A fork is cheap, and independent of its original. States are kept,
 * restored and passed to other worlds as forks. A loop goes over the records that there are when it
 * begins, so it may add and remove some.
 */
export interface Table<Item> extends Iterable<Item> {
  readonly size: number;
  /** The record with this value of a unique member. */
  find(member: keyof Item, value: unknown): Item | undefined;
  /** The records from this id on, ascending by id. No record needs to have the id. */
  from(id: string): Iterable<Item>;
  add(item: Item): void;
  addAll(items: readonly Item[]): void;
  /** Replaces a record by its next version, which has the same id. */
  replace(before: Item, after: Item): void;
  remove(item: Item): void;
  fork(): Table<Item>;
  /** An empty table of the same kind. */
  empty(): Table<Item>;
}

/** For few records. Keeps the order of insertion. A fork is copied at its first change. */
export class SmallTable<Item extends object> implements Table<Item> {
  readonly #members: readonly (keyof Item)[];
  #maps: readonly Map<unknown, Item>[];
  /** Whether a fork or a loop shares the maps. Then they are copied before a change. */
  #isShared = false;

  /** @param members the unique members; the id is the first */
  constructor(members: readonly (keyof Item)[]) {
    this.#members = members;
    this.#maps = members.map(() => new Map());
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    this.#isShared = true;
    return this.#byId.values();
  }

  find(member: keyof Item, value: unknown): Item | undefined {
    return this.#maps[this.#members.indexOf(member)]?.get(value);
  }

  from(id: string): Iterable<Item> {
    const entries = Array.from(this.#byId as Map<string, Item>).filter(([own]) => own >= id);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  }

  add(item: Item): void {
    this.#copyIfShared();
    this.#maps.forEach((map, index) => map.set(item[this.#members[index] as keyof Item], item));
  }

  addAll(items: readonly Item[]): void {
    this.#copyIfShared();
    for (const [index, map] of this.#maps.entries()) {
      const member = this.#members[index] as keyof Item;
      for (const item of items) map.set(item[member], item);
    }
  }

  replace(before: Item, after: Item): void {
    this.#copyIfShared();
    this.#maps.forEach((map, index) => {
      const member = this.#members[index] as keyof Item;
      if (before[member] !== after[member]) map.delete(before[member]);
      map.set(after[member], after);
    });
  }

  remove(item: Item): void {
    this.#copyIfShared();
    this.#maps.forEach((map, index) => map.delete(item[this.#members[index] as keyof Item]));
  }

  fork(): SmallTable<Item> {
    const fork = new SmallTable(this.#members);
    fork.#maps = this.#maps;
    this.#isShared = fork.#isShared = true;
    return fork;
  }

  empty(): SmallTable<Item> {
    return new SmallTable(this.#members);
  }

  get #byId(): Map<unknown, Item> {
    return this.#maps[0] as Map<unknown, Item>;
  }

  #copyIfShared(): void {
    if (this.#isShared) this.#maps = this.#maps.map((map) => new Map(map));
    this.#isShared = false;
  }
}

/**
 * The order of records by a unique member. In V8, functions that take the name of the member are much
 * slower: with them, a `keys.createKey` with two roles and two permissions takes a tenth longer.
 */
interface Order<Item> {
  readonly isAfter: (a: Partial<Item>, b: Partial<Item>) => boolean;
  /** What to search for, to find the record with this value. */
  readonly at: (value: string) => Partial<Item>;
}

/** The orders by all unique members. */
type Orders<Item> = { readonly [Member in keyof Item]?: Order<Item> } & {
  readonly id: Order<Item>;
};

/** The records, sorted by a unique member. */
interface Sorted<Item> {
  readonly order: Order<Item>;
  readonly list: SortedList<Partial<Item>, Item>;
}

/** For very many records. Keeps them sorted by id. */
export class LargeTable<Item extends { readonly id: string }> implements Table<Item> {
  readonly #orders: Orders<Item>;
  #sorted: ReadonlyMap<keyof Item, Sorted<Item>>;

  constructor(orders: Orders<Item>) {
    this.#orders = orders;
    const all = Object.entries(orders) as [keyof Item, Order<Item>][];
    this.#sorted = new Map(
      all.map(([member, order]) => [member, { order, list: new SortedList(order.isAfter) }]),
    );
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#byId[Symbol.iterator]();
  }

  find(member: keyof Item, value: unknown): Item | undefined {
    const sorted = this.#sorted.get(member);
    if (sorted === undefined || typeof value !== "string") return undefined;
    return sorted.list.get(sorted.order.at(value));
  }

  from(id: string): Iterable<Item> {
    return this.#byId.from({ id } as Partial<Item>);
  }

  add(item: Item): void {
    for (const { list } of this.#sorted.values()) list.add(item);
  }

  addAll(items: readonly Item[]): void {
    for (const { list } of this.#sorted.values()) list.addAll(items);
  }

  replace(before: Item, after: Item): void {
    this.remove(before);
    this.add(after);
  }

  remove(item: Item): void {
    for (const { list } of this.#sorted.values()) list.remove(item);
  }

  fork(): LargeTable<Item> {
    const fork = this.empty();
    fork.#sorted = new Map(
      Array.from(this.#sorted, ([member, { list, order }]) => [
        member,
        { order, list: list.fork() },
      ]),
    );
    return fork;
  }

  empty(): LargeTable<Item> {
    return new LargeTable(this.#orders);
  }

  get #byId(): SortedList<Partial<Item>, Item> {
    return (this.#sorted.get("id") as Sorted<Item>).list;
  }
}
