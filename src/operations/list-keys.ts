import { cursorsWith } from "../contract/cursor.ts";
import {
  listKeysWith as contractWith,
  type ListKeysQuery,
  type ListKeysResult,
} from "../contract/list-keys.ts";
import { NO_QUIRKS, type Quirks } from "../contract/quirks.ts";
import type { KeyFilter } from "../store/tables/key-table.ts";
import type { Key } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";
import { defineOperation, type Operation } from "./operation.ts";
import { onApi, requireApi } from "./require-api.ts";
import { toKeyRecord } from "./to-key-record.ts";
import { RawJson, type Piece } from "./raw-json.ts";

export function listKeysWith(quirks: Quirks): Operation {
  return defineOperation({
    contract: contractWith(quirks),

    requires: ({ input: { apiId } }) => [onApi(apiId, "read_key"), onApi(apiId, "read_api")],

    run({ demand, input, isUnseen, workspace }) {
      const { apiId, decrypt = false } = input;
      requireApi(workspace, apiId);
      if (decrypt) demand([onApi(apiId, "decrypt_key")], MAY_NOT_DECRYPT);
      if (isUnseen || !workspace.quirks.has("stale-list")) {
        return decrypt ? write(readPage(workspace, input)) : writePage(workspace, input);
      }
      const page = readThroughCache(workspace, input);
      return write(decrypt ? page : { ...page, keys: page.keys.map(withoutValue) });
    },
  });
}

/** The service has this code here, with a status that no other refusal of this code has. */
const MAY_NOT_DECRYPT = { code: "UNAUTHORIZED", status: 403 } as const;

export const listKeys = listKeysWith(NO_QUIRKS);

/** A page with the values of its keys. */
function readPage(workspace: Workspace, query: ListKeysQuery): ListKeysResult {
  const { filter, position } = placeOf(workspace, query);
  // One more than the page holds tells whether another page follows.
  const { limit } = query;
  const keys = filter === undefined ? [] : workspace.keys.page(filter, position, limit + 1);
  const page = keys.slice(0, limit);
  return {
    keys: page.map((key) => toKeyRecord(workspace, key, { decrypt: true })),
    ...endOf(workspace, query, filter, { last: page.at(-1), isMore: keys.length > limit }),
  };
}

/**
 * A page without values, as nearly all are: keys are written once and then sent as they are. With
 * all that belongs to a request, a page of 100 takes 8 µs so, and 310 µs where it is written anew.
 */
function writePage(workspace: Workspace, query: ListKeysQuery): RawJson {
  const { filter, position } = placeOf(workspace, query);
  const { keys } = workspace;
  const write = (key: Key) => JSON.stringify(toKeyRecord(workspace, key, { decrypt: false }));
  const page =
    filter === undefined
      ? { slices: [], count: 0, last: undefined, isMore: false }
      : keys.jsonPage(filter, position, query.limit, write);
  const pieces: Piece[] = [];
  for (const slice of page.slices) pieces.push(pieces.length === 0 ? '{"keys":[' : ",", slice);
  if (pieces.length === 0) pieces.push('{"keys":[');
  const end = endOf(workspace, query, filter, page);
  // A cursor and a number are ASCII.
  pieces.push(`],${JSON.stringify(end).slice(1)}`);
  return new RawJson(pieces, { keys: page.count, ...end });
}

const encoder = new TextEncoder();

/** A page that is written for one call. */
function write(page: ListKeysResult): RawJson {
  const { keys, ...end } = page;
  return new RawJson([encoder.encode(JSON.stringify(page))], { keys: keys.length, ...end });
}

/** What a page holds, and behind which key it begins. */
function placeOf(workspace: Workspace, query: ListKeysQuery) {
  const { cursor } = query;
  const cursors = cursorsWith(workspace.quirks);
  const position = cursor === undefined ? undefined : cursors.decode(cursor);
  return { filter: toFilter(workspace, query), position };
}

/** What stands behind the keys of a page. */
function endOf(
  { keys, quirks }: Workspace,
  { apiId, externalId }: ListKeysQuery,
  filter: KeyFilter | undefined,
  { isMore, last }: { readonly last: Key | undefined; readonly isMore: boolean },
): Omit<ListKeysResult, "keys"> {
  const isFollowed = last !== undefined && (isMore || quirks.has("trailing-cursor"));
  const isNobody = filter === undefined && externalId !== undefined && quirks.has("zero-total");
  // The service counts the keys of the API, not those that match.
  const total = isNobody ? 0 : keys.countOf({ apiId });
  return isFollowed ? { cursor: cursorsWith(quirks).encode(last.id), total } : { total };
}

/** The service keeps pages with the values of their keys, and takes these out afterwards. */
function readThroughCache(workspace: Workspace, query: ListKeysQuery): ListKeysResult {
  const { apiId, cursor, externalId, limit, ownerId, revalidateKeysCache = false } = query;
  const place = JSON.stringify([apiId, cursor, externalId, ownerId, limit]);
  const load = () => readPage(workspace, query);
  return workspace.lists.read(place, load, { isForced: revalidateKeysCache });
}

function withoutValue(record: ListKeysResult["keys"][number]) {
  const { plaintext: _, ...rest } = record;
  return rest;
}

/** Undefined where the external id belongs to no identity, so that no key can match. */
function toFilter(
  workspace: Workspace,
  { apiId, externalId, ownerId }: ListKeysQuery,
): KeyFilter | undefined {
  if (externalId !== undefined) {
    const identity = workspace.identities.named(externalId);
    return identity && { apiId, identityId: identity.id };
  }
  return ownerId === undefined ? { apiId } : { apiId, ownerId };
}
