import { ApiError } from "../contract/errors.ts";
import type { Api, Key } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";
import { quoteId } from "./require-api.ts";

/** Creates an API with a generated id. Skips ids that a fixture or a test has already given to one. */
export function createApi(workspace: Workspace, name: string): Api {
  const { apis, clock, ids } = workspace;
  const id = ids.next("api", clock.now());
  return apis.get(id) === undefined ? apis.createSync({ id, name }) : createApi(workspace, name);
}

/** @throws ApiError for an API that does not exist, or belongs to another workspace */
export function findApi({ apis }: Workspace, apiId: string): Api {
  const api = apis.get(apiId);
  if (api !== undefined) return api;
  throw new ApiError("NOT_FOUND", `The API ${quoteId(apiId)} does not exist or has been deleted.`, {
    type: "unkey/data/api_not_found",
  });
}

/**
 * Deletes an API and its keys.
 * @throws ApiError for an API that does not exist, or is protected from being deleted
 */
export function deleteApi(workspace: Workspace, apiId: string): void {
  const api = findApi(workspace, apiId);
  if (api.deleteProtection) {
    const detail = `The API ${api.id} has delete protection enabled. Disable it before deleting the API.`;
    throw new ApiError("DELETE_PROTECTED", detail, {
      type: "unkey/application/protected_resource",
    });
  }
  deleteKeys(workspace, apiId);
  workspace.apis.remove(api);
}

/** Deletes all keys of an API. Returns how many there were. */
export function deleteKeys({ keys }: Workspace, apiId: string): number {
  const all = keys.page({ apiId }, undefined, Infinity);
  for (const key of all) keys.remove(key as Key);
  return all.length;
}
