import { UsageError } from "../base/usage-error.ts";
import type { Clock } from "./clock.ts";
import type { IdMaker } from "./ids/id-maker.ts";
import type { IdPrefix } from "./ids/id-sequence.ts";
import { Migration, migrationInit, type MigrationInit } from "./migration.ts";
import { NamedSet } from "./named-set.ts";
import { RecordSet, type OnChange } from "./record-set.ts";
import {
  AccessToken,
  accessTokenInit,
  Identity,
  identityInit,
  Permission,
  permissionInit,
  Role,
  roleInit,
  slugOf,
  type AccessTokenInit,
  type AccessTokenInput,
  type Identified,
  type IdentityInit,
  type IdentityInput,
  type PermissionInit,
  type RoleInit,
} from "./records.ts";
import { renamed, type Renames } from "./renames.ts";
import { LargeTable, SmallTable } from "./tables/table.ts";

export type Tokens = RecordSet<AccessTokenInput, AccessToken, AccessTokenInit>;
export type Permissions = NamedSet<PermissionInit, Permission, "slug">;
export type Migrations = RecordSet<MigrationInit, Migration>;
export type Roles = NamedSet<RoleInit, Role, "name">;
export type Identities = NamedSet<IdentityInput, Identity, "externalId", IdentityInit>;

/** Generates the ids of records that are created without one. */
export interface IdSource {
  readonly ids: IdMaker;
  readonly clock: Clock;
}

const EXPECTED_OTHER_TOKEN =
  "token: token: expected a token that is not the control token, because that one may not call operations; use a different token, or change the control token";

/** @param controlToken refused as a record, because a listed token may call operations */
export function createTokens(
  controlToken: string | undefined,
  clock: Clock,
  onChange: OnChange<AccessToken>,
): Tokens {
  return new RecordSet(new SmallTable<AccessToken>(["token"]), {
    noun: "token",
    schema: accessTokenInit,
    check: ({ token }) => {
      if (token === controlToken) throw new UsageError(EXPECTED_OTHER_TOKEN);
    },
    isSecret: true,
    type: AccessToken,
    build: (init) => new AccessToken(init),
    onChange,
    now: () => clock.now(),
  });
}

export function createMigrations(onChange: OnChange<Migration>): Migrations {
  return new RecordSet(new SmallTable<Migration>(["id"]), {
    noun: "migration",
    schema: migrationInit,
    type: Migration,
    build: (init) => new Migration(init),
    onChange,
  });
}

export function createPermissions(source: IdSource, onChange: OnChange<Permission>): Permissions {
  const table = new LargeTable<Permission>({
    id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
    slug: { isAfter: (a, b) => (a.slug ?? "") > (b.slug ?? ""), at: (slug) => ({ slug }) },
  });
  return new NamedSet("slug", (slug) => ({ name: slug, slug }), table, {
    noun: "permission",
    schema: permissionInit,
    complete: (init) => ({ ...init, slug: slugOf(init) }),
    type: Permission,
    build: (init: PermissionInit) => new Permission(identify("perm", init, source)),
    onChange,
  });
}

/** A new role also creates the permissions that it names, if they do not exist yet. */
export function createRoles(
  source: IdSource,
  permissions: Permissions,
  onChange: OnChange<Role>,
): Roles {
  const table = new LargeTable<Role>({
    id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
    name: { isAfter: (a, b) => (a.name ?? "") > (b.name ?? ""), at: (name) => ({ name }) },
  });
  return new NamedSet("name", (name) => ({ name }), table, {
    noun: "role",
    schema: roleInit,
    type: Role,
    build: (init: RoleInit) => {
      permissions.ensureAll(init.permissions);
      return new Role(identify("role", init, source));
    },
    onChange,
  });
}

/** Renames permissions in all roles. */
export function renamePermissionsOf(roles: Roles, renames: Renames): void {
  roles.writeAll((role) => {
    const permissions = renamed(role.permissions, renames);
    return permissions && new Role({ ...role, permissions });
  });
}

export function createIdentities(source: IdSource, onChange: OnChange<Identity>): Identities {
  const table = new LargeTable<Identity>({
    id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
    externalId: {
      isAfter: (a, b) => (a.externalId ?? "") > (b.externalId ?? ""),
      at: (externalId) => ({ externalId }),
    },
  });
  return new NamedSet("externalId", (externalId) => ({ externalId }), table, {
    noun: "identity",
    schema: identityInit,
    type: Identity,
    build: (init: IdentityInit) => new Identity(identify("id", init, source)),
    onChange,
  });
}

/** Adds a generated id, or reports the given one to the id sequence. */
export function identify<Init extends { readonly id?: string | undefined }>(
  prefix: IdPrefix,
  init: Init,
  { clock, ids }: IdSource,
): Identified<Init> {
  if (init.id !== undefined) ids.observe(prefix, init.id);
  return { ...init, id: init.id ?? ids.next(prefix, clock.now()) };
}
