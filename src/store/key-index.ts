import { LayeredMap } from "./layered-map.ts";
import { OrderedList, type WrittenPage } from "./ordered-list.ts";
import type { Key } from "./records.ts";
import type { Shelf } from "./shelf.ts";
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
  readonly byIdentity: ListsByName;
  readonly byOwner: ListsByName;
}

/** To find more keys than this takes longer than to write the pages anew that are asked for. */
const MAX_FOUND = 1_000;

/** Keeps the keys of each API in order, and those of each identity and owner within it. */
export class KeyIndex implements Index<Key> {
  readonly #apis = new Map<string, Lists>();
  readonly #shelf: Shelf;
  /**
   * Of what was written; ends when all of it has to be written anew. No other index has it, so that
   * what this one has written in a list that they share is its own.
   */
  #era = {};

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  add(key: Key): void {
    const { all, byIdentity, byOwner } = this.#listsOf(key.apiId);
    all.add(key);
    if (key.identityId !== undefined) byIdentity.add(key.identityId, key);
    if (key.ownerId !== undefined) byOwner.add(key.ownerId, key);
  }

  remove(key: Key): void {
    const lists = this.#apis.get(key.apiId);
    if (lists === undefined) return;
    lists.all.remove(key.id);
    if (key.identityId !== undefined) lists.byIdentity.remove(key.identityId, key);
    if (key.ownerId !== undefined) lists.byOwner.remove(key.ownerId, key);
    if (lists.all.size === 0) this.#apis.delete(key.apiId);
  }

  copyFrom(other: KeyIndex): void {
    this.#apis.clear();
    for (const [apiId, { all, byIdentity, byOwner }] of other.#apis) {
      this.#apis.set(apiId, {
        all: all.copy(),
        byIdentity: new ListsByName(byIdentity),
        byOwner: new ListsByName(byOwner),
      });
    }
  }

  clear(): void {
    this.#apis.clear();
  }

  /** At most `limit` matching keys, ascending by id, behind the id `after`. */
  page(filter: KeyFilter, after: string | undefined, limit: number): Key[] {
    return this.#find(filter)?.after(after, limit) ?? [];
  }

  /**
   * The same as JSON, kept for the next time. A key that changes is written anew; that something
   * has changed which is written with keys has to be told.
   * @param write makes the same of the same key until then
   */
  written(
    filter: KeyFilter,
    after: string | undefined,
    limit: number,
    write: (key: Key) => string,
  ): WrittenPage<Key> {
    const list = this.#find(filter);
    const pen = { write, era: this.#era, shelf: this.#shelf };
    return list?.written(after, limit, pen) ?? NO_PAGE;
  }

  /** What is written with every key has changed. */
  rewriteAll(): void {
    this.#era = {};
  }

  /** What is written with the keys of an identity has changed. */
  rewriteOf(identityId: string): void {
    for (const { all, byIdentity, byOwner } of this.#apis.values()) {
      const list = byIdentity.get(identityId);
      // Most identities are new, and have no keys yet.
      if (list === undefined) continue;
      if (list.size > MAX_FOUND) {
        this.rewriteAll();
        return;
      }
      for (const key of list.after(undefined, list.size)) {
        all.rewrite(key.id);
        list.rewrite(key.id);
        if (key.ownerId !== undefined) byOwner.get(key.ownerId)?.rewrite(key.id);
      }
    }
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
      lists = {
        all: new OrderedList(),
        byIdentity: new ListsByName(),
        byOwner: new ListsByName(),
      };
      this.#apis.set(apiId, lists);
    }
    return lists;
  }
}

/** Ordered keys by the name of an identity or owner. There are many, and most hold one key. */
class ListsByName {
  readonly #lists: LayeredMap<string, OrderedList<Key>>;

  /** With a base, which must not change any more, its lists are shared until one is changed. */
  constructor(base?: ListsByName) {
    this.#lists = new LayeredMap(base === undefined ? undefined : base.#lists);
  }

  get(name: string): OrderedList<Key> | undefined {
    return this.#lists.get(name);
  }

  add(name: string, key: Key): void {
    let list = this.#own(name);
    if (list === undefined) {
      list = new OrderedList();
      this.#lists.set(name, list);
    }
    list.add(key);
  }

  remove(name: string, key: Key): void {
    const list = this.#own(name);
    list?.remove(key.id);
    if (list?.size === 0) this.#lists.delete(name);
  }

  #own(name: string): OrderedList<Key> | undefined {
    const mine = this.#lists.getOwn(name);
    if (mine !== undefined) return mine;
    const list = this.#lists.get(name);
    if (list === undefined) return undefined;
    const own = list.copy();
    this.#lists.set(name, own);
    return own;
  }
}

const NO_PAGE: WrittenPage<Key> = { slices: [], count: 0, last: undefined, isMore: false };
