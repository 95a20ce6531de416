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

/**
 * A workspace as tests and users' operations see it. Its collections are made when they are first used,
 * because most isolated workspaces only answer requests. Then they stay the same objects.
 */
export class PublicWorkspace {
  readonly id: string;
  readonly #content: Content;
  #apis: Collection<ApiInit, Api> | undefined;
  #tokens: Collection<AccessTokenInput, AccessToken> | undefined;
  #permissions: NamedCollection<PermissionInit, Permission> | undefined;
  #roles: NamedCollection<RoleInit, Role> | undefined;
  #identities: NamedCollection<IdentityInput, Identity> | undefined;
  #ratelimitNamespaces: NamedCollection<RatelimitNamespaceInput, RatelimitNamespace> | undefined;
  #migrations: Collection<MigrationInit, Migration> | undefined;
  #keys: KeyCollection | undefined;

  constructor(content: Content) {
    this.id = content.id;
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

  get apis(): Collection<ApiInit, Api> {
    return (this.#apis ??= new Collection(this.#content.apis));
  }

  get tokens(): Collection<AccessTokenInput, AccessToken> {
    return (this.#tokens ??= new Collection(this.#content.tokens));
  }

  get permissions(): NamedCollection<PermissionInit, Permission> {
    return (this.#permissions ??= new NamedCollection(this.#content.permissions));
  }

  get roles(): NamedCollection<RoleInit, Role> {
    return (this.#roles ??= new NamedCollection(this.#content.roles));
  }

  get identities(): NamedCollection<IdentityInput, Identity> {
    return (this.#identities ??= new NamedCollection(this.#content.identities));
  }

  get ratelimitNamespaces(): NamedCollection<RatelimitNamespaceInput, RatelimitNamespace> {
    return (this.#ratelimitNamespaces ??= new NamedCollection(this.#content.ratelimitNamespaces));
  }

  get migrations(): Collection<MigrationInit, Migration> {
    return (this.#migrations ??= new Collection(this.#content.migrations));
  }

  get keys(): KeyCollection {
    return (this.#keys ??= new KeyCollection(this.#content.keys));
  }

  /** Only these members, so that a printed workspace does not show all its records. */
  toJSON(): WorkspaceInit {
    const { enabled, id, name } = this;
    return { id, name, ...(enabled ? {} : { enabled }) };
  }
}
