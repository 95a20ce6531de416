import type { Key } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

/** The names of a key's roles. Deleted roles are left out. */
export function rolesOf(workspace: Workspace, { roles }: Key): string[] {
  return roles.filter((name) => workspace.roles.named(name) !== undefined);
}

/** The key's own permissions. Deleted ones are left out. */
export function ownPermissionsOf({ permissions }: Workspace, key: Key): string[] {
  return key.permissions.filter((name) => permissions.named(name) !== undefined);
}

/**
 * The key's own permissions, then those of its roles, without duplicates. Deleted roles and
 * permissions are left out.
 */
export function permissionsOf(workspace: Workspace, { roles, permissions }: Key): string[] {
  const ofRoles = roles.flatMap((role) => workspace.roles.named(role)?.permissions ?? []);
  const granted = ofRoles.length === 0 ? permissions : [...new Set([...permissions, ...ofRoles])];
  return granted.filter((name) => workspace.permissions.named(name) !== undefined);
}
