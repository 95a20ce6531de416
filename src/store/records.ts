import * as z from "zod/mini";
import {
  byteLength,
  createKeyBody,
  grantedNames,
  roleOrPermissionName,
  prefix,
} from "../contract/v1/create-key.ts";
import { described, docs, flag, id, integer, listOf, objectOf, text } from "../schema/fields.ts";
import { EXPECTED_KEYSPACE_ID, KEYSPACE_ID } from "../schema/id.ts";
import { refill, timestamp } from "../contract/v1/key-record.ts";
import { meta } from "../schema/meta.ts";
import type { KeySecret } from "./key-secret.ts";
import { ratelimitList, toRatelimits, type NamedRatelimit } from "./limits/ratelimits.ts";

/**
 * The records of a workspace, and their input in fixtures and tests (`…Init`). Records are class
 * instances, so that a collection can tell a record from members or a query as a condition.
 */

/** The display name of a record. */
const label = text({ max: 256 }).register(docs, { description: "For a person to read." });
/** An id that is generated if it is not given. */
const ownId = described(id, "Default: the next generated id.");

export const workspaceInit = objectOf({
  id: described(id, "The `workspaceId` of every listed key."),
  name: z.optional(label),
  enabled: z.optional(
    flag().register(docs, {
      description:
        "False: every request with one of its tokens is refused with `FORBIDDEN`. Default: true.",
    }),
  ),
});
export type WorkspaceInit = z.infer<typeof workspaceInit>;

export const keyspaceId = z
  .string({ error: EXPECTED_KEYSPACE_ID })
  .check(z.regex(KEYSPACE_ID, { error: EXPECTED_KEYSPACE_ID }));

export const apiInit = objectOf({
  id: described(id, "Keys refer to it as `apiId`."),
  name: z.optional(label),
  defaultPrefix: z.optional(described(prefix, "The prefix of keys that are created without one.")),
  defaultByteLength: z.optional(
    described(byteLength, "The `byteLength` of keys that are created without one."),
  ),
  storeEncryptedKeys: z.optional(
    flag().register(docs, {
      description: "Whether keys can be created `recoverable`. Default: false.",
    }),
  ),
  keyspace: z.optional(
    flag().register(docs, { description: "Whether the API can hold keys. Default: true." }),
  ),
  keyspaceId: z.optional(
    described(
      keyspaceId,
      "The id of its keyspace, which `keys.verifyKey` of v2 takes and answers. Default: one that follows from the random seed.",
    ),
  ),
  deleteProtection: z.optional(
    flag().register(docs, {
      description: "Whether `apis.deleteApi` refuses to delete the API. Default: false.",
    }),
  ),
});
export type ApiInit = z.infer<typeof apiInit>;

export class Api {
  readonly id: string;
  readonly name: string | undefined;
  readonly defaultPrefix: string | undefined;
  readonly defaultByteLength: number | undefined;
  readonly storeEncryptedKeys: boolean;
  readonly keyspace: boolean;
  /** Undefined without a keyspace. */
  readonly keyspaceId: string | undefined;
  readonly deleteProtection: boolean;

  constructor(init: ApiInit) {
    this.id = init.id;
    this.name = init.name;
    this.defaultPrefix = init.defaultPrefix;
    this.defaultByteLength = init.defaultByteLength;
    this.storeEncryptedKeys = init.storeEncryptedKeys ?? false;
    this.keyspace = init.keyspace ?? true;
    this.keyspaceId = init.keyspaceId;
    this.deleteProtection = init.deleteProtection ?? false;
  }
}

/** Visible ASCII only, because the token is sent in a header. */
const TOKEN = /^[!-~]{1,512}$/;
export const EXPECTED_TOKEN = "expected a token of 1 to 512 visible ASCII characters";

/** Whether the value is a valid token. */
export function isToken(value: string): boolean {
  return TOKEN.test(value);
}

const token = z.string({ error: EXPECTED_TOKEN }).check(z.regex(TOKEN, { error: EXPECTED_TOKEN }));

export const accessTokenInit = objectOf({
  token: token.register(docs, { description: "As in `Authorization: Bearer <token>`." }),
  permissions: z.optional(
    listOf(roleOrPermissionName, "permission names").register(docs, {
      description:
        "Matched exactly; `*` alone grants everything, and `latchkey.control` the control routes. Default: none.",
    }),
  ),
  enabled: z.optional(
    flag().register(docs, { description: "Whether the token works. Default: true." }),
  ),
  expires: z.optional(timestamp("When the token expires; 0: never.")),
});
export type AccessTokenInit = z.infer<typeof accessTokenInit>;

/** A root token. It determines the workspace of a request and what the request may do. */
export class AccessToken {
  readonly token: string;
  readonly permissions: readonly string[];
  readonly enabled: boolean;
  readonly expires: number | undefined;

  constructor(init: AccessTokenInit) {
    this.token = init.token;
    this.permissions = toNames(init.permissions);
    this.enabled = init.enabled ?? true;
    this.expires = init.expires || undefined;
  }
}

export const permissionInit = objectOf({
  id: z.optional(ownId),
  name: described(roleOrPermissionName, "Keys and roles refer to the permission by this name."),
});
export type PermissionInit = z.infer<typeof permissionInit>;
/** The input of a record that has its id. */
export type Identified<Init> = Init & { readonly id: string };

export class Permission {
  readonly id: string;
  readonly name: string;

  constructor(init: Identified<PermissionInit>) {
    this.id = init.id;
    this.name = init.name;
  }
}

export const roleInit = objectOf({
  id: z.optional(ownId),
  name: described(roleOrPermissionName, "Keys refer to the role by this name."),
  permissions: z.optional(
    listOf(roleOrPermissionName, "permission names").register(docs, {
      description: "The permissions of every key with this role.",
    }),
  ),
});
export type RoleInit = z.infer<typeof roleInit>;

export class Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];

  constructor(init: Identified<RoleInit>) {
    this.id = init.id;
    this.name = init.name;
    this.permissions = toNames(init.permissions);
  }
}

export const identityInit = objectOf({
  id: z.optional(ownId),
  externalId: text({ min: 1, max: 256 }).register(docs, {
    description: "Keys refer to the identity by this id, and lists can be filtered by it.",
  }),
  meta: z.optional(meta),
  ratelimits: z.optional(
    described(
      ratelimitList,
      "Rate limits that all keys of the identity share. Only v2 shows them.",
    ),
  ),
});
export type IdentityInit = z.infer<typeof identityInit>;

export class Identity {
  readonly id: string;
  readonly externalId: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly ratelimits: readonly NamedRatelimit[];

  constructor(init: Identified<IdentityInit>) {
    this.id = init.id;
    this.externalId = init.externalId;
    this.meta = deepFreeze(init.meta ?? {});
    this.ratelimits = toRatelimits(init.ratelimits);
  }
}

/** A refill as it is stored. */
const storedRefill = z
  .extend(refill, {
    lastRefillAt: z.optional(timestamp("When the key was last refilled.")),
  })
  .register(docs, { id: "StoredRefill", description: "A refill, and when it last happened." });

const credits = objectOf({
  remaining: z.nullable(integer({ min: 0 })).register(docs, {
    description: "Uses left. 0: none; null: any number.",
  }),
  refill: z.optional(storedRefill),
}).register(docs, { id: "Credits", description: "`remaining` and `refill`, as v2 spells them." });

/**
 * The input of a key: all members of `keys.createKey` in both versions, and those that an existing
 * key has.
 */
const EXPECTED_HASH = "expected a SHA-256 hash in base64, which has 43 characters and a `=`";
const hash = z
  .string({ error: EXPECTED_HASH })
  .check(z.regex(/^[A-Za-z0-9+/]{43}=$/, { error: EXPECTED_HASH }));

export const keyInit = z.extend(createKeyBody, {
  apiId: described(id, "The API that the key belongs to."),
  // Unlike a request, a fixture may name any number.
  ...grantedNames(),
  id: z.optional(described(id, "Default: the next generated id. Lists are sorted by it.")),
  key: z.optional(
    text({ min: 1, max: 512 }).register(docs, {
      description: "The key value. Default: a generated one. Stored only for a `recoverable` key.",
    }),
  ),
  hash: z.optional(
    hash.register(docs, {
      description: "SHA-256 of the key value in base64, in place of `key`. Give `start` beside it.",
    }),
  ),
  start: z.optional(
    text({ min: 1, max: 512 }).register(docs, {
      description:
        "Leading characters of the key value. Give them if the value itself is not known.",
    }),
  ),
  identityId: z.optional(
    described(id, "Id of its identity. Default: the identity with its `externalId`."),
  ),
  remaining: z.optional(integer().register(docs, { description: "Uses left. 0 or less: none." })),
  refill: z.optional(storedRefill),
  credits: z.optional(credits),
  ratelimits: z.optional(
    described(ratelimitList, "Rate limits, by name; `ratelimit` is the one called `default`."),
  ),
  createdAt: z.optional(timestamp("When the key was created. Default: now.")),
  updatedAt: z.optional(timestamp("When the key last changed.")),
  lastUsedAt: z.optional(timestamp("When the key was last verified.")),
});
export type KeyInit = z.infer<typeof keyInit>;

/** The members of a key record, for validating an update. */
export const keyMembers = objectOf({
  id,
  apiId: id,
  start: text({ min: 1, max: 512 }),
  name: createKeyBody.shape.name,
  ownerId: z.optional(text({ min: 1, max: 256 })),
  identityId: z.optional(id),
  meta: z.optional(meta),
  createdAt: integer({ min: 0 }),
  updatedAt: z.optional(integer({ min: 0 })),
  expires: z.optional(integer({ min: 0 })),
  lastUsedAt: z.optional(integer({ min: 0 })),
  remaining: z.optional(integer()),
  refill: z.optional(storedRefill),
  ratelimits: ratelimitList,
  roles: listOf(roleOrPermissionName, "role names"),
  permissions: listOf(roleOrPermissionName, "permission names"),
  enabled: flag(),
  environment: createKeyBody.shape.environment,
  plaintext: z.optional(text({ min: 1, max: 512 })),
});
export type KeyMembers = z.infer<typeof keyMembers>;

export class Key implements Readonly<Record<keyof KeyMembers, unknown>> {
  readonly id: string;
  readonly apiId: string;
  readonly start: string;
  readonly name: string | undefined;
  readonly ownerId: string | undefined;
  readonly identityId: string | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Unix milliseconds, like every time of a record. */
  readonly createdAt: number;
  readonly updatedAt: number | undefined;
  /** 0 if it was created through v2 with an expiry of 0, which has passed. */
  readonly expires: number | undefined;
  /** When it was last verified; undefined if it never was. */
  readonly lastUsedAt: number | undefined;
  readonly remaining: number | undefined;
  readonly refill: Readonly<KeyMembers["refill"]>;
  readonly ratelimits: readonly NamedRatelimit[];
  readonly roles: readonly string[];
  /** Direct permissions only, without those of its roles. */
  readonly permissions: readonly string[];
  readonly enabled: boolean;
  readonly environment: string | undefined;
  /** The key value of a recoverable key. The values of other keys are not stored. */
  readonly plaintext: string | undefined;
  readonly #secret: KeySecret | undefined;

  /** @param secret its value or the hash of it; without one, the key cannot be verified */
  constructor(members: KeyMembers, secret?: KeySecret) {
    this.id = members.id;
    this.apiId = members.apiId;
    this.start = members.start;
    this.name = members.name;
    this.ownerId = members.ownerId;
    this.identityId = members.identityId;
    this.meta = members.meta && deepFreeze(members.meta);
    this.createdAt = members.createdAt;
    this.updatedAt = members.updatedAt;
    this.expires = members.expires;
    this.lastUsedAt = members.lastUsedAt;
    this.remaining = members.remaining;
    this.refill = members.refill && Object.freeze(toRefill(members.refill));
    this.ratelimits = toRatelimits(members.ratelimits);
    this.roles = toNames(members.roles);
    this.permissions = toNames(members.permissions);
    this.enabled = members.enabled;
    this.environment = members.environment;
    this.plaintext = members.plaintext;
    this.#secret = secret;
  }

  /** The key value, or its hash. Private, so that nothing that shows a key shows it. */
  static secretOf(key: Key): KeySecret | undefined {
    return key.#secret;
  }
}

/** A monthly refill is due on the first day by default. A daily refill has no day. */
function toRefill({ interval, amount, lastRefillAt, refillDay = 1 }: StoredRefill): StoredRefill {
  const day = interval === "daily" ? {} : { refillDay };
  const last = lastRefillAt === undefined ? {} : { lastRefillAt };
  return { interval, amount, ...day, ...last };
}

type StoredRefill = z.infer<typeof storedRefill>;

const NO_NAMES: readonly string[] = Object.freeze([]);

/** A frozen list without duplicates. */
function toNames(names: readonly string[] = NO_NAMES): readonly string[] {
  if (names.length === 0) return NO_NAMES;
  // Those of an earlier version of the record.
  if (Object.isFrozen(names)) return names;
  return Object.freeze(names.length === 1 ? [...names] : [...new Set(names)]);
}

/** Records are returned to callers; a change by one of them would make the indexes wrong. */
function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === "object" && member !== null) deepFreeze(member);
  }
  return Object.freeze(value);
}
