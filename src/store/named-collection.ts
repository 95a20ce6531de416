import {
  IndexedCollection,
  type IndexedCollectionOptions,
  type Stored,
} from "./indexed-collection.ts";
import { UniqueIndex } from "./unique-index.ts";

interface NamedCollectionOptions<Init, Item extends object> extends Omit<
  IndexedCollectionOptions<Item, Init>,
  "id" | "unique"
> {
  /** The member that requests name a record by, beside its id: a role's name. */
  readonly nameMember: keyof Item & string;
  /** What to give for a record of which only the name is known. */
  readonly initOf: (name: string) => Init;
}

/** Records that a key names, and that come to be when it does: roles, permissions, identities. */
export class NamedCollection<Init, Item extends { readonly id: string }> extends IndexedCollection<
  Init,
  Item
> {
  readonly #names: UniqueIndex<Item>;
  readonly #make: (name: string) => Item;
  readonly #making = new Map<Item, Promise<unknown>>();

  constructor(options: NamedCollectionOptions<Init, Item>) {
    const { noun, nameMember, initOf, build } = options;
    const names = new UniqueIndex<Item>(noun, nameMember);
    super({ ...options, id: "id", unique: [new UniqueIndex<Item>(noun, "id"), names] });
    this.#names = names;
    this.#make = (name) => build(initOf(name));
  }

  /** The record of this name, without a scan. */
  named(name: string): Item | undefined {
    return this.#names.get(name);
  }

  /** The names among these that no record has. */
  missing(names: readonly string[] = []): string[] {
    const missing = names.filter((name) => this.#names.get(name) === undefined);
    return missing.length === 0 ? missing : [...new Set(missing)];
  }

  /**
   * The record of this name, made if it is missing. It is found at once; that the collection
   * holds it too is promised in `pending`.
   */
  ensure(name: string, pending: Promise<unknown>[]): Item {
    const known = this.#names.get(name);
    if (known !== undefined) {
      // Whoever relies on a record that is still being made fails with it.
      const making = this.#making.get(known);
      if (making !== undefined) pending.push(making);
      return known;
    }
    const made = this.#make(name);
    const stored = this.insert(made);
    if (stored instanceof Promise) pending.push(stored);
    return made;
  }

  protected override insert(item: Item): Stored<Item> | Promise<Stored<Item>> {
    const stored = super.insert(item);
    return stored instanceof Promise ? this.tracked(item, stored) : stored;
  }

  /** Lets those that find the record before it is made know how that ends. */
  protected tracked(item: Item, making: Promise<Stored<Item>>): Promise<Stored<Item>> {
    const end = () => {
      if (this.#making.get(item) === making) this.#making.delete(item);
    };
    this.#making.set(item, making);
    making.then(end, end);
    return making;
  }

  /** As `ensure`, for each of these names. */
  ensureEach(names: readonly string[], pending: Promise<unknown>[]): Item[] {
    return names.map((name) => this.ensure(name, pending));
  }

  /** Makes those of these names that are missing. */
  async ensureAll(names: readonly string[]): Promise<void> {
    const pending: Promise<unknown>[] = [];
    this.ensureEach(names, pending);
    await Promise.all(pending);
  }
}
