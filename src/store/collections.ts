import type { Clock } from "./clock.ts";
import type { IdMaker } from "./id-maker.ts";
import type { IdPrefix } from "./id-sequence.ts";
import { IndexedCollection, type Stored } from "./indexed-collection.ts";
import { NamedCollection } from "./named-collection.ts";
import { parseRecord } from "./parse-record.ts";
import {
  AccessToken,
  accessTokenInit,
  Api,
  apiInit,
  Identity,
  identityInit,
  Permission,
  permissionInit,
  Role,
  roleInit,
  type AccessTokenInit,
  type ApiInit,
  type IdentityInit,
  type PermissionInit,
  type RoleInit,
} from "./records.ts";
import { UniqueIndex, type Index } from "./unique-index.ts";
import { UsageError } from "../usage-error.ts";

/** Gives a record its id, unless it comes with one. */
export type Identify = <Init extends { id?: string | undefined }>(
  prefix: IdPrefix,
  init: Init,
) => Init & { id: string };

export function identifier(ids: IdMaker, clock: Clock): Identify {
  return (prefix, init) => {
    if (init.id !== undefined) ids.observe(prefix, init.id);
    return { ...init, id: init.id ?? ids.next(prefix, clock.now()) };
  };
}

export function createApis(): IndexedCollection<ApiInit, Api> {
  return new IndexedCollection<ApiInit, Api>({
    noun: "api",
    members: Object.keys(apiInit.shape),
    id: "id",
    unique: [new UniqueIndex<Api>("api", "id")],
    type: Api,
    parse: (members) => parseRecord("api", apiInit, members),
    build: (init) => new Api(init),
  });
}

const EXPECTED_OTHER_TOKEN =
  "token: token: expected another than the control token, which opens no operation; list another, or choose another control token";

export function createTokens(
  controlToken: string | undefined,
): IndexedCollection<AccessTokenInit, AccessToken> {
  return new IndexedCollection<AccessTokenInit, AccessToken>({
    noun: "token",
    members: Object.keys(accessTokenInit.shape),
    id: "token",
    unique: [new UniqueIndex<AccessToken>("token", "token", { secret: true })],
    type: AccessToken,
    parse: (members) => {
      const init = parseRecord("token", accessTokenInit, members);
      if (init.token === controlToken) throw new UsageError(EXPECTED_OTHER_TOKEN);
      return init;
    },
    build: (init) => new AccessToken(init),
  });
}

export function createPermissions(
  identify: Identify,
  index: Index<Permission>,
): NamedCollection<PermissionInit, Permission> {
  return new NamedCollection<PermissionInit, Permission>({
    noun: "permission",
    members: Object.keys(permissionInit.shape),
    indexes: [index],
    nameMember: "name",
    initOf: (name) => ({ name }),
    type: Permission,
    parse: (members) => parseRecord("permission", permissionInit, members),
    build: (init) => new Permission(identify("perm", init)),
  });
}

export function createIdentities(
  identify: Identify,
  index: Index<Identity>,
): NamedCollection<IdentityInit, Identity> {
  return new NamedCollection<IdentityInit, Identity>({
    noun: "identity",
    members: Object.keys(identityInit.shape),
    indexes: [index],
    nameMember: "externalId",
    initOf: (externalId) => ({ externalId }),
    type: Identity,
    parse: (members) => parseRecord("identity", identityInit, members),
    build: (init) => new Identity(identify("id", init)),
  });
}

/** Roles; the permissions that one is the first to name come to be with it. */
export class RoleCollection extends NamedCollection<RoleInit, Role> {
  readonly #permissions: NamedCollection<PermissionInit, Permission>;

  constructor(
    identify: Identify,
    permissions: NamedCollection<PermissionInit, Permission>,
    index: Index<Role>,
  ) {
    super({
      noun: "role",
      members: Object.keys(roleInit.shape),
      indexes: [index],
      nameMember: "name",
      initOf: (name) => ({ name }),
      type: Role,
      parse: (members) => parseRecord("role", roleInit, members),
      build: (init) => new Role(identify("role", init)),
      touch: ({ permissions: names }) => permissions.ensureAll(names),
    });
    this.#permissions = permissions;
  }

  protected override insert(role: Role): Promise<Stored<Role>> {
    return this.tracked(role, this.#insertWithPermissions(role));
  }

  async #insertWithPermissions(role: Role): Promise<Stored<Role>> {
    this.checkFree(role);
    const stored = super.insert(role);
    try {
      await Promise.all([stored, this.#permissions.ensureAll(role.permissions)]);
    } catch (error) {
      this.discard(role);
      throw error;
    }
    return stored;
  }
}
