import { UsageError } from "../base/usage-error.ts";
import type { Clock } from "./clock.ts";
import { IdMaker, type IdState } from "./ids/id-maker.ts";
import { AccessToken } from "./records.ts";
import type { Workspace, WorkspaceDependencies, WorkspaceState } from "./workspace.ts";
import { WorkspaceSet } from "./workspace-set.ts";

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
  /** The workspace of all requests if no workspace lists a token. */
  #defaultId: string;
  #revision = 0;
  /** A cache of one: the last accepted token that is not listed. */
  #guest: AccessToken | undefined;

  constructor(defaultId: string, dependencies: WorkspaceDependencies) {
    const ids = new IdMaker(dependencies.seed, "", dependencies.quirks);
    this.clock = dependencies.clock;
    this.ids = ids;
    this.workspaces = new WorkspaceSet({
      ...dependencies,
      onChange: () => {
        this.#revision += 1;
      },
      // A getter, because a reset can change the seed. A workspace that a test adds later then makes its
      // ids from the current seed, and not from that of the start.
      get seed() {
        return ids.seed;
      },
    });
    this.#defaultId = defaultId;
  }

  get defaultId(): string {
    return this.#defaultId;
  }

  /** Increases with every change of a record. */
  get revision(): number {
    return this.#revision;
  }

  /** @throws UsageError if it was deleted */
  get defaultWorkspace(): Workspace {
    const workspace = this.workspaces.get(this.#defaultId);
    if (workspace !== undefined) return workspace;
    throw defaultDeleted(this.#defaultId);
  }

  state(): StoreState {
    const workspaces = this.workspaces.all().map((workspace) => workspace.state());
    return { defaultId: this.#defaultId, ids: this.ids.state, workspaces };
  }

  /** Replaces the whole content. A workspace with a known id stays the same object. */
  replace({ defaultId, ids, workspaces }: StoreState): void {
    this.ids.resume(ids);
    this.#defaultId = defaultId;
    this.workspaces.replace(workspaces);
  }

  /** Refills the keys of every workspace that are due at `now`; see `Workspace.refill`. */
  refill(now: number): void {
    for (const workspace of this.workspaces.all()) workspace.refill(now);
  }

  /** The workspace and the permissions of a listed token; undefined for any other. */
  accessOf(token: string): Access | undefined {
    for (const workspace of this.workspaces.all()) {
      const listed = workspace.tokens.get(token);
      if (listed !== undefined) return { workspace, token: listed };
    }
    return undefined;
  }

  /** Whether a text is a token of a workspace, or the value of one of its keys. */
  isSecret(text: string): boolean {
    return this.workspaces.all().some((workspace) => workspace.isSecret(text));
  }

  /** Whether any workspace lists a token. */
  get listsTokens(): boolean {
    for (const { tokens } of this.workspaces.all()) if (tokens.size > 0) return true;
    return false;
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

/** The error of a use of the default workspace after it was deleted. */
export function defaultDeleted(id: string): UsageError {
  return new UsageError(`workspace: ${id}, the default workspace, was deleted; reset restores it`);
}
