import { Collection, Query } from "@msw/data";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { UsageError } from "../usage-error.ts";
import { checkData, idIn, toQuery, type Members } from "./condition.ts";
import { Indexes } from "./indexes.ts";
import { copyOf, fixMembers, Marks } from "./marks.ts";
import { passThrough, type Guard, type RecordMaker } from "./record-schema.ts";
import { Turns } from "./turns.ts";
import type { Index, UniqueIndex } from "./unique-index.ts";

type Base<Init, Item> = Collection<StandardSchemaV1<Init, Item>>;
type Arguments<
  Init,
  Item,
  Method extends "update" | "updateMany" | "delete" | "deleteMany",
> = Parameters<Base<Init, Item>[Method]>;
type FindOptions<Init, Item> = Parameters<Base<Init, Item>["findMany"]>[1];
/** Which records: `{ name: "CI" }`, `(q) => q.where({ name: "CI" })`, a query, or a record. */
type Condition<Init, Item> =
  | NonNullable<Parameters<Base<Init, Item>["findMany"]>[0]>
  | Members<Item>;
type Draft<Init, Item> = Parameters<Arguments<Init, Item, "update">[1]["data"]>[0];

/** A record as the collection hands it out: frozen, changed through `update` only. */
export type Stored<Item> = ReturnType<Base<unknown, Item>["all"]>[number];

/** A record under change. */
export type Writable<Item> = { -readonly [Member in keyof Item]: Item[Member] };

export interface PutOptions {
  /** Whether listeners are not to hear of it: for putting back what they have heard of before. */
  readonly isQuiet?: boolean;
}

/**
 * `Init` is what a caller gives for a new record, `Members` what is left of it, or of a record that
 * was changed, once it has been read.
 */
export interface IndexedCollectionOptions<Item extends object, Members> extends RecordMaker<
  Item,
  Members
> {
  /** What one record is called in messages: "key". */
  readonly noun: string;
  /** The member that names a record for good. */
  readonly id: keyof Item & string;
  /** The names of the members that a record may have. */
  readonly members: readonly string[];
  /** Members that no two records share; the id is one of them. */
  readonly unique: readonly UniqueIndex<Item>[];
  readonly indexes?: readonly Index<Item>[];
  /** Told of an update that will be made; `draft` may be changed further. */
  readonly touch?: (draft: Writable<Item>, previous: Item) => void | Promise<void>;
}

/**
 * A collection whose indexes stay right through every public mutator.
 *
 * The library has no hook for it: `create` tells before the record is in, `clear` skips records,
 * an update that a listener prevents was announced, and all of it happens a few microtasks after
 * the call. So the mutators themselves are extended. A new record enters the indexes within the
 * call, before the first await: what two requests decide in the same tick, they decide on the same
 * state. After every other change, the indexes take what the collection then holds.
 */
export class IndexedCollection<Init, Item extends object, Members = Init> extends Collection<
  StandardSchemaV1<Init, Item>
> {
  /** Called after every change. */
  onChange: () => void = () => {};
  readonly #options: IndexedCollectionOptions<Item, Members>;
  readonly #indexes: Indexes<Item>;
  readonly #updates = new Turns();
  /** The ids of the records that are being updated, with the era in which that began. */
  readonly #updating = new Map<unknown, number>();
  /** How the library marks its records, once it has marked one. */
  #marks: Marks | undefined;
  /** Ends with `clear`: a record that is put back after it has nothing to do with itself before. */
  #era = 0;

  constructor(options: IndexedCollectionOptions<Item, Members>) {
    const guard: Guard<Item> = { check: () => {} };
    super({ schema: passThrough(options, guard) });
    guard.check = (record) => this.#checkNext(record);
    this.#options = options;
    this.#indexes = new Indexes(options, () => this.onChange());
  }

  /** The record with this id, without a scan. */
  get(id: Item[keyof Item]): Item | undefined {
    return this.#indexes.get(id);
  }

  /**
   * The first record that matches, or the first of all. By members with the id it takes no scan.
   * @throws UsageError for what is no condition
   */
  override findFirst<Strict extends boolean>(
    condition?: Condition<Init, Item>,
    options?: { strict?: Strict },
  ): Strict extends true ? Stored<Item> : Stored<Item> | undefined {
    if (condition === undefined) return super.findFirst(undefined, options);
    const query = this.#toQuery(condition);
    const known = this.#indexes.get(idIn(this.#options, condition));
    // One that is not frozen yet is still on its way into the collection.
    const isIn = known !== undefined && Object.isFrozen(known);
    if (isIn && query.test(known as Stored<Item>)) return known as Stored<Item>;
    return super.findFirst(query, options);
  }

  /**
   * Every record that matches, or all.
   * @throws UsageError for what is no condition
   */
  override findMany(
    condition?: Condition<Init, Item>,
    options?: FindOptions<Init, Item>,
  ): Stored<Item>[] {
    const query = condition === undefined ? undefined : this.#toQuery(condition);
    return super.findMany(query, options);
  }

  /**
   * How many records match, or how many there are.
   * @throws UsageError for what is no condition
   */
  override count(condition?: Condition<Init, Item>): number {
    return condition === undefined ? super.count() : this.findMany(condition).length;
  }

  /**
   * Adds a record; members that are left out get their defaults.
   * @throws UsageError for members that do not fit, and for an id or name that is taken
   */
  override async create(init: Init): Promise<Stored<Item>> {
    const parsed = this.#options.parse(init);
    // What is refused draws no id, so it changes nothing of what comes next.
    this.checkFree(parsed as object);
    return this.add(parsed);
  }

  /**
   * Adds a record whose members are known to fit.
   * @throws UsageError for an id or name that is taken
   */
  async add(members: Members): Promise<Stored<Item>> {
    return this.insert(this.#options.build(members));
  }

  /**
   * Adds `count` records, or none. Roles, permissions and identities that they were the first to
   * name stay.
   * @throws UsageError as `create` does
   */
  override async createMany(
    count: number,
    toInit: (index: number) => Init,
  ): Promise<Stored<Item>[]> {
    if (!Number.isInteger(count) || count < 0 || typeof toInit !== "function") {
      const expected = "expected how many, and a function that gives the members of each";
      throw new UsageError(`${this.#options.noun}: ${expected}`);
    }
    const inits = Array.from({ length: count }, (_, index) => toInit(index));
    const results = await Promise.allSettled(inits.map((init) => this.create(init)));
    const made = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    const failed = results.find((result) => result.status === "rejected");
    if (failed === undefined) return made;
    for (const record of made) this.discard(record);
    throw failed.reason;
  }

  /**
   * Changes the first record that matches and resolves to its next version. Updates of one record
   * are made one after the other, so `data` must not wait for another update of the same record.
   * @throws UsageError for what is no condition or says no change, for members that do not fit, for
   *   a changed id, for a value that is taken, and for a record that is deleted meanwhile
   */
  override async update<Strict extends boolean>(
    predicate: Condition<Init, Item>,
    options: Arguments<Init, Item, "update">[1] & { strict?: Strict },
  ): Promise<Strict extends true ? Stored<Item> : Stored<Item> | undefined> {
    checkData(this.#options.noun, options);
    const found = this.#resolve(predicate);
    if (found === undefined) return super.update(() => NOTHING, options);
    const id = this.#idOf(found);
    return this.#updates.take(id, async () => {
      const previous = this.#indexes.get(id);
      let release = () => {};
      const era = this.#era;
      const data = async (draft: Draft<Init, Item>) => {
        await options.data(draft);
        release = await this.#checkUpdate(draft as Item, previous);
      };
      this.#updating.set(id, era);
      try {
        const next = await super.update(this.#whereId(id), { ...options, data });
        if (era !== this.#era) this.#revert(next, previous);
        return next;
      } catch (error) {
        throw isLibraryError(error) ? this.#updateError(id, previous) : error;
      } finally {
        release();
        if (this.#updating.get(id) === era) this.#updating.delete(id);
        // Another record may have come under this id meanwhile; this update was not of it.
        if (this.#indexes.get(id) === previous) {
          this.#reindex(id);
          // Under a name that it claimed and gave up again, the record may have been found meanwhile.
          if (previous !== undefined && this.#indexes.holds(previous)) this.#indexes.tell(previous);
        }
      }
    });
  }

  /** Changes every record that matches, one after the other, as `update` does. */
  override async updateMany(
    predicate: Condition<Init, Item>,
    options: Arguments<Init, Item, "updateMany">[1],
  ): Promise<Stored<Item>[]> {
    checkData(this.#options.noun, options);
    const previous = this.findMany(this.#toQuery(predicate));
    if (previous.length === 0) return super.updateMany(() => NOTHING, options);
    const ids = new Set(previous.map((record) => this.#idOf(record)));
    const { data, orderBy } = options;
    for (const record of previous) await this.update(record, { data });
    // Asked for again, so that the library applies the sorting that the options name.
    return this.findMany(
      (query) => query.where((record) => ids.has(this.#idOf(record))),
      orderBy === undefined ? {} : { orderBy },
    );
  }

  /**
   * Deletes the first record that matches, and returns it.
   * @throws UsageError for what is no condition
   */
  override delete<Strict extends boolean>(
    predicate: Condition<Init, Item>,
    options?: { strict?: Strict },
  ): Strict extends true ? Stored<Item> : Stored<Item> | undefined {
    const found = this.#resolve(predicate);
    if (found === undefined && this.#isArriving(predicate)) {
      this.discard(predicate);
      return predicate;
    }
    if (found === undefined) return super.delete(() => NOTHING, options);
    const id = this.#idOf(found);
    try {
      return super.delete(found, options);
    } finally {
      this.#reindex(id);
      if (this.#indexes.get(id) === undefined) this.#updates.forget(id);
    }
  }

  /**
   * Deletes every record that matches, and returns them.
   * @throws UsageError for what is no condition
   */
  override deleteMany(
    predicate: Condition<Init, Item>,
    options?: Arguments<Init, Item, "deleteMany">[1],
  ): Stored<Item>[] {
    const query = this.#toQuery(predicate);
    const matching = this.findMany(query);
    if (matching.length === 0) return super.deleteMany(() => NOTHING, options);
    const { orderBy } = options ?? {};
    const deleted = orderBy === undefined ? matching : this.findMany(query, { orderBy });
    this.#remove(matching);
    return deleted;
  }

  /** Deletes every record, also one whose `create` has not resolved yet. */
  override clear({ isQuiet = false }: PutOptions = {}): void {
    if (!isQuiet && this.#hears("delete")) this.#remove(this.all().slice());
    // A listener may prevent a deletion; the library lets none prevent this one.
    this.all().length = 0;
    this.#era += 1;
    this.#updates.clear();
    this.#indexes.clear();
  }

  /**
   * Adds finished records in their order, and nothing that they name. One that has been in a
   * collection before is frozen and bears the library's marks: it is taken as it is, unless
   * somebody listens, who then hears of a copy.
   * @throws UsageError for an id or name that is taken
   */
  async put(items: Iterable<Item>, { isQuiet = false }: PutOptions = {}): Promise<void> {
    const isHeard = !isQuiet && this.#hears("create");
    const all: Item[] = this.all();
    for (const item of items === all ? all.slice() : items) {
      const isMarked = Object.isFrozen(item);
      if (isHeard || (!isMarked && this.#marks === undefined)) {
        await this.#store(isMarked ? copyOf(item) : item);
      } else this.#take(item);
    }
  }

  /**
   * Takes finished records as they are, at once: for a collection to which nobody listens yet. One
   * that has not been in a collection is marked as `like`, a record of any, is.
   * @throws UsageError for an id or name that is taken
   */
  adopt(items: Iterable<Item>, like: object): void {
    this.#marks ??= Marks.of(like, this.#options.id);
    for (const item of items) this.#take(item);
  }

  /**
   * Holds these records, which another collection of the kind holds too, and which must not change
   * any more: for one that is empty. It shares what costs to make, unless somebody listens.
   */
  async putFrom(
    other: IndexedCollection<Init, Item, Members>,
    items: Iterable<Item>,
    options: PutOptions = {},
  ): Promise<void> {
    if (!options.isQuiet && this.#hears("create")) await this.put(items, options);
    else this.copyFrom(other);
  }

  /** Holds what another collection of the kind does, which must not change any more. */
  copyFrom(other: IndexedCollection<Init, Item, Members>): void {
    this.#marks ??= other.#marks;
    const all: Item[] = this.all();
    for (const record of other.all()) all.push(record);
    this.#indexes.copyFrom(other.#indexes);
  }

  #take(item: Item): void {
    this.checkFree(item);
    if (!Object.isFrozen(item)) {
      this.#marks?.put(item);
      Object.freeze(item);
    }
    this.#indexes.add(item);
    const all: Item[] = this.all();
    all.push(item);
  }

  /** The library would write getters into records, which are frozen. */
  override defineRelations(): never {
    throw new UsageError(`${this.#options.noun}: relations cannot be defined on these records`);
  }

  /**
   * Adds a finished record. It is found by the indexes as soon as this returns; that listeners have
   * heard of it, where there are any, is promised.
   */
  protected insert(item: Item): Stored<Item> | Promise<Stored<Item>> {
    const isHeard = this.#hears("create") || this.#hears("update") || this.#hears("delete");
    if (this.#marks === undefined || isHeard) return this.#store(item);
    // The library's own way takes 10 µs and a few turns, and there is nobody to tell.
    this.#take(item);
    return item as Stored<Item>;
  }

  async #store(item: Item): Promise<Stored<Item>> {
    this.checkFree(item);
    // A third of the time that seeding takes, so only where somebody listens.
    if (this.#hears("create")) fixMembers(item);
    this.#indexes.add(item);
    try {
      // The schema lets a finished record pass as it is; the library's type cannot say so.
      const record = await super.create(item as unknown as Init);
      this.#marks ??= Marks.of(record, this.#options.id);
      // It was cleared away meanwhile.
      if (!this.#indexes.holds(item)) this.discard(item);
      this.onChange();
      return Object.freeze(record);
    } catch (error) {
      this.#indexes.remove(item);
      throw error;
    }
  }

  /** @throws UsageError when the id or another unique member is taken */
  protected checkFree(members: object): void {
    this.#indexes.check(members);
  }

  /** Takes back a record whose creation failed in another part. No listener is asked. */
  protected discard(item: Item): void {
    const all: Item[] = this.all();
    const place = all.indexOf(item);
    if (place !== -1) all.splice(place, 1);
    this.#drop(item);
  }

  /**
   * Deletes records, and tells listeners. One by one, as the library does it, takes minutes at
   * 100,000 records, because it looks for each; `all` is the array that it keeps.
   */
  #remove(records: readonly Stored<Item>[]): void {
    const all = this.all();
    try {
      if (this.#hears("delete")) {
        for (const record of records) super.delete(record);
      } else {
        const isGone = new Set(records);
        const kept = all.filter((record) => !isGone.has(record));
        all.length = 0;
        for (const record of kept) all.push(record);
      }
    } finally {
      const isLeft = new Set<unknown>(all);
      for (const record of records) if (!isLeft.has(record)) this.#drop(record);
    }
  }

  #hears(event: "create" | "update" | "delete"): boolean {
    return this.hooks.listenerCount(event) + this.hooks.listenerCount("*") > 0;
  }

  /** Looks at what an update leaves, and keeps its places until the returned function is called. */
  async #checkUpdate(draft: Item, previous: Item | undefined): Promise<() => void> {
    const { noun, id: member, parse, touch } = this.#options;
    const isSame = () =>
      previous !== undefined &&
      this.#indexes.holds(previous) &&
      this.#updating.get(this.#idOf(previous)) === this.#era;
    if (previous === undefined || !isSame()) throw this.#goneError();
    if (this.#idOf(draft) !== this.#idOf(previous)) {
      throw new UsageError(`${noun}: ${member}: names the record for good and cannot be changed`);
    }
    parse(draft);
    // Looked at before anything else comes to be, and kept only for the last few microtasks.
    this.#indexes.claim(draft, previous)();
    await touch?.(draft, previous);
    if (!isSame()) throw this.#goneError();
    return this.#indexes.claim(draft, previous);
  }

  /** Looks at what an update comes to: its listeners can change that after it was checked. */
  #checkNext(record: Item): void {
    const { noun, id: member } = this.#options;
    const id = this.#idOf(record);
    const previous = this.#indexes.get(id);
    if (previous === undefined || !this.#updating.has(id)) {
      throw new UsageError(`${noun}: ${member}: names the record for good and cannot be changed`);
    }
    this.#indexes.claim(record, previous)();
  }

  /** Undoes an update that came through although the record was cleared away and put back. */
  #revert(next: Item | undefined, previous: Item | undefined): never {
    const all: (Item | undefined)[] = this.all();
    const place = all.indexOf(next);
    if (place !== -1) all[place] = previous;
    throw this.#goneError();
  }

  #goneError(): UsageError {
    return new UsageError(`${this.#options.noun}: it was deleted while it was being updated`);
  }

  /** Instead of the library's own error, which shows the whole record, with its secrets. */
  #updateError(id: unknown, previous: Item | undefined): UsageError {
    if (this.#indexes.get(id) !== previous) return this.#goneError();
    const { noun } = this.#options;
    return new UsageError(`${noun}: a listener prevented an update that cannot be undone in part`);
  }

  /** The record to change. Only a search takes undefined for any record: here it is a mistake. */
  #resolve(condition: Condition<Init, Item>): Stored<Item> | undefined {
    return this.findFirst(condition ?? this.#toQuery(condition));
  }

  #toQuery(condition: unknown): Query<Stored<Item>> {
    return toQuery(this.#options, condition);
  }

  /** Whether this is a record that the indexes know and the collection does not hold yet. */
  #isArriving(predicate: unknown): predicate is Stored<Item> {
    const { type } = this.#options;
    return predicate instanceof type && this.#indexes.holds(predicate);
  }

  #whereId(id: unknown): Parameters<Base<Init, Item>["deleteMany"]>[0] {
    return (query) => query.where((record) => this.#idOf(record) === id);
  }

  #idOf(item: Item): unknown {
    return item[this.#options.id];
  }

  /** Lets the indexes hold what the collection holds under this id. */
  #reindex(id: unknown): void {
    const current = this.findFirst(this.#whereId(id));
    const indexed = this.#indexes.get(id);
    if (current === indexed) return;
    if (indexed !== undefined) this.#indexes.remove(indexed);
    if (current !== undefined) this.#indexes.add(Object.freeze(current));
  }

  /** A record that is gone: a new one under its id has nothing to do with it. */
  #drop(item: Item): void {
    if (this.#indexes.holds(item)) this.#updates.forget(this.#idOf(item));
    this.#indexes.remove(item);
  }
}

/** For the library's own answer to a query that nothing matches. */
const NOTHING = new Query<never>(() => false);

/** `invariant` of the library throws these; its other errors have names of their own. */
function isLibraryError(error: unknown): boolean {
  return error instanceof Error && error.name === "Invariant Violation";
}
