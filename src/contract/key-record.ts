import * as z from "zod/mini";
import {
  choice,
  described,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  text,
} from "../schema/fields.ts";
import { meta } from "../schema/meta.ts";
import type { Quirks } from "./quirks.ts";

/** Unix milliseconds: the interface leaves the unit open, the service counts milliseconds. */
export function timestamp(description: string) {
  return integer({ min: 0 }).register(docs, { description: `${description} Unix milliseconds.` });
}

const intervals = ["daily", "monthly"] as const;

/**
 * Refill as sent and as returned. Which of the two intervals allows `refillDay` is a rule of
 * `keys.createKey`, told after the API was found, so it is not part of the shape.
 */
export const refill = objectOf({
  interval: choice(intervals).register(docs, { description: "How often the key is refilled." }),
  amount: integer({ min: 1 }).register(docs, { description: "Uses that the key is refilled to." }),
  refillDay: z.optional(
    integer({ min: 1, max: 31 }).register(docs, {
      description: "Day of the month; for `monthly` only, where it is 1 unless given.",
    }),
  ),
}).register(docs, { id: "Refill", description: "When and how far `remaining` is filled up." });

/** Rate limit of a key as returned. */
export const ratelimit = objectOf({
  async: flag().register(docs, {
    description: "True for the type `fast`, false for `consistent`.",
  }),
  limit: integer({ min: 1 }).register(docs, { description: "Uses in one window." }),
  // Below 1000 where an older client sent it as `refillInterval`.
  duration: integer({ min: 1 }).register(docs, { description: "The window, in milliseconds." }),
}).register(docs, { id: "Ratelimit", description: "The rate limit of a key." });

const identity = objectOf({
  id: text().register(docs, { description: "Identity identifier." }),
  externalId: text().register(docs, { description: "The user's own identifier for it." }),
  meta: meta,
}).register(docs, { id: "Identity", description: "Whom a key belongs to." });

/**
 * A key as `apis.listKeys` returns it. The eight members that are not optional are always there;
 * every other is left out when unset and never null. The order is the order on the wire.
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
  remaining: z.optional(integer({ min: 0 }).register(docs, { description: "Remaining uses." })),
  refill: z.optional(refill),
  ratelimit: z.optional(ratelimit),
  roles: listOf(text(), "role names").register(docs, { description: "Names of its roles." }),
  permissions: listOf(text(), "permission names").register(docs, {
    description: "The key's own permissions, then those of its roles, each once.",
  }),
  enabled: flag().register(docs, { description: "False: listed all the same." }),
  plaintext: z.optional(
    text().register(docs, {
      description: "The key value; only with `decrypt`, only for a key created `recoverable`.",
    }),
  ),
  identity: z.optional(identity),
}).register(docs, { id: "KeyRecord", description: "A key as a list returns it." });

/** The same, with the members that the quirk `extra-fields` adds. */
const extendedKeyRecord = z
  .extend(keyRecord, {
    refill: z.optional(
      z.extend(refill, {
        refillDay: z.nullable(integer({ min: 1, max: 31 })),
        lastRefillAt: timestamp("When the key was last refilled, or created."),
      }),
    ),
    ratelimit: z.optional(
      z.extend(ratelimit, {
        refillRate: described(integer({ min: 1 }), "Equals `limit`."),
        refillInterval: described(integer({ min: 1 }), "Equals `duration`."),
      }),
    ),
    environment: z.optional(text()),
  })
  .register(docs, { id: "KeyRecord", description: "A key as a list returns it." });

/** What a list returns of a key. */
export function keyRecordWith(quirks: Quirks): typeof keyRecord {
  // It says more than the other, and what reads that may ignore it.
  return quirks.has("extra-fields")
    ? (extendedKeyRecord as unknown as typeof keyRecord)
    : keyRecord;
}

export type Ratelimit = z.infer<typeof ratelimit>;
export type Refill = z.infer<typeof refill>;
export type KeyRecord = z.infer<typeof keyRecord>;
