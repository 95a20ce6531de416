import { ApiError } from "../contract/errors.ts";
import type { Key } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";
import type { Requirement } from "./operation.ts";
import { quoteId } from "./require-api.ts";

/** The key with this value; undefined if there is none, or its API was deleted. */
export function keyWithValue({ apis, keys }: Workspace, value: string): Key | undefined {
  const key = keys.findByValue(value);
  return key !== undefined && apis.get(key.apiId) !== undefined ? (key as Key) : undefined;
}

/**
 * The key with this id in the workspace of the call.
 * @throws ApiError NOT_FOUND if there is none, its API was deleted, or another workspace has it
 */
export function requireKey({ apis, keys }: Workspace, keyId: string): Key {
  const key = keys.get(keyId);
  if (key !== undefined && apis.get(key.apiId) !== undefined) return key as Key;
  throw keyNotFound(`The key ${quoteId(keyId)} was not found.`);
}

/** The refusal of a key that does not exist, or that the token may not see. */
export function keyNotFound(message: string): ApiError {
  return new ApiError("NOT_FOUND", message, { type: "unkey/data/key_not_found" });
}

/** The permission for an action on the roles and permissions of a workspace, like `add_role_to_key`. */
export function onRoles(action: string): Requirement {
  return { oneOf: [`rbac.*.${action}`] };
}
