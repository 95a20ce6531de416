import { cursorsWith } from "../../contract/v1/cursor.ts";
import {
  listKeysWith as contractWith,
  type ListKeysQuery,
  type ListKeysResult,
} from "../../contract/v1/list-keys.ts";
import { NO_QUIRKS, type Quirks } from "../../contract/quirks.ts";
import type { Key } from "../../store/key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { filterOf, readPage, writePage, type PageEnd, type Selection } from "../key-page.ts";
import { defineOperation, type Operation } from "../operation.ts";
import { RawJson } from "../raw-json.ts";
import { onApi, requireApi } from "../require-api.ts";
import { toKeyRecord } from "./to-key-record.ts";

export function listKeysWith(quirks: Quirks): Operation {
  return defineOperation({
    contract: contractWith(quirks),

    requires: ({ input: { apiId } }) => [onApi(apiId, "read_key"), onApi(apiId, "read_api")],

    run({ demand, input, isUnseen, workspace }) {
      const { apiId, decrypt = false } = input;
      requireApi(workspace, apiId);
      if (decrypt) demand([onApi(apiId, "decrypt_key")], MAY_NOT_DECRYPT);
      if (isUnseen || !workspace.quirks.has("stale-list")) {
        return decrypt ? toRawJson(toPage(workspace, input)) : toJsonPage(workspace, input);
      }
      const page = readThroughCache(workspace, input);
      return toRawJson(decrypt ? page : { ...page, keys: page.keys.map(withoutValue) });
    },
  });
}

/** The service refuses `decrypt` with this code and a 403, although the code's status is 401. */
export const MAY_NOT_DECRYPT = { code: "UNAUTHORIZED", status: 403 } as const;

export const listKeys = listKeysWith(NO_QUIRKS);

/** A page with the key values of recoverable keys, as an object. */
function toPage(workspace: Workspace, query: ListKeysQuery): ListKeysResult {
  const selection = selectionOf(workspace, query);
  const { keys, ...end } = readPage(workspace, selection);
  return {
    keys: keys.map((key) => toKeyRecord(workspace, key, { decrypt: true })),
    ...cursorAndTotal(workspace, query, selection, end),
  };
}

/** A page without key values, which nearly all calls ask for, as JSON from the cache. */
function toJsonPage(workspace: Workspace, query: ListKeysQuery): RawJson {
  const selection = selectionOf(workspace, query);
  const write = (key: Key) => JSON.stringify(toKeyRecord(workspace, key, { decrypt: false }));
  const page = writePage(workspace, selection, { name: "v1", write }, '{"keys":[');
  const end = cursorAndTotal(workspace, query, selection, page);
  // Pieces that are strings must be ASCII; a cursor and a number are.
  page.pieces.push(`],${JSON.stringify(end).slice(1)}`);
  return new RawJson(page.pieces, { keys: page.count, ...end });
}

const encoder = new TextEncoder();

/** Serializes a page, with a summary for the journal. */
function toRawJson(page: ListKeysResult): RawJson {
  const { keys, ...end } = page;
  return new RawJson([encoder.encode(JSON.stringify(page))], { keys: keys.length, ...end });
}

/** The cursor names the last key of the previous page. */
function selectionOf(workspace: Workspace, query: ListKeysQuery): Selection {
  const { cursor, limit } = query;
  const keyId = cursor === undefined ? undefined : cursorsWith(workspace.quirks).decode(cursor);
  const position = keyId === undefined ? undefined : { keyId, isInclusive: false };
  return { filter: filterOf(workspace, query), position, limit };
}

/** The members of a page that follow its keys. */
function cursorAndTotal(
  { keys, quirks }: Workspace,
  { apiId, externalId }: ListKeysQuery,
  { filter }: Selection,
  { last, next }: PageEnd,
): Omit<ListKeysResult, "keys"> {
  const hasCursor = last !== undefined && (next !== undefined || quirks.has("trailing-cursor"));
  const isUnknownIdentity = filter === undefined && externalId !== undefined;
  // The service counts all keys of the API, not those that match the filter.
  const total = isUnknownIdentity && quirks.has("zero-total") ? 0 : keys.countOf({ apiId });
  return hasCursor ? { cursor: cursorsWith(quirks).encode(last.id), total } : { total };
}

/**
 * For the quirk `stale-list`. The service caches pages with their key values and removes the values
 * afterwards, so a call with `decrypt` and one without share an entry.
 */
function readThroughCache(workspace: Workspace, query: ListKeysQuery): ListKeysResult {
  const { apiId, cursor, externalId, limit, ownerId, revalidateKeysCache = false } = query;
  const cacheKey = JSON.stringify([apiId, cursor, externalId, ownerId, limit]);
  const load = () => toPage(workspace, query);
  const page = workspace.lists.read(cacheKey, load, { isForced: revalidateKeysCache });
  return page as ListKeysResult;
}

function withoutValue(record: ListKeysResult["keys"][number]) {
  const { plaintext: _, ...rest } = record;
  return rest;
}
