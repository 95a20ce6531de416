import type { Key } from "../records.ts";
import { compareText, SortedList, type Stretch } from "./sorted-list.ts";
import type { Table } from "./table.ts";

/** Which keys of an API a list shows; a filter that is left out lets all pass. */
export interface KeyFilter {
  readonly apiId: string;
  readonly identityId?: string;
  readonly ownerId?: string;
}

/** What the lists are sorted by. */
type Position = Pick<Key, "apiId" | "id" | "identityId" | "ownerId">;
type Keys = SortedList<Position, Key>;

/** Greater than any id. */
const END = "~";

/** Keys in the order of their ids: all of them, those of an API, and of an identity or owner in it. */
export class KeyTable implements Table<Key> {
  #byId: Keys = new SortedList(compareIds);
  #byApi = new Map<string, Keys>();
  #byIdentity: Keys = new SortedList(compareIdentities);
  #byOwner: Keys = new SortedList(compareOwners);

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Key> {
    return this.#byId[Symbol.iterator]();
  }

  find(member: keyof Key, value: unknown): Key | undefined {
    if (member !== "id" || typeof value !== "string") return undefined;
    return this.#byId.get({ id: value } as Position);
  }

  add(key: Key): void {
    this.#byId.add(key);
    this.#ofApi(key.apiId).add(key);
    if (key.identityId !== undefined) this.#byIdentity.add(key);
    if (key.ownerId !== undefined) this.#byOwner.add(key);
  }

  addAll(keys: readonly Key[]): void {
    this.#byId.addAll(keys);
    for (const key of keys) this.#ofApi(key.apiId).add(key);
    this.#byIdentity.addAll(keys.filter(({ identityId }) => identityId !== undefined));
    this.#byOwner.addAll(keys.filter(({ ownerId }) => ownerId !== undefined));
  }

  replace(before: Key, after: Key): void {
    this.remove(before);
    this.add(after);
  }

  remove(key: Key): void {
    this.#byId.remove(key);
    this.#ofApi(key.apiId).remove(key);
    if (key.identityId !== undefined) this.#byIdentity.remove(key);
    if (key.ownerId !== undefined) this.#byOwner.remove(key);
  }

  fork(): KeyTable {
    const fork = new KeyTable();
    fork.#byId = this.#byId.fork();
    fork.#byApi = new Map(Array.from(this.#byApi, ([apiId, keys]) => [apiId, keys.fork()]));
    fork.#byIdentity = this.#byIdentity.fork();
    fork.#byOwner = this.#byOwner.fork();
    return fork;
  }

  empty(): KeyTable {
    return new KeyTable();
  }

  /** How many keys match. Of all keys of an API it is known, others are counted by the chunk. */
  count(filter: KeyFilter): number {
    const { apiId, identityId, ownerId } = filter;
    if (identityId === undefined && ownerId === undefined) return this.#byApi.get(apiId)?.size ?? 0;
    let count = 0;
    for (const { from, to } of this.stretches(filter, undefined, Infinity)) count += to - from;
    return count;
  }

  /** Whether any key belongs to this identity. */
  names(identityId: string): boolean {
    const any = { identityId, ownerId: undefined };
    const [first, end] = [
      { ...any, apiId: "", id: "" },
      { ...any, apiId: END, id: END },
    ];
    return this.#byIdentity.stretches(first, end, 1).length > 0;
  }

  /** Where at most `limit` matching keys stand, ascending by id, behind the id `after`. */
  stretches(
    { apiId, identityId, ownerId }: KeyFilter,
    after: string | undefined,
    limit: number,
  ): Stretch<Key>[] {
    const first = { apiId, id: after ?? "", identityId, ownerId };
    const end = { apiId, id: END, identityId, ownerId };
    if (identityId !== undefined) return this.#byIdentity.stretches(first, end, limit);
    if (ownerId !== undefined) return this.#byOwner.stretches(first, end, limit);
    return this.#byApi.get(apiId)?.stretches(first, end, limit) ?? [];
  }

  #ofApi(apiId: string): Keys {
    let keys = this.#byApi.get(apiId);
    if (keys === undefined) {
      keys = new SortedList(compareIds);
      this.#byApi.set(apiId, keys);
    }
    return keys;
  }
}

function compareIds(a: Position, b: Position): number {
  return compareText(a.id, b.id);
}

function compareIdentities(a: Position, b: Position): number {
  return (
    compareText(a.identityId, b.identityId) || compareText(a.apiId, b.apiId) || compareIds(a, b)
  );
}

function compareOwners(a: Position, b: Position): number {
  return compareText(a.ownerId, b.ownerId) || compareText(a.apiId, b.apiId) || compareIds(a, b);
}
