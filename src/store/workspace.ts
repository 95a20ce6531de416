import type { ListKeysResult } from "../contract/list-keys.ts";
import { NO_QUIRKS, type Quirks } from "../contract/quirks.ts";
import type { Clock } from "./clock.ts";
import {
  createApis,
  createIdentities,
  createPermissions,
  createRoles,
  createTokens,
  type Apis,
  type Identities,
  type Permissions,
  type Roles,
  type Tokens,
} from "./collections.ts";
import { IdMaker, type IdState } from "./ids/id-maker.ts";
import { KeyCollection } from "./key-collection.ts";
import { Pages } from "./json/pages.ts";
import type {
  AccessToken,
  Api,
  Identity,
  Key,
  Permission,
  Role,
  WorkspaceInit,
} from "./records.ts";
import { CacheBudget } from "./json/cache-budget.ts";
import { StaleCache } from "./stale-cache.ts";
import type { Table } from "./tables/table.ts";

export interface WorkspaceDependencies {
  readonly clock: Clock;
  /** Workspaces with the same seed and id make the same ids and key values. */
  readonly seed: number;
  /** Which stretch of ids and key values. Default: 0, the first. */
  readonly stretch?: number;
  /** No token collection takes it. Default: none. */
  readonly controlToken?: string | undefined;
  /** Default: none. */
  readonly quirks?: Quirks | undefined;
  /** Where written pages are kept. Default: one of its own. */
  readonly cacheBudget?: CacheBudget | undefined;
  /** Called after every change of a record. */
  readonly onChange?: () => void;
}

/** All that a workspace holds at one moment. It never changes; to take and to hold it costs little. */
export interface WorkspaceState {
  readonly id: string;
  readonly name: string | undefined;
  readonly enabled: boolean;
  readonly ids: IdState;
  readonly apis: Table<Api>;
  readonly tokens: Table<AccessToken>;
  readonly permissions: Table<Permission>;
  readonly roles: Table<Role>;
  readonly identities: Table<Identity>;
  readonly keys: Table<Key>;
}

const collections = ["apis", "tokens", "permissions", "roles", "identities", "keys"] as const;

/** All state of one workspace. Requests reach it by their token; nothing in it refers to another. */
export class Workspace {
  readonly id: string;
  readonly ids: IdMaker;
  /** The time that everything in it goes by. */
  readonly clock: Clock;
  /** How it differs from the documented behaviour. */
  readonly quirks: Quirks;
  /** Pages that were listed, for the quirk `stale-list`. */
  readonly lists: StaleCache<ListKeysResult>;
  readonly apis: Apis;
  readonly tokens: Tokens;
  readonly permissions: Permissions;
  readonly roles: Roles;
  readonly identities: Identities;
  readonly keys: KeyCollection;
  readonly #onChange: () => void;
  #name: string | undefined;
  #enabled: boolean;

  constructor(init: WorkspaceInit, dependencies: WorkspaceDependencies) {
    const { clock, onChange = () => {}, quirks = NO_QUIRKS, seed, stretch } = dependencies;
    this.id = init.id;
    this.#onChange = onChange;
    this.#name = init.name;
    this.#enabled = init.enabled ?? true;
    this.clock = clock;
    this.quirks = quirks;
    this.lists = new StaleCache(clock);
    const ids = new IdMaker(seed, `/${init.id}`, stretch);
    const pages = new Pages(dependencies.cacheBudget ?? new CacheBudget());
    this.ids = ids;
    this.apis = createApis();
    this.tokens = createTokens(dependencies.controlToken);
    this.permissions = createPermissions({ ids, clock });
    this.roles = createRoles({ ids, clock }, this.permissions);
    this.identities = createIdentities({ ids, clock });
    const { apis, identities, permissions, roles } = this;
    this.keys = new KeyCollection({ clock, ids, apis, identities, permissions, roles, pages });
    for (const name of collections) this[name].onChange = onChange;
    // A key is written with its roles and permissions, as far as they are there.
    permissions.onChange = roles.onChange = () => {
      pages.forget();
      onChange();
    };
    // And with its identity. One that is new belongs to no key that was written, unless that key
    // named its id before it was there.
    identities.onChange = ({ before, after }) => {
      const isNew = before === undefined && after !== undefined;
      if (!isNew || this.keys.names(after)) pages.forget();
      onChange();
    };
  }

  get name(): string | undefined {
    return this.#name;
  }

  /** Whether its tokens may call operations; where false, they are refused with FORBIDDEN. */
  get enabled(): boolean {
    return this.#enabled;
  }

  set enabled(isEnabled: boolean) {
    this.#enabled = isEnabled;
    this.#onChange();
  }

  /** What there is to print of it. */
  toJSON(): WorkspaceInit {
    const { enabled, id, name } = this;
    return { id, name, ...(enabled ? {} : { enabled }) };
  }

  /** What it holds now. */
  state(): WorkspaceState {
    return {
      id: this.id,
      name: this.name,
      enabled: this.enabled,
      ids: this.ids.state,
      apis: this.apis.state(),
      tokens: this.tokens.state(),
      permissions: this.permissions.state(),
      roles: this.roles.state(),
      identities: this.identities.state(),
      keys: this.keys.state(),
    };
  }

  /**
   * Holds this state, whatever it held before. Its collections stay the same objects.
   * @returns what tells listeners of it
   */
  hold(state: WorkspaceState): () => void {
    this.#name = state.name;
    this.#enabled = state.enabled;
    this.ids.resume(state.ids);
    const tells = collections.map((name) => this[name].hold(state[name] as Table<never>));
    return () => tells.forEach((tell) => tell());
  }

  /** Ends what began before: cached lists, and updates that are under way. */
  endAll(): void {
    this.lists.clear();
    for (const name of collections) this[name].endUpdates();
  }
}
