import * as z from "zod/mini";
import { choice, docs, flag, integer, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { meta as anyMeta } from "../../schema/meta.ts";
import { timestamp } from "../../store/vocabulary.ts";

export const refill = lazily(() =>
  objectOf({
    amount: integer({ min: 1 }).register(docs, {
      description: "The number of uses after a refill.",
    }),
    interval: choice(["daily", "monthly"]),
    refillDay: z.optional(
      integer({ min: 1, max: 31 }).register(docs, { description: "Only for `monthly`." }),
    ),
  }).register(docs, { id: "Refill", description: "When and how far the uses are filled up." }),
);

const credits = lazily(() =>
  objectOf({
    refill: z.optional(refill()),
    remaining: integer({ min: 0 }).register(docs, { description: "Uses left." }),
  }).register(docs, { id: "Credits", description: "How often the key can still be used." }),
);

export const ratelimit = lazily(() =>
  objectOf({
    autoApply: flag().register(docs, {
      description: "Whether every verification counts, or only one that names the limit.",
    }),
    // Below 1000 if it was sent to v1 as `refillInterval`, for which 1 is allowed.
    duration: integer({ min: 1 }).register(docs, { description: "The window, in milliseconds." }),
    id: text().register(docs, { description: "Identifier of the rate limit." }),
    limit: integer({ min: 1 }).register(docs, { description: "Uses in one window." }),
    name: text().register(docs, { description: "Unique for the key or identity." }),
  }).register(docs, { id: "Ratelimit", description: "A rate limit of a key or an identity." }),
);

export const identity = lazily(() =>
  objectOf({
    externalId: text().register(docs, { description: "The user's own identifier for it." }),
    id: text().register(docs, { description: "Identity identifier." }),
    meta: z.optional(anyMeta),
    ratelimits: z.optional(listOf(ratelimit(), "rate limits")),
  }).register(docs, { id: "Identity", description: "The user or machine that a key belongs to." }),
);

/**
 * A key as v2 returns it. Optional members are left out when unset or empty, and are never null. The
 * order of the members is the order on the wire.
 */
export const keyRecord = lazily(() =>
  objectOf({
    createdAt: timestamp("When the key was created."),
    credits: z.optional(credits()),
    enabled: flag().register(docs, {
      description: "Whether the key works. Disabled keys are listed too.",
    }),
    expires: z.optional(timestamp("When the key expires.")),
    identity: z.optional(identity()),
    keyId: text().register(docs, { description: "Key identifier." }),
    lastUsedAt: z.optional(timestamp("When the key was last verified.")),
    meta: z.optional(anyMeta),
    name: z.optional(text().register(docs, { description: "For a person to read." })),
    permissions: z.optional(
      listOf(text(), "permission names").register(docs, {
        description: "The key's own permissions, then those of its roles, each once.",
      }),
    ),
    plaintext: z.optional(
      text().register(docs, {
        description: "The key value; only with `decrypt`, only for a key created `recoverable`.",
      }),
    ),
    ratelimits: z.optional(
      listOf(ratelimit(), "rate limits").register(docs, {
        description: "The key's own rate limits. Those of its identity are in `identity`.",
      }),
    ),
    roles: z.optional(listOf(text(), "role names").register(docs, { description: "Its roles." })),
    start: text().register(docs, { description: "Leading characters of the key value." }),
    updatedAt: z.optional(timestamp("When the key last changed; absent until it does.")),
  }).register(docs, { id: "KeyRecord", description: "A key as a list returns it." }),
);

export type KeyRecord = z.infer<ReturnType<typeof keyRecord>>;
