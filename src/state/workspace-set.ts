import { RecordSet } from "./record-set.ts";
import { workspaceInit, type WorkspaceInit } from "./records.ts";
import { PublicWorkspace, WorkspaceCollection } from "./public/workspace.ts";
import { SmallTable } from "./tables/table.ts";
import { Workspace, type WorkspaceDependencies, type WorkspaceState } from "./workspace.ts";

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
  /** Cached until a workspace is created or deleted, because each request reads it. */
  #all: readonly Workspace[] | undefined;
  readonly public: WorkspaceCollection;

  constructor(dependencies: WorkspaceDependencies) {
    this.#dependencies = dependencies;
    this.#records = new RecordSet(new SmallTable<PublicWorkspace>(["id"]), {
      noun: "workspace",
      schema: workspaceInit,
      type: PublicWorkspace,
      build: (init) => this.#make(init).public,
      onChange: () => {
        this.#all = undefined;
        dependencies.onChange?.();
      },
    });
    this.public = new WorkspaceCollection(this.#records);
  }

  get(id: string): Workspace | undefined {
    return this.#records.get(id) && this.#known.get(id)?.deref();
  }

  all(): readonly Workspace[] {
    return (this.#all ??= this.#records.all().map(({ id }) => this.get(id) as Workspace));
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
