import { ApiError, defineOperation, keyRecord, onApi, toKeyRecord } from "latchkey";
import * as z from "zod";

const keyId = z.string().min(1).describe("The id of a key.");

export const deleteKey = defineOperation({
  contract: {
    name: "keys.deleteKey",
    method: "POST",
    path: "/v1/keys.deleteKey",
    summary: "Delete a key",
    input: z.object({ keyId }),
    output: z.object({}),
  },

  requires: ({ workspace, input }) => onApiOf(workspace, input.keyId, "delete_key"),

  run({ workspace, input }) {
    const { id } = requireKey(workspace, input.keyId);
    workspace.keys.delete((q) => q.where({ id }));
    return {};
  },
});

export const getKey = defineOperation({
  contract: {
    name: "keys.getKey",
    method: "GET",
    path: "/v1/keys.getKey",
    summary: "Get a key",
    // Every value in a query is text, so "true" has to be converted.
    input: z.object({ keyId, decrypt: z.stringbool().optional() }),
    output: keyRecord,
  },

  requires({ workspace, input }) {
    const actions = ["read_key", ...(input.decrypt ? ["decrypt_key"] : [])];
    return actions.flatMap((action) => onApiOf(workspace, input.keyId, action));
  },

  run({ workspace, input }) {
    const key = requireKey(workspace, input.keyId);
    return toKeyRecord(workspace, key, { decrypt: input.decrypt ?? false });
  },
});

/**
 * The permission for the API of a key. For an unknown key it is the one for all APIs, so that a token
 * without permissions does not learn which keys exist.
 */
function onApiOf(workspace, keyId, action) {
  return [onApi(workspace.keys.get(keyId)?.apiId ?? "*", action)];
}

function requireKey(workspace, keyId) {
  const key = workspace.keys.get(keyId);
  if (key === undefined) {
    throw new ApiError("NOT_FOUND", "keyId: this workspace has no key with this id");
  }
  return key;
}
