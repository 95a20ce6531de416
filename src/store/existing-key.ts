import { UsageError } from "../usage-error.ts";
import { givenSecret } from "./key-secret.ts";
import { DEFAULT_RATELIMIT, type NamedRatelimit } from "./limits/ratelimits.ts";
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
  const { createdAt, expires, id, identityId, key: value, permissions = [], start } = init;
  const { roles = [] } = init;
  const ownerId = ownerOf(init);
  const resolved = {
    id,
    start,
    createdAt,
    expires,
    identityId,
    ownerId,
    roles,
    permissions,
    value,
  };
  return toKey(init, resolved);
}

/** Members that are generated or resolved if the caller does not give them. */
interface ResolvedMembers {
  readonly id: string;
  readonly start: string;
  readonly createdAt: number;
  readonly expires: number | undefined;
  readonly identityId: string | undefined;
  readonly ownerId: string | undefined;
  readonly roles: string[];
  readonly permissions: string[];
  readonly value: string | undefined;
}

/** Combines the members that the caller gave with the resolved ones. */
export function toKey(
  init: KeyInit,
  {
    createdAt,
    expires,
    id,
    identityId,
    ownerId,
    permissions,
    roles,
    start,
    value,
  }: ResolvedMembers,
): Key {
  const secret = givenSecret({ key: value, hash: init.hash });
  const members = {
    id,
    apiId: init.apiId,
    start,
    name: init.name,
    ownerId,
    identityId,
    meta: init.meta,
    createdAt,
    updatedAt: init.updatedAt,
    expires,
    ...creditsOf(init),
    ratelimits: ratelimitsOf(init),
    roles,
    permissions,
    enabled: init.enabled ?? true,
    environment: init.environment,
    plaintext: init.recoverable ? value : undefined,
    lastUsedAt: init.lastUsedAt,
  };
  return new Key(members, secret);
}

/** `ownerId` is the older name of `externalId`. An empty string means that it is not given. */
export function ownerOf({ externalId, ownerId }: KeyInit): string | undefined {
  return externalId || ownerId || undefined;
}

/** The uses left and the refill, in either spelling. */
export function creditsOf({
  credits,
  refill,
  remaining,
}: KeyInit): Pick<Key, "remaining" | "refill"> {
  if (credits === undefined) return { remaining, refill };
  return { remaining: credits.remaining ?? undefined, refill: credits.refill };
}

const NO_RATELIMITS: NamedRatelimit[] = [];

/** The rate limits, with `ratelimit` of v1 as the one called `default`. */
function ratelimitsOf({ ratelimit, ratelimits = NO_RATELIMITS }: KeyInit): NamedRatelimit[] {
  return ratelimit === undefined ? ratelimits : [toNamed(ratelimit), ...ratelimits];
}

/** The older spellings `type` and `refillInterval` apply if the newer ones are not given. */
function toNamed(init: NonNullable<KeyInit["ratelimit"]>): NamedRatelimit {
  const { async = init.type !== "consistent", limit, duration = init.refillInterval } = init;
  if (duration === undefined) throw new UsageError("key: ratelimit: there is no duration");
  return { name: DEFAULT_RATELIMIT, limit, duration, autoApply: true, async };
}
