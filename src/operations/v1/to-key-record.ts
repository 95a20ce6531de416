import type { ExtendedRatelimit, ExtendedRefill, KeyRecord } from "../../contract/v1/key-record.ts";
import { defaultRatelimit } from "../../store/limits/ratelimits.ts";
import type { Key } from "../../store/key.ts";
import type { Identity } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { permissionsOf, rolesOf, type Granting } from "../granted.ts";

/** What is read of a workspace, or of what users' operations hold of one. */
interface ShownWorkspace extends Granting, Pick<Workspace, "id" | "quirks"> {
  readonly identities: { get(id: unknown): Identity | undefined };
}

/**
 * Converts a stored key to the record that `apis.listKeys` returns, with its members in the order
 * of the interface. Members that are undefined do not appear in the JSON.
 * @param decrypt whether to include the key value of a recoverable key, as `plaintext`
 */
export function toKeyRecord(
  workspace: ShownWorkspace,
  key: Key,
  { decrypt }: { readonly decrypt: boolean },
): KeyRecord {
  const { quirks } = workspace;
  const isAsyncFalse = quirks.has("async-false");
  const identity = workspace.identities.get(key.identityId);
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
    refill: key.refill && toRefill(key.refill),
    ratelimit: toRatelimit(key, isAsyncFalse),
    roles: rolesOf(workspace, key),
    permissions: permissionsOf(workspace, key),
    enabled: key.enabled,
    plaintext: decrypt ? key.plaintext : undefined,
    identity: identity && {
      id: identity.id,
      externalId: identity.externalId,
      meta: identity.meta,
    },
    ...(quirks.has("extra-fields") ? undocumentedMembers(key, isAsyncFalse) : {}),
  };
}

/** The members that the quirk `extra-fields` adds or extends, in place. */
function undocumentedMembers(key: Key, isAsyncFalse: boolean): object {
  return {
    refill: key.refill && toExtendedRefill(key.refill, key),
    ratelimit: toExtendedRatelimit(key, isAsyncFalse),
    environment: key.environment,
  };
}

type StoredRefill = NonNullable<Key["refill"]>;

/** The members that the interface documents. */
function toRefill({ amount, interval, refillDay }: StoredRefill): KeyRecord["refill"] {
  return { interval, amount, refillDay };
}

/**
 * A refill with members that the interface does not document.
 * @param created gives the time that a list shows for a key that was never refilled
 */
export function toExtendedRefill(
  { amount, interval, lastRefillAt, refillDay }: StoredRefill,
  created?: Pick<Key, "createdAt">,
): ExtendedRefill {
  const last = lastRefillAt ?? created?.createdAt;
  return { interval, amount, refillDay: refillDay ?? null, lastRefillAt: last };
}

/** The rate limit called `default`; v1 knows no other. */
function toRatelimit(
  { ratelimits }: Pick<Key, "ratelimits">,
  isAsyncFalse: boolean,
): KeyRecord["ratelimit"] {
  const ratelimit = defaultRatelimit(ratelimits);
  if (ratelimit === undefined) return undefined;
  const { async = true, limit, duration } = ratelimit;
  return { async: async && !isAsyncFalse, limit, duration };
}

/** The same with members that the interface does not document. */
export function toExtendedRatelimit(
  key: Pick<Key, "ratelimits">,
  isAsyncFalse: boolean,
): ExtendedRatelimit | undefined {
  const ratelimit = toRatelimit(key, isAsyncFalse);
  if (ratelimit === undefined) return undefined;
  const { duration, limit } = ratelimit;
  return { ...ratelimit, refillRate: limit, refillInterval: duration };
}
