import { OrderedList } from "./ordered-list.ts";
import type { Key } from "./records.ts";
import type { Index } from "./unique-index.ts";

/** Which keys of an API a list shows; a filter that is left out lets all pass. */
export interface KeyFilter {
  readonly apiId: string;
  readonly identityId?: string;
  readonly ownerId?: string;
}

/** The ordered keys of one API, and those of each identity and owner among them. */
interface Lists {
  readonly all: OrderedList<Key>;
  readonly byIdentity: Map<string, OrderedList<Key>>;
  readonly byOwner: Map<string, OrderedList<Key>>;
}

/** Keeps the keys of each API in order, and those of each identity and owner within it. */
export class KeyIndex implements Index<Key> {
  readonly #apis = new Map<string, Lists>();

  add(key: Key): void {
    const { all, byIdentity, byOwner } = this.#listsOf(key.apiId);
    all.add(key);
    if (key.identityId !== undefined) addTo(byIdentity, key.identityId, key);
    if (key.ownerId !== undefined) addTo(byOwner, key.ownerId, key);
  }

  remove(key: Key): void {
    const lists = this.#apis.get(key.apiId);
    if (lists === undefined) return;
    lists.all.remove(key.id);
    if (key.identityId !== undefined) removeFrom(lists.byIdentity, key.identityId, key);
    if (key.ownerId !== undefined) removeFrom(lists.byOwner, key.ownerId, key);
    if (lists.all.size === 0) this.#apis.delete(key.apiId);
  }

  clear(): void {
    this.#apis.clear();
  }

  /** At most `limit` matching keys, ascending by id, behind the id `after`. */
  page(filter: KeyFilter, after: string | undefined, limit: number): Key[] {
    return this.#find(filter)?.after(after, limit) ?? [];
  }

  count(filter: KeyFilter): number {
    return this.#find(filter)?.size ?? 0;
  }

  #find({ apiId, identityId, ownerId }: KeyFilter): OrderedList<Key> | undefined {
    const lists = this.#apis.get(apiId);
    if (identityId !== undefined) return lists?.byIdentity.get(identityId);
    return ownerId === undefined ? lists?.all : lists?.byOwner.get(ownerId);
  }

  #listsOf(apiId: string): Lists {
    let lists = this.#apis.get(apiId);
    if (lists === undefined) {
      lists = { all: new OrderedList(), byIdentity: new Map(), byOwner: new Map() };
      this.#apis.set(apiId, lists);
    }
    return lists;
  }
}

function addTo(lists: Map<string, OrderedList<Key>>, name: string, key: Key): void {
  let list = lists.get(name);
  if (list === undefined) {
    list = new OrderedList();
    lists.set(name, list);
  }
  list.add(key);
}

function removeFrom(lists: Map<string, OrderedList<Key>>, name: string, key: Key): void {
  const list = lists.get(name);
  list?.remove(key.id);
  if (list?.size === 0) lists.delete(name);
}
