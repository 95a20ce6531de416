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
} from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { meta } from "../../schema/meta.ts";
import { defineContract, MAX_ITEMS } from "../operation.ts";
import { timestamp } from "../../store/vocabulary.ts";

const cost = lazily(() => integer({ min: 0 }));

const limitToCheck = lazily(() =>
  objectOf({
    name: text({ min: 1 }).register(docs, { description: "The name of the rate limit." }),
    cost: z.optional(described(cost(), "How many uses the verification counts as. Default: 1.")),
    limit: z.optional(
      integer({ min: 0 }).register(docs, {
        description: "With `duration`: a limit for this call only, which the key need not have.",
      }),
    ),
    duration: z.optional(
      integer({ min: 1 }).register(docs, { description: "With `limit`: the window (ms)." }),
    ),
  }).register(docs, { id: "RatelimitToCheck", description: "A rate limit to check." }),
);

const verifyKeyBody = lazily(() =>
  objectOf({
    key: text({ min: 1 }).register(docs, { description: "The key value to verify." }),
    apiId: z.optional(
      text().register(docs, {
        description: "Refuses keys of other APIs with `FORBIDDEN`. Empty: not given.",
      }),
    ),
    tags: z.optional(
      listOf(text({ min: 1, max: 128 }), "tags", { max: 10 }).register(docs, {
        description: "Accepted, and without effect.",
      }),
    ),
    authorization: z.optional(
      objectOf({
        permissions: z.optional(
          z.unknown().register(docs, {
            description:
              'A permission name, `{ "and": [...] }` or `{ "or": [...] }` of these, nested at will.',
          }),
        ),
      }),
    ),
    remaining: z.optional(
      objectOf({
        cost: z.optional(described(cost(), "How many uses to take. 0 takes none. Default: 1.")),
      }),
    ),
    ratelimit: z.optional(
      objectOf({ cost: z.optional(described(cost(), "Accepted, and without effect.")) }),
    ),
    ratelimits: z.optional(
      listOf(limitToCheck(), "rate limits", { max: MAX_ITEMS }).register(docs, {
        description: "Rate limits to check beside those that apply by themselves.",
      }),
    ),
  }).register(docs, {
    id: "VerifyKeyBody",
    description: "The key value to verify, and what it has to fulfil.",
    examples: [{ key: "test_3ZhLbSmYt2Wc9wHVX1xqhk" }],
  }),
);

export const verificationCodes = [
  "VALID",
  "NOT_FOUND",
  "FORBIDDEN",
  "DISABLED",
  "EXPIRED",
  "INSUFFICIENT_PERMISSIONS",
  "RATE_LIMITED",
  "USAGE_EXCEEDED",
] as const;

const identity = lazily(() => objectOf({ id: text(), externalId: text(), meta }));

/** The order of the members is the order on the wire. */
const verifyKeyResult = lazily(() =>
  objectOf({
    keyId: z.optional(text().register(docs, { description: "Absent if no key has the value." })),
    valid: flag().register(docs, { description: "Whether the code is `VALID`." }),
    name: z.optional(text()),
    ownerId: z.optional(text()),
    meta: z.optional(meta),
    expires: z.optional(timestamp("When the key expires.")),
    remaining: z.optional(
      integer({ min: 0 }).register(docs, {
        description: "Uses left after this one; only if the check of uses was reached.",
      }),
    ),
    ratelimit: z.optional(
      objectOf({
        remaining: integer({ min: 0 }),
        limit: z.optional(integer({ min: 0 })),
        reset: timestamp("When the window ends."),
      }).register(docs, {
        description: "The rate limit that refused, else the first one that was checked.",
      }),
    ),
    enabled: z.optional(flag()),
    permissions: z.optional(listOf(text(), "permission names")),
    roles: z.optional(listOf(text(), "role names")),
    environment: z.optional(text()),
    code: choice(verificationCodes).register(docs, { description: "The outcome." }),
    identity: z.optional(identity()),
    requestId: text(),
  }).register(docs, { id: "VerifyKeyResult", description: "The outcome of the verification." }),
);

export const verifyKey = defineContract({
  name: "keys.verifyKey",
  method: "POST",
  path: "/v1/keys.verifyKey",
  isOpen: true,
  summary: "Verify a key",
  description:
    "Tells whether a key value is valid, and counts the use. It needs no token. A key that is not valid is answered 200 with another code than `VALID`.",
  input: verifyKeyBody,
  output: verifyKeyResult,
  errors: ["BAD_REQUEST", "FORBIDDEN", "INTERNAL_SERVER_ERROR"],
});

export type VerifyKeyBody = z.output<ReturnType<typeof verifyKeyBody>>;
export type VerifyKeyResult = z.input<ReturnType<typeof verifyKeyResult>>;
export type VerificationCode = (typeof verificationCodes)[number];
