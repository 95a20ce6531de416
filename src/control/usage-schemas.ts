import * as z from "zod/mini";
import { outcomes } from "../contract/outcomes.ts";
import { about, bounds, usageQuery } from "../history/usage-query.ts";
import { described, docs, integer, listOf, objectOf, text } from "../schema/fields.ts";
import { queryInteger } from "./query-fields.ts";

/** The members of a query are text. `usageOf` reads the time, which counts from the emulator's clock. */
export const usageParameters = z.extend(usageQuery(), {
  days: z.optional(queryInteger(bounds.days, about.days)),
  limit: z.optional(queryInteger(bounds.limit, about.limit)),
  until: z.optional(described(text({ min: 1 }), about.until)),
});

const count = integer({ min: 0 });

const counted = {
  total: described(count, "All verifications, whatever their outcome."),
  outcomes: objectOf(
    Object.fromEntries(outcomes.map((outcome) => [outcome, z.optional(count)])),
  ).register(docs, { id: "Outcomes", description: "How often each outcome came." }),
};

const usageOfDay = objectOf({
  day: described(text(), "Like `2026-01-31`, in UTC."),
  ...counted,
}).register(docs, { id: "UsageOfDay", description: "The verifications of a day." });

const usageOfGroup = objectOf({
  keyId: z.optional(described(text(), "With `by=key`: the id of the key.")),
  externalId: z.optional(described(text(), "The owner; absent for keys without one.")),
  name: z.optional(
    described(text(), "The name of the key, or the `name` in the `meta` of the owner's identity."),
  ),
  keys: described(count, "How many keys were used."),
  ...counted,
}).register(docs, {
  id: "UsageOfGroup",
  description: "The verifications of a key, or of all keys of an owner.",
});

export const usageState = objectOf({
  days: described(
    listOf(usageOfDay, "days"),
    "Each day, the oldest first, also those without a verification.",
  ),
  groups: z.optional(
    described(listOf(usageOfGroup, "groups"), "With `by`: who used most, the busiest first."),
  ),
  ...counted,
}).register(docs, { id: "Usage", description: "How often keys were verified." });
