/** The permission that each operation demands, with the id of the API in place of `*`. */
export const actions = {
  "keys.createKey": "api.*.create_key",
  "keys.verifyKey": "api.*.verify_key",
  "keys.updateKey": "api.*.update_key",
  "keys.rerollKey": "api.*.create_key",
  "keys.deleteKey": "api.*.delete_key",
} as const;

/** An operation that has a button. */
export type Action = keyof typeof actions;

/**
 * Whether a token with these permissions may call an operation.
 * @param permissions undefined if they are not known, and every operation is offered
 * @param apiId Default: any API will do
 */
export function mayCall(
  permissions: readonly string[] | undefined,
  operation: Action,
  apiId?: string,
): boolean {
  if (permissions === undefined || permissions.includes("*")) return true;
  // Those as URNs can grant more than what is compared here, so every operation is offered.
  if (permissions.some((name) => name.startsWith("unkey:"))) return true;
  const [before = "", after = ""] = actions[operation].split("*");
  return permissions.some((permission) =>
    apiId === undefined
      ? permission.startsWith(before) && permission.endsWith(after)
      : permission === actions[operation] || permission === before + apiId + after,
  );
}
