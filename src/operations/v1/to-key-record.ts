import type { KeyRecord } from "../../contract/v1/key-record.ts";
import { defaultRatelimit } from "../../store/ratelimits.ts";
import type { Key } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { permissionsOf, rolesOf } from "../granted.ts";

/**
 * Converts a stored key to the record that `apis.listKeys` returns, with its members in the order
 * of the interface. Members that are undefined do not appear in the JSON.
 * @param decrypt whether to include the key value of a recoverable key, as `plaintext`
 */
export function toKeyRecord(
  workspace: Workspace,
  key: Key,
  { decrypt }: { readonly decrypt: boolean },
): KeyRecord {
  const { quirks } = workspace;
  const isExtended = quirks.has("extra-fields");
  const identity =
    key.identityId === undefined ? undefined : workspace.identities.get(key.identityId);
  return {
    id: key.id,
    start: key.start,
    workspaceId: workspace.id,
    apiId: key.apiId,
    name: key.name,
    ownerId: key.ownerId,
    meta: key.meta,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
    expires: key.expires || undefined,
    remaining: key.remaining,
    refill: toRefill(key, isExtended),
    ratelimit: toRatelimit(key, isExtended, quirks.has("async-false")),
    roles: rolesOf(workspace, key),
    permissions: permissionsOf(workspace, key),
    enabled: key.enabled,
    plaintext: decrypt ? key.plaintext : undefined,
    identity: identity && {
      id: identity.id,
      externalId: identity.externalId,
      meta: identity.meta,
    },
    ...(isExtended ? { environment: key.environment } : {}),
  };
}

/** The service sets `lastRefillAt` of a new key to the time of its creation. */
function toRefill({ createdAt, refill }: Key, isExtended: boolean): KeyRecord["refill"] {
  if (refill === undefined || !isExtended) return refill && { ...refill };
  const { refillDay = null, ...rest } = refill;
  const more = { refillDay, lastRefillAt: createdAt };
  return { ...rest, ...(more as object) };
}

function toRatelimit(
  { ratelimits }: Key,
  isExtended: boolean,
  isAsyncFalse: boolean,
): KeyRecord["ratelimit"] {
  const ratelimit = defaultRatelimit(ratelimits);
  if (ratelimit === undefined) return undefined;
  const { async = true, limit, duration } = ratelimit;
  return {
    async: async && !isAsyncFalse,
    limit,
    duration,
    ...(isExtended ? { refillRate: limit, refillInterval: duration } : {}),
  };
}
