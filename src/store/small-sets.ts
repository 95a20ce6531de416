import { UsageError } from "../usage-error.ts";
import type { Clock } from "./clock.ts";
import type { IdMaker } from "./ids/id-maker.ts";
import type { IdPrefix } from "./ids/id-sequence.ts";
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
  type AccessTokenInit,
  type Identified,
  type IdentityInit,
  type PermissionInit,
  type RoleInit,
} from "./records.ts";
import { LargeTable, SmallTable } from "./tables/table.ts";

export type Tokens = RecordSet<AccessTokenInit, AccessToken>;
export type Permissions = NamedSet<PermissionInit, Permission, "name">;
export type Roles = NamedSet<RoleInit, Role, "name">;
export type Identities = NamedSet<IdentityInit, Identity, "externalId">;

/** Generates the ids of records that are created without one. */
interface IdSource {
  readonly ids: IdMaker;
  readonly clock: Clock;
}

const EXPECTED_OTHER_TOKEN =
  "token: token: expected a token that is not the control token, because that one may not call operations; use a different token, or change the control token";

/** @param controlToken refused as a record, because a listed token may call operations */
export function createTokens(
  controlToken: string | undefined,
  onChange: OnChange<AccessToken>,
): Tokens {
  const unique = ["token"] as const;
  const build = (init: AccessTokenInit) => new AccessToken(init);
  const check = ({ token }: AccessTokenInit) => {
    if (token === controlToken) throw new UsageError(EXPECTED_OTHER_TOKEN);
  };
  return new RecordSet(new SmallTable(unique), {
    noun: "token",
    schema: accessTokenInit,
    check,
    unique,
    isSecret: true,
    type: AccessToken,
    build,
    onChange,
  });
}

export function createPermissions(source: IdSource, onChange: OnChange<Permission>): Permissions {
  const unique = ["id", "name"] as const;
  const build = (init: PermissionInit) => new Permission(identify("perm", init, source));
  return new NamedSet("name", new SmallTable(unique), {
    noun: "permission",
    schema: permissionInit,
    unique,
    type: Permission,
    build,
    onChange,
  });
}

/** A new role also creates the permissions that it names, if they do not exist yet. */
export function createRoles(
  source: IdSource,
  permissions: Permissions,
  onChange: OnChange<Role>,
): Roles {
  const unique = ["id", "name"] as const;
  const build = (init: RoleInit) => {
    permissions.ensureAll(init.permissions);
    return new Role(identify("role", init, source));
  };
  return new NamedSet("name", new SmallTable(unique), {
    noun: "role",
    schema: roleInit,
    unique,
    type: Role,
    build,
    onChange,
  });
}

export function createIdentities(source: IdSource, onChange: OnChange<Identity>): Identities {
  const unique = ["id", "externalId"] as const;
  const build = (init: IdentityInit) => new Identity(identify("id", init, source));
  const table = new LargeTable<Identity>([
    ["id", (a, b) => (a.id ?? "") > (b.id ?? "")],
    ["externalId", (a, b) => (a.externalId ?? "") > (b.externalId ?? "")],
  ]);
  return new NamedSet("externalId", table, {
    noun: "identity",
    schema: identityInit,
    unique,
    type: Identity,
    build,
    onChange,
  });
}

/** Adds a generated id, or reports the given one to the id sequence. */
function identify<Init extends { readonly id?: string | undefined }>(
  prefix: IdPrefix,
  init: Init,
  { clock, ids }: IdSource,
): Identified<Init> {
  if (init.id !== undefined) ids.observe(prefix, init.id);
  return { ...init, id: init.id ?? ids.next(prefix, clock.now()) };
}
