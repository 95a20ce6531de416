import { UsageError } from "../../base/usage-error.ts";
import { type Complete, Key, type KeyInit, type KeyMembers, plainOf } from "./key.ts";
import { givenSecret } from "./key-secret.ts";
import { DEFAULT_RATELIMIT, type NamedRatelimit } from "../limits/ratelimits.ts";

/** A key with the members that are generated for a new key: id, start and time of creation. */
export type ExistingKey = KeyInit & {
  readonly id: string;
  readonly start: string;
  readonly createdAt: number;
};

export function isExistingKey(key: KeyInit): key is ExistingKey {
  return key.id !== undefined && key.start !== undefined && key.createdAt !== undefined;
}

/** Members that are generated or resolved if the caller does not give them. */
type ResolvedMembers = Pick<KeyMembers, "id" | "start" | "createdAt"> &
  Partial<Pick<KeyMembers, "expires" | "identityId" | "ownerId" | "permissions" | "roles">>;

/**
 * Makes the record of a key from given and resolved members.
 * @param value the key value; undefined if it is not known
 */
export function toKey(init: KeyInit, resolved: ResolvedMembers, value = init.key): Key {
  const members: Complete<KeyMembers> = {
    apiId: init.apiId,
    ...plainOf(init),
    ownerId: ownerOf(init),
    identityId: init.identityId,
    migrationId: init.migrationId,
    meta: init.meta,
    updatedAt: init.updatedAt,
    expires: init.expires,
    ...creditsOf(init),
    ratelimits: ratelimitsOf(init),
    roles: init.roles ?? [],
    permissions: init.permissions ?? [],
    enabled: init.enabled ?? true,
    plaintext: init.recoverable ? value : undefined,
    lastUsedAt: init.lastUsedAt,
    ...resolved,
  };
  return new Key(members, givenSecret({ key: value, hash: init.hash }), init.history);
}

/** `ownerId` is the older name of `externalId`. An empty string means that it is not given. */
export function ownerOf({ externalId, ownerId }: KeyInit): string | undefined {
  return externalId || ownerId || undefined;
}

export function creditsOf({
  credits,
  refill,
  remaining,
}: Pick<KeyInit, "credits" | "refill" | "remaining">): Pick<Key, "remaining" | "refill"> {
  if (credits === undefined) return { remaining, refill };
  return { remaining: credits.remaining ?? undefined, refill: credits.refill };
}

const NO_RATELIMITS: NamedRatelimit[] = [];

/** The rate limits, with `ratelimit` of v1 as the one called `default`. */
export function ratelimitsOf({
  ratelimit,
  ratelimits = NO_RATELIMITS,
}: Pick<KeyInit, "ratelimit" | "ratelimits">): NamedRatelimit[] {
  return ratelimit === undefined ? ratelimits : [toNamed(ratelimit), ...ratelimits];
}

/** The older spellings `type` and `refillInterval` apply if the newer ones are not given. */
function toNamed(init: NonNullable<KeyInit["ratelimit"]>): NamedRatelimit {
  const { async = init.type !== "consistent", limit, duration = init.refillInterval } = init;
  if (duration === undefined) throw new UsageError("key: ratelimit: there is no duration");
  return { name: DEFAULT_RATELIMIT, limit, duration, autoApply: true, async };
}
