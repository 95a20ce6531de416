import type { Key } from "../store/key.ts";
import type { Workspace } from "../store/workspace.ts";
import type { Requirement } from "./operation.ts";

// What is refused here differs between the versions: v1/require-key.ts, v2/require-key.ts.

/** The key with this value; undefined if there is none, or its API was deleted. */
export function keyWithValue({ apis, keys }: Workspace, value: string): Key | undefined {
  const key = keys.findByValue(value);
  return key !== undefined && apis.get(key.apiId) !== undefined ? (key as Key) : undefined;
}

/** The key with this id; undefined if there is none, or its API was deleted. */
export function keyWithId({ apis, keys }: Workspace, keyId: string): Key | undefined {
  const key = keys.get(keyId);
  return key !== undefined && apis.get(key.apiId) !== undefined ? (key as Key) : undefined;
}

/** The permission for an action on the roles and permissions of a workspace, like `add_role_to_key`. */
export function onRoles(action: string): Requirement {
  return { oneOf: [`rbac.*.${action}`] };
}
