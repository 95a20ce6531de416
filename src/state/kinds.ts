import * as z from "zod/mini";
import * as f from "../schema/fields.ts";
import { apiInit } from "./records/apis.ts";
import { identityInit } from "./records/identities.ts";
import { migrationInit } from "./records/migrations.ts";
import { permissionInit } from "./records/permissions.ts";
import { ratelimitNamespaceInit } from "./records/namespaces.ts";
import { roleInit } from "./records/roles.ts";
import { accessTokenInit } from "./records/tokens.ts";
import type { Sets } from "./sets.ts";
import { keyInit, keyMembers } from "./keys/key.ts";
import type { KindName } from "./records/kind-names.ts";
import type { RecordSet } from "./records/record-set.ts";
import { roleOrPermissionName } from "./vocabulary.ts";

/** A record of a kind. */
export type RecordOf<Kind extends KindName> =
  Sets[Kind] extends RecordSet<infer _Init, infer Item, infer _Members> ? Item : never;

interface Facts {
  readonly noun: string;
  readonly plural: string;
  /** The description of the list in a fixture. */
  readonly about: string;
  /** The members that identify a record: no two records of a workspace have the same value. */
  readonly unique: readonly string[];
  /** The member that calls use to name a record. */
  readonly named: string;
  /** The members that lists of control routes search, and sort by. Default: they list no such records. */
  readonly searched?: readonly [string, ...string[]];
}

function kind<
  Schema extends () => z.ZodMiniObject,
  const Given extends Facts,
  Item extends () => z.ZodMiniType = Schema,
>(
  schema: Schema,
  // `item` is a record in a fixture. Default: an object with the members of the schema.
  { item, ...facts }: Given & { readonly item?: Item },
) {
  const { about, plural } = facts;
  const list = () => {
    const made = (item ?? schema)() as ReturnType<Item>;
    return f.described(f.listOf(made, plural), about);
  };
  return { ...facts, schema, list };
}

/** What fixtures, snapshots, hints and control routes need to know about each kind of record. */
export const kinds = {
  tokens: kind(accessTokenInit, {
    noun: "token",
    plural: "tokens",
    about: "If none is listed, every bearer token is accepted and has all permissions.",
    // A token selects the workspace, so it is unique among all workspaces.
    unique: [],
    named: "token",
  }),
  apis: kind(apiInit, {
    noun: "API",
    plural: "APIs",
    about: "Each key belongs to one of them.",
    unique: ["id", "keyspaceId"],
    named: "id",
    searched: ["id", "name"],
  }),
  permissions: kind(permissionInit, {
    noun: "permission",
    plural: "permissions",
    about: "Permissions that no key or role names; the others are created automatically.",
    unique: ["id", "slug"],
    named: "slug",
    searched: ["id", "name", "slug"],
    item: permission,
  }),
  roles: kind(roleInit, {
    noun: "role",
    plural: "roles",
    about:
      "Roles that have permissions or that no key names; the others are created automatically.",
    unique: ["id", "name"],
    named: "name",
    searched: ["id", "name"],
  }),
  identities: kind(identityInit, {
    noun: "identity",
    plural: "identities",
    about: "The users or organizations that keys belong to.",
    unique: ["id", "externalId"],
    named: "externalId",
    searched: ["id", "externalId"],
  }),
  ratelimitNamespaces: kind(ratelimitNamespaceInit, {
    noun: "namespace",
    plural: "namespaces",
    about: "Namespaces of rate limits that belong to no key, and their overrides.",
    unique: ["id", "name"],
    named: "name",
    searched: ["id", "name"],
  }),
  migrations: kind(migrationInit, {
    noun: "migration",
    plural: "migrations",
    about: "Moves of keys from other systems, which `keys.migrateKeys` of v2 needs.",
    unique: ["id"],
    named: "id",
    searched: ["id"],
  }),
  keys: kind(keyMembers, {
    noun: "key",
    plural: "keys",
    about: "Keys. They take all members of `keys.createKey`, and more.",
    unique: ["id"],
    named: "id",
    searched: ["id", "start", "name", "ownerId"],
    item: keyInit,
  }),
} satisfies Readonly<Record<KindName, Facts>>;

/** A permission, or only its slug. */
function permission() {
  const expected = "expected a permission name, or an object with one";
  return z.pipe(
    z.union([roleOrPermissionName(), permissionInit()], { error: expected }),
    z.transform((given) => (typeof given === "string" ? { name: given } : given)),
  );
}
