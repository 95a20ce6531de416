import { ApiError } from "../../contract/errors.ts";
import { shorten } from "../../schema/wording/shorten.ts";
import type { Workspace } from "../../store/workspace.ts";

/**
 * Checks that roles exist; only v1 creates those that do not.
 * @throws ApiError that names the first one that does not
 */
export function requireRoles({ roles }: Workspace, names: readonly string[] | undefined): void {
  const [missing] = roles.missing(names);
  if (missing === undefined) return;
  throw new ApiError("NOT_FOUND", `Role '${shorten(missing, 128)}' was not found.`, {
    type: "unkey/data/role_not_found",
  });
}
