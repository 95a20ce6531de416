import type { KeyFormat } from "../store/json/pages.ts";
import type { Key } from "../store/key.ts";
import type { KeyFilter, Position } from "../store/tables/key-table.ts";
import type { Workspace } from "../store/workspace.ts";
import type { Piece } from "./raw-json.ts";

/** Which keys a page has. */
export interface Selection {
  /** Undefined if no key can match. */
  readonly filter: KeyFilter | undefined;
  /** Where the page begins. Default: at the first key. */
  readonly position: Position | undefined;
  readonly limit: number;
}

/** What a cursor is made from. */
export interface PageEnd {
  readonly last: Key | undefined;
  /** The key that follows the page; undefined on the last page. */
  readonly next: Key | undefined;
}

interface Owned {
  readonly apiId: string;
  readonly externalId?: string | undefined;
  readonly ownerId?: string | undefined;
}

/** The filter of a list; undefined for an external id that no identity has. */
export function filterOf(
  workspace: Workspace,
  { apiId, externalId, ownerId }: Owned,
): KeyFilter | undefined {
  if (externalId !== undefined) {
    const identity = workspace.identities.named(externalId);
    return identity && { apiId, identityId: identity.id };
  }
  return ownerId === undefined ? { apiId } : { apiId, ownerId };
}

/** The keys of a page, as records. */
export function readPage(
  { keys }: Workspace,
  { filter, limit, position }: Selection,
): PageEnd & { readonly keys: readonly Key[] } {
  // Reads one key more than the page holds, to know whether another page follows.
  const found = filter === undefined ? [] : keys.page(filter, position, limit + 1);
  const page = found.slice(0, limit);
  return { keys: page, last: page.at(-1), next: found[limit] };
}

/**
 * A page as JSON, from cached JSON of its keys, which is many times faster than to render them
 * (decision 8). The pieces are the keys with commas between, without brackets.
 */
export function writePage(
  { keys }: Workspace,
  { filter, limit, position }: Selection,
  format: KeyFormat,
): PageEnd & { readonly pieces: readonly Piece[]; readonly count: number } {
  if (filter === undefined) return { pieces: [], count: 0, last: undefined, next: undefined };
  const { count, last, next, slices } = keys.jsonPage(filter, position, limit, format);
  const pieces = slices.flatMap((slice, index) => (index === 0 ? [slice] : [",", slice]));
  return { pieces, count, last, next };
}
