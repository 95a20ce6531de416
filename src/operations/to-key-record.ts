import type { KeyRecord } from "../contract/key-record.ts";
import type { Key } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

/**
 * A key as a list returns it. Members stand in the order of the interface's table; those that are
 * undefined do not reach the wire.
 */
export function toKeyRecord(
  workspace: Workspace,
  key: Key,
  { decrypt }: { readonly decrypt: boolean },
): KeyRecord {
  const { quirks } = workspace;
  const isMore = quirks.has("extra-fields");
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
    expires: key.expires,
    remaining: key.remaining,
    refill: toRefill(key, isMore),
    ratelimit: toRatelimit(key, isMore, quirks.has("async-false")),
    roles: key.roles.filter((name) => workspace.roles.named(name) !== undefined),
    permissions: permissionsOf(workspace, key),
    enabled: key.enabled,
    plaintext: decrypt ? key.plaintext : undefined,
    identity: identity && {
      id: identity.id,
      externalId: identity.externalId,
      meta: identity.meta,
    },
    ...(isMore ? { environment: key.environment } : {}),
  };
}

/** The service notes the creation of a key as its first refill. */
function toRefill({ createdAt, refill }: Key, isMore: boolean): KeyRecord["refill"] {
  if (refill === undefined || !isMore) return refill && { ...refill };
  const { refillDay = null, ...rest } = refill;
  const more = { refillDay, lastRefillAt: createdAt };
  return { ...rest, ...(more as object) };
}

function toRatelimit(
  { ratelimit }: Key,
  isMore: boolean,
  isNeverAsync: boolean,
): KeyRecord["ratelimit"] {
  if (ratelimit === undefined) return undefined;
  const { limit, duration } = ratelimit;
  return {
    ...ratelimit,
    ...(isNeverAsync ? { async: false } : {}),
    ...(isMore ? { refillRate: limit, refillInterval: duration } : {}),
  };
}

/** The key's own, then those of its roles, each once; a deleted role or permission grants nothing. */
function permissionsOf(workspace: Workspace, { roles, permissions }: Key): string[] {
  const granted = new Set(permissions);
  for (const role of roles) {
    for (const name of workspace.roles.named(role)?.permissions ?? []) granted.add(name);
  }
  return [...granted].filter((name) => workspace.permissions.named(name) !== undefined);
}
