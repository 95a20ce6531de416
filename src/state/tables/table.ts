import type { Steps } from "../../base/steps.ts";
import { differences, SortedList } from "./sorted-list.ts";

/**
 * The storage of a set of records. A fork is cheap, and independent of its original. States are kept, restored
 * and passed to other worlds as forks. A loop visits the records that exist when it begins, so it may add and
 * remove records.
 */
export interface Table<Item> extends Iterable<Item> {
  readonly size: number;
  /** The id comes first. */
  readonly uniqueMembers: readonly (keyof Item)[];
  /** Records added and removed since `before`. A record whose content changed is in both. */
  changesSince(before: this): { readonly added: Item[]; readonly removed: Item[] };
  find(member: keyof Item, value: unknown): Item | undefined;
  /** The records from this id on, ascending by id. No record needs to have the id. */
  from(id: string): Iterable<Item>;
  add(item: Item): void;
  /** Adds records in steps, between which nothing else may change the table. */
  addInSteps(items: readonly Item[]): Steps<void>;
  /** Replaces a record by its next version, which has the same id. */
  replace(before: Item, after: Item): void;
  /** Replaces records, each by its next version, which has the same place in every order. */
  replaceAll(versions: ReadonlyMap<Item, Item>): void;
  remove(item: Item): void;
  removeAll(items: readonly Item[]): void;
  fork(): Table<Item>;
  empty(): Table<Item>;
}

/**
 * For few records. Keeps the order of insertion. It is copied at the first change after a fork, and for
 * each loop.
 */
export class SmallTable<Item extends object> implements Table<Item> {
  readonly uniqueMembers: readonly (keyof Item)[];
  #maps: readonly Map<unknown, Item>[];
  #isForked = false;

  /** @param members the unique members; the id is the first */
  constructor(members: readonly (keyof Item)[]) {
    this.uniqueMembers = members;
    this.#maps = members.map(() => new Map());
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return [...this.#byId.values()].values();
  }

  changesSince(before: this): { readonly added: Item[]; readonly removed: Item[] } {
    if (this.#maps === before.#maps) return { added: [], removed: [] };
    return differences([...before], [...this]);
  }

  find(member: keyof Item, value: unknown): Item | undefined {
    return this.#maps[this.uniqueMembers.indexOf(member)]?.get(value);
  }

  from(id: string): Iterable<Item> {
    const entries = Array.from(this.#byId as Map<string, Item>).filter(([own]) => own >= id);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  }

  add(item: Item): void {
    this.#copyIfShared();
    this.#maps.forEach((map, index) =>
      map.set(item[this.uniqueMembers[index] as keyof Item], item),
    );
  }

  *addInSteps(items: readonly Item[]): Steps<void> {
    yield;
    for (const item of items) this.add(item);
  }

  replace(before: Item, after: Item): void {
    this.#copyIfShared();
    this.#maps.forEach((map, index) => {
      const member = this.uniqueMembers[index] as keyof Item;
      if (before[member] !== after[member]) map.delete(before[member]);
      map.set(after[member], after);
    });
  }

  replaceAll(versions: ReadonlyMap<Item, Item>): void {
    for (const [before, after] of versions) this.replace(before, after);
  }

  remove(item: Item): void {
    this.removeAll([item]);
  }

  removeAll(items: readonly Item[]): void {
    this.#copyIfShared();
    for (const [index, map] of this.#maps.entries()) {
      const member = this.uniqueMembers[index] as keyof Item;
      for (const item of items) map.delete(item[member]);
    }
  }

  fork(): SmallTable<Item> {
    const fork = new SmallTable(this.uniqueMembers);
    fork.#maps = this.#maps;
    this.#isForked = fork.#isForked = true;
    return fork;
  }

  empty(): SmallTable<Item> {
    return new SmallTable(this.uniqueMembers);
  }

  get #byId(): Map<unknown, Item> {
    return this.#maps[0] as Map<unknown, Item>;
  }

  #copyIfShared(): void {
    if (!this.#isForked) return;
    this.#maps = this.#maps.map((map) => new Map(map));
    this.#isForked = false;
  }
}

/**
 * The order of records by a unique member. In V8, functions that take the name of the member are much
 * slower: with them, a `keys.createKey` with two roles and two permissions takes a tenth longer.
 */
interface Order<Item> {
  readonly isAfter: (a: Partial<Item>, b: Partial<Item>) => boolean;
  /** The members to search for, to find the record with this value. */
  readonly at: (value: string) => Partial<Item>;
}

type Orders<Item> = { readonly [Member in keyof Item]?: Order<Item> } & {
  readonly id: Order<Item>;
};

type Lists<Item> = ReadonlyMap<keyof Item, SortedList<Partial<Item>, Item>>;

/** For very many records. Keeps them sorted by id. */
export class LargeTable<Item extends { readonly id: string }> implements Table<Item> {
  readonly uniqueMembers: readonly (keyof Item)[];
  readonly #orders: Orders<Item>;
  #lists: Lists<Item>;

  constructor(orders: Orders<Item>) {
    this.#orders = orders;
    const all = Object.entries(orders) as [keyof Item, Order<Item>][];
    this.uniqueMembers = all.map(([member]) => member);
    this.#lists = new Map(all.map(([member, { isAfter }]) => [member, new SortedList(isAfter)]));
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#byId[Symbol.iterator]();
  }

  changesSince(before: this): { readonly added: Item[]; readonly removed: Item[] } {
    return this.#byId.changesSince(before.#byId);
  }

  find(member: keyof Item, value: unknown): Item | undefined {
    const order = this.#orders[member];
    if (order === undefined || typeof value !== "string") return undefined;
    return this.#lists.get(member)?.get(order.at(value));
  }

  from(id: string): Iterable<Item> {
    return this.#byId.from({ id } as Partial<Item>);
  }

  add(item: Item): void {
    for (const list of this.#lists.values()) list.add(item);
  }

  *addInSteps(items: readonly Item[]): Steps<void> {
    for (const list of this.#lists.values()) yield* list.addInSteps(items);
  }

  replace(before: Item, after: Item): void {
    this.remove(before);
    this.add(after);
  }

  replaceAll(versions: ReadonlyMap<Item, Item>): void {
    const items = [...versions.keys()];
    for (const list of this.#lists.values()) list.replaceAll(items, versions);
  }

  remove(item: Item): void {
    for (const list of this.#lists.values()) list.remove(item);
  }

  removeAll(items: readonly Item[]): void {
    const removed = new Set(items);
    for (const list of this.#lists.values()) list.removeAll(items, removed);
  }

  fork(): LargeTable<Item> {
    const fork = this.empty();
    fork.#lists = new Map(Array.from(this.#lists, ([member, list]) => [member, list.fork()]));
    return fork;
  }

  empty(): LargeTable<Item> {
    return new LargeTable(this.#orders);
  }

  get #byId(): SortedList<Partial<Item>, Item> {
    return this.#lists.get("id") as SortedList<Partial<Item>, Item>;
  }
}
