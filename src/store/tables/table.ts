import { SortedList } from "./sorted-list.ts";

/**
 * The records of a collection. A fork costs next to nothing, and neither of the two sees what the
 * other comes to hold: a state is kept, put back and handed to another world by forking it.
 */
export interface Table<Item> extends Iterable<Item> {
  readonly size: number;
  /** The record with this value of a member that no two records share. */
  find(member: keyof Item, value: unknown): Item | undefined;
  add(item: Item): void;
  addAll(items: readonly Item[]): void;
  /** Puts the next version of a record, which has the same id, in its place. */
  replace(before: Item, after: Item): void;
  remove(item: Item): void;
  fork(): Table<Item>;
  /** A table of the kind without any record. */
  empty(): Table<Item>;
}

/** For kinds of which there are few: in the order in which they came. */
export class SmallTable<Item extends object> implements Table<Item> {
  readonly #members: readonly (keyof Item)[];
  #maps: readonly Map<unknown, Item>[];
  /** Whether another table has the same maps. */
  #isShared = false;

  /** @param members those that no two records share; the id is the first */
  constructor(members: readonly (keyof Item)[]) {
    this.#members = members;
    this.#maps = members.map(() => new Map());
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#byId.values();
  }

  find(member: keyof Item, value: unknown): Item | undefined {
    return this.#maps[this.#members.indexOf(member)]?.get(value);
  }

  add(item: Item): void {
    this.#own();
    this.#maps.forEach((map, index) => map.set(item[this.#members[index] as keyof Item], item));
  }

  addAll(items: readonly Item[]): void {
    for (const item of items) this.add(item);
  }

  replace(before: Item, after: Item): void {
    this.#own();
    this.#maps.forEach((map, index) => {
      const member = this.#members[index] as keyof Item;
      if (before[member] !== after[member]) map.delete(before[member]);
      map.set(after[member], after);
    });
  }

  remove(item: Item): void {
    this.#own();
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

  #own(): void {
    if (this.#isShared) this.#maps = this.#maps.map((map) => new Map(map));
    this.#isShared = false;
  }
}

type Compare<Item> = (a: Partial<Item>, b: Partial<Item>) => number;

/** For kinds of which there may be very many: in the order of their ids. */
export class LargeTable<Item extends object> implements Table<Item> {
  readonly #members: readonly (readonly [member: keyof Item, compare: Compare<Item>])[];
  #lists: ReadonlyMap<keyof Item, SortedList<Partial<Item>, Item>>;

  /**
   * @param members those that no two records share, and what compares records by each; the id is the
   *   first. Each has a function of its own, because V8 reads a member that varies ten times slower.
   */
  constructor(members: readonly (readonly [member: keyof Item, compare: Compare<Item>])[]) {
    this.#members = members;
    this.#lists = new Map(members.map(([member, compare]) => [member, new SortedList(compare)]));
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
