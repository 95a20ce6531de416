import type { Index, UniqueIndex } from "./unique-index.ts";

interface IndexesOptions<Item extends object> {
  readonly noun: string;
  readonly id: keyof Item & string;
  readonly unique: readonly UniqueIndex<Item>[];
  readonly indexes?: readonly Index<Item>[];
}

/** The indexes of one collection: they hold the same records, and change together. */
export class Indexes<Item extends object> {
  readonly #id: keyof Item & string;
  readonly #unique: readonly UniqueIndex<Item>[];
  readonly #others: readonly Index<Item>[];
  readonly #all: readonly Index<Item>[];
  /** One of those that are unique. */
  readonly #byId: UniqueIndex<Item>;
  readonly #onChange: () => void;

  /** `onChange` is called after every change. */
  constructor({ id, indexes = [], noun, unique }: IndexesOptions<Item>, onChange: () => void) {
    const byId = unique.find(({ member }) => member === id);
    if (byId === undefined) throw new Error(`${noun}: expected ${id} to be unique`);
    this.#id = id;
    this.#byId = byId;
    this.#unique = unique;
    this.#others = indexes;
    this.#all = [...unique, ...indexes];
    this.#onChange = onChange;
  }

  /** The record with this id. */
  get(id: unknown): Item | undefined {
    return this.#byId.get(id);
  }

  /** Whether they hold this very record, and not another version of it. */
  holds(item: Item): boolean {
    return this.#byId.get(item[this.#id]) === item;
  }

  /** @throws UsageError when the id or another unique member is taken */
  check(members: object): void {
    for (const index of this.#unique) index.check(members);
  }

  /**
   * Keeps the places of the record that is to replace `previous` until the returned function is
   * called, so that nothing takes them meanwhile.
   * @throws UsageError when one of them is taken; none is kept then
   */
  claim(item: Item, previous: Item): () => void {
    const releases: (() => void)[] = [];
    const release = () => {
      for (const each of releases) each();
    };
    try {
      for (const index of this.#unique) releases.push(index.claim(item, previous));
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  add(item: Item): void {
    for (const index of this.#all) index.add(item);
    this.#onChange();
  }

  /** Leaves another version of the record where it is. */
  remove(item: Item): void {
    if (!this.holds(item)) return;
    for (const index of this.#all) index.remove(item);
    this.#onChange();
  }

  /** Lets those that are not unique hear of a record anew, which stays as it is. */
  tell(item: Item): void {
    for (const index of this.#others) {
      index.remove(item);
      index.add(item);
    }
  }

  clear(): void {
    for (const index of this.#all) index.clear();
    this.#onChange();
  }

  /** Takes what those of another collection of the kind hold, which must not change any more. */
  copyFrom(other: Indexes<Item>): void {
    for (const [place, index] of this.#all.entries()) {
      index.copyFrom(other.#all[place] as Index<Item>);
    }
    this.#onChange();
  }
}
