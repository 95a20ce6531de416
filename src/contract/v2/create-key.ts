import * as z from "zod/mini";
import {
  choice,
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
import { DEFAULT_KEY_BYTES } from "../../store/vocabulary.ts";
import { externalId, MAX_EXPIRES, meta, permissionName, roleName, word } from "./fields.ts";

export const refillInput = lazily(() =>
  closedObjectOf({
    interval: choice(["daily", "monthly"]).register(docs, {
      description: "How often the key is refilled.",
    }),
    amount: integer({ min: 1 }).register(docs, {
      description: "The number of uses after a refill.",
    }),
    refillDay: z.optional(
      integer({ min: 1, max: 31 }).register(docs, {
        description: "Day of the month. Needed for `monthly`, ignored for `daily`.",
      }),
    ),
  }).register(docs, { id: "RefillInput", description: "When and how far the uses are filled up." }),
);

const credits = lazily(() =>
  closedObjectOf({
    remaining: z.nullable(integer({ min: 0 })).register(docs, {
      description: "Uses left; null: any number.",
    }),
    refill: z.optional(refillInput()),
  }).register(docs, { id: "CreditsInput", description: "How often the key can be used." }),
);

/** The service ignores members of an item that it does not know, unlike those of other objects. */
export const ratelimitInput = lazily(() =>
  objectOf({
    name: text({ min: 3, max: 128 }).register(docs, { description: "Unique for the key." }),
    limit: integer({ min: 1 }).register(docs, { description: "Uses in one window." }),
    duration: integer({ min: 1000 }).register(docs, {
      description: "The window, in milliseconds.",
    }),
    autoApply: flag().register(docs, {
      description: "Whether every verification counts, or only one that names the limit.",
    }),
  }).register(docs, { id: "RatelimitInput", description: "A rate limit of the key." }),
);

/** The body of `keys.createKey`. */
const createKeyBody = lazily(() =>
  closedObjectOf({
    apiId: word({ min: 3, max: 255 }).register(docs, {
      description: "The API that the key belongs to.",
    }),
    prefix: z.optional(
      word({ min: 1, max: 16 }).register(docs, {
        description: "Put in front of the value with an underscore; default: the API's prefix.",
      }),
    ),
    name: z.optional(
      text({ min: 1, max: 255 }).register(docs, { description: "For a person to read." }),
    ),
    byteLength: z.optional(
      integer({ min: 16, max: 255 }).register(docs, {
        description: `Random bytes of the value; default: the API's, else ${DEFAULT_KEY_BYTES}.`,
      }),
    ),
    externalId: z.optional(
      externalId().register(docs, {
        description: "Links the key with an identity, which is created on first use.",
      }),
    ),
    meta: z.optional(meta()),
    roles: z.optional(
      listOf(roleName(), "role names", { max: 100 }).register(docs, {
        description: "Names of roles, which must exist.",
      }),
    ),
    permissions: z.optional(
      listOf(permissionName(), "permission names", { max: 1000 }).register(docs, {
        description: "Names of permissions; one that does not exist is created.",
      }),
    ),
    expires: z.optional(
      integer({ min: 0, max: MAX_EXPIRES }).register(docs, {
        description: "When the key expires. Unix milliseconds. 0 has passed, unlike in v1.",
      }),
    ),
    credits: z.optional(credits()),
    ratelimits: z.optional(
      listOf(ratelimitInput(), "rate limits", { max: 50 }).register(docs, {
        description: "Rate limits, by name.",
      }),
    ),
    enabled: z.optional(
      flag().register(docs, { description: "Whether the key works. Default: true." }),
    ),
    recoverable: z.optional(
      flag().register(docs, {
        description: "Stores the value encrypted, so that a list can return it. Default: false.",
      }),
    ),
  }).register(docs, {
    id: "CreateKeyBody",
    description: "The key to create.",
    examples: [{ apiId: "api_local", prefix: "test", name: "CI", meta: { team: "web" } }],
  }),
);

export const createKeyResult = lazily(() =>
  objectOf({
    data: objectOf({
      key: text().register(docs, { description: "The key value. It is shown only here." }),
      keyId: text().register(docs, { description: "Identifier of the new key." }),
    }),
  }).register(docs, { id: "CreateKeyResult", description: "The new key." }),
);

export const createKey = defineContract({
  version: "v2",
  name: "keys.createKey",
  method: "POST",
  path: "/v2/keys.createKey",
  summary: "Create a key",
  description:
    "Creates a key for an API and returns its value, which no later call shows unless the key is `recoverable`. Permissions and the identity that it names are created with it where they do not exist; roles must exist.",
  input: createKeyBody,
  output: createKeyResult,
});

export type CreateKeyBody = z.infer<ReturnType<typeof createKeyBody>>;
