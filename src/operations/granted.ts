import type { Key, KeyMembers } from "../store/key.ts";
import type { Role } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

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
