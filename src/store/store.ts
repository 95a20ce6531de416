import { UsageError } from "../usage-error.ts";
import type { Clock } from "./clock.ts";
import { IdMaker } from "./id-maker.ts";
import { IndexedCollection } from "./indexed-collection.ts";
import { parseRecord } from "./parse-record.ts";
import { AccessToken, workspaceInit, type WorkspaceInit } from "./records.ts";
import { UniqueIndex } from "./unique-index.ts";
import { Workspace, type WorkspaceSurroundings } from "./workspace.ts";

/** What a bearer token opens. */
export interface Access {
  readonly workspace: Workspace;
  readonly token: AccessToken;
}

/** Every workspace, and which of them a token belongs to. */
export class Store {
  readonly clock: Clock;
  readonly workspaces: WorkspaceCollection;
  /** For replies to requests that never reached a workspace. */
  readonly ids: IdMaker;
  /** The workspace that requests reach when no token is listed anywhere. */
  readonly #defaultId: string;

  constructor(defaultId: string, surroundings: WorkspaceSurroundings) {
    this.clock = surroundings.clock;
    this.workspaces = new WorkspaceCollection(surroundings);
    this.ids = new IdMaker(surroundings.seed);
    this.#defaultId = defaultId;
  }

  /** @throws UsageError when it was deleted */
  get defaultWorkspace(): Workspace {
    const workspace = this.workspaces.get(this.#defaultId);
    if (workspace !== undefined) return workspace;
    throw new UsageError(
      `workspace: ${this.#defaultId}, the default, was deleted; reset brings it back`,
    );
  }

  /** The workspace and the rights of a token; undefined for one that may not come. */
  access(token: string): Access | undefined {
    let isOpen = true;
    for (const workspace of this.workspaces.all()) {
      const listed = workspace.tokens.get(token);
      if (listed !== undefined) return { workspace, token: listed };
      if (workspace.tokens.count() > 0) isOpen = false;
    }
    if (!isOpen) return undefined;
    return {
      workspace: this.defaultWorkspace,
      token: new AccessToken({ token, permissions: ["*"] }),
    };
  }
}

/** A workspace is created and deleted, but its id and name stay. */
export class WorkspaceCollection extends IndexedCollection<WorkspaceInit, Workspace> {
  constructor(surroundings: WorkspaceSurroundings) {
    super({
      noun: "workspace",
      id: "id",
      unique: [new UniqueIndex<Workspace>("workspace", "id")],
      type: Workspace,
      parse: (members) => parseRecord("workspace", workspaceInit, members),
      build: (init) => new Workspace(init, surroundings),
    });
  }

  override async update(): Promise<never> {
    throw new UsageError("workspace: its id and name stay; delete it and create another");
  }
}
