import type { ListKeysResult } from "../contract/list-keys.ts";
import { NO_QUIRKS, type Quirks } from "../contract/quirks.ts";
import { ChangeIndex } from "./change-index.ts";
import type { Clock } from "./clock.ts";
import {
  createApis,
  createIdentities,
  createPermissions,
  createTokens,
  identifier,
  RoleCollection,
} from "./collections.ts";
import { IdMaker, type IdState } from "./id-maker.ts";
import type { IndexedCollection, PutOptions } from "./indexed-collection.ts";
import { KeyCollection } from "./key-collection.ts";
import { KeyIndex } from "./key-index.ts";
import type { NamedCollection } from "./named-collection.ts";
import type {
  AccessToken,
  AccessTokenInit,
  Api,
  ApiInit,
  Identity,
  IdentityInit,
  Key,
  Permission,
  PermissionInit,
  Role,
  WorkspaceInit,
} from "./records.ts";
import { Shelf } from "./shelf.ts";
import { StaleCache } from "./stale-cache.ts";

export interface WorkspaceSurroundings {
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
  readonly shelf?: Shelf | undefined;
  /** Called after every change of a record. */
  readonly onChange?: () => void;
}

/**
 * All that a workspace holds at one moment. Records never change, so an image shares them with the
 * workspace it was taken of, and putting it back costs little more than the indexes.
 */
export interface WorkspaceImage {
  readonly id: string;
  readonly name: string | undefined;
  readonly enabled: boolean;
  readonly ids: IdState;
  readonly apis: readonly Api[];
  readonly tokens: readonly AccessToken[];
  readonly permissions: readonly Permission[];
  readonly roles: readonly Role[];
  readonly identities: readonly Identity[];
  readonly keys: readonly Key[];
}

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
  readonly apis: IndexedCollection<ApiInit, Api>;
  readonly tokens: IndexedCollection<AccessTokenInit, AccessToken>;
  readonly permissions: NamedCollection<PermissionInit, Permission>;
  readonly roles: RoleCollection;
  readonly identities: NamedCollection<IdentityInit, Identity>;
  readonly keys: KeyCollection;
  readonly #onChange: (() => void) | undefined;
  #name: string | undefined;
  #enabled: boolean;

  constructor(init: WorkspaceInit, surroundings: WorkspaceSurroundings) {
    const { clock, onChange, quirks = NO_QUIRKS, seed, stretch } = surroundings;
    this.id = init.id;
    this.#onChange = onChange;
    this.#name = init.name;
    this.#enabled = init.enabled ?? true;
    this.clock = clock;
    this.quirks = quirks;
    this.lists = new StaleCache(clock);
    const ids = new IdMaker(seed, `/${init.id}`, stretch);
    this.ids = ids;
    this.apis = createApis();
    this.tokens = createTokens(surroundings.controlToken);
    const identify = identifier(ids, clock);
    const index = new KeyIndex(surroundings.shelf ?? new Shelf());
    // A key is written with the permissions of its roles, as far as they are there.
    const onGrant = () => index.rewriteAll();
    this.permissions = createPermissions(identify, new ChangeIndex(onGrant));
    this.roles = new RoleCollection(identify, this.permissions, new ChangeIndex(onGrant));
    // And with its identity.
    const onIdentity = (identity?: Identity) =>
      identity === undefined ? index.rewriteAll() : index.rewriteOf(identity.id);
    this.identities = createIdentities(identify, new ChangeIndex(onIdentity));
    const { apis, identities, roles, permissions } = this;
    this.keys = new KeyCollection({ clock, ids, apis, identities, roles, permissions, index });
    if (onChange !== undefined) for (const name of collections) this[name].onChange = onChange;
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
    this.#onChange?.();
  }

  /** What there is to print of it. */
  toJSON(): WorkspaceInit {
    const { enabled, id, name } = this;
    return { id, name, ...(enabled ? {} : { enabled }) };
  }

  /** What it holds now. */
  image(): WorkspaceImage {
    return {
      id: this.id,
      name: this.name,
      enabled: this.enabled,
      ids: this.ids.state,
      apis: this.apis.all().slice(),
      tokens: this.tokens.all().slice(),
      permissions: this.permissions.all().slice(),
      roles: this.roles.all().slice(),
      identities: this.identities.all().slice(),
      keys: this.keys.all().slice(),
    };
  }

  /**
   * Holds what the image does, whatever it held before. Its collections stay the same objects. The
   * image may be of a workspace that was copied from a `template`, whose indexes are shared then.
   */
  async put(image: WorkspaceImage, options?: PutOptions, template?: Workspace): Promise<void> {
    this.clear(image, options);
    this.ids.resume(image.ids);
    for (const name of collections) {
      const items = image[name] as readonly never[];
      if (template === undefined || name === "tokens") await this[name].put(items, options);
      else await this[name].putFrom(template[name] as never, items, options);
    }
  }

  /**
   * Holds what the image does, at once: for one that is new, and to which nobody listens yet. Its
   * records are marked as `like`, a record of the library's, is.
   */
  adopt(image: WorkspaceImage, like: object): void {
    this.ids.resume(image.ids);
    for (const name of collections) this[name].adopt(image[name] as readonly never[], like);
  }

  /** Holds what another does, tokens aside, which must not change any more. */
  copyFrom(other: Workspace): void {
    this.ids.resume(other.ids.state);
    for (const name of collections) {
      if (name !== "tokens") this[name].copyFrom(other[name] as never);
    }
  }

  /** Empties the workspace, so that it can be filled anew. Its id stays. */
  clear({ enabled = true, name }: Omit<WorkspaceInit, "id">, options?: PutOptions): void {
    this.#name = name;
    this.#enabled = enabled;
    this.lists.clear();
    for (const each of collections.toReversed()) this[each].clear(options);
  }
}

/** What a record refers to stands before it. */
const collections = ["apis", "tokens", "permissions", "roles", "identities", "keys"] as const;
