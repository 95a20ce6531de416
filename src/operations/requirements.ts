import type { Requirement } from "./operation.ts";

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

/** The requirement for an action on roles and permissions, like `add_role_to_key`. */
export function onRoles(action: string): Requirement {
  return { oneOf: [`rbac.*.${action}`] };
}
