import type { Requirement } from "./operation.ts";
import type { Workspace } from "../store/workspace.ts";
import type { Key } from "../store/key.ts";

/**
 * The requirement for an action on an API. For `create_key` a token needs `api.*.create_key` or
 * `api.<apiId>.create_key`.
 */
export function onApi(apiId: string, action: string): Requirement {
  return { oneOf: [`api.*.${action}`, `api.${apiId}.${action}`] };
}

/** The requirement for an action on a namespace of rate limits, like `limit`. */
export function onNamespace({ id }: { readonly id: string }, action: string): Requirement {
  return { oneOf: [`ratelimit.${id}.${action}`, `ratelimit.*.${action}`] };
}

/** The requirement for a call that names a namespace that does not exist. */
export const createNamespace: Requirement = { oneOf: ["ratelimit.*.create_namespace"] };

// The versions refuse an unknown key differently: v1/require-key.ts, v2/require-key.ts.

/** The key with this value; undefined if there is none, or its API was deleted. */
export function keyWithValue({ apis, keys }: Workspace, value: string): Key | undefined {
  const key = keys.findByValue(value);
  return key !== undefined && apis.get(key.apiId) !== undefined ? key : undefined;
}

/** The key with this hash; undefined if there is none, or its API was deleted. */
export function keyWithHash({ apis, keys }: Workspace, hash: string): Key | undefined {
  const key = keys.holderOf({ hash });
  return key !== undefined && apis.get(key.apiId) !== undefined ? key : undefined;
}

/** The key with this id; undefined if there is none, or its API was deleted. */
export function keyWithId({ apis, keys }: Workspace, keyId: string): Key | undefined {
  const key = keys.get(keyId);
  return key !== undefined && apis.get(key.apiId) !== undefined ? key : undefined;
}

/** The requirement for an action on roles and permissions, like `add_role_to_key`. */
export function onRoles(action: string): Requirement {
  return { oneOf: [`rbac.*.${action}`] };
}
