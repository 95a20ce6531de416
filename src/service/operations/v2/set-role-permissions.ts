import { ApiError } from "../../../api/errors.ts";
import { closedObjectOf, listOf, objectOf, optional } from "../../../schema/fields.ts";
import { MAX_ITEMS } from "../fields.ts";
import { onRoles, operationOfV2 } from "../operation.ts";
import { permissionName, roleName } from "./fields.ts";
import { requireOne } from "./refusals.ts";
import { permissionRecord, toPermissionRecords } from "./roles.ts";

export const setRolePermissions = operationOfV2({
  name: "permissions.setRolePermissions",
  summary: "Replace the permissions of a role",
  description:
    "Replaces the permissions of a role, and answers with them. Permissions that do not exist are created.",
  input: () =>
    closedObjectOf({
      role: optional(roleName(), "Its id or its name. Needed without `roleId`."),
      roleId: optional(roleName(), "The older name of `role`."),
      permissions: listOf(permissionName(), "permission names", { max: MAX_ITEMS }),
    }),
  output: () => objectOf({ data: listOf(permissionRecord(), "permissions") }),

  run(call) {
    const { demand, input, workspace } = call;
    const { permissions, roles } = workspace;
    const idOrName = input.role ?? input.roleId;
    if (idOrName === undefined) throw oneRoleExpected("/required", "missing property 'roleId'");
    if (input.role !== undefined && input.roleId !== undefined) {
      throw oneRoleExpected("/oneOf", "oneOf failed, subschemas 0, 1 matched");
    }
    const role = requireOne(call, "roles", idOrName);
    demand(
      ["add_permission_to_role", "remove_permission_from_role"].map((right) =>
        onRoles(right, role.id),
      ),
    );
    const slugs = permissions.spelled(input.permissions).toSorted();
    if (permissions.missing(slugs).length > 0) demand([onRoles("create_permission")]);
    const { permissions: granted } = roles.update(role, { ...role, permissions: slugs });
    return { data: toPermissionRecords(workspace, granted) };
  },
});

/** The service's schema wants one of the two. */
function oneRoleExpected(location: string, message: string): ApiError {
  const detail =
    "POST request body for '/v2/permissions.setRolePermissions' failed to validate schema";
  const hint = "body: expected either `role` or `roleId`";
  return new ApiError("BAD_REQUEST", detail, { hint, violations: [{ location, message }] });
}
