import type { KeyFormat } from "../store/json/pages.ts";
import type { Key } from "../store/key.ts";
import type { KeyFilter, Position } from "../store/tables/key-table.ts";
import type { Workspace } from "../store/workspace.ts";
import type { Piece } from "./raw-json.ts";

/** The keys that a list asks for. */
export interface Selection {
  /** Undefined if no key can match. */
  readonly filter: KeyFilter | undefined;
  /** Where the page begins. Default: at the first key. */
  readonly position: Position | undefined;
  readonly limit: number;
}

/** Where a page ends. */
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

/** The filter of a list. An external id that no identity has matches no key. */
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

/** The keys of a page. */
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
 * A page as JSON, put together from cached JSON of keys: a whole request for a page of 100 then
 * takes 8 µs, instead of 310 µs without the cache.
 * @param start the text up to and including the bracket that opens the list; the pieces end before
 *   the one that closes it
 */
export function writePage(
  { keys }: Workspace,
  { filter, limit, position }: Selection,
  format: KeyFormat,
  start: string,
): PageEnd & { readonly pieces: Piece[]; readonly count: number } {
  if (filter === undefined) return { pieces: [start], count: 0, last: undefined, next: undefined };
  const { count, last, next, slices } = keys.jsonPage(filter, position, limit, format);
  const pieces: Piece[] = [];
  for (const slice of slices) pieces.push(pieces.length === 0 ? start : ",", slice);
  if (pieces.length === 0) pieces.push(start);
  return { pieces, count, last, next };
}
