import { Key, type KeyInit } from "./records.ts";

/** A key that exists: nothing of it has to be made. */
export type StandingKey = KeyInit & {
  readonly id: string;
  readonly start: string;
  readonly createdAt: number;
};

export function isStandingKey(key: KeyInit): key is StandingKey {
  return key.id !== undefined && key.start !== undefined && key.createdAt !== undefined;
}

/** The record of a key that exists. */
export function toKey(init: StandingKey): Key {
  return new Key({
    id: init.id,
    apiId: init.apiId,
    start: init.start,
    name: init.name,
    ownerId: ownerOf(init),
    identityId: init.identityId,
    meta: init.meta,
    createdAt: init.createdAt,
    updatedAt: init.updatedAt,
    expires: init.expires,
    remaining: init.remaining,
    refill: init.refill,
    ratelimit: init.ratelimit && toRatelimit(init.ratelimit),
    roles: init.roles ?? [],
    permissions: init.permissions ?? [],
    enabled: init.enabled ?? true,
    environment: init.environment,
    plaintext: init.recoverable ? init.key : undefined,
  });
}

/** `ownerId` is the older name of the same thing; an empty one means: not given. */
export function ownerOf({ externalId, ownerId }: KeyInit): string | undefined {
  return externalId || ownerId || undefined;
}

function toRatelimit({ async, type, limit, duration }: NonNullable<KeyInit["ratelimit"]>) {
  return { async: async ?? type !== "consistent", limit, duration };
}
