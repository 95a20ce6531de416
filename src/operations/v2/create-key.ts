import * as z from "zod/mini";
import { closedObjectOf, docs, integer, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { keyInit } from "../../store/key.ts";
import { about, newKeyMembers } from "../fields.ts";
import { noEncryption, noKeyspace, unknownApi } from "../hints.ts";
import { operationOfV2 } from "../operation.ts";
import { onApi } from "../requirements.ts";
import {
  checkRefillDay,
  externalId,
  MAX_EXPIRES,
  meta,
  permissionNames,
  ratelimitList,
  refillInput,
  roleNames,
  word,
} from "./fields.ts";
import { refusals, refuse } from "./refusals.ts";
import { requireNamed } from "./require-named.ts";

const credits = lazily(() =>
  closedObjectOf({
    remaining: z.nullable(integer({ min: 0 })).register(docs, about.usesOrAny),
    refill: z.optional(refillInput()),
  }).register(docs, { id: "CreditsInput", description: "How often the key can be used." }),
);

/** The body of `keys.createKey`. */
const createKeyBody = lazily(() => {
  const { byteLength, enabled, recoverable } = keyInit().shape;
  return closedObjectOf({
    apiId: word({ min: 3, max: 255 }).register(docs, about.apiOfKey),
    prefix: z.optional(
      word({ min: 1, max: 16 }).register(docs, {
        description: "Put in front of the value with an underscore; default: the API's prefix.",
      }),
    ),
    name: z.optional(text({ min: 1, max: 255 }).register(docs, about.name)),
    byteLength,
    externalId: z.optional(externalId().register(docs, about.externalId)),
    meta: z.optional(meta()),
    roles: z.optional(
      roleNames().register(docs, {
        description: "Names of roles, which must exist.",
      }),
    ),
    permissions: z.optional(
      permissionNames().register(docs, {
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
      ratelimitList().register(docs, {
        description: "Rate limits, by name.",
      }),
    ),
    enabled,
    recoverable,
  }).register(docs, {
    id: "CreateKeyBody",
    description: "The key to create.",
    examples: [{ apiId: "api_local", prefix: "test", name: "CI", meta: { team: "web" } }],
  });
});
type CreateKeyBody = z.output<ReturnType<typeof createKeyBody>>;

export const createKeyResult = lazily(() => {
  const { key, keyId } = newKeyMembers();
  return objectOf({ data: objectOf({ key, keyId }) }).register(docs, {
    id: "CreateKeyResult",
    description: "The new key.",
  });
});

export const createKey = operationOfV2({
  name: "keys.createKey",
  summary: "Create a key",
  description:
    "Creates a key for an API and returns its value, which no later call shows unless the key is `recoverable`. Permissions and the identity that it names are created with it where they do not exist; roles must exist.",
  input: createKeyBody,
  output: createKeyResult,

  /** Checks in the order of the service; nothing is written before the last check. */
  run(call) {
    const { demand, input, workspace } = call;
    const { apiId, credits, recoverable, roles } = input;
    const api = workspace.apis.get(apiId);
    // Without the permission, the service answers as if there was no such API. It is demanded for an
    // unknown API too, because the hint must not reveal whether the API exists.
    demand([onApi(apiId, "create_key")], refusals.specifiedApi);
    if (api?.keyspace === false) throw refuse(refusals.noKeyspace, noKeyspace(api));
    if (recoverable) demand([onApi(apiId, "encrypt_key")], refusals.specifiedApi);
    if (api === undefined) throw refuse(refusals.specifiedApi, unknownApi(call, "create_key"));
    if (recoverable && !api.storeEncryptedKeys) {
      throw refuse(refusals.noEncryption, noEncryption(api));
    }
    checkCredits(credits);
    requireNamed(call, "roles", roles);
    const { record, value = "" } = workspace.keys.issue(input, { version: "v2" });
    return { data: { key: value, keyId: record.id } };
  },
});

function checkCredits(credits: CreateKeyBody["credits"]): void {
  const { refill, remaining } = credits ?? {};
  if (refill === undefined) return;
  if (remaining === null) throw refuse(refusals.noRemaining);
  checkRefillDay(refill);
}
