import { describeNames } from "../hints.ts";
import type { AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";
import { refusals, refuse } from "./refusals.ts";

const kinds = {
  roles: { action: "read_role", refusal: refusals.unknownRole },
  permissions: { action: "read_permission", refusal: refusals.unknownPermission },
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
  const { action, refusal } = kinds[kind];
  const all = workspace[kind].all().map(({ name }) => name);
  // A token without the right to list them must not learn which ones exist.
  const hint = may([onRoles(action)]) ? describeNames(kind, all) : undefined;
  throw refuse(refusal(missing), hint);
}
