import { RecordSet } from "./record-set.ts";

/**
 * Records that keys refer to by name: roles, permissions, identities. They are created when a key first
 * names them.
 */
export class NamedSet<
  Init extends object,
  Item extends object,
  Name extends keyof Init & keyof Item & string,
> extends RecordSet<Init, Item> {
  readonly #name: Name;

  /** @param name the member with the name */
  constructor(name: Name, ...rest: ConstructorParameters<typeof RecordSet<Init, Item>>) {
    super(...rest);
    this.#name = name;
  }

  /** The record with this name. */
  named(name: string): Item | undefined {
    return this.table.find(this.#name, name);
  }

  /** The names that no record has, without duplicates. */
  missing(names: readonly string[] = []): string[] {
    const missing = names.filter((name) => this.named(name) === undefined);
    return missing.length < 2 ? missing : [...new Set(missing)];
  }

  /** Creates the records that are missing. */
  ensureAll(names: readonly string[] = []): void {
    const missing = this.missing(names);
    // All at once, because each change empties caches.
    if (missing.length > 0) this.addNew(missing.map((name) => this.#toInit(name)));
  }

  /** The record with this name. It is created if it is missing. */
  ensure(name: string): Item {
    return this.named(name) ?? this.add(this.#toInit(name));
  }

  #toInit(name: string): Init {
    return { [this.#name]: name } as unknown as Init;
  }
}
