import * as z from "zod/mini";
import { docs, flag, integer, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { meta } from "../../schema/meta.ts";
import { defineContract, MAX_ITEMS } from "../operation.ts";
import { plainRatelimit } from "../../store/limits/ratelimits.ts";
import { refill } from "../../store/vocabulary.ts";

/** A role or permission that a call names. */
export const namedItem = lazily(() =>
  objectOf({
    id: z.optional(text({ min: 3 }).register(docs, { description: "Its identifier." })),
    name: z.optional(text({ min: 1 }).register(docs, { description: "Its name." })),
    create: z.optional(
      flag().register(docs, { description: "Whether to create it if it does not exist." }),
    ),
  }).register(docs, {
    id: "NamedItem",
    description: "A role or permission, by its id or its name.",
  }),
);

/** Members that are left out stay as they are; null clears a member. */
const updateKeyBody = lazily(() =>
  objectOf({
    keyId: text().register(docs, { description: "Identifier of the key." }),
    name: z.optional(z.nullable(text({ max: 256 }))),
    ownerId: z.optional(
      z.nullable(text({ max: 256 })).register(docs, {
        deprecated: true,
        description: "The older name of `externalId`, which wins when both are sent.",
      }),
    ),
    externalId: z.optional(
      z.nullable(text({ max: 256 })).register(docs, {
        description: "Links the key with an identity, which is created on first use.",
      }),
    ),
    meta: z.optional(z.nullable(meta)),
    expires: z.optional(
      z.nullable(integer()).register(docs, {
        description: "When the key expires; 0 or null: never. Unix milliseconds.",
      }),
    ),
    remaining: z.optional(
      z.nullable(integer()).register(docs, {
        description: "Uses left; null: any number.",
      }),
    ),
    refill: z.optional(z.nullable(refill)),
    ratelimit: z.optional(
      z.nullable(
        objectOf({
          ...plainRatelimit.shape,
          duration: z.optional(
            integer({ min: 1 }).register(docs, { description: "The window, in milliseconds." }),
          ),
        }).register(docs, { id: "RatelimitChange", description: "The rate limit of the key." }),
      ),
    ),
    enabled: z.optional(flag().register(docs, { description: "Whether the key works." })),
    roles: z.optional(
      listOf(namedItem(), "roles", { max: MAX_ITEMS }).register(docs, {
        description: "Its roles, in place of all others.",
      }),
    ),
    permissions: z.optional(
      listOf(namedItem(), "permissions", { max: MAX_ITEMS }).register(docs, {
        description: "Its own permissions, in place of all others.",
      }),
    ),
  }).register(docs, { id: "UpdateKeyBody", description: "The members to change." }),
);

export const updateKey = defineContract({
  name: "keys.updateKey",
  method: "POST",
  path: "/v1/keys.updateKey",
  summary: "Change a key",
  description: "Changes the members that are sent; null clears a member.",
  input: updateKeyBody,
  output: () => objectOf({}),
});

export type UpdateKeyBody = z.output<ReturnType<typeof updateKeyBody>>;
