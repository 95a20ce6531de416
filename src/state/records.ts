import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import { described, docs, flag, id, listOf, objectOf, text } from "../schema/fields.ts";
import { EXPECTED_KEYSPACE_ID, KEYSPACE_ID } from "../schema/id.ts";
import { identityMeta } from "../schema/meta.ts";
import { deepFreeze, frozenNames } from "./frozen.ts";
import { ratelimitList, toRatelimits, type NamedRatelimit } from "./limits/ratelimits.ts";
import { byteLength, MAX_DESCRIPTION, prefix, roleOrPermissionName, time } from "./vocabulary.ts";

/**
 * The records of a workspace. `…Init` has the members of a record as a fixture or a test gives them, and
 * where times may be text, `…Input` has them as a person writes them. Records are class instances, so
 * that a condition can be a record, and is not mistaken for members or a query.
 */

/** A name for people. */
const label = lazily(() =>
  text({ max: 256 }).register(docs, { description: "For a person to read." }),
);
/** An id that is generated if it is not given. */
export const ownId = lazily(() => described(id, "Default: the next generated id."));

export const workspaceInit = lazily(() =>
  objectOf({
    id: described(id, "The `workspaceId` of every listed key."),
    name: z.optional(label()),
    enabled: z.optional(
      flag().register(docs, {
        description:
          "False: every request with one of its tokens is refused with `FORBIDDEN`. Default: true.",
      }),
    ),
  }),
);
export type WorkspaceInit = z.infer<ReturnType<typeof workspaceInit>>;

export const keyspaceId = lazily(() =>
  z
    .string({ error: EXPECTED_KEYSPACE_ID })
    .check(z.regex(KEYSPACE_ID, { error: EXPECTED_KEYSPACE_ID })),
);

export const apiInit = lazily(() =>
  objectOf({
    id: described(id, "Keys refer to it as `apiId`."),
    name: z.optional(label()),
    defaultPrefix: z.optional(
      described(prefix(), "The prefix of keys that are created without one."),
    ),
    defaultByteLength: z.optional(
      described(byteLength(), "The `byteLength` of keys that are created without one."),
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
        keyspaceId(),
        "The id of its keyspace, which `keys.verifyKey` of v2 takes and answers. Default: one that follows from the random seed.",
      ),
    ),
    deleteProtection: z.optional(
      flag().register(docs, {
        description: "Whether `apis.deleteApi` refuses to delete the API. Default: false.",
      }),
    ),
  }),
);
export type ApiInit = z.infer<ReturnType<typeof apiInit>>;

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

const token = lazily(() =>
  z.string({ error: EXPECTED_TOKEN }).check(z.regex(TOKEN, { error: EXPECTED_TOKEN })),
);

export const accessTokenInit = lazily(() =>
  objectOf({
    token: token().register(docs, { description: "As in `Authorization: Bearer <token>`." }),
    permissions: z.optional(
      listOf(roleOrPermissionName(), "permission names").register(docs, {
        description:
          "Matched exactly; `*` alone grants everything, and `latchkey.control` the control routes. Default: none.",
      }),
    ),
    enabled: z.optional(
      flag().register(docs, { description: "Whether the token works. Default: true." }),
    ),
    expires: z.optional(time("When the token expires; 0: never.")),
  }),
);
export type AccessTokenInit = z.infer<ReturnType<typeof accessTokenInit>>;
/** The same as a person writes it. */
export type AccessTokenInput = z.input<ReturnType<typeof accessTokenInit>>;

/** A root token. It determines the workspace of a request and what the request may do. */
export class AccessToken {
  readonly token: string;
  readonly permissions: readonly string[];
  readonly enabled: boolean;
  readonly expires: number | undefined;

  constructor(init: AccessTokenInit) {
    this.token = init.token;
    this.permissions = frozenNames(init.permissions);
    this.enabled = init.enabled ?? true;
    this.expires = init.expires || undefined;
  }
}

const description = lazily(() =>
  z.optional(
    text({ max: MAX_DESCRIPTION }).register(docs, { description: "For a person to read." }),
  ),
);

export const permissionInit = lazily(() =>
  objectOf({
    id: z.optional(ownId()),
    name: described(roleOrPermissionName(), "For a person to read. Several may have the same."),
    slug: z.optional(
      described(
        roleOrPermissionName(),
        "Keys and roles refer to the permission by its slug. Default: the name.",
      ),
    ),
    description: description(),
  }),
);
export type PermissionInit = z.infer<ReturnType<typeof permissionInit>>;

/** How keys and roles refer to a permission. */
export function slugOf({ name, slug = name }: PermissionInit): string {
  return slug;
}

/** The input of a record that has its id. */
export type Identified<Init> = Init & { readonly id: string };

export class Permission {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | undefined;

  constructor(init: Identified<PermissionInit>) {
    this.id = init.id;
    this.name = init.name;
    this.slug = slugOf(init);
    this.description = init.description || undefined;
  }
}

export const roleInit = lazily(() =>
  objectOf({
    id: z.optional(ownId()),
    name: described(roleOrPermissionName(), "Keys refer to the role by this name."),
    description: description(),
    permissions: z.optional(
      listOf(roleOrPermissionName(), "permission names").register(docs, {
        description: "The slugs of permissions that every key with this role has.",
      }),
    ),
  }),
);
export type RoleInit = z.infer<ReturnType<typeof roleInit>>;

export class Role {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The slugs of its permissions. */
  readonly permissions: readonly string[];

  constructor(init: Identified<RoleInit>) {
    this.id = init.id;
    this.name = init.name;
    this.description = init.description || undefined;
    this.permissions = frozenNames(init.permissions);
  }
}

export const identityInit = lazily(() =>
  objectOf({
    id: z.optional(ownId()),
    externalId: text({ min: 1, max: 256 }).register(docs, {
      description: "Keys refer to the identity by this id, and lists can be filtered by it.",
    }),
    meta: z.optional(identityMeta()),
    ratelimits: z.optional(
      described(
        ratelimitList(),
        "Rate limits that all keys of the identity share. Only v2 shows them.",
      ),
    ),
  }),
);
export type IdentityInit = z.infer<ReturnType<typeof identityInit>>;
/** The same as a person writes it. */
export type IdentityInput = z.input<ReturnType<typeof identityInit>>;

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
