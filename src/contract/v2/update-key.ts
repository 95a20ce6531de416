import * as z from "zod/mini";
import {
  closedObjectOf,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  text,
} from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { defineContract } from "../operation.ts";
import { ratelimitInput, refillInput } from "./create-key.ts";
import { externalId, keyId, MAX_EXPIRES, meta, permissionName, roleName } from "./fields.ts";

const credits = lazily(() =>
  closedObjectOf({
    remaining: z.optional(
      z.nullable(integer({ min: 0 })).register(docs, {
        description: "Uses left; null: any number, and no refill.",
      }),
    ),
    refill: z.optional(z.nullable(refillInput())),
  }).register(docs, { id: "CreditsChange", description: "How often the key can be used." }),
);

/** Members that are left out stay as they are; null clears a member. */
const updateKeyBody = lazily(() =>
  closedObjectOf({
    keyId: keyId(),
    name: z.optional(z.nullable(text({ min: 1, max: 255 }))),
    externalId: z.optional(
      z.nullable(externalId()).register(docs, {
        description: "Links the key with an identity, which is created on first use.",
      }),
    ),
    meta: z.optional(z.nullable(meta())),
    expires: z.optional(
      z.nullable(integer({ min: 0, max: MAX_EXPIRES })).register(docs, {
        description: "When the key expires. Unix milliseconds.",
      }),
    ),
    credits: z.optional(z.nullable(credits())),
    ratelimits: z.optional(
      z.nullable(listOf(ratelimitInput(), "rate limits", { max: 50 })).register(docs, {
        description: "Its rate limits, in place of all others; null: none.",
      }),
    ),
    enabled: z.optional(flag().register(docs, { description: "Whether the key works." })),
    roles: z.optional(
      listOf(roleName(), "role names", { max: 100 }).register(docs, {
        description: "Its roles, in place of all others. They must exist.",
      }),
    ),
    permissions: z.optional(
      listOf(permissionName(), "permission names", { max: 1000 }).register(docs, {
        description: "Its own permissions, in place of all others; missing ones are created.",
      }),
    ),
  }).register(docs, { id: "UpdateKeyBody", description: "The members to change." }),
);

export const updateKey = defineContract({
  version: "v2",
  name: "keys.updateKey",
  method: "POST",
  path: "/v2/keys.updateKey",
  summary: "Change a key",
  description: "Changes the members that are sent; null clears a member.",
  input: updateKeyBody,
  output: () => objectOf({ data: objectOf({}) }),
});

export type UpdateKeyBody = z.output<ReturnType<typeof updateKeyBody>>;
