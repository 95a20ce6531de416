import { OperationError, type Query } from "@msw/data";
import { copyJson } from "../schema/copy-json.ts";
import { UsageError } from "../usage-error.ts";
import { Changes, type Change } from "./changes.ts";
import { checkData, idIn, toQuery, type RecordDescription } from "./condition.ts";
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
import { sortRecords } from "./sort-records.ts";
import type { Table } from "./tables/table.ts";

/** `Members` are the validated members of a new record, or of the draft of an update. */
export interface CollectionOptions<Item extends object, Members> extends Omit<
  RecordDescription,
  "id"
> {
  /** Unique members. The first is the id, which never changes. */
  readonly unique: readonly (keyof Item & string)[];
  /** Whether unique values are secret and are left out of error messages. Default: false. */
  readonly isSecret?: boolean;
  /**
   * Parses the members that a caller gave, or those of an updated draft.
   * @throws UsageError with a line for each problem
   */
  readonly parse: (members: unknown) => Members;
  /** Makes a record of valid members, or the next version of the record `before`. */
  readonly build: (members: Members, before?: Item) => Item;
}

/** An update that has begun and not ended. */
interface OpenUpdate {
  /** The id of the record. */
  readonly id: unknown;
  /** What all versions of the record have in common since the first update of it began. */
  readonly lineage: object;
}

/**
 * The records of one kind, which tests can query and change: the interface of `Collection` of
 * `@msw/data`, over a table. A change is made before the call returns, unless `data` of an update
 * is asynchronous. The other methods that return promises do so because that interface does.
 *
 * `Init` is what `create` takes, `Item` is a record, and `Members` are the validated members that a
 * record is built of.
 */
export class Collection<Init, Item extends object, Members = Init> implements Pick<
  Library<Init, Item>,
  keyof Library<Init, Item>
> {
  /** Called after every change; without records if many changed at once. */
  onChange: (change: Change<Item>) => void = () => {};
  protected table: Table<Item>;
  readonly #options: CollectionOptions<Item, Members> & RecordDescription;
  #changes: Changes<Init, Item> | undefined;
  /** Tells later versions of a record from another record that was given the same id. */
  #lineages = new WeakMap<Item, OpenUpdate["lineage"]>();

  constructor(table: Table<Item>, options: CollectionOptions<Item, Members>) {
    this.table = table;
    this.#options = { ...options, id: options.unique[0] as string };
  }

  /** Listen to changes: `create`, `update`, `delete`. Events are emitted after the change. */
  get hooks(): Library<Init, Item>["hooks"] {
    this.#changes ??= new Changes();
    return this.#changes.hooks;
  }

  /** The record with this id. Uses an index, so it needs no scan. */
  get(id: unknown): Item | undefined {
    return this.table.find(this.#id, id);
  }

  /** Every record, in a new array. */
  all(): Stored<Item>[] {
    return [...this.table] as Stored<Item>[];
  }

  /** Every record, without copying them to an array. */
  values(): Iterable<Item> {
    return this.table;
  }

  /**
   * The number of records that match; without a condition, of all records.
   * @throws UsageError for an invalid condition
   */
  count(condition?: Condition<Item>): number {
    return condition === undefined ? this.table.size : this.findMany(condition).length;
  }

  /**
   * The first record that matches; without a condition, the first one. A condition by members that
   * include the id uses the index.
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
   * Every record that matches; without a condition, all. A negative `take` searches from the end.
   * @throws UsageError for an invalid condition or `skip`
   * @throws OperationError if none matches and `strict` is true
   */
  findMany(condition?: Condition<Item>, options: FindOptions<Item> = {}): Stored<Item>[] {
    const { cursor, orderBy, skip = 0, strict } = options;
    const take = options.take || Infinity;
    if (!Number.isInteger(skip) || skip < 0) {
      throw new UsageError(`${this.#options.noun}: skip: expected an integer from 0, got ${skip}`);
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
   * Adds a record; members that are left out get their defaults.
   * @throws UsageError for invalid members, and for an id or name that is taken
   */
  async create(init: Init): Promise<Stored<Item>> {
    return this.createSync(init) as Stored<Item>;
  }

  /**
   * Adds `count` records, or none if one of them is refused. Roles, permissions and identities that
   * were created because the records name them stay in either case.
   * @throws UsageError as `create` does
   */
  async createMany(count: number, toInit: (index: number) => Init): Promise<Stored<Item>[]> {
    if (!Number.isInteger(count) || count < 0 || typeof toInit !== "function") {
      const expected = "expected how many, and a function that gives the members of each";
      throw new UsageError(`${this.#options.noun}: ${expected}`);
    }
    const inits = Array.from({ length: count }, (_, index) => toInit(index));
    const made: Item[] = [];
    try {
      for (const init of inits) made.push(this.createSync(init));
    } catch (error) {
      for (const record of made) this.remove(record);
      throw error;
    }
    return made as unknown as Stored<Item>[];
  }

  /**
   * Changes the first record that matches and resolves to its next version. `data` changes a draft
   * and may be asynchronous; only the members that it changed are written, so concurrent changes of
   * other members stay. Read and write a member without awaiting in between: if something else
   * changes the same member while `data` waits, the update is refused.
   * @throws UsageError for an invalid condition, without `data`, for invalid members, for a changed
   *   id, for a unique value that is taken, and if meanwhile the record is deleted or replaced, or a
   *   member that `data` changed is changed by something else
   * @throws OperationError if none matches and `strict` is true
   */
  async update<Strict extends boolean>(
    condition: Condition<Item>,
    options: UpdateOptions<Item> & { strict?: Strict },
  ): Promise<Found<Item, Strict>> {
    checkData(this.#options.noun, options);
    const before = this.#findOne(condition);
    if (before === undefined && options.strict) throw nothingFound("update");
    if (before === undefined) return undefined as Found<Item, Strict>;
    return (await this.#change(this.#open(before), options.data)) as Found<Item, Strict>;
  }

  /** Changes every record that matches, one after the other, as `update` does. */
  async updateMany(
    condition: Condition<Item>,
    options: UpdateOptions<Item>,
  ): Promise<Stored<Item>[]> {
    checkData(this.#options.noun, options);
    const { data, orderBy, strict } = options;
    const found = this.findMany(this.#toQuery(condition));
    if (found.length === 0 && strict) throw nothingFound("updateMany", "records");
    const updates = found.map((record) => this.#open(record));
    const next: Item[] = [];
    for (const update of updates) next.push(await this.#change(update, data));
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
    if (found !== undefined) this.remove(found);
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
    for (const record of found) this.remove(record);
    return sortRecords(found, orderBy);
  }

  /** Deletes every record. */
  clear(): void {
    const all = this.all();
    this.table = this.table.empty();
    this.endUpdates();
    this.onChange({});
    for (const before of all) this.#changes?.notify({ before });
  }

  /** Unsupported: `@msw/data` defines relations as getters on records, but ours are frozen. */
  defineRelations(): never {
    throw new UsageError(`${this.#options.noun}: relations cannot be defined on these records`);
  }

  /** The current content, as a fork that is never changed. */
  state(): Table<Item> {
    return this.table.fork();
  }

  /**
   * Replaces the content with that of `table`, which stays unchanged.
   * @returns a function that emits the events; call it when every collection has been replaced
   */
  hold(table: Table<Item>): () => void {
    const before = this.table;
    this.table = table.fork();
    this.onChange({});
    return () => this.#changes?.notifyAll(this.#byId(before), this.#byId(table));
  }

  /** Makes updates that have begun fail when they resume. */
  endUpdates(): void {
    this.#lineages = new WeakMap();
  }

  /** Like `create`, but synchronous; for callers inside the emulator. */
  createSync(init: Init): Item {
    const members = this.#options.parse(init);
    // Checked before the record is built, so that a refused record does not use up an id.
    this.checkFree(members as object);
    return this.add(members, init);
  }

  /**
   * Adds a record of members that are already validated.
   * @throws UsageError for an id or name that is taken
   */
  add(members: Members, init?: Init): Item {
    return this.insert(this.#options.build(members), init);
  }

  /**
   * Adds many finished records at once.
   * @throws UsageError for an id or name that is taken
   */
  addAll(items: Iterable<Item>): void {
    const all = Array.from(items, (item) => {
      this.checkFree(item);
      return Object.freeze(item);
    });
    this.table.addAll(all);
    this.onChange({});
    for (const after of all) this.#changes?.notify({ after });
  }

  /**
   * Adds records of members that are already validated, all at once.
   * @throws UsageError for an id or name that is taken
   */
  protected addNew(all: readonly Members[]): void {
    this.addAll(all.map((members) => this.#options.build(members)));
  }

  /**
   * Adds a finished record. Checks its unique values again: building it may have created roles or
   * identities, and a listener that was told of those may have added a record with the same values.
   * @throws UsageError for an id or name that is taken
   */
  protected insert(item: Item, initialValues?: Init): Item {
    this.checkFree(item);
    this.table.add(Object.freeze(item));
    this.#notify({ after: item, initialValues });
    return item;
  }

  /** Puts a finished record in the place of another with the same id, as an update does. */
  protected write(before: Item, after: Item): Item {
    this.table.replace(before, Object.freeze(after));
    const lineage = this.#lineages.get(before);
    if (lineage !== undefined) this.#lineages.set(after, lineage);
    this.#notify({ before, after });
    return after;
  }

  /** @throws UsageError when the id or another unique member is taken */
  protected checkFree(members: object, holder?: Item): void {
    const { isSecret, noun, unique } = this.#options;
    for (const member of unique) {
      const value = (members as Partial<Item>)[member];
      const other = value === undefined ? undefined : this.table.find(member, value);
      if (other === undefined || other === holder) continue;
      const shown = isSecret ? "this value" : JSON.stringify(value);
      throw new UsageError(`${noun}: ${member}: ${shown} is taken`);
    }
  }

  /** Deletes a record, if it is still there. */
  remove(item: Item): void {
    // A listener may have deleted it already.
    if (this.get(item[this.#id]) !== item) return;
    this.table.remove(item);
    this.#notify({ before: item });
  }

  #open(record: Item): OpenUpdate {
    const lineage = this.#lineages.get(record) ?? {};
    this.#lineages.set(record, lineage);
    return { id: record[this.#id], lineage };
  }

  async #change(update: OpenUpdate, data: UpdateOptions<Item>["data"]): Promise<Item> {
    const drafted = this.#latestOf(update);
    const draft = copyJson<unknown>(drafted) as Draft<Item>;
    const work = data(draft);
    if (work !== undefined) await work;
    return this.#replace(drafted, draft as Item, update);
  }

  /**
   * Writes the changed members of a draft to the latest version of its record.
   * @param drafted the version that the draft was copied from
   */
  #replace(drafted: Item, draft: Item, update: OpenUpdate): Item {
    const { build, noun, parse } = this.#options;
    const before = this.#latestOf(update);
    if (before !== drafted) this.#merge(before, drafted, draft);
    if (draft[this.#id] !== before[this.#id]) {
      throw new UsageError(
        `${noun}: ${this.#id}: cannot be changed, because it identifies the record`,
      );
    }
    const members = parse(draft);
    this.checkFree(members as object, before);
    const after = build(members, before);
    // A listener to a role or permission that `build` created may have changed this record.
    if (this.#latestOf(update) !== before) throw this.#conflictError();
    this.checkFree(after, before);
    return this.write(before, after);
  }

  /**
   * Puts into a draft what changed in its record since the draft was made.
   * @throws UsageError if the draft changed the same member, perhaps to a value that was made of the
   *   former one, like `remaining + 1`
   */
  #merge(before: Item, drafted: Item, draft: Item): void {
    for (const name of Object.keys(before) as (keyof Item & string)[]) {
      if (isSame(before[name], drafted[name])) continue;
      if (!isSame(draft[name], drafted[name])) {
        const id = JSON.stringify(before[this.#id]);
        throw new UsageError(
          `${this.#options.noun}: ${name}: something else changed it while the update of ${id} waited; read and write it without awaiting in between, or update again`,
        );
      }
      draft[name] = before[name];
    }
  }

  /** @throws UsageError if the record was deleted or replaced, for example by a reset */
  #latestOf({ id, lineage }: OpenUpdate): Item {
    const latest = this.get(id);
    if (latest === undefined || this.#lineages.get(latest) !== lineage) throw this.#conflictError();
    return latest;
  }

  #notify(change: Change<Item>): void {
    this.onChange(change);
    this.#changes?.notify(change);
  }

  #find(condition: Condition<Item> | undefined): Item | undefined {
    const query = condition === undefined ? undefined : this.#toQuery(condition);
    const id = query && idIn(this.#options, condition);
    // Most lookups are by id, which needs no scan.
    const known = id === undefined ? undefined : this.get(id);
    const all = id === undefined ? this.table : known === undefined ? [] : [known];
    for (const item of all) {
      if (query === undefined || query.test(item as Stored<Item>)) return item;
    }
    return undefined;
  }

  /** The records from the one with this id on, or all of them; backwards if `isReversed`. */
  #from(id: unknown, isReversed: boolean): Iterable<Stored<Item>> {
    if (id === undefined && !isReversed) return this.table as Iterable<Stored<Item>>;
    const all = isReversed ? this.all().reverse() : this.all();
    if (id === undefined) return all;
    const start = all.indexOf(this.get(id) as Stored<Item>);
    return start === -1 ? [] : all.slice(start);
  }

  /** The record to change or delete. */
  #findOne(condition: Condition<Item>): Item | undefined {
    // `#toQuery` throws for an undefined condition, which `#find` would take as any record.
    return this.#find(condition ?? this.#toQuery(condition));
  }

  #toQuery(condition: unknown): Query<Stored<Item>> {
    return toQuery(this.#options, condition);
  }

  #byId(table: Table<Item>): ReadonlyMap<unknown, Item> {
    return new Map(Array.from(table, (item) => [item[this.#id], item]));
  }

  #conflictError(): UsageError {
    const problem =
      "the record was deleted, replaced or changed by something else before the update could be written";
    return new UsageError(`${this.#options.noun}: ${problem}`);
  }

  get #id(): keyof Item & string {
    return this.#options.id as keyof Item & string;
  }
}

/** The same error as the library's. The package does not export its enum of codes. */
function nothingFound(method: string, noun = "record"): OperationError {
  const message = `Failed to execute "${method}" on collection: no ${noun} found matching the query`;
  return new OperationError(message, "STRICT_QUERY_WITHOUT_RESULTS" as OperationError["code"]);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
