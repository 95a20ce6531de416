import { ApiError } from "../contract/errors.ts";
import { shorten } from "../schema/shorten.ts";
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
    throw new ApiError("NOT_FOUND", `apiId: this workspace has no API ${nameOf(apiId)}`, {
      hint: describeApis(workspace),
    });
  }
  if (!api.keyspace) {
    throw new ApiError("PRECONDITION_FAILED", "apiId: the API has no keyspace, so it has no keys");
  }
  return api;
}

/** Key values and most tokens have so long a run of letters and digits; the ids of APIs have not. */
const SECRET_RUN = /[A-Za-z0-9~+=]{20,}/g;

/** An id that a client sent, as a message can show it; it may be a secret in the wrong place. */
function nameOf(id: string): string {
  const masked = id.replaceAll(SECRET_RUN, (run) => `${run.slice(0, 5)}***`);
  return JSON.stringify(shorten(masked, 60));
}

const SHOWN_APIS = 5;

function describeApis(workspace: Workspace): string {
  const ids = workspace.apis.all().map(({ id }) => id);
  if (ids.length === 0) return "the workspace has no APIs; list some in a fixture";
  const more = ids.length > SHOWN_APIS ? `, and ${ids.length - SHOWN_APIS} more` : "";
  return `the APIs here are ${ids.slice(0, SHOWN_APIS).join(", ")}${more}`;
}
