/** The permission that each operation demands, with the id of the API or namespace in place of `*`. */
export const actions = {
  "apis.createApi": "api.*.create_api",
  "apis.deleteApi": "api.*.delete_api",
  "keys.createKey": "api.*.create_key",
  "keys.verifyKey": "api.*.verify_key",
  "keys.updateKey": "api.*.update_key",
  "keys.rerollKey": "api.*.create_key",
  "keys.deleteKey": "api.*.delete_key",
  "identities.createIdentity": "identity.*.create_identity",
  "identities.updateIdentity": "identity.*.update_identity",
  "identities.deleteIdentity": "identity.*.delete_identity",
  "permissions.createRole": "rbac.*.create_role",
  "permissions.deleteRole": "rbac.*.delete_role",
  "permissions.createPermission": "rbac.*.create_permission",
  "permissions.deletePermission": "rbac.*.delete_permission",
  "ratelimit.limit": "ratelimit.*.limit",
  "ratelimit.setOverride": "ratelimit.*.set_override",
  "ratelimit.deleteOverride": "ratelimit.*.delete_override",
} as const;

/** An operation that the page offers. */
export type Action = keyof typeof actions;

/**
 * Whether a token with these permissions may call an operation.
 * @param permissions undefined if they are not known, and every operation is offered
 * @param id of the API or namespace. Default: any of them will do
 */
export function mayCall(
  permissions: readonly string[] | undefined,
  operation: Action,
  id?: string,
): boolean {
  if (permissions === undefined || permissions.includes("*")) return true;
  const [before = "", after = ""] = actions[operation].split("*");
  return permissions.some((permission) =>
    id === undefined
      ? permission.startsWith(before) && permission.endsWith(after)
      : permission === actions[operation] || permission === before + id + after,
  );
}
