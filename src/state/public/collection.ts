import { OperationError, type Query } from "@msw/data";
import { UsageError } from "../../base/usage-error.ts";
import { copyJson } from "../../base/json.ts";
import type { KeySet } from "../keys/key-set.ts";
import type { Key, KeyInput } from "../keys/key.ts";
import type { RecordSet } from "../records/record-set.ts";
import { checkData, idIn, sortRecords, toQuery } from "./condition.ts";
import { type KeyDraft, toKeyDraft } from "./key-draft.ts";
import type {
  Condition,
  DeleteOptions,
  Draft,
  FindOptions,
  Found,
  Library,
  Stored,
  UpdateOptions,
} from "./library.ts";

/** The part of a set of records that a collection uses. */
export type ShownRecords<Init, Item extends object> = Omit<RecordSet<Init, Item>, "add">;

/**
 * The records of one kind, for tests and users' operations: the interface of `Collection` of
 * `@msw/data` without its hooks, and quick lookups. A change is made before the call returns, unless `data` of an update
 * is asynchronous. Other methods return promises only because that interface does.
 *
 * All other methods of a `RecordSet` are private to the emulator, because with them a test could make
 * indexes and caches wrong.
 */
export class Collection<
  Init,
  Item extends object,
  Drafted extends Draft<Item> = Draft<Item>,
> implements Omit<Library<Init, Item>, "hooks"> {
  readonly #records: ShownRecords<Init, Item>;
  readonly #draftOf: (record: Item) => object;

  constructor(records: ShownRecords<Init, Item>, draftOf: (record: Item) => object = copyJson) {
    this.#records = records;
    this.#draftOf = draftOf;
  }

  /** The record with this id. Uses an index, so it needs no scan. */
  get(id: unknown): Item | undefined {
    return this.#records.get(id);
  }

  /** Every record, in a new array. */
  all(): Stored<Item>[] {
    return this.#records.all() as Stored<Item>[];
  }

  /** Every record, without copying them to an array. */
  values(): Iterable<Item> {
    const records = this.#records.values();
    return { [Symbol.iterator]: () => records[Symbol.iterator]() };
  }

  /**
   * The number of records that match, or of all records without a condition.
   * @throws UsageError for an invalid condition
   */
  count(condition?: Condition<Item>): number {
    return condition === undefined ? this.#records.size : this.findMany(condition).length;
  }

  /**
   * The first record that matches, or the first of all without a condition. If the condition has the id,
   * an index finds the record.
   * @throws UsageError for an invalid condition
   * @throws OperationError if none matches and `strict` is true
   */
  findFirst<Strict extends boolean>(
    condition?: Condition<Item>,
    { strict }: { strict?: Strict } = {},
  ): Found<Item, Strict> {
    const found = this.#find(condition);
    if (found === undefined && strict) throw nothingFound("findFirst");
    return found as Found<Item, Strict>;
  }

  /**
   * Every record that matches, or all records without a condition. A negative `take` searches from the
   * end.
   * @throws UsageError for an invalid condition or `skip`
   * @throws OperationError if none matches and `strict` is true
   */
  findMany(condition?: Condition<Item>, options: FindOptions<Item> = {}): Stored<Item>[] {
    const { cursor, orderBy, skip = 0, strict } = options;
    const take = options.take || Infinity;
    if (!Number.isInteger(skip) || skip < 0) {
      throw new UsageError(`${this.#noun}: skip: expected an integer from 0, got ${skip}`);
    }
    const query = condition === undefined ? undefined : this.#toQuery(condition);
    const found: Stored<Item>[] = [];
    let skipped = 0;
    for (const record of this.#from(cursor?.[this.#id], take < 0)) {
      if (found.length >= Math.abs(take)) break;
      if (query?.test(record) === false) continue;
      if (skipped < skip) skipped += 1;
      else found.push(record);
    }
    if (found.length === 0 && strict) throw nothingFound("findMany", "records");
    return sortRecords(found, orderBy);
  }

  /**
   * Adds a record. Members that are left out get their defaults.
   * @throws UsageError for invalid members, and for an id or name that is taken
   */
  async create(init: Init): Promise<Stored<Item>> {
    return this.#records.create(init) as Stored<Item>;
  }

  /**
   * Adds `count` records, or none if one of them is refused. Roles, permissions and identities that were
   * created because the records name them are kept even then.
   * @throws UsageError as `create` does
   */
  async createMany(count: number, toInit: (index: number) => Init): Promise<Stored<Item>[]> {
    if (!Number.isInteger(count) || count < 0 || typeof toInit !== "function") {
      const expected = "expected how many, and a function that gives the members of each";
      throw new UsageError(`${this.#noun}: ${expected}`);
    }
    const inits = Array.from({ length: count }, (_, index) => toInit(index));
    const made: Item[] = [];
    try {
      for (const init of inits) made.push(this.#records.create(init));
    } catch (error) {
      this.#records.removeAll(made);
      throw error;
    }
    return made as Stored<Item>[];
  }

  /**
   * Changes the first record that matches and resolves to its next version. `data` changes a draft and
   * may be asynchronous. If something else changes the record while `data` waits, the update is refused.
   * @throws UsageError for an invalid condition, a missing `data`, invalid members, a changed id, or a unique
   *   value that is taken; and if something else deleted, replaced or changed the record while `data` waited
   * @throws OperationError if none matches and `strict` is true
   */
  async update<Strict extends boolean>(
    condition: Condition<Item>,
    options: UpdateOptions<Item, Drafted> & { strict?: Strict },
  ): Promise<Found<Item, Strict>> {
    checkData(this.#noun, options);
    const before = this.#findOne(condition);
    if (before === undefined && options.strict) throw nothingFound("update");
    if (before === undefined) return undefined as Found<Item, Strict>;
    return (await this.#change(before, options.data)) as Found<Item, Strict>;
  }

  /** Changes every record that matches, one after the other, as `update` does. */
  async updateMany(
    condition: Condition<Item>,
    options: UpdateOptions<Item, Drafted>,
  ): Promise<Stored<Item>[]> {
    checkData(this.#noun, options);
    const { data, orderBy, strict } = options;
    const found = this.findMany(this.#toQuery(condition));
    if (found.length === 0 && strict) throw nothingFound("updateMany", "records");
    const { generation } = this.#records;
    const next: Item[] = [];
    for (const record of found) {
      // An earlier update may have changed it.
      const latest = this.get(record[this.#id]) ?? record;
      next.push(await this.#change(latest, data, generation));
    }
    return sortRecords(next as Stored<Item>[], orderBy);
  }

  /**
   * Deletes the first record that matches, and returns it.
   * @throws UsageError for an invalid condition
   * @throws OperationError if none matches and `strict` is true
   */
  delete<Strict extends boolean>(
    condition: Condition<Item>,
    { strict }: { strict?: Strict } = {},
  ): Found<Item, Strict> {
    const found = this.#findOne(condition);
    if (found === undefined && strict) throw nothingFound("delete");
    if (found !== undefined) this.#records.remove(found);
    return found as Found<Item, Strict>;
  }

  /**
   * Deletes every record that matches, and returns them.
   * @throws UsageError for an invalid condition
   * @throws OperationError if none matches and `strict` is true
   */
  deleteMany(
    condition: Condition<Item>,
    { orderBy, strict }: DeleteOptions<Item> = {},
  ): Stored<Item>[] {
    const found = this.findMany(this.#toQuery(condition));
    if (found.length === 0 && strict) throw nothingFound("deleteMany", "records");
    this.#records.removeAll(found);
    return sortRecords(found, orderBy);
  }

  /** Deletes every record. */
  clear(): void {
    this.#records.clear();
  }

  /** Unsupported: `@msw/data` defines relations as getters on records, but these are frozen. */
  defineRelations(): never {
    throw new UsageError(`${this.#noun}: relations cannot be defined on these records`);
  }

  /** Lets `data` change a draft, and writes it. */
  async #change(
    before: Item,
    data: UpdateOptions<Item, Drafted>["data"],
    generation = this.#records.generation,
  ): Promise<Item> {
    const draft = this.#draftOf(before) as Drafted & Item;
    const work = data(draft);
    if (work !== undefined) await work;
    if (draft[this.#id] !== before[this.#id]) {
      throw new UsageError(
        `${this.#noun}: ${this.#id}: cannot be changed, because it identifies the record`,
      );
    }
    return this.#records.update(before, draft, generation);
  }

  #find(condition: Condition<Item> | undefined): Item | undefined {
    const query = condition === undefined ? undefined : this.#toQuery(condition);
    const id = query && idIn(this.#records.description, condition);
    // Most lookups are by id, which needs no scan.
    const known = id === undefined ? undefined : this.#records.get(id);
    const all = id === undefined ? this.#records.values() : known === undefined ? [] : [known];
    for (const item of all) {
      if (query === undefined || query.test(item as Stored<Item>)) return item;
    }
    return undefined;
  }

  /** The records from the one with this id on, or all records; backwards if `isReversed`. */
  #from(id: unknown, isReversed: boolean): Iterable<Stored<Item>> {
    if (id === undefined && !isReversed) return this.#records.values() as Iterable<Stored<Item>>;
    const all = isReversed ? this.all().reverse() : this.all();
    if (id === undefined) return all;
    const start = all.indexOf(this.get(id) as Stored<Item>);
    return start === -1 ? [] : all.slice(start);
  }

  /** The record to change or delete. */
  #findOne(condition: Condition<Item>): Item | undefined {
    // `#toQuery` throws for an undefined condition, for which `#find` would return any record.
    return this.#find(condition ?? this.#toQuery(condition));
  }

  #toQuery(condition: unknown): Query<Stored<Item>> {
    return toQuery(this.#records.description, condition);
  }

  get #noun(): string {
    return this.#records.description.noun;
  }

  get #id(): keyof Item & string {
    return this.#records.description.id as keyof Item & string;
  }
}

interface NamedRecords<Init, Item extends object> extends ShownRecords<Init, Item> {
  named(name: string): Item | undefined;
}

/** Records that calls refer to by name: roles, permissions, identities, namespaces of rate limits. */
export class NamedCollection<Init, Item extends object> extends Collection<Init, Item> {
  readonly #records: NamedRecords<Init, Item>;

  constructor(records: NamedRecords<Init, Item>) {
    super(records);
    this.#records = records;
  }

  /** The record with this name, or external id. */
  named(name: string): Item | undefined {
    return this.#records.named(name);
  }
}

/** The keys of a workspace. */
export class KeyCollection extends Collection<KeyInput, Key, KeyDraft> {
  readonly #keys: KeySet;

  constructor(keys: KeySet) {
    super(keys, toKeyDraft);
    this.#keys = keys;
  }

  /** The key with this value, even if it is not recoverable; undefined if there is none. */
  findByValue(value: string): Stored<Key> | undefined {
    return this.#keys.findBySecret(value) as Stored<Key> | undefined;
  }
}

/** The same error as the library's. The package does not export its enum of codes. */
function nothingFound(method: string, noun = "record"): OperationError {
  const message = `Failed to execute "${method}" on collection: no ${noun} found matching the query`;
  return new OperationError(message, "STRICT_QUERY_WITHOUT_RESULTS" as OperationError["code"]);
}
