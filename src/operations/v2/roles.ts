import * as z from "zod/mini";
import { closedObjectOf, described, docs, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { toWireJson } from "../../contract/v2/json.ts";
import type { Role } from "../../store/records.ts";
import { MAX_ITEMS } from "../fields.ts";
import { describeRoles } from "../hints.ts";
import { operationOfV2, type AdmittedCall } from "../operation.ts";
import { RawJson } from "../raw-json.ts";
import { onRoles } from "../requirements.ts";
import { permissionName, roleName } from "./fields.ts";
import { pageMembers, pageOf, pagination, search } from "./pages.ts";
import { refusals, refuse } from "./refusals.ts";
import { demandOne, description, roleRecord, toRoleRecord } from "./role-record.ts";

/** A page of roles with more permissions in all is written in steps: a role may have 10,000. */
const MANY = 5_000;
const encoder = new TextEncoder();

const oneRole = lazily(() =>
  closedObjectOf({ role: described(roleName(), "Its id or its name.") }),
);

/** @throws ApiError if the workspace has no role with this id or name */
function requireRole({
  input: { role },
  may,
  workspace,
}: AdmittedCall<{ readonly role: string }>): Role {
  const found = workspace.roles.find(role);
  if (found !== undefined) return found;
  const hint = may([onRoles("read_role")]) ? describeRoles(workspace) : undefined;
  throw refuse(refusals.requestedRole, hint);
}

export const createRole = operationOfV2({
  name: "permissions.createRole",
  summary: "Create a role",
  description: "Creates a role. Permissions that it names and that do not exist are created.",
  input: () =>
    closedObjectOf({
      name: described(roleName(), "Keys refer to the role by its name. Unique in the workspace."),
      description: description(),
      permissions: z.optional(
        listOf(permissionName(), "permission names", { max: MAX_ITEMS }).register(docs, {
          description: "The slugs of its permissions; one that does not exist is created.",
        }),
      ),
    }),
  output: () => objectOf({ data: objectOf({ roleId: text() }) }),

  run(call) {
    const { demand, input, workspace } = call;
    const { permissions, roles } = workspace;
    demandOne(call, "create_role");
    if (input.permissions?.length) demand([onRoles("add_permission_to_role")]);
    if (permissions.missing(input.permissions).length > 0) demand([onRoles("create_permission")]);
    if (roles.named(input.name) !== undefined) throw refuse(refusals.takenRole(input.name));
    return { data: { roleId: roles.add(input).id } };
  },
});

export const getRole = operationOfV2({
  name: "permissions.getRole",
  isReadOnly: true,
  summary: "Get a role",
  input: oneRole,
  output: () => objectOf({ data: roleRecord() }),

  run(call) {
    demandOne(call, "read_role");
    return { data: toRoleRecord(call.workspace, requireRole(call)) };
  },
});

export const listRoles = operationOfV2({
  name: "permissions.listRoles",
  isReadOnly: true,
  summary: "List roles",
  description:
    "Lists the roles of the workspace, page by page. `search` looks at id, name and description.",
  input: () => closedObjectOf({ ...pageMembers({ max: 1024 }), search: search() }),
  output: () =>
    objectOf({
      data: listOf(roleRecord(), "roles").register(docs, {
        description: "The roles of the page, ascending by id.",
      }),
      pagination: pagination(),
    }),

  *run(call) {
    const { input, workspace } = call;
    demandOne(call, "read_role");
    // While a long page is written, other requests may change permissions.
    const permissions = workspace.permissions.state();
    const page = yield* pageOf(workspace.roles, input, ({ description, id, name }) => [
      id,
      name,
      description,
    ]);
    const { items, pagination: toNext } = page;
    const shown = { permissions: { named: (slug: string) => permissions.find("slug", slug) } };
    const size = items.reduce((sum, role) => sum + role.permissions.length, 0);
    if (size <= MANY)
      return { data: items.map((role) => toRoleRecord(shown, role)), pagination: toNext };
    const pieces: Uint8Array[] = [];
    for (const role of items) {
      const json = toWireJson(toRoleRecord(shown, role));
      pieces.push(encoder.encode(`${pieces.length === 0 ? "[" : ","}${json}`));
      yield;
    }
    return { data: new RawJson([...pieces, "]"], { roles: items.length }), pagination: toNext };
  },
});

export const deleteRole = operationOfV2({
  name: "permissions.deleteRole",
  summary: "Delete a role",
  description: "Deletes a role, also from all keys that have it. Its permissions stay.",
  input: oneRole,
  output: () => objectOf({ data: objectOf({}) }),

  run(call) {
    demandOne(call, "delete_role");
    call.workspace.roles.remove(requireRole(call));
    return { data: {} };
  },
});
