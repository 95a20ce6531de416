import type { Quirks } from "../../api/quirks.ts";
import type { ApiSet } from "../api-set.ts";
import type { Clock, ClockControl } from "../clock.ts";
import type { KeySet } from "../key-set.ts";
import type { RatelimitNamespaces } from "../limits/namespace-set.ts";
import type { RatelimitNamespace, RatelimitNamespaceInput } from "../limits/namespaces.ts";
import type { Migration, MigrationInit } from "../migration.ts";
import type {
  AccessToken,
  AccessTokenInput,
  Api,
  ApiInit,
  Identity,
  IdentityInput,
  Permission,
  PermissionInit,
  Role,
  RoleInit,
  WorkspaceInit,
} from "../records.ts";
import type { Identities, Migrations, Permissions, Roles, Tokens } from "../small-sets.ts";
import { Collection } from "./collection.ts";
import { KeyCollection } from "./key-collection.ts";
import { NamedCollection } from "./named-collection.ts";

/** The part of an internal workspace that a public one shows. */
interface Content {
  readonly id: string;
  readonly name: string | undefined;
  enabled: boolean;
  readonly clock: Clock;
  readonly quirks: Quirks;
  readonly apis: ApiSet;
  readonly tokens: Tokens;
  readonly permissions: Permissions;
  readonly roles: Roles;
  readonly identities: Identities;
  readonly ratelimitNamespaces: RatelimitNamespaces;
  readonly migrations: Migrations;
  readonly keys: KeySet;
}

/** A workspace as tests and users' operations see it. Its collections stay the same objects. */
export class PublicWorkspace {
  readonly id: string;
  readonly apis: Collection<ApiInit, Api>;
  readonly tokens: Collection<AccessTokenInput, AccessToken>;
  readonly permissions: NamedCollection<PermissionInit, Permission>;
  readonly roles: NamedCollection<RoleInit, Role>;
  readonly identities: NamedCollection<IdentityInput, Identity>;
  readonly ratelimitNamespaces: NamedCollection<RatelimitNamespaceInput, RatelimitNamespace>;
  readonly migrations: Collection<MigrationInit, Migration>;
  readonly keys: KeyCollection;
  readonly #content: Content;

  constructor(content: Content) {
    this.id = content.id;
    this.apis = new Collection(content.apis);
    this.tokens = new Collection(content.tokens);
    this.permissions = new NamedCollection(content.permissions);
    this.roles = new NamedCollection(content.roles);
    this.identities = new NamedCollection(content.identities);
    this.ratelimitNamespaces = new NamedCollection(content.ratelimitNamespaces);
    this.migrations = new Collection(content.migrations);
    this.keys = new KeyCollection(content.keys);
    this.#content = content;
  }

  get name(): string | undefined {
    return this.#content.name;
  }

  /** Whether its tokens may call operations. If false, they are refused with `FORBIDDEN`. */
  get enabled(): boolean {
    return this.#content.enabled;
  }

  set enabled(isEnabled: boolean) {
    this.#content.enabled = isEnabled;
  }

  /** The clock for all times of its records. */
  get clock(): ClockControl {
    return this.#content.clock;
  }

  /** Enabled deviations from the documented behaviour. */
  get quirks(): Quirks {
    return this.#content.quirks;
  }

  /** Only these members, so that a printed workspace does not show all its records. */
  toJSON(): WorkspaceInit {
    const { enabled, id, name } = this;
    return { id, name, ...(enabled ? {} : { enabled }) };
  }
}
