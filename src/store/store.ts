import { UsageError } from "../usage-error.ts";
import type { Clock } from "./clock.ts";
import { IdMaker, withStretch, type IdState } from "./id-maker.ts";
import { IndexedCollection, type PutOptions } from "./indexed-collection.ts";
import { parseRecord } from "./parse-record.ts";
import { AccessToken, workspaceInit, type WorkspaceInit } from "./records.ts";
import { UniqueIndex } from "./unique-index.ts";
import { Workspace, type WorkspaceImage, type WorkspaceSurroundings } from "./workspace.ts";

/** What a bearer token opens. */
export interface Access {
  readonly workspace: Workspace;
  readonly token: AccessToken;
}

/** All that a store holds at one moment. */
export interface StoreImage {
  readonly defaultId: string;
  readonly ids: IdState;
  /** The workspaces themselves too: who holds one of their collections goes on holding it. */
  readonly workspaces: readonly { readonly workspace: Workspace; readonly image: WorkspaceImage }[];
}

/** The image `start`, but that new ids and key values are of this stretch, and follow `before`. */
export function withFreshIds(start: StoreImage, stretch: number, before: StoreImage): StoreImage {
  const reached = new Map(before.workspaces.map(({ image }) => [image.id, image.ids]));
  return {
    ...start,
    ids: withStretch(start.ids, stretch, before.ids),
    workspaces: start.workspaces.map(({ image, workspace }) => ({
      workspace,
      image: { ...image, ids: withStretch(image.ids, stretch, reached.get(image.id)) },
    })),
  };
}

/** Every workspace, and which of them a token belongs to. */
export class Store {
  readonly clock: Clock;
  readonly workspaces: WorkspaceCollection;
  /** For replies to requests that never reached a workspace. */
  readonly ids: IdMaker;
  /** The workspace that requests reach when no token is listed anywhere. */
  #defaultId: string;
  #revision = 0;
  /** The last that came with a token that is not listed. */
  #guest: AccessToken | undefined;

  constructor(
    defaultId: string,
    { clock, controlToken, quirks, seed, shelf }: WorkspaceSurroundings,
  ) {
    const ids = new IdMaker(seed, "");
    this.clock = clock;
    this.ids = ids;
    const onChange = () => {
      this.#revision += 1;
    };
    this.workspaces = new WorkspaceCollection({
      clock,
      controlToken,
      quirks,
      shelf,
      onChange,
      get seed() {
        return ids.seed;
      },
      get stretch() {
        return ids.stretch;
      },
    });
    this.workspaces.onChange = onChange;
    this.#defaultId = defaultId;
  }

  /** A store that holds what the default workspace of the image does, but for its tokens. */
  static ofDefault(
    { defaultId, ids, workspaces }: StoreImage,
    surroundings: WorkspaceSurroundings,
  ): Store {
    const origin = workspaces.find(({ image }) => image.id === defaultId);
    if (origin === undefined) throw new Error(`${defaultId} was to be there`);
    const store = new Store(defaultId, surroundings);
    store.ids.resume(ids);
    const workspace = store.workspaces.make(origin.image);
    store.workspaces.adopt([workspace], origin.workspace);
    workspace.adopt({ ...origin.image, tokens: [] }, origin.workspace);
    return store;
  }

  /**
   * Another store that holds what this one does, in its default workspace, and these tokens. This
   * one must not change any more: they share what costs time to copy.
   */
  copy(tokens: readonly AccessToken[], surroundings: WorkspaceSurroundings): Store {
    const origin = this.defaultWorkspace;
    const store = new Store(this.#defaultId, surroundings);
    store.ids.resume(this.ids.state);
    const workspace = store.workspaces.make(origin.toJSON());
    store.workspaces.adopt([workspace], origin);
    workspace.copyFrom(origin);
    workspace.tokens.adopt(tokens, origin);
    return store;
  }

  get defaultId(): string {
    return this.#defaultId;
  }

  /** Grows with every change of a record. */
  get revision(): number {
    return this.#revision;
  }

  /** What ids and key values are made from. */
  get seed(): number {
    return this.ids.seed;
  }

  /** @throws UsageError when it was deleted */
  get defaultWorkspace(): Workspace {
    const workspace = this.workspaces.get(this.#defaultId);
    if (workspace !== undefined) return workspace;
    throw new UsageError(
      `workspace: ${this.#defaultId}, the default, was deleted; reset brings it back`,
    );
  }

  /** What it holds now. */
  image(): StoreImage {
    const workspaces = this.workspaces
      .all()
      .map((workspace) => ({ workspace, image: workspace.image() }));
    return { defaultId: this.#defaultId, ids: this.ids.state, workspaces };
  }

  /**
   * Holds what the image does. A workspace that was there before stays the same object. The image may
   * be of a copy of a `template`, which is shared then.
   */
  async put(
    { defaultId, ids, workspaces }: StoreImage,
    options?: PutOptions,
    template?: Store,
  ): Promise<void> {
    this.ids.resume(ids);
    this.#defaultId = defaultId;
    // Those who listen to workspaces as such hear nothing: they are the same as before.
    this.workspaces.clear({ isQuiet: true });
    await this.workspaces.put(
      workspaces.map(({ workspace }) => workspace),
      { isQuiet: true },
    );
    for (const { image, workspace } of workspaces) {
      await workspace.put(image, options, template?.defaultWorkspace);
    }
  }

  /** Lets there be these workspaces and no others. */
  async assemble(inits: readonly WorkspaceInit[], defaultId: string): Promise<void> {
    this.#defaultId = defaultId;
    const wanted = new Set(inits.map(({ id }) => id));
    this.workspaces.deleteMany((query) => query.where(({ id }) => !wanted.has(id)));
    for (const { enabled, id, name } of inits) {
      if (this.workspaces.get(id) !== undefined) continue;
      await this.workspaces.create({ id, name, enabled });
    }
  }

  /**
   * The workspace and the rights of a token; undefined for one that may not come. Where no token is
   * listed anywhere, any may, if this `isOpen`.
   */
  access(token: string, { isOpen }: { readonly isOpen: boolean }): Access | undefined {
    const listed = this.find(token);
    if (listed !== undefined) return listed;
    return this.isListing || !isOpen ? undefined : this.guest(token);
  }

  /** The workspace and the rights of a token that is listed; undefined for any other. */
  find(token: string): Access | undefined {
    for (const workspace of this.workspaces.all()) {
      const listed = workspace.tokens.get(token);
      if (listed !== undefined) return { workspace, token: listed };
    }
    return undefined;
  }

  /** Whether any token is listed. */
  get isListing(): boolean {
    return this.workspaces.all().some(({ tokens }) => tokens.count() > 0);
  }

  /** Every right in the default workspace. */
  guest(token: string): Access {
    // Nearly always the same one comes again.
    if (this.#guest?.token !== token) {
      this.#guest = new AccessToken({ token, permissions: ["*"] });
    }
    return { workspace: this.defaultWorkspace, token: this.#guest };
  }
}

/** A workspace is created and deleted, but its id and name stay. */
export class WorkspaceCollection extends IndexedCollection<WorkspaceInit, Workspace> {
  readonly #surroundings: WorkspaceSurroundings;

  constructor(surroundings: WorkspaceSurroundings) {
    super({
      noun: "workspace",
      id: "id",
      members: Object.keys(workspaceInit.shape),
      unique: [new UniqueIndex<Workspace>("workspace", "id")],
      type: Workspace,
      parse: (members) => parseRecord("workspace", workspaceInit, members),
      build: (init) => new Workspace(init, surroundings),
    });
    this.#surroundings = surroundings;
  }

  /** A workspace that is not in the collection yet. */
  make(init: WorkspaceInit): Workspace {
    return new Workspace(init, this.#surroundings);
  }

  override async update(): Promise<never> {
    throw new UsageError("workspace: its id and name stay; delete it and create another");
  }
}
