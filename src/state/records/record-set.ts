import type * as z from "zod/mini";
import { copyJson } from "../../base/json.ts";
import { atOnce, eachInSteps, STEP, type Steps } from "../../base/steps.ts";
import { readOrThrow } from "../../schema/problems.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Table } from "../tables/table.ts";
import { resolveTimes } from "../time/time-text.ts";

/** Describes the records of a set to the functions that read conditions. */
export interface RecordDescription {
  /** The name of one record in messages: `key`, `role`. */
  readonly noun: string;
  /** The member that identifies a record. */
  readonly id: string;
  /** The names of the members that a record may have. */
  readonly members: readonly string[];
  readonly type: abstract new (...args: never[]) => object;
}

/** `Members` are the validated members of a new record, or of the draft of an update. */
export interface RecordSetOptions<Item extends object, Members> extends Omit<
  RecordDescription,
  "id" | "members"
> {
  /** Whether unique values are secret and are left out of error messages. Default: false. */
  readonly isSecret?: boolean;
  /** The schema of the members that a caller gives, and of an updated draft. */
  readonly schema: () => z.ZodMiniObject & { readonly _zod: { readonly output: Members } };
  /** Members that a record computes from others, for conditions. */
  readonly aliases?: readonly string[];
  /**
   * Checks the rules that the schema cannot express.
   * @throws UsageError with a line for each problem
   */
  readonly check?: (members: Members) => void;
  /** Fills in members that follow from others. Default: the members as they are. */
  readonly complete?: (members: Members) => Members;
  /** Makes a record of valid members, or the next version of the record `before`. */
  readonly build: (members: Members, before?: Item) => Item;
  readonly onChange: OnChange<Item>;
  /** The time from which relative times count. Only for records with times. */
  readonly now?: () => number;
}

/**
 * A record was created (it has only `after`) or updated (`before` and `after`), or records were deleted.
 * If many changed, it has none.
 */
export interface ChangeOfSet<Item> {
  readonly before?: Item;
  readonly after?: Item;
  readonly deleted?: readonly Item[];
}

/** Called after every change. */
export type OnChange<Item> = (change: ChangeOfSet<Item>) => void;

/**
 * The records of one kind, as the emulator itself reads and changes them: synchronously, in a table.
 * Tests and users' operations get a `Collection` of them instead.
 *
 * `Init` is the input of `create`, `Item` is a record, and `Members` are the validated members from
 * which a record is built.
 */
export class RecordSet<Init, Item extends object, Members = Init> {
  protected table: Table<Item>;
  readonly #options: RecordSetOptions<Item, Members>;
  readonly #unique: readonly (keyof Item & string)[];
  /** The name of the member that is the id, which never changes. */
  readonly #id: keyof Item & string;
  /** Grows when the content is reset or restored. An update that began before that is refused. */
  generation = 0;

  constructor(table: Table<Item>, options: RecordSetOptions<Item, Members>) {
    this.table = table;
    this.#options = options;
    this.#unique = table.uniqueMembers as readonly (keyof Item & string)[];
    this.#id = this.#unique[0] as keyof Item & string;
  }

  get description(): RecordDescription {
    const { aliases = [], noun, schema, type } = this.#options;
    return {
      noun,
      type,
      id: this.#id,
      get members() {
        return [...Object.keys(schema().shape), ...aliases];
      },
    };
  }

  get size(): number {
    return this.table.size;
  }

  /** The record with this id. Uses an index, so it needs no scan. */
  get(id: unknown): Item | undefined {
    // Most keys refer to no identity and no migration.
    return id === undefined ? undefined : this.table.find(this.#id, id);
  }

  values(): Iterable<Item> {
    return this.table;
  }

  from(id = ""): Iterable<Item> {
    return this.table.from(id);
  }

  all(): Item[] {
    return [...this.table];
  }

  /**
   * Adds a record. Members that are left out get their defaults.
   * @throws UsageError for invalid members, and for an id or name that is taken
   */
  create(init: Init): Item {
    const members = this.#parse(init);
    // Checked before the record is built, so that a refused record does not use up an id.
    this.checkFree(members as object);
    return this.add(members);
  }

  /** Adds a record from validated members. */
  add(members: Members): Item {
    return this.insert(this.#options.build(members));
  }

  /** Adds many finished records at once. */
  addAll(items: Iterable<Item>): void {
    atOnce(this.addInSteps(items));
  }

  /** The same in steps. No other code may read or change the set until the last step. */
  *addInSteps(items: Iterable<Item>): Steps<void> {
    const all: Item[] = [];
    yield* eachInSteps(items, (item) => {
      this.checkFree(item);
      all.push(Object.freeze(item));
    });
    if (all.length === 0) return;
    yield* this.table.addInSteps(all);
    this.#options.onChange({});
  }

  /** Adds many records from validated members at once, because each change empties caches. */
  addListed(all: readonly Members[]): void {
    this.addAll(all.map((members) => this.#options.build(members)));
  }

  /**
   * Adds a finished record.
   * @throws UsageError for an id or name that is taken
   */
  protected insert(item: Item): Item {
    this.checkFree(item);
    this.table.add(Object.freeze(item));
    this.#options.onChange({ after: item });
    return item;
  }

  /** Puts a finished record in the place of another with the same id, as an update does. */
  protected write(before: Item, after: Item): Item {
    this.table.replace(before, Object.freeze(after));
    this.#options.onChange({ before, after });
    return after;
  }

  /** Writes the next versions of records, whose unique members and order must not change. */
  writeAll(nextOf: (item: Item) => Item | undefined, items: Iterable<Item> = this.table): void {
    const next = new Map<Item, Item>();
    for (const before of items) {
      const after = nextOf(before);
      if (after !== undefined) next.set(before, Object.freeze(after));
    }
    if (next.size === 0) return;
    this.table.replaceAll(next);
    this.#options.onChange({});
  }

  /** The same in steps, between which records may change. */
  *writeInSteps(nextOf: (item: Item) => Item | undefined): Steps<void> {
    for (const part of this.#parts(this.table)) {
      this.writeAll(nextOf, part);
      yield;
    }
  }

  /** @throws UsageError if the id or another unique member is taken */
  protected checkFree(members: object, holder?: Item): void {
    const { isSecret, noun } = this.#options;
    for (const member of this.#unique) {
      const value = (members as Partial<Item>)[member];
      const other = value === undefined ? undefined : this.table.find(member, value);
      if (other === undefined || other === holder) continue;
      const shown = isSecret ? "this value" : JSON.stringify(value);
      throw new UsageError(`${noun}: ${member}: ${shown} is taken`);
    }
  }

  /** Deletes a record, if it is still there. */
  remove(item: Item): void {
    this.removeAll([item]);
  }

  /** Deletes records, as far as they are still there. */
  removeAll(items: readonly Item[]): void {
    const deleted = items.filter((item) => this.get(item[this.#id]) === item);
    if (deleted.length === 0) return;
    this.table.removeAll(deleted);
    this.#options.onChange({ deleted });
  }

  /** Deletes records in steps, between which records may change. */
  *removeInSteps(items: Iterable<Item>): Steps<void> {
    for (const part of this.#parts(items)) {
      this.removeAll(part);
      yield;
    }
  }

  /** Parts of one step each, with the latest versions of these records when the part is taken. */
  *#parts(items: Iterable<Item>): Generator<Item[]> {
    let ids: unknown[] = [];
    for (const item of items) {
      if (ids.push(item[this.#id]) < STEP) continue;
      yield this.#latest(ids);
      ids = [];
    }
    yield this.#latest(ids);
  }

  #latest(ids: readonly unknown[]): Item[] {
    return ids.flatMap((id) => this.get(id) ?? []);
  }

  clear(): void {
    const all = this.all();
    this.table = this.table.empty();
    this.#options.onChange({ deleted: all });
  }

  /**
   * Writes the next version of a record.
   * @param members the members of the next version, which are validated here
   * @param generation the generation of the set when the update began. Default: the current one
   * @throws UsageError for invalid members, for a unique value that is taken, and if the record was
   *   deleted or changed since the update began
   */
  update(before: Item, members: unknown, generation = this.generation): Item {
    if (this.get(before[this.#id]) !== before || generation !== this.generation) {
      const problem =
        "the record was deleted, replaced or changed by something else before the update could be written";
      throw new UsageError(`${this.#options.noun}: ${problem}; update it again`);
    }
    const parsed = this.#parse(members);
    this.checkFree(parsed as object, before);
    return this.write(before, this.#options.build(parsed, before));
  }

  /** Makes updates that have begun fail when they resume. */
  endUpdates(): void {
    this.generation += 1;
  }

  /** The current content, as a fork that is never changed. */
  state(): Table<Item> {
    return this.table.fork();
  }

  /** Replaces the content with `table`, which stays unchanged. */
  replace(table: Table<Item>): void {
    this.table = table.fork();
    this.#options.onChange({});
  }

  /** @throws UsageError with a line for each problem */
  #parse(members: unknown): Members {
    const { check, complete, noun, now = Date.now, schema } = this.#options;
    const parsed = parseRecord(noun, schema(), members, now());
    check?.(parsed);
    return complete === undefined ? parsed : complete(parsed);
  }
}

/**
 * Validates the argument of a collection as strictly as a fixture, and copies it, because records are
 * frozen, and the objects of a test must not be.
 * @param now the time from which relative times count, in unix milliseconds
 * @throws UsageError for members that are wrong or unknown
 */
export function parseRecord<Schema extends z.ZodMiniObject>(
  noun: string,
  schema: Schema,
  members: unknown,
  now: number,
): z.output<Schema> {
  return copyJson(readOrThrow(schema, members, noun, (value) => resolveTimes(value, now)));
}
