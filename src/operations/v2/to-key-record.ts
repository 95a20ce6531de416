import type { KeyRecord } from "../../contract/v2/key-record.ts";
import { ratelimitId, type NamedRatelimit } from "../../store/limits/ratelimits.ts";
import type { Key } from "../../store/key.ts";
import type { Identity } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { permissionsOf, rolesOf } from "../granted.ts";

/**
 * Converts a stored key to a record of v2, with its members in the order of the interface. Members
 * that are not set or empty do not appear in the JSON.
 * @param decrypt whether to include the key value of a recoverable key, as `plaintext`
 */
export function toKeyRecord(
  workspace: Workspace,
  key: Key,
  { decrypt }: { readonly decrypt: boolean },
): KeyRecord {
  const identity = workspace.identities.get(key.identityId);
  return {
    createdAt: key.createdAt,
    credits: toCredits(key),
    enabled: key.enabled,
    expires: key.expires || undefined,
    identity: identity && toIdentity(identity),
    keyId: key.id,
    lastUsedAt: key.lastUsedAt || undefined,
    meta: unlessEmpty(key.meta),
    name: key.name || undefined,
    permissions: unlessNone(permissionsOf(workspace, key)),
    plaintext: decrypt ? key.plaintext : undefined,
    ratelimits: unlessNone(key.ratelimits.map((ratelimit) => toRatelimit(key, ratelimit))),
    roles: unlessNone(rolesOf(workspace, key)),
    start: key.start,
    updatedAt: key.updatedAt || undefined,
  };
}

/** A key with any number of uses has none. The uses left are never below 0, unlike in v1. */
function toCredits({ refill, remaining }: Key): KeyRecord["credits"] {
  if (remaining === undefined) return undefined;
  return { refill: refill && toWireRefill(refill), remaining: Math.max(0, remaining) };
}

/** Without the time of the last refill, which v2 does not show. */
export function toWireRefill({ amount, interval, refillDay }: NonNullable<Key["refill"]>) {
  return { amount, interval, refillDay };
}

/** @param isShown which of its rate limits to show. Default: all. */
export function toIdentity(
  identity: Identity,
  isShown: (ratelimit: NamedRatelimit) => boolean = () => true,
): NonNullable<KeyRecord["identity"]> {
  const { externalId, id, meta, ratelimits } = identity;
  const shown = ratelimits.filter(isShown).map((ratelimit) => toRatelimit(identity, ratelimit));
  return { externalId, id, meta: unlessEmpty(meta), ratelimits: unlessNone(shown) };
}

function toRatelimit(owner: Identity | Key, ratelimit: NamedRatelimit) {
  const { autoApply, duration, limit, name } = ratelimit;
  return { autoApply, duration, id: ratelimitId(owner, ratelimit), limit, name };
}

/** Undefined in place of an object without members, which v2 leaves out. */
export function unlessEmpty<Members extends object>(
  members: Members | undefined,
): Members | undefined {
  return members === undefined || Object.keys(members).length === 0 ? undefined : members;
}

/** Undefined in place of an empty list, which v2 leaves out. */
export function unlessNone<Item>(items: Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
