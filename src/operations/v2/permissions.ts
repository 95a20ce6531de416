import { closedObjectOf, described, docs, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import type { Permission } from "../../store/records.ts";
import { describePermissions } from "../hints.ts";
import { operationOfV2, type AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";
import { permissionName } from "./fields.ts";
import { pageMembers, pageOf, pagination, search } from "./pages.ts";
import { refusals, refuse } from "./refusals.ts";
import { demandOne, description, permissionRecord, toPermissionRecord } from "./role-record.ts";

const onePermission = lazily(() =>
  closedObjectOf({ permission: described(permissionName(), "Its id or its slug.") }),
);

/** @throws ApiError if the workspace has no permission with this id or slug */
function requirePermission({
  input: { permission },
  may,
  workspace,
}: AdmittedCall<{ readonly permission: string }>): Permission {
  const { permissions } = workspace;
  const found = permissions.find(permission);
  if (found !== undefined) return found;
  const hint = may([onRoles("read_permission")]) ? describePermissions(workspace) : undefined;
  throw refuse(refusals.requestedPermission, hint);
}

export const createPermission = operationOfV2({
  name: "permissions.createPermission",
  summary: "Create a permission",
  input: () =>
    closedObjectOf({
      name: text({ min: 1, max: 512 }).register(docs, {
        description: "For a person to read. Several may have the same.",
      }),
      slug: described(
        permissionName(),
        "Keys and roles refer to the permission by it. Unique in the workspace.",
      ),
      description: description(),
    }),
  output: () => objectOf({ data: objectOf({ permissionId: text() }) }),
  requires: () => [onRoles("create_permission")],

  run({ input, workspace: { permissions } }) {
    if (permissions.named(input.slug) !== undefined) {
      throw refuse(refusals.takenPermission(input.slug));
    }
    return { data: { permissionId: permissions.add(input).id } };
  },
});

export const getPermission = operationOfV2({
  name: "permissions.getPermission",
  isReadOnly: true,
  summary: "Get a permission",
  input: onePermission,
  output: () => objectOf({ data: permissionRecord() }),

  run(call) {
    demandOne(call, "read_permission");
    return { data: toPermissionRecord(requirePermission(call)) };
  },
});

export const listPermissions = operationOfV2({
  name: "permissions.listPermissions",
  isReadOnly: true,
  summary: "List permissions",
  description:
    "Lists the permissions of the workspace, page by page. `search` looks at id, name, slug and description.",
  input: () => closedObjectOf({ ...pageMembers({ max: 1024 }), search: search() }),
  output: () =>
    objectOf({
      data: listOf(permissionRecord(), "permissions").register(docs, {
        description: "The permissions of the page, ascending by id.",
      }),
      pagination: pagination(),
    }),

  *run(call) {
    demandOne(call, "read_permission");
    const page = yield* pageOf(call.workspace.permissions, call.input, (permission) => [
      permission.id,
      permission.name,
      permission.slug,
      permission.description,
    ]);
    return { data: page.items.map(toPermissionRecord), pagination: page.pagination };
  },
});

export const deletePermission = operationOfV2({
  name: "permissions.deletePermission",
  summary: "Delete a permission",
  description: "Deletes a permission, also from all keys and roles that have it.",
  input: onePermission,
  output: () => objectOf({ data: objectOf({}) }),

  run(call) {
    demandOne(call, "delete_permission");
    call.workspace.permissions.remove(requirePermission(call));
    return { data: {} };
  },
});
