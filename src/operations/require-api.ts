import { ApiError } from "../contract/errors.ts";
import { shorten } from "../schema/wording/shorten.ts";
import type { Api } from "../store/records.ts";
import type { Requirement } from "./operation.ts";
import type { Workspace } from "../store/workspace.ts";

/**
 * The requirement for an action on an API. For `create_key` a token needs `api.*.create_key` or
 * `api.<apiId>.create_key`.
 */
export function onApi(apiId: string, action: string): Requirement {
  return { oneOf: [`api.*.${action}`, `api.${apiId}.${action}`] };
}

/**
 * The API with this id in the workspace of the call.
 * @throws ApiError NOT_FOUND if there is none, also where another workspace has one, or
 *   PRECONDITION_FAILED if the API has no keyspace and so cannot have keys
 */
export function requireApi(workspace: Workspace, apiId: string): Api {
  const api = workspace.apis.get(apiId);
  if (api === undefined) {
    throw new ApiError("NOT_FOUND", `apiId: this workspace has no API ${quoteId(apiId)}`, {
      hint: describeApis(workspace),
    });
  }
  if (!api.keyspace) {
    throw new ApiError("PRECONDITION_FAILED", "apiId: the API has no keyspace, so it has no keys");
  }
  return api;
}

/** Key values and most tokens contain such a long run of letters and digits; API ids do not. */
const SECRET_RUN = /[A-Za-z0-9~+=]{20,}/g;

/** Quotes an id for a message, and masks it if it looks like a secret sent as the id. */
export function quoteId(id: string): string {
  const masked = id.replaceAll(SECRET_RUN, (run) => `${run.slice(0, 5)}***`);
  return JSON.stringify(shorten(masked, 60));
}

const SHOWN_APIS = 5;

/** A hint that names the APIs of a workspace. */
export function describeApis(workspace: Workspace): string {
  const ids = workspace.apis.all().map(({ id }) => id);
  if (ids.length === 0) return "the workspace has no APIs; list some in a fixture";
  const more = ids.length > SHOWN_APIS ? `, and ${ids.length - SHOWN_APIS} more` : "";
  return `the APIs here are ${ids.slice(0, SHOWN_APIS).join(", ")}${more}`;
}
