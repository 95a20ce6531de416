import { describePermissions, describeRoles } from "../hints.ts";
import type { AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";
import { refusals, refuse } from "./refusals.ts";

const kinds = {
  roles: { action: "read_role", refusal: refusals.unknownRole, describe: describeRoles },
  permissions: {
    action: "read_permission",
    refusal: refusals.unknownPermission,
    describe: describePermissions,
  },
};

/**
 * Checks that roles or permissions exist, where the service does not create those that do not.
 * @throws ApiError that names the first one that does not
 */
export function requireNamed(
  { may, workspace }: Pick<AdmittedCall<unknown>, "may" | "workspace">,
  kind: "permissions" | "roles",
  names: readonly string[] | undefined,
): void {
  const [missing] = workspace[kind].missing(names);
  if (missing === undefined) return;
  const { action, describe, refusal } = kinds[kind];
  // A token without the right to list them must not learn which ones exist.
  const hint = may([onRoles(action)]) ? describe(workspace) : undefined;
  throw refuse(refusal(missing), hint);
}
