import { ApiError } from "../../contract/errors.ts";
import type { Api } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { quoted } from "../../base/wording/shorten.ts";
import { describeApis } from "../hints.ts";

/**
 * The API with this id in the workspace of the call.
 * @throws ApiError NOT_FOUND if this workspace has no such API, or PRECONDITION_FAILED if the API has
 *   no keyspace and so cannot have keys
 */
export function requireApi(workspace: Workspace, apiId: string): Api {
  const api = workspace.apis.get(apiId);
  if (api === undefined) {
    throw new ApiError("NOT_FOUND", `apiId: this workspace has no API ${quoted(apiId)}`, {
      hint: describeApis(workspace),
    });
  }
  if (!api.keyspace) {
    throw new ApiError("PRECONDITION_FAILED", "apiId: the API has no keyspace, so it has no keys");
  }
  return api;
}
