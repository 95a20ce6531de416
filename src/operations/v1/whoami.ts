import { ApiError } from "../../contract/errors.ts";
import { whoami as contract } from "../../contract/v1/whoami.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { keyWithValue } from "../require-key.ts";

export const whoami = defineOperation({
  contract,

  run({ demand, input, workspace }) {
    const key = keyWithValue(workspace, input.key);
    if (key === undefined) {
      throw new ApiError("NOT_FOUND", "key: no key of this workspace has this value");
    }
    demand([onApi(key.apiId, "read_key")]);
    const { identities } = workspace;
    const identity = identities.get(key.identityId);
    const isMetaEmpty = Object.keys(key.meta ?? {}).length === 0;
    return {
      id: key.id,
      name: key.name || undefined,
      remaining: key.remaining,
      identity: identity && { id: identity.id, externalId: identity.externalId },
      meta: isMetaEmpty ? undefined : key.meta,
      createdAt: key.createdAt,
      enabled: key.enabled,
      environment: key.environment || undefined,
    };
  },
});
