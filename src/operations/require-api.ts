import { ApiError } from "../contract/errors.ts";
import { quoteMasked } from "../schema/wording/quote-masked.ts";
import type { Api } from "../store/records.ts";
import { describeApis } from "./hints.ts";
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
  return quoteMasked(id, SECRET_RUN);
}
