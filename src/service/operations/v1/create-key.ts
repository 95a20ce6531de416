import * as z from "zod/mini";
import { ApiError, badRequest } from "../../../api/errors.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { wireMessage } from "../../../schema/problems.ts";
import { quoted } from "../../../base/wording/text.ts";
import { keyInit } from "../../../state/keys/key.ts";
import { plainRatelimit } from "../../../state/limits/ratelimits.ts";
import { grantedNames, refill, timestamp } from "../../../state/vocabulary.ts";
import { refillProblems } from "../../../state/keys/key-problems.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about, MAX_ITEMS, newKeyMembers } from "../fields.ts";
import { onApi, operationOfV1, type Requirement } from "../operation.ts";
import { requireApi } from "./shared.ts";

const EXPECTED_USES = "expected an integer of at least 1";

/**
 * The service's documentation names no bounds, defaults or required members. These are the bounds that
 * the live service enforced. Only `apiId` is required.
 */
const createKeyBody = lazily(() => {
  const { byteLength, enabled, environment, externalId } = keyInit().shape;
  const { meta, name, ownerId, prefix, recoverable } = keyInit().shape;
  return f.described(
    f.objectOf({
      // It may be empty: the service then answers that there is no such API.
      apiId: f.described(f.text(), about.apiOfKey),
      prefix,
      name,
      byteLength,
      ownerId,
      externalId,
      meta,
      ...grantedNames({ max: MAX_ITEMS }),
      expires: z.optional(timestamp("When the key expires; 0: never.")),
      // 0 is allowed here, because the service looks up the API before it refuses 0 (`checkUses`).
      remaining: z.optional(
        f.described(f.integer({ min: 0, error: EXPECTED_USES }), {
          minimum: 1,
          description: about.uses,
        }),
      ),
      refill: z.optional(refill()),
      ratelimit: z.optional(plainRatelimit()),
      enabled,
      recoverable,
      environment,
    }),
    {
      id: "CreateKeyBody",
      description: "The key to create.",
      examples: [{ apiId: "api_local", prefix: "test", name: "CI", meta: { team: "web" } }],
    },
  );
});
type CreateKeyBody = z.output<ReturnType<typeof createKeyBody>>;

export const createKey = operationOfV1("keys.createKey", {
  summary: "Create a key",
  description:
    "Creates a key for an API and returns its value, which no later call shows unless the key is `recoverable`. Roles, permissions and the identity that it names are created with it where they do not exist.",
  input: createKeyBody,
  output: () =>
    f.described(f.objectOf(newKeyMembers()), {
      id: "CreateKeyResult",
      description: "The new key.",
      examples: [{ keyId: "key_1Gkhd5S6xJwpqYJ3", key: "test_3ZhLbSmYt2Wc9wHVX1xqhk" }],
    }),

  requires: ({ input }) => [onApi(input.apiId, "create_key")],

  /** The service checks in this order: the API, rules for the body, more permissions. */
  run({ demand, input, workspace }) {
    const { apiId, permissions, recoverable, roles } = input;
    const api = requireApi(workspace, apiId);
    if (recoverable && !api.storeEncryptedKeys) {
      throw new ApiError("PRECONDITION_FAILED", NO_ENCRYPTION);
    }
    checkUses(input);
    if (permissions !== undefined || roles !== undefined)
      demand(creationRequirements(workspace, input));
    if (recoverable) demand([onApi(apiId, "encrypt_key")]);
    // Only v1 of the service stores a first refill, at the time of creation.
    const lastRefillAt = workspace.clock.now();
    const refill = input.refill && { ...input.refill, lastRefillAt };
    const { record, value } = workspace.keys.issue({ ...input, refill }, "v1");
    return { keyId: record.id, key: value };
  },
});

/** The permissions to create roles and permissions of the key that do not exist yet. */
function creationRequirements(
  workspace: Workspace,
  { roles, permissions }: CreateKeyBody,
): Requirement[] {
  return [
    ...requirementToCreate("permission", workspace.permissions.missing(permissions)),
    ...requirementToCreate("role", workspace.roles.missing(roles)),
  ];
}

function requirementToCreate(
  noun: "permission" | "role",
  [name]: readonly string[],
): Requirement[] {
  if (name === undefined) return [];
  const because = `the ${noun} ${quoted(name)} does not exist yet`;
  return [{ oneOf: [`rbac.*.create_${noun}`], because }];
}

const NO_ENCRYPTION =
  "recoverable: the API does not store encrypted keys, so their values cannot be recovered";

/** A new key needs at least one use left. In a fixture 0 is valid: a key may be used up. */
function checkUses(input: CreateKeyBody): void {
  const problems = refillProblems(input);
  if (input.remaining === 0) {
    problems.unshift({ path: ["remaining"], expected: EXPECTED_USES, value: 0 });
  }
  if (problems.length > 0) throw badRequest(wireMessage(problems));
}
