import { UsageError } from "../../base/usage-error.ts";
import type { WorkspaceInit } from "../records.ts";
import { Collection } from "./collection.ts";
import type { PublicWorkspace } from "./workspace.ts";

/** Workspaces can be created and deleted; their id and name cannot be changed. */
export class WorkspaceCollection extends Collection<WorkspaceInit, PublicWorkspace> {
  override async update(): Promise<never> {
    throw cannotChange();
  }

  override async updateMany(): Promise<never> {
    throw cannotChange();
  }
}

function cannotChange(): UsageError {
  return new UsageError(
    "workspace: its id and name cannot be changed; delete it and create another",
  );
}
