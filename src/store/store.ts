import { UsageError } from "../usage-error.ts";
import type { Clock } from "./clock.ts";
import { Collection } from "./collection.ts";
import { IdMaker, withStretch, type IdState } from "./ids/id-maker.ts";
import { parseRecord } from "./parse-record.ts";
import { AccessToken, workspaceInit, type WorkspaceInit } from "./records.ts";
import { SmallTable } from "./tables/table.ts";
import { Workspace, type WorkspaceState, type WorkspaceDependencies } from "./workspace.ts";

/** What a bearer token opens. */
export interface Access {
  readonly workspace: Workspace;
  readonly token: AccessToken;
}

/** All that a store holds at one moment. It never changes; to take and to hold it costs little. */
export interface StoreState {
  readonly defaultId: string;
  readonly ids: IdState;
  readonly workspaces: readonly WorkspaceState[];
}

/** The state `start`, but that new ids and key values are of this stretch, and follow `before`. */
export function withFreshIds(start: StoreState, stretch: number, before?: StoreState): StoreState {
  const reached = new Map(before?.workspaces.map(({ id, ids }) => [id, ids]));
  return {
    ...start,
    ids: withStretch(start.ids, stretch, before?.ids),
    workspaces: start.workspaces.map((workspace) => ({
      ...workspace,
      ids: withStretch(workspace.ids, stretch, reached.get(workspace.id)),
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
    { clock, controlToken, quirks, seed, cacheBudget }: WorkspaceDependencies,
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
      cacheBudget,
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
  state(): StoreState {
    const workspaces = Array.from(this.workspaces.values(), (workspace) => workspace.state());
    return { defaultId: this.#defaultId, ids: this.ids.state, workspaces };
  }

  /**
   * Holds this state, whatever it held before. A workspace that was here before is the same object.
   * @returns what tells listeners of it, for when all else is in place that belongs together
   */
  hold({ defaultId, ids, workspaces }: StoreState): () => void {
    this.ids.resume(ids);
    this.#defaultId = defaultId;
    const table = new SmallTable<Workspace>(["id"]);
    const tells = workspaces.map((state) => {
      const workspace = this.workspaces.known(state.id) ?? this.workspaces.make(state);
      table.add(workspace);
      return workspace.hold(state);
    });
    tells.push(this.workspaces.hold(table));
    return () => tells.forEach((tell) => tell());
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
    for (const workspace of this.workspaces.values()) {
      const listed = workspace.tokens.get(token);
      if (listed !== undefined) return { workspace, token: listed };
    }
    return undefined;
  }

  /** Whether any token is listed. */
  get isListing(): boolean {
    for (const { tokens } of this.workspaces.values()) if (tokens.count() > 0) return true;
    return false;
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
export class WorkspaceCollection extends Collection<WorkspaceInit, Workspace> {
  /** Makes a workspace that is not in the collection yet. */
  readonly make: (init: WorkspaceInit) => Workspace;
  readonly #known: Map<string, WeakRef<Workspace>>;

  constructor(dependencies: WorkspaceDependencies) {
    const known = new Map<string, WeakRef<Workspace>>();
    const make = (init: WorkspaceInit) => {
      const workspace = new Workspace(init, dependencies);
      known.set(init.id, new WeakRef(workspace));
      return workspace;
    };
    super(new SmallTable(["id"]), {
      noun: "workspace",
      members: Object.keys(workspaceInit.shape),
      unique: ["id"],
      type: Workspace,
      parse: (members) => parseRecord("workspace", workspaceInit, members),
      build: make,
    });
    this.make = make;
    this.#known = known;
  }

  /** The last workspace of this id, also a deleted one: a test may go on holding its collections. */
  known(id: string): Workspace | undefined {
    return this.#known.get(id)?.deref();
  }

  override async update(): Promise<never> {
    throw new UsageError("workspace: its id and name stay; delete it and create another");
  }
}
