import * as z from "zod/mini";
import { described, docs, flag, integer, listOf, objectOf, text } from "../../schema/fields.ts";
import { meta } from "../../schema/meta.ts";
import { refill, timestamp } from "../../store/vocabulary.ts";
import type { Quirks } from "../quirks.ts";

/** Rate limit of a key as returned. */
const ratelimit = objectOf({
  async: flag().register(docs, {
    description: "True for the type `fast`, false for `consistent`.",
  }),
  limit: integer({ min: 1 }).register(docs, { description: "Uses in one window." }),
  // Below 1000 if it was sent as `refillInterval`, for which 1 is allowed.
  duration: integer({ min: 1 }).register(docs, { description: "The window, in milliseconds." }),
}).register(docs, { id: "Ratelimit", description: "The rate limit of a key." });

const identity = objectOf({
  id: text().register(docs, { description: "Identity identifier." }),
  externalId: text().register(docs, { description: "The user's own identifier for it." }),
  meta: meta,
}).register(docs, { id: "Identity", description: "The user or machine that a key belongs to." });

/**
 * A key as `apis.listKeys` returns it. Optional members are left out when unset, and are never
 * null. The order of the members is the order on the wire.
 */
export const keyRecord = objectOf({
  id: text().register(docs, { description: "Key identifier." }),
  start: text().register(docs, { description: "Leading characters of the key value." }),
  workspaceId: text().register(docs, { description: "The workspace that owns the key." }),
  apiId: text().register(docs, { description: "The API that the key belongs to." }),
  name: z.optional(text().register(docs, { description: "For a person to read." })),
  ownerId: z.optional(text().register(docs, { description: "Same concept as `externalId`." })),
  meta: z.optional(meta),
  createdAt: timestamp("When the key was created."),
  updatedAt: z.optional(timestamp("When the key last changed; absent until it does.")),
  expires: z.optional(timestamp("When the key expires.")),
  // Below 0 after `keys.updateRemaining` of v1.
  remaining: z.optional(integer().register(docs, { description: "Remaining uses." })),
  refill: z.optional(refill),
  ratelimit: z.optional(ratelimit),
  roles: listOf(text(), "role names").register(docs, { description: "Names of its roles." }),
  permissions: listOf(text(), "permission names").register(docs, {
    description: "The key's own permissions, then those of its roles, each once.",
  }),
  enabled: flag().register(docs, {
    description: "Whether the key works. Disabled keys are listed too.",
  }),
  plaintext: z.optional(
    text().register(docs, {
      description: "The key value; only with `decrypt`, only for a key created `recoverable`.",
    }),
  ),
  identity: z.optional(identity),
}).register(docs, { id: "KeyRecord", description: "A key as a list returns it." });

/** A refill with members that the interface does not document. */
export const extendedRefill = z.extend(refill, {
  refillDay: z.nullable(integer({ min: 1, max: 31 })),
  lastRefillAt: z.optional(timestamp("When the key was last refilled, or created.")),
});

/** A rate limit with members that the interface does not document. */
export const extendedRatelimit = z.extend(ratelimit, {
  refillRate: described(integer({ min: 1 }), "Equals `limit`."),
  refillInterval: described(integer({ min: 1 }), "Equals `duration`."),
});

/** A key record with the members that the quirk `extra-fields` adds. */
const extendedKeyRecord = z
  .extend(keyRecord, {
    refill: z.optional(extendedRefill),
    ratelimit: z.optional(extendedRatelimit),
    environment: z.optional(text()),
  })
  .register(docs, { id: "KeyRecord", description: "A key as a list returns it." });

/** The schema of a key in a list, with or without the quirk `extra-fields`. */
export function keyRecordWith(quirks: Quirks): typeof keyRecord {
  // The extended record has all members of the plain one, so callers can read it as that.
  return quirks.has("extra-fields")
    ? (extendedKeyRecord as unknown as typeof keyRecord)
    : keyRecord;
}

export type KeyRecord = z.infer<typeof keyRecord>;
export type ExtendedRefill = z.infer<typeof extendedRefill>;
export type ExtendedRatelimit = z.infer<typeof extendedRatelimit>;
