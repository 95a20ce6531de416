import type { IdentityState, KeyState } from "../../control/record-kinds.ts";

/** A key of a list, with the identity that it belongs to. */
export interface ListedKey extends KeyState {
  readonly identity: IdentityState | undefined;
}

/** What the control route of keys answers. */
export interface KeyReply {
  readonly keys: readonly KeyState[];
  readonly identities: readonly IdentityState[];
  /** How many keys match, on all pages. */
  readonly total: number;
  /** How many of them come before this page. */
  readonly offset: number;
}

export function toListed({ identities, keys }: KeyReply): readonly ListedKey[] {
  const byId = new Map(identities.map((identity) => [identity.id, identity]));
  return keys.map((key) => ({ ...key, identity: byId.get(key.identityId ?? "") }));
}

/** The name of the customer that has the key, which is in the meta of its identity. */
export function customerOf({ identity }: ListedKey): string | undefined {
  const name = identity?.meta?.["name"];
  return typeof name === "string" && name !== "" ? name : undefined;
}
