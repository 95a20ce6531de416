import { type ChangeOfSet, RecordSet } from "./record-set.ts";

/**
 * Records that calls refer to by name: roles, permissions (by slug), identities (by external id),
 * namespaces of rate limits. Most are created when a call first names them.
 */
export class NamedSet<
  Init extends object,
  Item extends object,
  Name extends keyof Init & keyof Item & string,
  Members = Init,
> extends RecordSet<Init, Item, Members> {
  readonly #name: Name;
  readonly #toInit: (name: string) => Members;
  /** Reserved names, with the id of the record that will get each. */
  readonly #reserved = new Map<string, string>();

  /**
   * @param name the member with the name
   * @param toInit the record to create for a name
   */
  constructor(
    name: Name,
    toInit: (name: string) => Members,
    ...rest: ConstructorParameters<typeof RecordSet<Init, Item, Members>>
  ) {
    super(...rest);
    this.#name = name;
    this.#toInit = toInit;
  }

  named(name: string): Item | undefined {
    const found = this.table.find(this.#name, name);
    return found !== undefined || this.#reserved.size === 0
      ? found
      : this.get(this.#reserved.get(name));
  }

  /**
   * Reserves a name for a record that is being renamed, while keys get the new name in steps. Returns a
   * function that releases it.
   */
  reserve(name: string, id: string): () => void {
    this.#reserved.set(name, id);
    return () => void this.#reserved.delete(name);
  }

  override endUpdates(): void {
    super.endUpdates();
    this.#reserved.clear();
  }

  find(idOrName: string): Item | undefined {
    return this.get(idOrName) ?? this.named(idOrName);
  }

  /** The names that no record has, without duplicates. */
  missing(names: readonly string[] = []): string[] {
    const missing = names.filter((name) => this.named(name) === undefined);
    return missing.length < 2 ? missing : [...new Set(missing)];
  }

  /**
   * Names with the spelling of the records that have them, without duplicates. As in the service, a name that
   * differs from the name of a record only in case means that record.
   */
  spelled(names: readonly string[]): string[] {
    const missing = new Set(this.missing(names).map((name) => name.toLowerCase()));
    const known = new Map<string, string>();
    if (missing.size > 0) {
      for (const item of this.values()) {
        const name = item[this.#name] as string;
        if (missing.has(name.toLowerCase())) known.set(name.toLowerCase(), name);
      }
    }
    const found = names.map((name) => {
      if (this.named(name) !== undefined) return name;
      const lower = name.toLowerCase();
      if (!known.has(lower)) known.set(lower, name);
      return known.get(lower) as string;
    });
    return [...new Set(found)];
  }

  ensureAll(names: readonly string[] = []): void {
    const missing = this.missing(names);
    if (missing.length > 0) this.addListed(missing.map((name) => this.#toInit(name)));
  }

  /**
   * Creates the records that are missing. Returns the names as the strings that the records have, so that
   * keys share them.
   */
  ensureNames(names: readonly string[] = []): string[] {
    const held = () => names.map((name) => this.named(name)?.[this.#name] as string | undefined);
    const found = held();
    if (!found.includes(undefined)) return found as string[];
    this.ensureAll(names);
    return held() as string[];
  }

  ensure(name: string): Item {
    return this.named(name) ?? this.add(this.#toInit(name));
  }
}

/** Former names of records, each with the new name; undefined if the record was deleted. */
export type Renames = ReadonlyMap<string, string | undefined>;

/** The names that disappear when records are deleted or renamed. */
export function renamesOf<Name extends string>(
  member: Name,
  { before, after, deleted = [] }: ChangeOfSet<Readonly<Record<Name, string>>>,
): Renames {
  const renames = new Map<string, string | undefined>(
    deleted.map((item) => [item[member], undefined]),
  );
  if (before !== undefined && before[member] !== after?.[member]) {
    renames.set(before[member], after?.[member]);
  }
  return renames;
}

/** The names after renames; undefined if they stay the same. */
export function renamed(names: readonly string[], renames: Renames): string[] | undefined {
  if (!names.some((name) => renames.has(name))) return undefined;
  return names.flatMap((name) => (renames.has(name) ? (renames.get(name) ?? []) : name));
}
