import { encodeCursor } from "../contract/cursor.ts";
import { listKeys as contract, type ListKeysQuery } from "../contract/list-keys.ts";
import type { KeyFilter } from "../store/key-index.ts";
import type { Workspace } from "../store/workspace.ts";
import { defineOperation } from "./operation.ts";
import { onApi, requireApi } from "./require-api.ts";
import { toKeyRecord } from "./to-key-record.ts";

export const listKeys = defineOperation({
  contract,

  requires({ input }) {
    const { apiId, decrypt } = input;
    const requirements = [onApi(apiId, "read_key"), onApi(apiId, "read_api")];
    if (decrypt) requirements.push(onApi(apiId, "decrypt_key"));
    return requirements;
  },

  run({ workspace, input }) {
    const { apiId, cursor, limit, decrypt = false } = input;
    requireApi(workspace, apiId);
    const filter = toFilter(workspace, input);
    // One more than the page holds tells whether another page follows.
    const keys = filter === undefined ? [] : workspace.keys.page(filter, cursor, limit + 1);
    const page = keys.slice(0, limit);
    const last = page.at(-1);
    return {
      keys: page.map((key) => toKeyRecord(workspace, key, { decrypt })),
      ...(last !== undefined && keys.length > limit ? { cursor: encodeCursor(last.id) } : {}),
      // The service counts the keys of the API, not those that match.
      total: workspace.keys.countOf({ apiId }),
    };
  },
});

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
