import { cursorsWith } from "../contract/cursor.ts";
import {
  listKeysWith as contractWith,
  type ListKeysQuery,
  type ListKeysResult,
} from "../contract/list-keys.ts";
import { NO_QUIRKS, type Quirks } from "../contract/quirks.ts";
import type { KeyFilter } from "../store/key-index.ts";
import type { Workspace } from "../store/workspace.ts";
import { defineOperation, type Operation } from "./operation.ts";
import { onApi, requireApi } from "./require-api.ts";
import { toKeyRecord } from "./to-key-record.ts";

export function listKeysWith(quirks: Quirks): Operation {
  return defineOperation({
    contract: contractWith(quirks),

    requires({ input }) {
      const { apiId, decrypt } = input;
      const requirements = [onApi(apiId, "read_key"), onApi(apiId, "read_api")];
      if (decrypt) requirements.push(onApi(apiId, "decrypt_key"));
      return requirements;
    },

    run({ workspace, input }) {
      requireApi(workspace, input.apiId);
      const { decrypt = false } = input;
      if (!workspace.quirks.has("stale-list")) return readPage(workspace, input, { decrypt });
      const page = readThroughCache(workspace, input);
      return decrypt ? page : { ...page, keys: page.keys.map(withoutValue) };
    },
  });
}

export const listKeys = listKeysWith(NO_QUIRKS);

function readPage(
  workspace: Workspace,
  query: ListKeysQuery,
  { decrypt }: { readonly decrypt: boolean },
): ListKeysResult {
  const { quirks } = workspace;
  const { apiId, cursor, externalId, limit } = query;
  const cursors = cursorsWith(quirks);
  const position = cursor === undefined ? undefined : cursors.decode(cursor);
  const filter = toFilter(workspace, query);
  // One more than the page holds tells whether another page follows.
  const keys = filter === undefined ? [] : workspace.keys.page(filter, position, limit + 1);
  const page = keys.slice(0, limit);
  const last = page.at(-1);
  const isMore = keys.length > limit || quirks.has("trailing-cursor");
  const isNobody = filter === undefined && externalId !== undefined && quirks.has("zero-total");
  return {
    keys: page.map((key) => toKeyRecord(workspace, key, { decrypt })),
    ...(last !== undefined && isMore ? { cursor: cursors.encode(last.id) } : {}),
    // The service counts the keys of the API, not those that match.
    total: isNobody ? 0 : workspace.keys.countOf({ apiId }),
  };
}

/** The service keeps pages with the values of their keys, and takes these out afterwards. */
function readThroughCache(workspace: Workspace, query: ListKeysQuery): ListKeysResult {
  const { apiId, cursor, externalId, limit, ownerId, revalidateKeysCache = false } = query;
  const place = JSON.stringify([apiId, cursor, externalId, ownerId, limit]);
  const load = () => readPage(workspace, query, { decrypt: true });
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
