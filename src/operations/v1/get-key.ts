import { getKeyWith as contractWith, type KeyDetails } from "../../contract/v1/get-key.ts";
import { NO_QUIRKS, type Quirks } from "../../contract/quirks.ts";
import type { Key } from "../../store/key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { defineOperation, type Operation } from "../operation.ts";
import { rolesOf } from "../granted.ts";
import { onApi } from "../require-api.ts";
import { requireKey } from "./require-key.ts";
import { MAY_NOT_DECRYPT } from "./list-keys.ts";
import { toExtendedRatelimit, toExtendedRefill } from "./to-key-record.ts";

export function getKeyWith(quirks: Quirks): Operation {
  return defineOperation({
    contract: contractWith(quirks),

    run({ demand, input, workspace }) {
      const { decrypt = false, keyId } = input;
      const key = requireKey(workspace, keyId);
      demand([onApi(key.apiId, "read_key")]);
      if (decrypt) demand([onApi(key.apiId, "decrypt_key")], MAY_NOT_DECRYPT);
      return toDetails(workspace, key, decrypt);
    },
  });
}

export const getKey = getKeyWith(NO_QUIRKS);

/** The members are in the order of the service. */
function toDetails(workspace: Workspace, key: Key, decrypt: boolean): KeyDetails {
  const { identities, permissions } = workspace;
  const identity = identities.get(key.identityId);
  return {
    id: key.id,
    start: key.start,
    apiId: key.apiId,
    workspaceId: workspace.id,
    name: key.name,
    ownerId: key.ownerId,
    meta: key.meta,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
    expires: key.expires,
    remaining: key.remaining,
    refill: key.refill && toExtendedRefill(key.refill),
    ratelimit: toExtendedRatelimit(key, true),
    roles: rolesOf(workspace, key),
    permissions: key.permissions.filter((name) => permissions.named(name) !== undefined),
    enabled: key.enabled,
    plaintext: decrypt ? key.plaintext : undefined,
    identity: identity && {
      id: identity.id,
      externalId: identity.externalId,
      meta: identity.meta,
    },
  };
}
