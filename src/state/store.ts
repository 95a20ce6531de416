import { UsageError } from "../base/usage-error.ts";
import type { Clock } from "./time/clock.ts";
import { IdMaker, type IdState } from "./id-maker.ts";
import { AccessToken } from "./records/tokens.ts";
import { workspaceInit, type WorkspaceInit } from "./vocabulary.ts";
import { Workspace, type WorkspaceDependencies, type WorkspaceState } from "./workspace.ts";
import { RecordSet } from "./records/record-set.ts";
import { PublicWorkspace, WorkspaceCollection } from "./public/workspace.ts";
import { SmallTable } from "./tables/table.ts";

/** The workspace and the permissions that a bearer token gives access to. */
export interface Access {
  readonly workspace: Workspace;
  readonly token: AccessToken;
}

/**
 * The content of a store at one moment. It is immutable. It consists of forks of the tables, so it is
 * cheap to take and to restore.
 */
export interface StoreState {
  readonly defaultId: string;
  readonly ids: IdState;
  readonly workspaces: readonly WorkspaceState[];
}

export class Store {
  readonly clock: Clock;
  readonly workspaces: WorkspaceSet;
  /** Makes the ids of requests, for all workspaces. */
  readonly ids: IdMaker;
  /** The id of the default workspace: that of all requests if no workspace lists a token. */
  defaultId: string;
  /** Increases with every change of a record. */
  revision = 0;
  /** A cache of one: the last accepted token that is not listed. */
  #guest: AccessToken | undefined;

  constructor(defaultId: string, dependencies: WorkspaceDependencies) {
    const ids = new IdMaker(dependencies.seed, "", dependencies.quirks);
    this.clock = dependencies.clock;
    this.ids = ids;
    this.workspaces = new WorkspaceSet({
      ...dependencies,
      onChange: () => {
        this.revision += 1;
      },
      // A getter, because a reset can change the seed, and a workspace that a test adds later must use the
      // current one.
      get seed() {
        return ids.seed;
      },
    });
    this.defaultId = defaultId;
  }

  /** @throws UsageError if it was deleted */
  get defaultWorkspace(): Workspace {
    const workspace = this.workspaces.get(this.defaultId);
    if (workspace !== undefined) return workspace;
    throw defaultDeleted(this.defaultId);
  }

  state(): StoreState {
    const workspaces = this.workspaces.all.map((workspace) => workspace.state());
    return { defaultId: this.defaultId, ids: this.ids.state, workspaces };
  }

  /** Replaces the whole content. A workspace with a known id stays the same object. */
  replace({ defaultId, ids, workspaces }: StoreState): void {
    this.ids.resume(ids);
    this.defaultId = defaultId;
    this.workspaces.replace(workspaces);
  }

  /** The workspace and the permissions of a listed token; undefined for any other. */
  accessOf(token: string): Access | undefined {
    for (const workspace of this.workspaces.all) {
      const listed = workspace.tokens.get(token);
      if (listed !== undefined) return { workspace, token: listed };
    }
    return undefined;
  }

  /** Whether a text is a token of a workspace, or the value of one of its keys. */
  isSecret(text: string): boolean {
    return this.workspaces.all.some((workspace) => workspace.isSecret(text));
  }

  /** Whether any workspace lists a token. */
  get listsTokens(): boolean {
    return this.workspaces.all.some(({ tokens }) => tokens.size > 0);
  }

  /** Access with all permissions to the default workspace, for a token that is not listed. */
  guest(token: string): Access {
    // Consecutive requests mostly have the same token.
    if (this.#guest?.token !== token) {
      this.#guest = new AccessToken({ token, permissions: ["*"] });
    }
    return { workspace: this.defaultWorkspace, token: this.#guest };
  }
}

/** Thrown when the default workspace is used after it was deleted. */
export function defaultDeleted(id: string): UsageError {
  return new UsageError(`workspace: ${id}, the default workspace, was deleted; reset restores it`);
}

/**
 * The workspaces of a store. Its records are the public workspaces, so that a condition of a test sees
 * nothing else.
 */
export class WorkspaceSet {
  readonly #dependencies: WorkspaceDependencies;
  readonly #records: RecordSet<WorkspaceInit, PublicWorkspace>;
  /**
   * The last workspace with each id, even if it was deleted. A reset brings back a deleted workspace, and
   * must then use the same object, because a test may still hold its collections. Weak references
   * let a deleted workspace be garbage-collected once no test holds it. A workspace of the set is not
   * collected: its public workspace, which is a record of the set, refers to it.
   */
  readonly #known = new Map<string, WeakRef<Workspace>>();
  all: readonly Workspace[] = [];
  readonly public: WorkspaceCollection;

  constructor(dependencies: WorkspaceDependencies) {
    this.#dependencies = dependencies;
    this.#records = new RecordSet(new SmallTable<PublicWorkspace>(["id"]), {
      noun: "workspace",
      schema: workspaceInit,
      type: PublicWorkspace,
      build: (init) => this.#make(init).public,
      onChange: () => {
        this.all = this.#records.all().map(({ id }) => this.get(id) as Workspace);
        dependencies.onChange?.();
      },
    });
    this.public = new WorkspaceCollection(this.#records);
  }

  get(id: string): Workspace | undefined {
    return this.#records.get(id) && this.#known.get(id)?.deref();
  }

  /** @throws UsageError for an id that is taken */
  add(init: WorkspaceInit): Workspace {
    return this.get(this.#records.add(init).id) as Workspace;
  }

  /** Replaces the whole content. A workspace with a known id stays the same object. */
  replace(states: readonly WorkspaceState[]): void {
    const table = new SmallTable<PublicWorkspace>(["id"]);
    for (const state of states) {
      const workspace = this.#known.get(state.id)?.deref() ?? this.#make(state);
      table.add(workspace.public);
      workspace.replace(state);
    }
    this.#records.replace(table);
  }

  #make(init: WorkspaceInit): Workspace {
    const workspace = new Workspace(init, this.#dependencies);
    this.#known.set(init.id, new WeakRef(workspace));
    return workspace;
  }
}
