import type { Ratelimit } from "../contract/key-record.ts";
import { UsageError } from "../usage-error.ts";
import { Key, type KeyInit } from "./records.ts";

/** A key with everything that would otherwise be generated: id, start and time of creation. */
export type ExistingKey = KeyInit & {
  readonly id: string;
  readonly start: string;
  readonly createdAt: number;
};

export function isExistingKey(key: KeyInit): key is ExistingKey {
  return key.id !== undefined && key.start !== undefined && key.createdAt !== undefined;
}

/** The record of an existing key. */
export function toExistingKey(init: ExistingKey): Key {
  const { createdAt, id, identityId, key: value, permissions = [], roles = [], start } = init;
  const ownerId = ownerOf(init);
  return toKey(init, { id, start, createdAt, identityId, ownerId, roles, permissions, value });
}

/** Members that are generated or resolved if the caller does not give them. */
interface ResolvedMembers {
  readonly id: string;
  readonly start: string;
  readonly createdAt: number;
  readonly identityId: string | undefined;
  readonly ownerId: string | undefined;
  readonly roles: string[];
  readonly permissions: string[];
  readonly value: string | undefined;
}

/** Combines the members that the caller gave with the resolved ones. */
export function toKey(
  init: KeyInit,
  { createdAt, id, identityId, ownerId, permissions, roles, start, value }: ResolvedMembers,
): Key {
  return new Key({
    id,
    apiId: init.apiId,
    start,
    name: init.name,
    ownerId,
    identityId,
    meta: init.meta,
    createdAt,
    updatedAt: init.updatedAt,
    expires: init.expires,
    remaining: init.remaining,
    refill: init.refill,
    ratelimit: init.ratelimit && toRatelimit(init.ratelimit),
    roles,
    permissions,
    enabled: init.enabled ?? true,
    environment: init.environment,
    plaintext: init.recoverable ? value : undefined,
  });
}

/** `ownerId` is the older name of `externalId`. An empty string means that it is not given. */
export function ownerOf({ externalId, ownerId }: KeyInit): string | undefined {
  return externalId || ownerId || undefined;
}

/** The older spellings `type` and `refillInterval` apply if the newer ones are not given. */
function toRatelimit(init: NonNullable<KeyInit["ratelimit"]>): Ratelimit {
  const { async = init.type !== "consistent", limit, duration = init.refillInterval } = init;
  if (duration === undefined) throw new UsageError("key: ratelimit: there is no duration");
  return { async, limit, duration };
}
