import { OrderedList } from "./ordered-list.ts";
import type { Key } from "./records.ts";
import type { Index } from "./unique-index.ts";

/** Which keys of an API a list shows; a filter that is left out lets all pass. */
export interface KeyFilter {
  readonly apiId: string;
  readonly identityId?: string;
  readonly ownerId?: string;
}

/** Keeps the keys of each API in order, and those of each identity and owner within it. */
export class KeyIndex implements Index<Key> {
  readonly #lists = new Map<string, OrderedList<Key>>();

  add(key: Key): void {
    for (const name of listsOf(key)) {
      let list = this.#lists.get(name);
      if (list === undefined) {
        list = new OrderedList();
        this.#lists.set(name, list);
      }
      list.add(key);
    }
  }

  remove(key: Key): void {
    for (const name of listsOf(key)) {
      const list = this.#lists.get(name);
      list?.remove(key.id);
      if (list?.size === 0) this.#lists.delete(name);
    }
  }

  clear(): void {
    this.#lists.clear();
  }

  /** At most `limit` matching keys, ascending by id, behind the id `after`. */
  page(filter: KeyFilter, after: string | undefined, limit: number): Key[] {
    return this.#lists.get(listOf(filter))?.after(after, limit) ?? [];
  }

  count(filter: KeyFilter): number {
    return this.#lists.get(listOf(filter))?.size ?? 0;
  }
}

// Ids hold no colon, so the parts of a name cannot run into each other.

function listsOf({ apiId, identityId, ownerId }: Key): string[] {
  const lists = [listOf({ apiId })];
  if (identityId !== undefined) lists.push(listOf({ apiId, identityId }));
  if (ownerId !== undefined) lists.push(listOf({ apiId, ownerId }));
  return lists;
}

function listOf({ apiId, identityId, ownerId }: KeyFilter): string {
  if (identityId !== undefined) return `identity:${apiId}:${identityId}`;
  return ownerId === undefined ? `api:${apiId}` : `owner:${apiId}:${ownerId}`;
}
