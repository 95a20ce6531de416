import type { KeySecret } from "../store/key-secret.ts";
import type { Key, KeyMembers } from "../store/key.ts";
import type { Role } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

// The versions refuse an unknown key differently: v1/require-key.ts, v2/require-key.ts.

/** The key with this id; undefined if there is none, or its API was deleted. */
export function keyWithId(workspace: Workspace, keyId: string): Key | undefined {
  return unlessApiDeleted(workspace, workspace.keys.get(keyId));
}

/** The key with this value or hash; undefined if there is none, or its API was deleted. */
export function keyWithSecret(workspace: Workspace, secret: KeySecret): Key | undefined {
  return unlessApiDeleted(workspace, workspace.keys.findBySecret(secret));
}

function unlessApiDeleted({ apis }: Workspace, key: Key | undefined): Key | undefined {
  return key !== undefined && apis.get(key.apiId) !== undefined ? key : undefined;
}

/** The roles of a workspace, or of a public workspace. */
export interface Granting {
  readonly roles: { named(name: string): Role | undefined };
}

/** The slugs of the key's own permissions, then those of its roles, without duplicates. */
export function permissionsOf(workspace: Granting, { permissions, roles }: Key): string[] {
  const ofRoles = roles.flatMap((role) => workspace.roles.named(role)?.permissions ?? []);
  return ofRoles.length === 0 ? [...permissions] : [...new Set([...permissions, ...ofRoles])];
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
