import { ApiError } from "../contract/errors.ts";
import { shorten } from "../schema/shorten.ts";
import type { Api, Key } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

/** Creates an API with a generated id. */
export function createApi({ apis, clock, ids }: Workspace, name: string): Api {
  return apis.createSync({ id: ids.next("api", clock.now()), name });
}

/** @throws ApiError for an API that does not exist, or belongs to another workspace */
export function findApi({ apis }: Workspace, apiId: string): Api {
  const api = apis.get(apiId);
  if (api !== undefined) return api;
  const shown = JSON.stringify(shorten(apiId, 100));
  throw new ApiError("NOT_FOUND", `The API ${shown} does not exist or has been deleted.`, {
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
