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

type IsAfter<Item> = (a: Partial<Item>, b: Partial<Item>) => boolean;

/** For very many records. Keeps them sorted by id. */
export class LargeTable<Item extends object> implements Table<Item> {
  readonly #members: readonly (readonly [member: keyof Item, isAfter: IsAfter<Item>])[];
  #lists: ReadonlyMap<keyof Item, SortedList<Partial<Item>, Item>>;

  /**
   * @param members the unique members, each with the order of records by it; the id is the first. In
   *   V8, one function for all members, which takes the name, would be much slower.
   */
  constructor(members: readonly (readonly [member: keyof Item, isAfter: IsAfter<Item>])[]) {
    this.#members = members;
    this.#lists = new Map(members.map(([member, isAfter]) => [member, new SortedList(isAfter)]));
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#byId[Symbol.iterator]();
  }

  find(member: keyof Item, value: unknown): Item | undefined {
    if (typeof value !== "string") return undefined;
    return this.#lists.get(member)?.get({ [member]: value } as Partial<Item>);
  }

  from(id: string): Iterable<Item> {
    const member = this.#members[0]?.[0] as keyof Item;
    return this.#byId.from({ [member]: id } as Partial<Item>);
  }

  add(item: Item): void {
    for (const list of this.#lists.values()) list.add(item);
  }

  addAll(items: readonly Item[]): void {
    for (const list of this.#lists.values()) list.addAll(items);
  }

  replace(before: Item, after: Item): void {
    this.remove(before);
    this.add(after);
  }

  remove(item: Item): void {
    for (const list of this.#lists.values()) list.remove(item);
  }

  fork(): LargeTable<Item> {
    const fork = this.empty();
    fork.#lists = new Map(Array.from(this.#lists, ([member, list]) => [member, list.fork()]));
    return fork;
  }

  empty(): LargeTable<Item> {
    return new LargeTable(this.#members);
  }

  get #byId(): SortedList<Partial<Item>, Item> {
    const [list] = this.#lists.values();
    return list as SortedList<Partial<Item>, Item>;
  }
}
