import * as z from "zod/mini";
import type { Quirks } from "../../../api/quirks.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { lazyObjectOf } from "../../../schema/lazy-shape.ts";
import { identityMeta, meta } from "../../../schema/meta.ts";
import type { Key } from "../../../state/keys/key.ts";
import { defaultRatelimit } from "../../../state/limits/ratelimits.ts";
import type { Identity } from "../../../state/records/identities.ts";
import { refill, timestamp } from "../../../state/vocabulary.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about, identityMembers, shownMembers } from "../fields.ts";
import { type WithRoles, permissionsOf } from "../keys.ts";

const ratelimit = lazily(() =>
  f.component("Ratelimit", "The rate limit of a key.", {
    async: f.described(f.flag(), "True for the type `fast`, false for `consistent`."),
    limit: f.described(f.integer({ min: 1 }), about.limit),
    // Can be below 1000, because v1 accepts any `refillInterval` from 1.
    duration: f.described(f.integer({ min: 1 }), about.window),
  }),
);

const identity = lazily(() =>
  f.component("Identity", "The user or machine that a key belongs to.", {
    ...identityMembers(),
    meta: identityMeta(),
  }),
);

/**
 * The schema of a key as `apis.listKeys` of v1 returns it, for the output of your own operations. A
 * constant, because users put it into their schemas. Optional members are left out when unset, and are
 * never null. The order of the members is the order on the wire.
 */
export const keyRecord = f.described(
  lazyObjectOf(() => {
    const { createdAt, enabled, expires, id, name, plaintext, start, updatedAt } = shownMembers();
    return {
      id,
      start,
      workspaceId: f.described(f.text(), "The workspace that owns the key."),
      apiId: f.described(f.text(), about.apiOfKey),
      name,
      ownerId: f.optional(f.text(), "Same concept as `externalId`."),
      meta: z.optional(meta()),
      createdAt,
      updatedAt,
      expires,
      // Below 0 after `keys.updateRemaining` of v1.
      remaining: f.optional(f.integer(), "Remaining uses."),
      refill: z.optional(refill()),
      ratelimit: z.optional(ratelimit()),
      roles: f.described(f.listOf(f.text(), "role names"), "Names of its roles."),
      permissions: f.described(f.listOf(f.text(), "permission names"), about.allPermissions),
      enabled,
      plaintext,
      identity: z.optional(identity()),
    };
  }),
  { id: "KeyRecord", description: "A key as a list returns it." },
);
export type KeyRecord = z.infer<typeof keyRecord>;

/** A refill with members that the interface does not document. */
export const extendedRefill = lazily(() =>
  z.extend(refill(), {
    refillDay: z.nullable(f.integer({ min: 1, max: 31 })),
    lastRefillAt: z.optional(timestamp("When the key was last refilled, or created.")),
  }),
);

export const extendedRatelimit = lazily(() =>
  z.extend(ratelimit(), {
    refillRate: f.described(f.integer({ min: 1 }), "Equals `limit`."),
    refillInterval: f.described(f.integer({ min: 1 }), "Equals `duration`."),
  }),
);

/** A key record with the members that the quirk `extra-fields` adds. */
const extendedKeyRecord = lazily(() =>
  f.described(
    z.extend(keyRecord, {
      refill: z.optional(extendedRefill()),
      ratelimit: z.optional(extendedRatelimit()),
      environment: z.optional(f.text()),
    }),
    { id: "KeyRecord", description: "A key as a list returns it." },
  ),
);

export function keyRecordWith(quirks: Quirks): typeof keyRecord {
  // The extended record has all members of the plain one, so the types of the plain one fit.
  return quirks.has("extra-fields")
    ? (extendedKeyRecord() as unknown as typeof keyRecord)
    : keyRecord;
}

/** The part of a workspace that a key record is made from. A public workspace has it too. */
interface ShownWorkspace extends WithRoles, Pick<Workspace, "id" | "quirks"> {
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
  const record = toDocumentedRecord(workspace, key, decrypt);
  if (!quirks.has("extra-fields")) return record;
  const more: object = {
    refill: key.refill && toExtendedRefill(key.refill),
    ratelimit: toExtendedRatelimit(key, quirks.has("async-false")),
    environment: key.environment,
  };
  return { ...record, ...more };
}

/** The record of a key without the quirk `extra-fields`. */
export function toDocumentedRecord(
  workspace: ShownWorkspace,
  key: Key,
  decrypt: boolean,
): KeyRecord {
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
    ratelimit: toRatelimit(key, workspace.quirks.has("async-false")),
    roles: [...key.roles],
    permissions: permissionsOf(workspace, key),
    enabled: key.enabled,
    plaintext: decrypt ? key.plaintext : undefined,
    identity: toIdentity(workspace, key),
  };
}

/** The members are in the order of the interface. */
export function toIdentity({ identities }: Pick<ShownWorkspace, "identities">, key: Key) {
  const found = identities.get(key.identityId);
  return found && { id: found.id, externalId: found.externalId, meta: found.meta };
}

type StoredRefill = NonNullable<Key["refill"]>;

/** Only the members that the interface documents. */
function toRefill({ amount, interval, refillDay }: StoredRefill): KeyRecord["refill"] {
  return { interval, amount, refillDay };
}

/** A refill with members that the interface does not document. */
export function toExtendedRefill({
  amount,
  interval,
  lastRefillAt,
  refillDay,
}: StoredRefill): z.infer<ReturnType<typeof extendedRefill>> {
  return { interval, amount, refillDay: refillDay ?? null, lastRefillAt };
}

/** v1 knows only the rate limit called `default`. */
function toRatelimit(
  { ratelimits }: Pick<Key, "ratelimits">,
  isAsyncFalse: boolean,
): KeyRecord["ratelimit"] {
  const ratelimit = defaultRatelimit(ratelimits);
  if (ratelimit === undefined) return undefined;
  const { async = true, limit, duration } = ratelimit;
  return { async: async && !isAsyncFalse, limit, duration };
}

export function toExtendedRatelimit(
  key: Pick<Key, "ratelimits">,
  isAsyncFalse: boolean,
): z.infer<ReturnType<typeof extendedRatelimit>> | undefined {
  const ratelimit = toRatelimit(key, isAsyncFalse);
  if (ratelimit === undefined) return undefined;
  const { duration, limit } = ratelimit;
  return { ...ratelimit, refillRate: limit, refillInterval: duration };
}
