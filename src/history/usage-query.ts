import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import { choice, described, docs, integer, objectOf, text } from "../schema/fields.ts";
import type { Time } from "../store/clock.ts";
import { time } from "../store/vocabulary.ts";

/** Which verifications to count. Default: those of all keys, of the last 30 days. */
export interface UsageQuery {
  /** Only keys of this API. */
  readonly apiId?: string | undefined;
  /** Only this key. */
  readonly keyId?: string | undefined;
  /** Only keys of this owner. */
  readonly externalId?: string | undefined;
  /** How many days, up to 90. Default: 30. */
  readonly days?: number | undefined;
  /** A time of the last day, like `2026-01-31` or `1d ago`. Default: now, by the emulator's clock. */
  readonly until?: Time | undefined;
  /** Also lists who used most: keys, or owners. */
  readonly by?: "key" | "externalId" | undefined;
  /** With `by`: how many to list, up to 1,000. Default: 10. */
  readonly limit?: number | undefined;
}

/** The bounds of the numbers. */
export const bounds = { days: { min: 1, max: 90 }, limit: { min: 1, max: 1_000 } } as const;

/** What the members mean, for the documents. */
export const about = {
  apiId: "Only keys of this API.",
  keyId: "Only this key.",
  externalId: "Only keys of this owner.",
  days: "How many days. Default: 30.",
  until: "A time of the last day, like `2026-01-31` or `1d ago`. Default: now.",
  by: "Also lists who used most: keys, or owners.",
  limit: "With `by`: how many to list. Default: 10.",
} as const satisfies Record<keyof UsageQuery, string>;

export const usageQuery = lazily(() =>
  objectOf({
    apiId: z.optional(described(text({ min: 1 }), about.apiId)),
    keyId: z.optional(described(text({ min: 1 }), about.keyId)),
    externalId: z.optional(described(text({ min: 1 }), about.externalId)),
    days: z.optional(integer(bounds.days).register(docs, { description: about.days })),
    until: z.optional(time(about.until)),
    by: z.optional(choice(["key", "externalId"]).register(docs, { description: about.by })),
    limit: z.optional(integer(bounds.limit).register(docs, { description: about.limit })),
  }),
);
