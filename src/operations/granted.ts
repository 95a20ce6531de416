import type { Key, KeyMembers } from "../store/key.ts";
import type { Permission, Role } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

/** The roles and permissions of a workspace, or of a public workspace. */
export interface Granting {
  readonly roles: { named(name: string): Role | undefined };
  readonly permissions: { named(name: string): Permission | undefined };
}

/** The names of a key's roles. Deleted roles are left out. */
export function rolesOf(workspace: Granting, { roles }: Key): string[] {
  return roles.filter((name) => workspace.roles.named(name) !== undefined);
}

/** The key's own permissions. Deleted ones are left out. */
export function ownPermissionsOf({ permissions }: Granting, key: Key): string[] {
  return key.permissions.filter((name) => permissions.named(name) !== undefined);
}

/**
 * The key's own permissions, then those of its roles, without duplicates. Deleted roles and
 * permissions are left out.
 */
export function permissionsOf(workspace: Granting, { roles, permissions }: Key): string[] {
  const ofRoles = roles.flatMap((role) => workspace.roles.named(role)?.permissions ?? []);
  const granted = ofRoles.length === 0 ? permissions : [...new Set([...permissions, ...ofRoles])];
  return granted.filter((name) => workspace.permissions.named(name) !== undefined);
}

/** The members that link a key with its owner. Creates the owner's identity if there is none. */
export function ownerMembers(
  { identities }: Workspace,
  externalId: string | null,
): Pick<KeyMembers, "identityId" | "ownerId"> {
  if (!externalId) return { identityId: undefined, ownerId: undefined };
  const identity = identities.ensure(externalId);
  return { identityId: identity.id, ownerId: identity.externalId };
}
