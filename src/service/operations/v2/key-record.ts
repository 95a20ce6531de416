import * as z from "zod/mini";
import * as f from "../../../schema/fields.ts";
import { unlessEmpty } from "../../../base/json.ts";
import { lazily } from "../../../base/lazily.ts";
import { toWireMeta } from "../../../api/v2/json.ts";
import { identityMeta, meta } from "../../../schema/meta.ts";
import { type NamedRatelimit, ratelimitId } from "../../../state/limits/ratelimits.ts";
import type { Key } from "../../../state/keys/key.ts";
import type { Identity } from "../../../state/records/identities.ts";
import { refill as anyRefill, timestamp } from "../../../state/vocabulary.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about, identityMembers, shownMembers } from "../fields.ts";
import { permissionsOf } from "../keys.ts";
import { shownUses } from "../verification.ts";

export const refill = lazily(() =>
  f.component("Refill", "When and how far the uses are filled up.", {
    amount: anyRefill().shape.amount,
    interval: f.choice(["daily", "monthly"]),
    refillDay: f.optional(f.integer({ min: 1, max: 31 }), "Only for `monthly`."),
  }),
);

const credits = lazily(() =>
  f.component("Credits", "How often the key can still be used.", {
    refill: z.optional(refill()),
    remaining: f.described(f.integer({ min: 0 }), about.uses),
  }),
);

export const ratelimit = lazily(() =>
  f.component("Ratelimit", "A rate limit of a key or an identity.", {
    autoApply: f.described(f.flag(), about.autoApply),
    // Can be below 1000, because v1 accepts any `refillInterval` from 1.
    duration: f.described(f.integer({ min: 1 }), about.window),
    id: f.described(f.text(), "Identifier of the rate limit."),
    limit: f.described(f.integer({ min: 1 }), about.limit),
    name: f.described(f.text(), "Unique for the key or identity."),
  }),
);

export const identity = lazily(() => {
  const { externalId, id } = identityMembers();
  return f.component("Identity", "The user or machine that a key belongs to.", {
    externalId,
    id,
    meta: z.optional(identityMeta()),
    ratelimits: z.optional(f.listOf(ratelimit(), "rate limits")),
  });
});

/**
 * A key as v2 returns it. Optional members are left out when unset or empty, and are never null. The
 * order of the members is the order on the wire.
 */
export const keyRecord = lazily(() => {
  const { createdAt, enabled, expires, id, name, plaintext, start, updatedAt } = shownMembers();
  return f.component("KeyRecord", "A key as a list returns it.", {
    createdAt,
    credits: z.optional(credits()),
    enabled,
    expires,
    identity: z.optional(identity()),
    keyId: id,
    lastUsedAt: z.optional(timestamp("When the key was last verified.")),
    meta: z.optional(meta()),
    name,
    permissions: z.optional(
      f.described(f.listOf(f.text(), "permission names"), about.allPermissions),
    ),
    plaintext,
    ratelimits: f.optional(
      f.listOf(ratelimit(), "rate limits"),
      "The key's own rate limits. Those of its identity are in `identity`.",
    ),
    roles: f.optional(f.listOf(f.text(), "role names"), "Its roles."),
    start,
    updatedAt,
  });
});
export type KeyRecord = z.infer<ReturnType<typeof keyRecord>>;

/**
 * Converts a stored key to a record of v2, with its members in the order of the interface. Members
 * that are not set or empty do not appear in the JSON.
 * @param decrypt whether to include the key value of a recoverable key, as `plaintext`
 * @param isListed whether the record is for a list. Default: false
 */
export function toKeyRecord(
  workspace: Workspace,
  key: Key,
  { decrypt, isListed = false }: { readonly decrypt: boolean; readonly isListed?: boolean },
): KeyRecord {
  const owner = workspace.identities.get(key.identityId);
  const isOrphan = isListed && owner === undefined && key.identityId !== undefined;
  return {
    createdAt: key.createdAt,
    credits: toCredits(key),
    enabled: key.enabled,
    expires: key.expires || undefined,
    // As in the service, a list still shows the id of an identity that was deleted.
    identity: isOrphan ? { externalId: "", id: key.identityId } : owner && toIdentity(owner),
    keyId: key.id,
    lastUsedAt: key.lastUsedAt || undefined,
    meta: key.meta && shownMeta(key.meta),
    name: key.name || undefined,
    permissions: unlessEmpty(permissionsOf(workspace, key)),
    plaintext: decrypt ? key.plaintext : undefined,
    ratelimits: unlessEmpty(key.ratelimits.map((limit) => toRatelimit(key, limit))),
    roles: unlessEmpty([...key.roles]),
    start: key.start,
    updatedAt: key.updatedAt || undefined,
  };
}

/** Undefined for a key with unlimited uses. Unlike in v1, the uses left are never below 0. */
function toCredits(key: Key): KeyRecord["credits"] {
  const remaining = shownUses(key.remaining);
  if (remaining === undefined) return undefined;
  return { refill: key.refill && toRefill(key.refill), remaining };
}

/** v2 does not show the time of the last refill. */
export function toRefill({ amount, interval, refillDay }: NonNullable<Key["refill"]>) {
  return { amount, interval, refillDay };
}

/** @param isShown which rate limits to show. Default: all. */
export function toIdentity(
  owner: Identity,
  isShown: (limit: NamedRatelimit) => boolean = () => true,
): NonNullable<KeyRecord["identity"]> {
  const { externalId, id, ratelimits } = owner;
  const shown = ratelimits.filter(isShown).map((limit) => toRatelimit(owner, limit));
  return { externalId, id, meta: shownMeta(owner.meta), ratelimits: unlessEmpty(shown) };
}

function toRatelimit(owner: Identity | Key, shown: NamedRatelimit) {
  const { autoApply, duration, limit, name } = shown;
  return { autoApply, duration, id: ratelimitId(owner, shown), limit, name };
}

/** Undefined if it is empty. */
export function shownMeta(meta: NonNullable<Key["meta"]>): Key["meta"] {
  const shown = unlessEmpty(meta);
  return shown && toWireMeta(shown);
}
