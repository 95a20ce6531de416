import type * as z from "zod/mini";
import { UsageError } from "../usage-error.ts";
import type { Clock } from "./clock.ts";
import type { IdMaker } from "./ids/id-maker.ts";
import type { IdPrefix } from "./ids/id-sequence.ts";
import { NamedSet } from "./named-set.ts";
import { parseRecord } from "./parse-record.ts";
import { RecordSet, type OnChange, type RecordSetOptions } from "./record-set.ts";
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
  const options = optionsOf("token", unique, accessTokenInit, AccessToken, build, onChange);
  const parse = (members: unknown) => {
    const init = options.parse(members);
    if (init.token === controlToken) throw new UsageError(EXPECTED_OTHER_TOKEN);
    return init;
  };
  return new RecordSet(new SmallTable(unique), { ...options, isSecret: true, parse });
}

export function createPermissions(source: IdSource, onChange: OnChange<Permission>): Permissions {
  const unique = ["id", "name"] as const;
  const build = (init: PermissionInit) => new Permission(identify("perm", init, source));
  const options = optionsOf("permission", unique, permissionInit, Permission, build, onChange);
  return new NamedSet("name", new SmallTable(unique), options);
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
  const options = optionsOf("role", unique, roleInit, Role, build, onChange);
  return new NamedSet("name", new SmallTable(unique), options);
}

export function createIdentities(source: IdSource, onChange: OnChange<Identity>): Identities {
  const unique = ["id", "externalId"] as const;
  const build = (init: IdentityInit) => new Identity(identify("id", init, source));
  const options = optionsOf("identity", unique, identityInit, Identity, build, onChange);
  const table = new LargeTable<Identity>([
    ["id", (a, b) => (a.id ?? "") > (b.id ?? "")],
    ["externalId", (a, b) => (a.externalId ?? "") > (b.externalId ?? "")],
  ]);
  return new NamedSet("externalId", table, options);
}

function optionsOf<Init, Item extends object>(
  noun: string,
  unique: readonly (keyof Item & string)[],
  schema: z.ZodMiniObject,
  type: RecordSetOptions<Item, Init>["type"],
  build: (init: Init) => Item,
  onChange: OnChange<Item>,
): RecordSetOptions<Item, Init> {
  const parse = (members: unknown) => parseRecord(noun, schema, members) as Init;
  return { noun, members: Object.keys(schema.shape), unique, type, parse, build, onChange };
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
