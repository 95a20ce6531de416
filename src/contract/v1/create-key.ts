import * as z from "zod/mini";
import { operationErrors } from "../errors.ts";
import {
  described,
  docs,
  choice,
  flag,
  integer,
  listOf,
  objectOf,
  text,
} from "../../schema/fields.ts";
import { isRecord } from "../../base/is-record.ts";
import { refill, timestamp } from "./key-record.ts";
import { meta } from "../../schema/meta.ts";
import { defineContract, MAX_ITEMS } from "../operation.ts";
import { EXPECTED_USES } from "./refill-rules.ts";

/** Random bytes of a key value when neither the request nor the API names a number. */
export const DEFAULT_KEY_BYTES = 16;

/** The name of a role or permission, in a body or a fixture. */
export const roleOrPermissionName = text({ min: 1, max: 512 });

export const MAX_PREFIX = 16;
export const prefix = text({ max: MAX_PREFIX });
export const byteLength = integer({ min: 16, max: 255 });

/**
 * The rate limit of a new key. Clients up to 0.19 can only send `type`, `limit`, `refillRate` and
 * `refillInterval`; later ones send `async`, `limit` and `duration`.
 */
export const ratelimitMembers = {
  async: z.optional(
    flag().register(docs, {
      description:
        "True: uses are counted at the edge, which is fast. False: uses are counted in one place, which is consistent. Wins over `type`. Default: true.",
    }),
  ),
  type: z.optional(
    choice(["fast", "consistent"]).register(docs, {
      deprecated: true,
      description: "The older spelling of `async`: `fast` is true, `consistent` is false.",
    }),
  ),
  limit: integer({ min: 1 }).register(docs, { description: "Uses in one window." }),
  duration: z.optional(
    integer({ min: 1000 }).register(docs, {
      description: "The window, in milliseconds. Needed, unless `refillInterval` is given.",
    }),
  ),
  refillRate: z.optional(
    integer({ min: 1 }).register(docs, {
      deprecated: true,
      description: "Older clients send it. It has no effect.",
    }),
  ),
  refillInterval: z.optional(
    integer({ min: 1 }).register(docs, {
      deprecated: true,
      description: "The older spelling of `duration`, which wins when both are sent.",
    }),
  ),
};

const ratelimitInput = objectOf(ratelimitMembers)
  .check(
    z.refine(hasWindow, {
      path: ["duration"],
      error: "expected an integer of at least 1000, or a `refillInterval` of at least 1 instead",
      // By default zod skips this check if a member has the wrong type. With `when`, one refusal
      // reports all problems.
      when: ({ value }) => isRecord(value),
    }),
  )
  .register(docs, {
    id: "RatelimitInput",
    description: "The rate limit of a new key. It needs one of `duration` and `refillInterval`.",
  });

function hasWindow(ratelimit: { readonly duration?: unknown; readonly refillInterval?: unknown }) {
  return ratelimit.duration !== undefined || ratelimit.refillInterval !== undefined;
}

/** The roles and permissions of a new key. */
export function grantedNames(size: { readonly max?: number } = {}) {
  return {
    roles: z.optional(
      listOf(roleOrPermissionName, "role names", size).register(docs, {
        description: "Names of roles; one that does not exist is created.",
      }),
    ),
    permissions: z.optional(
      listOf(roleOrPermissionName, "permission names", size).register(docs, {
        description: "Names of permissions; one that does not exist is created.",
      }),
    ),
  };
}

/**
 * The body of `keys.createKey`. The published documentation of the service names no bounds, defaults
 * or required members. The bounds here are those that the live service enforced, and only `apiId` is
 * required.
 */
export const createKeyBody = objectOf({
  // May be empty: the service then answers that it has no such API.
  apiId: text().register(docs, { description: "The API that the key belongs to." }),
  prefix: z.optional(
    described(prefix, "Put in front of the value with an underscore; default: the API's prefix."),
  ),
  name: z.optional(text({ max: 256 }).register(docs, { description: "For a person to read." })),
  byteLength: z.optional(
    described(
      byteLength,
      `Random bytes of the value; default: the API's, else ${DEFAULT_KEY_BYTES}.`,
    ),
  ),
  ownerId: z.optional(
    text({ max: 256 }).register(docs, {
      description: "Used as `externalId` where that is not given. Empty: not given.",
    }),
  ),
  externalId: z.optional(
    text({ max: 256 }).register(docs, {
      description:
        "Links the key with an identity, which is created on first use. Empty: not given.",
    }),
  ),
  meta: z.optional(meta),
  ...grantedNames({ max: MAX_ITEMS }),
  expires: z.optional(timestamp("When the key expires; 0: never.")),
  // 0 is allowed here, because the service refuses it only after it has found the API:
  // `remainingProblems` does.
  remaining: z.optional(
    z
      .int({ error: EXPECTED_USES })
      .check(z.minimum(0, { error: EXPECTED_USES }))
      .register(docs, { minimum: 1, description: "Uses left." }),
  ),
  refill: z.optional(refill),
  ratelimit: z.optional(ratelimitInput),
  enabled: z.optional(
    flag().register(docs, { description: "Whether the key works. Default: true." }),
  ),
  recoverable: z.optional(
    flag().register(docs, {
      description: "Stores the value encrypted, so that a list can return it. Default: false.",
    }),
  ),
  environment: z.optional(
    text({ max: 256 }).register(docs, {
      description: "Stored with the key. Lists show it only with the quirk `extra-fields`.",
    }),
  ),
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
