import { ApiError } from "../contract/errors.ts";
import { shorten } from "../contract/shorten.ts";
import type { Api } from "../store/records.ts";
import type { Requirement } from "./operation.ts";
import type { Workspace } from "../store/workspace.ts";

/** `api.*.create_key` or `api.<apiId>.create_key`: the two ways to be allowed it. */
export function onApi(apiId: string, action: string): Requirement {
  return { oneOf: [`api.*.${action}`, `api.${apiId}.${action}`] };
}

/**
 * The API of a call. One of another workspace is not told apart from one that does not exist.
 * @throws ApiError NOT_FOUND, or PRECONDITION_FAILED for an API that cannot hold keys
 */
export function requireApi(workspace: Workspace, apiId: string): Api {
  const api = workspace.apis.get(apiId);
  if (api === undefined) {
    const name = JSON.stringify(shorten(apiId, 60));
    throw new ApiError("NOT_FOUND", `apiId: this workspace has no API with the id ${name}`, {
      hint: describeApis(workspace),
    });
  }
  if (!api.keyspace) {
    throw new ApiError("PRECONDITION_FAILED", "apiId: the API has no keyspace, so it has no keys");
  }
  return api;
}

const SHOWN_APIS = 5;

function describeApis(workspace: Workspace): string {
  const ids = workspace.apis.all().map(({ id }) => id);
  if (ids.length === 0) return "the workspace has no APIs; list some in a fixture";
  const more = ids.length > SHOWN_APIS ? `, and ${ids.length - SHOWN_APIS} more` : "";
  return `the APIs here are ${ids.slice(0, SHOWN_APIS).join(", ")}${more}`;
}
