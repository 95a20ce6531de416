import type { Ratelimit } from "../contract/key-record.ts";
import { UsageError } from "../usage-error.ts";
import { Key, type KeyInit } from "./records.ts";

/** A key that exists: nothing of it has to be made. */
export type ExistingKey = KeyInit & {
  readonly id: string;
  readonly start: string;
  readonly createdAt: number;
};

export function isExistingKey(key: KeyInit): key is ExistingKey {
  return key.id !== undefined && key.start !== undefined && key.createdAt !== undefined;
}

/** The record of a key that exists. */
export function toExistingKey(init: ExistingKey): Key {
  const { createdAt, id, identityId, key: value, permissions = [], roles = [], start } = init;
  const ownerId = ownerOf(init);
  return toKey(init, { id, start, createdAt, identityId, ownerId, roles, permissions, value });
}

/** What a key has that need not be given. */
interface MadeMembers {
  readonly id: string;
  readonly start: string;
  readonly createdAt: number;
  readonly identityId: string | undefined;
  readonly ownerId: string | undefined;
  readonly roles: string[];
  readonly permissions: string[];
  readonly value: string | undefined;
}

/** The record of a key, of what was given and of what was made for it. */
export function toKey(
  init: KeyInit,
  { createdAt, id, identityId, ownerId, permissions, roles, start, value }: MadeMembers,
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

/** `ownerId` is the older name of the same thing; an empty one means: not given. */
export function ownerOf({ externalId, ownerId }: KeyInit): string | undefined {
  return externalId || ownerId || undefined;
}

/** The older spellings, `type` and `refillInterval`, count where the newer ones are not given. */
function toRatelimit(init: NonNullable<KeyInit["ratelimit"]>): Ratelimit {
  const { async = init.type !== "consistent", limit, duration = init.refillInterval } = init;
  if (duration === undefined) throw new UsageError("key: ratelimit: there is no duration");
  return { async, limit, duration };
}
