import type { Clock } from "./clock.ts";
import {
  createApis,
  createIdentities,
  createPermissions,
  createTokens,
  identifier,
  RoleCollection,
} from "./collections.ts";
import { IdMaker } from "./id-maker.ts";
import type { IndexedCollection } from "./indexed-collection.ts";
import { KeyCollection } from "./key-collection.ts";
import type { NamedCollection } from "./named-collection.ts";
import type {
  AccessToken,
  AccessTokenInit,
  Api,
  ApiInit,
  Identity,
  IdentityInit,
  Permission,
  PermissionInit,
  WorkspaceInit,
} from "./records.ts";

export interface WorkspaceSurroundings {
  readonly clock: Clock;
  /** Workspaces with the same seed and id make the same ids and key values. */
  readonly seed: string;
}

/** All state of one workspace. Requests reach it by their token; nothing in it refers to another. */
export class Workspace {
  readonly id: string;
  readonly name: string | undefined;
  readonly ids: IdMaker;
  readonly apis: IndexedCollection<ApiInit, Api>;
  readonly tokens: IndexedCollection<AccessTokenInit, AccessToken>;
  readonly permissions: NamedCollection<PermissionInit, Permission>;
  readonly roles: RoleCollection;
  readonly identities: NamedCollection<IdentityInit, Identity>;
  readonly keys: KeyCollection;

  constructor(init: WorkspaceInit, { clock, seed }: WorkspaceSurroundings) {
    this.id = init.id;
    this.name = init.name;
    const ids = new IdMaker(`${seed}/${init.id}`);
    this.ids = ids;
    this.apis = createApis();
    this.tokens = createTokens();
    const identify = identifier(ids, clock);
    this.permissions = createPermissions(identify);
    this.roles = new RoleCollection(identify, this.permissions);
    this.identities = createIdentities(identify);
    const { apis, identities, roles, permissions } = this;
    this.keys = new KeyCollection({ clock, ids, apis, identities, roles, permissions });
  }

  /** What there is to print of it. */
  toJSON(): WorkspaceInit {
    return { id: this.id, name: this.name };
  }

  /** Empties the workspace, so that it can be seeded anew. Its collections stay the same objects. */
  clear(): void {
    const { keys, identities, roles, permissions, tokens, apis } = this;
    for (const collection of [keys, identities, roles, permissions, tokens, apis]) {
      collection.clear();
    }
    this.ids.rewind();
  }
}
