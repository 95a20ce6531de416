import * as z from "zod/mini";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { type Complete, type Key, type KeyInit, plainOf } from "../../../state/keys/key.ts";
import { noEncryption, noKeyspace } from "../hints.ts";
import { onApi, operationOfV2 } from "../operation.ts";
import { createKeyResult } from "./create-key.ts";
import { keyId, MAX_EXPIRES } from "./fields.ts";
import { refusals, refuse, requireOwnKey } from "./refusals.ts";

const MINUTE = 60_000;

/** The service ignores unknown members of this body. It refuses them in all other bodies. */
const rerollKeyBody = lazily(() =>
  f.component("RerollKeyBody", "The key to replace.", {
    keyId: keyId(),
    expiration: f.described(
      z.nullable(f.integer({ min: 0, max: MAX_EXPIRES })),
      "How long the old key stays valid, in milliseconds. Its expiry is rounded up to a full minute; 0: it expires at once; null: it stays as it is.",
    ),
  }),
);

export const rerollKey = operationOfV2("keys.rerollKey", {
  summary: "Replace a key",
  description:
    "Creates a key with the settings of another one. Both are valid until the old one expires.",
  input: rerollKeyBody,
  output: createKeyResult,

  run(call) {
    const { demand, input, workspace } = call;
    const { expiration } = input;
    const { apis, clock, keys, rotations } = workspace;
    const key = requireOwnKey(call);
    const isRecoverable = key.plaintext !== undefined;
    // A URN for the old key also grants this.
    const onOldKey = { like: `api.${key.apiId}.update_key`, recordId: key.id };
    // The service names the permission for this API first.
    demand([{ oneOf: onApi(key.apiId, "create_key").oneOf.toReversed(), ...onOldKey }]);
    const api = apis.get(key.apiId);
    if (api?.keyspace === false) throw refuse(refusals.noKeyspace, noKeyspace(api));
    if (isRecoverable) {
      demand([{ ...onApi(key.apiId, "encrypt_key"), ...onOldKey }]);
      if (!api?.storeEncryptedKeys) {
        throw refuse(refusals.noEncryption, noEncryption({ id: key.apiId }));
      }
    }
    const now = clock.now();
    const { record, value } = keys.issue(successorOf(key, isRecoverable), "v2");
    rotations.set(key.id, { ...rotations.get(key.id), replacedBy: record.id });
    rotations.set(record.id, { replaces: key.id });
    if (expiration !== null) keys.revise(key, { expires: endOf(now, expiration), updatedAt: now });
    return { data: { key: value, keyId: record.id } };
  },
});

/**
 * The expiry of the old key. As in the service, it is rounded up to a full minute, unless the key
 * expires at once. A key is still valid in the millisecond of its expiry, so it then expires in the
 * millisecond before.
 */
function endOf(now: number, expiration: number): number {
  // A clock can be set to 1970, and no time of a record can be earlier.
  if (expiration === 0) return Math.max(0, now - 1);
  return Math.ceil((now + expiration) / MINUTE) * MINUTE;
}

/** Members that are not copied to a new key, and other spellings of members. */
type OtherMembers =
  | ("id" | "key" | "hash" | "start" | "byteLength" | "createdAt" | "updatedAt" | "lastUsedAt")
  | ("externalId" | "credits" | "ratelimit" | "history");

/** A new key with the settings of another one. Its rate limits start with no uses. */
function successorOf(key: Key, recoverable: boolean): Complete<Omit<KeyInit, OtherMembers>> {
  const { apiId, enabled, expires, identityId, meta, ownerId } = key;
  const { ratelimits, refill, remaining, start } = key;
  const { lastRefillAt: _, ...schedule } = refill ?? {};
  // As in the service, the prefix ends at the last underscore.
  const prefix = start.includes("_") ? start.slice(0, start.lastIndexOf("_")) : undefined;
  return {
    apiId,
    prefix,
    ...plainOf(key),
    ownerId,
    identityId,
    meta,
    expires,
    remaining,
    refill: refill && (schedule as KeyInit["refill"]),
    ratelimits: [...ratelimits],
    roles: [...key.roles],
    permissions: [...key.permissions],
    enabled,
    // The service does not copy them.
    environment: undefined,
    migrationId: undefined,
    recoverable,
  };
}
