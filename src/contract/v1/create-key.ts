import * as z from "zod/mini";
import { operationErrors } from "../errors.ts";
import { docs, objectOf, text } from "../../schema/fields.ts";
import { keyInit } from "../../store/key.ts";
import { grantedNames, refill } from "../../store/vocabulary.ts";
import { defineContract, MAX_ITEMS } from "../operation.ts";
import { EXPECTED_USES } from "./refill-rules.ts";

const { byteLength, enabled, environment, expires, externalId } = keyInit.shape;
const { meta, name, ownerId, prefix, ratelimit, recoverable } = keyInit.shape;

/**
 * The body of `keys.createKey`. The published documentation of the service names no bounds, defaults
 * or required members. The bounds here are those that the live service enforced, and only `apiId` is
 * required.
 */
const createKeyBody = objectOf({
  // May be empty: the service then answers that it has no such API.
  apiId: text().register(docs, { description: "The API that the key belongs to." }),
  prefix,
  name,
  byteLength,
  ownerId,
  externalId,
  meta,
  ...grantedNames({ max: MAX_ITEMS }),
  expires,
  // 0 is allowed here, because the service refuses it only after it has found the API:
  // `remainingProblems` does.
  remaining: z.optional(
    z
      .int({ error: EXPECTED_USES })
      .check(z.minimum(0, { error: EXPECTED_USES }))
      .register(docs, { minimum: 1, description: "Uses left." }),
  ),
  refill: z.optional(refill),
  ratelimit,
  enabled,
  recoverable,
  environment,
}).register(docs, {
  id: "CreateKeyBody",
  description: "The key to create.",
  examples: [{ apiId: "api_local", prefix: "test", name: "CI", meta: { team: "web" } }],
});

export const createKeyResult = objectOf({
  keyId: text().register(docs, { description: "Identifier of the new key." }),
  key: text().register(docs, { description: "The key value. It is shown only here." }),
}).register(docs, {
  id: "CreateKeyResult",
  description: "The new key.",
  examples: [{ keyId: "key_1Gkhd5S6xJwpqYJ3", key: "test_3ZhLbSmYt2Wc9wHVX1xqhk" }],
});

export const createKey = defineContract({
  name: "keys.createKey",
  method: "POST",
  path: "/v1/keys.createKey",
  summary: "Create a key",
  description:
    "Creates a key for an API and returns its value, which no later call shows unless the key is `recoverable`. Roles, permissions and the identity that it names are created with it where they do not exist.",
  input: () => createKeyBody,
  output: () => createKeyResult,
  errors: operationErrors,
});

export type CreateKeyResult = z.infer<typeof createKeyResult>;
export type CreateKeyBody = z.infer<typeof createKeyBody>;
