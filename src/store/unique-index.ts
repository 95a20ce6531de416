import { UsageError } from "../usage-error.ts";
import { LayeredMap } from "./layered-map.ts";

/** What a collection keeps beside its records so that no lookup scans them. */
export interface Index<Item> {
  /** Takes what another index of the same kind holds, which must not change any more. */
  copyFrom(other: this): void;
  add(item: Item): void;
  remove(item: Item): void;
  clear(): void;
}

/** Finds an item by one member that no two items share. */
export class UniqueIndex<Item extends object> implements Index<Item> {
  readonly member: keyof Item & string;
  #items = new LayeredMap<unknown, Item>();
  readonly #noun: string;
  readonly #isSecret: boolean;

  constructor(noun: string, member: keyof Item & string, options: { secret?: boolean } = {}) {
    this.#noun = noun;
    this.member = member;
    this.#isSecret = options.secret ?? false;
  }

  copyFrom(other: this): void {
    this.#items = new LayeredMap(other.#items);
  }

  get(value: unknown): Item | undefined {
    return this.#items.get(value);
  }

  /** @throws UsageError when an item with these members cannot stand beside those there are */
  check(members: object): void {
    const value = (members as Partial<Item>)[this.member];
    if (!this.#items.has(value)) return;
    const shown = this.#isSecret ? "this value" : JSON.stringify(value);
    throw new UsageError(`${this.#noun}: ${this.member}: ${shown} is taken`);
  }

  add(item: Item): void {
    this.#items.set(item[this.member], item);
  }

  remove(item: Item): void {
    const value = item[this.member];
    if (this.#items.get(value) === item) this.#items.delete(value);
  }

  clear(): void {
    this.#items.clear();
  }

  /**
   * Keeps the place of the item that is to replace `previous` until the returned function is
   * called, so that nothing takes it meanwhile.
   * @throws UsageError as `check` does
   */
  claim(item: Item, previous: Item): () => void {
    const value = item[this.member];
    if (this.#items.get(value) === previous) return () => {};
    this.check(item as object);
    this.#items.set(value, previous);
    return () => {
      if (this.#items.get(value) === previous) this.#items.delete(value);
    };
  }
}
