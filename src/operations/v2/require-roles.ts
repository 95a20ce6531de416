import { describeNames } from "../hints.ts";
import type { AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";
import { refusals, refuse } from "./refusals.ts";

type Call = Pick<AdmittedCall<unknown>, "may" | "workspace">;

/**
 * Checks that roles exist; only v1 creates those that do not.
 * @throws ApiError that names the first one that does not
 */
export function requireRoles(
  { may, workspace: { roles } }: Call,
  names: readonly string[] | undefined,
): void {
  const [missing] = roles.missing(names);
  if (missing === undefined) return;
  // A token without the right to list them must not learn which ones exist.
  const hint = may([onRoles("read_role")]) ? describeNames("roles", namesOf(roles)) : undefined;
  throw refuse(refusals.unknownRole(missing), hint);
}

/**
 * Checks that permissions exist, where the service does not create those that do not.
 * @throws ApiError that names the first one that does not
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
