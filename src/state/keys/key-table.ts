import { atOnce, eachInSteps, type Steps } from "../../base/steps.ts";
import type { KeySecret } from "./key-secret.ts";
import { Key } from "./key.ts";
import { SortedList, type ChunkRange } from "../tables/sorted-list.ts";
import type { Table } from "../tables/table.ts";
import { ValueIndex } from "./value-index.ts";

/** Selects keys of an API. Members that are left out match all keys. */
export interface KeyFilter {
  readonly apiId: string;
  readonly identityId?: string;
  readonly ownerId?: string;
}

/** A position in a list, by the id of a key. The position stays valid when that key is deleted. */
export interface Position {
  readonly keyId: string;
  /** Whether the list continues with this key itself, and not with the next one. */
  readonly isInclusive: boolean;
}

/** The members by which the lists are sorted. */
type SortMembers = Pick<Key, "apiId" | "id" | "identityId" | "ownerId">;
type Keys = SortedList<SortMembers, Key>;

/** Before any id. */
const START: Position = { keyId: "", isInclusive: false };
/** Sorts after any id. */
const END = "~";

/** Keys sorted by id, with indexes by API, and by identity or owner within an API. */
export class KeyTable implements Table<Key> {
  #byId: Keys = new SortedList(isAfterById);
  #byApi = new Map<string, Keys>();
  #byIdentity: Keys = new SortedList(isAfterByIdentity);
  #byOwner: Keys = new SortedList(isAfterByOwner);
  /** Shared by all forks. */
  #values = new ValueIndex();
  /** The generation of the index when it had all keys of this table. */
  #indexed = -1;

  readonly uniqueMembers = ["id"] as const;

  get size(): number {
    return this.#byId.size;
  }

  changesSince(before: this): { readonly added: Key[]; readonly removed: Key[] } {
    return this.#byId.changesSince(before.#byId);
  }

  [Symbol.iterator](): Iterator<Key> {
    return this.#byId[Symbol.iterator]();
  }

  find(member: keyof Key, value: unknown): Key | undefined {
    if (member !== "id" || typeof value !== "string") return undefined;
    return this.#byId.get({ id: value } as SortMembers);
  }

  from(id: string): Iterable<Key> {
    return this.#byId.from({ id } as SortMembers);
  }

  add(key: Key): void {
    for (const list of this.#listsOf(key)) list.add(key);
    if (this.#isIndexed) this.#values.add(key, this.size);
  }

  *addInSteps(keys: readonly Key[]): Steps<void> {
    const lists = new Map<Keys, Key[]>();
    yield* eachInSteps(keys, (key) => this.#sortIn(key, lists));
    for (const [list, own] of lists) yield* list.addInSteps(own);
    yield* eachInSteps(keys, (key) => {
      if (this.#isIndexed) this.#values.add(key, this.size);
    });
  }

  replace(before: Key, after: Key): void {
    const isSamePlace =
      before.apiId === after.apiId &&
      before.identityId === after.identityId &&
      before.ownerId === after.ownerId;
    if (isSamePlace) {
      const isValueNew = Key.secretOf(before) !== Key.secretOf(after);
      if (isValueNew && this.#isIndexed) this.#values.add(after, this.size);
      for (const list of this.#listsOf(before)) list.replace(before, after);
      return;
    }
    this.remove(before);
    this.add(after);
  }

  replaceAll(versions: ReadonlyMap<Key, Key>): void {
    for (const [before, after] of this.#isIndexed ? versions : []) {
      const isValueNew = Key.secretOf(before) !== Key.secretOf(after);
      if (isValueNew) this.#values.add(after, this.size);
    }
    for (const [list, keys] of this.#listsWith([...versions.keys()])) {
      list.replaceAll(keys, versions);
    }
  }

  /** The key with this value or hash. The first call fills the index; later calls are quick. */
  findBySecret(secret: KeySecret): Key | undefined {
    const known = this.#values.find(secret, this);
    if (known !== undefined || this.#isIndexed) return known;
    atOnce(this.indexInSteps());
    return this.#values.find(secret, this);
  }

  /**
   * Hashes all values, to find keys by their hashes. This takes long, and the table may change between two
   * steps.
   */
  hashInSteps(): Steps<void> {
    if (!this.#isIndexed) atOnce(this.indexInSteps());
    return this.#values.addHashes();
  }

  /** Fills the index of values and hashes, in steps between which nothing may change the table. */
  *indexInSteps(): Steps<void> {
    yield* eachInSteps(this, (key) => this.#values.add(key, this.size));
    this.#indexed = this.#values.generation;
  }

  get #isIndexed(): boolean {
    return this.#indexed === this.#values.generation;
  }

  remove(key: Key): void {
    for (const list of this.#listsOf(key)) list.remove(key);
  }

  removeAll(keys: readonly Key[]): void {
    const removed = new Set(keys);
    for (const [list, own] of this.#listsWith(keys)) list.removeAll(own, removed);
  }

  #listsOf({ apiId, identityId, ownerId }: Key): Keys[] {
    let ofApi = this.#byApi.get(apiId);
    if (ofApi === undefined) this.#byApi.set(apiId, (ofApi = new SortedList(isAfterById)));
    const lists = [this.#byId, ofApi];
    if (identityId !== undefined) lists.push(this.#byIdentity);
    if (ownerId !== undefined) lists.push(this.#byOwner);
    return lists;
  }

  #listsWith(keys: readonly Key[]): ReadonlyMap<Keys, readonly Key[]> {
    const lists = new Map<Keys, Key[]>();
    for (const key of keys) this.#sortIn(key, lists);
    return lists;
  }

  #sortIn(key: Key, lists: Map<Keys, Key[]>): void {
    for (const list of this.#listsOf(key)) {
      const own = lists.get(list);
      if (own === undefined) lists.set(list, [key]);
      else own.push(key);
    }
  }

  fork(): KeyTable {
    const fork = new KeyTable();
    fork.#byId = this.#byId.fork();
    fork.#byApi = new Map(Array.from(this.#byApi, ([apiId, keys]) => [apiId, keys.fork()]));
    fork.#byIdentity = this.#byIdentity.fork();
    fork.#byOwner = this.#byOwner.fork();
    fork.#values = this.#values;
    fork.#indexed = this.#indexed;
    return fork;
  }

  empty(): KeyTable {
    return new KeyTable();
  }

  /** The number of matching keys. For a whole API it is stored, else it is the sum of the ranges. */
  count(filter: KeyFilter): number {
    const { apiId, identityId, ownerId } = filter;
    if (identityId === undefined && ownerId === undefined) return this.#byApi.get(apiId)?.size ?? 0;
    let count = 0;
    for (const { from, to } of this.ranges(filter, undefined, Infinity)) count += to - from;
    return count;
  }

  hasKeysOf(identityId: string): boolean {
    const any = { identityId, ownerId: undefined };
    const [first, end] = [
      { ...any, apiId: "", id: "" },
      { ...any, apiId: END, id: END },
    ];
    return this.#byIdentity.ranges(first, end, 1).length > 0;
  }

  /** The ranges of the first `limit` matching keys from a position on, ascending by id. */
  ranges(
    { apiId, identityId, ownerId }: KeyFilter,
    { keyId, isInclusive }: Position = START,
    limit: number,
  ): ChunkRange<Key>[] {
    const first = { apiId, id: keyId, identityId, ownerId };
    const end = { apiId, id: END, identityId, ownerId };
    let keys = this.#byApi.get(apiId);
    if (identityId !== undefined) keys = this.#byIdentity;
    else if (ownerId !== undefined) keys = this.#byOwner;
    return keys?.ranges(first, end, limit, isInclusive) ?? [];
  }
}

function isAfterById(a: SortMembers, b: SortMembers): boolean {
  return a.id > b.id;
}

function isAfterByIdentity(a: SortMembers, b: SortMembers): boolean {
  return a.identityId === b.identityId ? isAfterByApi(a, b) : isGreater(a.identityId, b.identityId);
}

function isAfterByOwner(a: SortMembers, b: SortMembers): boolean {
  return a.ownerId === b.ownerId ? isAfterByApi(a, b) : isGreater(a.ownerId, b.ownerId);
}

function isAfterByApi(a: SortMembers, b: SortMembers): boolean {
  return a.apiId === b.apiId ? a.id > b.id : a.apiId > b.apiId;
}

function isGreater(a = "", b = ""): boolean {
  return a > b;
}
