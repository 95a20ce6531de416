import type { Api } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

/** Creates an API with a generated id. Skips ids that a fixture or a test has already used. */
export function createApi(workspace: Workspace, name: string): Api {
  const { apis, clock, ids } = workspace;
  const id = ids.next("api", clock.now());
  return apis.get(id) === undefined ? apis.create({ id, name }) : createApi(workspace, name);
}

/** Deletes an API and its keys. The caller checks for delete protection. */
export function deleteApi(workspace: Workspace, api: Api): void {
  deleteKeys(workspace, api.id);
  workspace.apis.remove(api);
}

/** Deletes all keys of an API. Returns how many there were. */
export function deleteKeys({ keys }: Workspace, apiId: string): number {
  const all = keys.page({ apiId }, undefined, Infinity);
  for (const key of all) keys.remove(key);
  return all.length;
}
