/** The permission that each operation with a button needs. */
export const verbs = {
  "keys.createKey": "create_key",
  "keys.verifyKey": "verify_key",
  "keys.updateKey": "update_key",
  "keys.rerollKey": "create_key",
  "keys.deleteKey": "delete_key",
} as const;

/** An operation that has a button. */
export type Action = keyof typeof verbs;

/**
 * Whether a token with these permissions may call an operation.
 * @param permissions undefined if they are not known, and every operation is offered
 * @param apiId undefined if there is no API
 */
export function mayCall(
  permissions: readonly string[] | undefined,
  operation: Action,
  apiId: string | undefined,
): boolean {
  if (permissions === undefined) return true;
  const enough = ["*", ...["*", apiId].map((id) => `api.${id}.${verbs[operation]}`)];
  // A URN can grant more than the names that are compared here.
  return permissions.some((name) => enough.includes(name) || name.startsWith("unkey:"));
}
