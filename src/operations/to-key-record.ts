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
  const { refill, ratelimit } = key;
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
    refill: refill && { ...refill },
    ratelimit: ratelimit && { ...ratelimit },
    roles: key.roles.filter((name) => workspace.roles.named(name) !== undefined),
    permissions: permissionsOf(workspace, key),
    enabled: key.enabled,
    plaintext: decrypt ? key.plaintext : undefined,
    identity: identity && {
      id: identity.id,
      externalId: identity.externalId,
      meta: identity.meta,
    },
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
