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
import { MAX_KEYSPACE_ID } from "../../schema/id.ts";
import { lazily } from "../../base/lazily.ts";
import { meta } from "../../schema/meta.ts";
import { defineContract, MAX_ITEMS } from "../operation.ts";
import { timestamp } from "../../store/vocabulary.ts";
import { verificationCodes } from "../v1/verify-key.ts";
import { identity, ratelimit } from "./key-record.ts";

/** The service ignores members of an item that it does not know, unlike those of other objects. */
const limitToCheck = lazily(() =>
  objectOf({
    name: text({ min: 3, max: 255 }).register(docs, { description: "The name of the rate limit." }),
    cost: z.optional(
      integer({ min: 0 }).register(docs, {
        description: "How many uses the verification counts as. 0 only checks. Default: 1.",
      }),
    ),
    limit: z.optional(
      integer({ min: 0 }).register(docs, {
        description: "With `duration`: a limit for this call only, which the key need not have.",
      }),
    ),
    duration: z.optional(
      integer({ min: 1000 }).register(docs, { description: "With `limit`: the window (ms)." }),
    ),
  }).register(docs, { id: "RatelimitToCheck", description: "A rate limit to check." }),
);

const MAX_COST = 1_000_000_000_000;

const keyspaceId = lazily(() => text({ min: 1, max: MAX_KEYSPACE_ID }));

const verifyKeyBody = lazily(() =>
  closedObjectOf({
    key: text({ min: 1, max: 512 }).register(docs, { description: "The key value to verify." }),
    keyspaces: z.optional(
      listOf(keyspaceId(), "ids of keyspaces", { min: 1, max: 5 }).register(docs, {
        description: "Keys of other keyspaces than these are answered `NOT_FOUND`.",
      }),
    ),
    tags: z.optional(
      listOf(text({ min: 1, max: 512 }), "tags", { max: 20 }).register(docs, {
        description: "Accepted, and without effect.",
      }),
    ),
    permissions: z.optional(
      text({ min: 1, max: 1000 }).register(docs, {
        description: "What permissions the key needs, like `docs.read AND (a OR b)`.",
      }),
    ),
    credits: z.optional(
      closedObjectOf({
        cost: integer({ min: 0, max: MAX_COST }).register(docs, {
          description: "How many uses to take. 0 takes none. Without `credits`: 1.",
        }),
      }),
    ),
    ratelimits: z.optional(
      listOf(limitToCheck(), "rate limits", { max: MAX_ITEMS }).register(docs, {
        description: "Rate limits to check beside those that apply by themselves.",
      }),
    ),
    migrationId: z.optional(
      text({ max: 256 }).register(docs, { description: "Accepted, and without effect." }),
    ),
  }).register(docs, {
    id: "VerifyKeyBody",
    description: "The key value to verify, and what it has to fulfil.",
    examples: [{ key: "test_3ZhLbSmYt2Wc9wHVX1xqhk" }],
  }),
);

const checkedLimit = lazily(() =>
  z
    .extend(ratelimit(), {
      exceeded: flag().register(docs, { description: "Whether this limit refused." }),
      limit: integer({ min: 0 }),
      remaining: integer({ min: 0 }).register(docs, { description: "Uses left in the window." }),
      reset: timestamp("When the window ends."),
    })
    .register(docs, { id: "CheckedRatelimit", description: "A rate limit that was checked." }),
);

const verifyKeyResult = lazily(() =>
  objectOf({
    data: objectOf({
      code: choice(verificationCodes).register(docs, { description: "The outcome." }),
      credits: z.optional(
        integer({ min: 0 }).register(docs, { description: "Uses left, if they are limited." }),
      ),
      enabled: z.optional(flag()),
      expires: z.optional(timestamp("When the key expires.")),
      identity: z.optional(identity()),
      keyId: z.optional(text().register(docs, { description: "Absent if no key has the value." })),
      keyspaceId: z.optional(
        text().register(docs, { description: "The id of the keyspace of its API." }),
      ),
      meta: z.optional(meta),
      name: z.optional(text()),
      permissions: z.optional(listOf(text(), "permission names")),
      ratelimits: z.optional(
        listOf(checkedLimit(), "rate limits").register(docs, {
          description: "Those that were checked; absent if an earlier check refused.",
        }),
      ),
      roles: z.optional(listOf(text(), "role names")),
      valid: flag().register(docs, { description: "Whether the code is `VALID`." }),
    }),
  }).register(docs, { id: "VerifyKeyResult", description: "The outcome of the verification." }),
);

export const verifyKey = defineContract({
  version: "v2",
  name: "keys.verifyKey",
  method: "POST",
  path: "/v2/keys.verifyKey",
  summary: "Verify a key",
  description:
    "Tells whether a key value is valid, and counts the use. A key that is not valid, or that the token may not verify, is answered 200 with another code than `VALID`.",
  input: verifyKeyBody,
  output: verifyKeyResult,
});

export type VerifyKeyBody = z.output<ReturnType<typeof verifyKeyBody>>;
export type VerifyKeyData = z.input<ReturnType<typeof verifyKeyResult>>["data"];
