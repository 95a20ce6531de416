import type { KeyMembers } from "../store/key.ts";
import type { Workspace } from "../store/workspace.ts";

/** The members of a key that link it with an owner, whose identity is created on first use. */
export function ownerMembers(
  { identities }: Workspace,
  externalId: string | null,
): Pick<KeyMembers, "identityId" | "ownerId"> {
  if (!externalId) return { identityId: undefined, ownerId: undefined };
  const identity = identities.ensure(externalId);
  return { identityId: identity.id, ownerId: identity.externalId };
}
