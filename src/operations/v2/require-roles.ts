import { describeNames } from "../hints.ts";
import type { AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";
import { refusals, refuse } from "./refusals.ts";

type Call = Pick<AdmittedCall<unknown>, "may" | "workspace">;

/**
 * Checks that roles exist, because v2 does not create them.
 * @throws ApiError that names the first unknown role
 */
export function requireRoles(
  { may, workspace: { roles } }: Call,
  names: readonly string[] | undefined,
): void {
  const [missing] = roles.missing(names);
  if (missing === undefined) return;
  // A token without the right to list roles must not learn which ones exist.
  const hint = may([onRoles("read_role")]) ? describeNames("roles", namesOf(roles)) : undefined;
  throw refuse(refusals.unknownRole(missing), hint);
}

/**
 * Checks that permissions exist, for operations that do not create them.
 * @throws ApiError that names the first unknown permission
 */
export function requirePermissions(
  { may, workspace: { permissions } }: Call,
  names: readonly string[],
): void {
  const [missing] = permissions.missing(names);
  if (missing === undefined) return;
  const mayList = may([onRoles("read_permission")]);
  const hint = mayList ? describeNames("permissions", namesOf(permissions)) : undefined;
  throw refuse(refusals.unknownPermission(missing), hint);
}

function namesOf(collection: { all(): readonly { readonly name: string }[] }): string[] {
  return collection.all().map(({ name }) => name);
}
