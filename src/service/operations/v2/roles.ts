import * as z from "zod/mini";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { onRoles, operationOfV2, RawJson } from "../operation.ts";
import { toWireJson } from "../../../api/v2/json.ts";
import type { Permission } from "../../../state/records/permissions.ts";
import type { Role } from "../../../state/records/roles.ts";
import { MAX_ITEMS } from "../fields.ts";
import { pageMembers, pageOf, pageOutput, permissionName, roleName, search } from "./fields.ts";
import { refusals, refuse, requireOne } from "./refusals.ts";
import { MAX_DESCRIPTION } from "../../../state/vocabulary.ts";
import { unlessEmpty } from "../../../base/json.ts";

// What the operations on roles and on permissions share.

const description = lazily(() =>
  f.optional(f.text({ max: MAX_DESCRIPTION }), "A text for people. An empty text is none."),
);

export const permissionRecord = lazily(() =>
  f.component("Permission", "A permission.", {
    description: z.optional(f.text()),
    id: f.text(),
    name: f.text(),
    slug: f.described(f.text(), "Keys and roles refer to it by this text."),
  }),
);

export const roleRecord = lazily(() =>
  f.component("Role", "A role with its permissions.", {
    description: z.optional(f.text()),
    id: f.text(),
    name: f.text(),
    permissions: z.optional(f.listOf(permissionRecord(), "permissions")),
  }),
);

export function toPermissionRecord({ description, id, name, slug }: Permission) {
  return { description, id, name, slug };
}

interface WithPermissions {
  readonly permissions: { named(slug: string): Permission | undefined };
}

/** A role without permissions has no `permissions`. */
export function toRoleRecord(
  workspace: WithPermissions,
  { description, id, name, permissions }: Role,
) {
  return {
    description,
    id,
    name,
    permissions: unlessEmpty(toPermissionRecords(workspace, permissions)),
  };
}

export function toPermissionRecords({ permissions }: WithPermissions, slugs: readonly string[]) {
  return slugs.flatMap((slug) => {
    const found = permissions.named(slug);
    return found === undefined ? [] : [toPermissionRecord(found)];
  });
}

const onePermission = lazily(() =>
  f.closedObjectOf({ permission: f.described(permissionName(), "Its id or its slug.") }),
);

export const createPermission = operationOfV2("permissions.createPermission", {
  summary: "Create a permission",
  input: () =>
    f.closedObjectOf({
      name: f.described(
        f.text({ min: 1, max: 512 }),
        "For a person to read. Several may have the same.",
      ),
      slug: f.described(
        permissionName(),
        "Keys and roles refer to the permission by it. Unique in the workspace.",
      ),
      description: description(),
    }),
  output: () => f.objectOf({ data: f.objectOf({ permissionId: f.text() }) }),
  requires: () => [onRoles("create_permission")],

  run({ input, workspace: { permissions } }) {
    if (permissions.named(input.slug) !== undefined) {
      throw refuse(refusals.takenPermission(input.slug));
    }
    return { data: { permissionId: permissions.add(input).id } };
  },
});

export const getPermission = operationOfV2("permissions.getPermission", {
  isReadOnly: true,
  summary: "Get a permission",
  input: onePermission,
  output: () => f.objectOf({ data: permissionRecord() }),

  run(call) {
    const { permission } = call.input;
    const needed = onRoles("read_permission");
    return { data: toPermissionRecord(requireOne(call, "permissions", permission, needed)) };
  },
});

export const listPermissions = operationOfV2("permissions.listPermissions", {
  isReadOnly: true,
  summary: "List permissions",
  description:
    "Lists the permissions of the workspace, page by page. `search` looks at id, name, slug and description.",
  input: () => f.closedObjectOf({ ...pageMembers({ max: 1024 }), search: search() }),
  output: () => pageOutput(permissionRecord(), "permissions"),

  *run(call) {
    call.demand([onRoles("read_permission")]);
    const page = yield* pageOf(call.workspace.permissions, call.input, (permission) => [
      permission.id,
      permission.name,
      permission.slug,
      permission.description,
    ]);
    return { data: page.items.map(toPermissionRecord), pagination: page.pagination };
  },
});

export const deletePermission = operationOfV2("permissions.deletePermission", {
  summary: "Delete a permission",
  description: "Deletes a permission, also from all keys and roles that have it.",
  input: onePermission,
  output: () => f.objectOf({ data: f.objectOf({}) }),

  *run(call) {
    const { keys, permissions } = call.workspace;
    const find = () =>
      requireOne(call, "permissions", call.input.permission, onRoles("delete_permission"));
    yield* keys.renameInSteps("permissions", find().slug);
    // Between two steps, another request may have deleted it or given it to a key.
    permissions.remove(find());
    return { data: {} };
  },
});

/** A page of roles with more permissions in total is written in steps: a role may have 10,000. */
const MANY = 5_000;
const encoder = new TextEncoder();

const oneRole = lazily(() =>
  f.closedObjectOf({ role: f.described(roleName(), "Its id or its name.") }),
);

export const createRole = operationOfV2("permissions.createRole", {
  summary: "Create a role",
  description: "Creates a role. Permissions that it names and that do not exist are created.",
  input: () =>
    f.closedObjectOf({
      name: f.described(roleName(), "Keys refer to the role by its name. Unique in the workspace."),
      description: description(),
      permissions: f.optional(
        f.listOf(permissionName(), "permission names", { max: MAX_ITEMS }),
        "The slugs of its permissions; one that does not exist is created.",
      ),
    }),
  output: () => f.objectOf({ data: f.objectOf({ roleId: f.text() }) }),

  run(call) {
    const { demand, input, workspace } = call;
    const { permissions, roles } = workspace;
    demand([onRoles("create_role")]);
    const slugs = permissions.spelled(input.permissions ?? []);
    if (slugs.length > 0) demand([onRoles("add_permission_to_role")]);
    if (permissions.missing(slugs).length > 0) demand([onRoles("create_permission")]);
    if (roles.named(input.name) !== undefined) throw refuse(refusals.takenRole(input.name));
    return { data: { roleId: roles.add({ ...input, permissions: slugs }).id } };
  },
});

export const getRole = operationOfV2("permissions.getRole", {
  isReadOnly: true,
  summary: "Get a role",
  input: oneRole,
  output: () => f.objectOf({ data: roleRecord() }),

  run(call) {
    const role = requireOne(call, "roles", call.input.role);
    call.demand([onRoles("read_role", role.id)]);
    return { data: toRoleRecord(call.workspace, role) };
  },
});

export const listRoles = operationOfV2("permissions.listRoles", {
  isReadOnly: true,
  summary: "List roles",
  description:
    "Lists the roles of the workspace, page by page. `search` looks at id, name and description.",
  input: () => f.closedObjectOf({ ...pageMembers({ max: 1024 }), search: search() }),
  output: () => pageOutput(roleRecord(), "roles"),

  *run(call) {
    const { input, workspace } = call;
    call.demand([onRoles("read_role")]);
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

export const deleteRole = operationOfV2("permissions.deleteRole", {
  summary: "Delete a role",
  description: "Deletes a role, also from all keys that have it. Its permissions stay.",
  input: oneRole,
  output: () => f.objectOf({ data: f.objectOf({}) }),

  *run(call) {
    const { keys, roles } = call.workspace;
    const find = () => requireOne(call, "roles", call.input.role, onRoles("delete_role"));
    yield* keys.renameInSteps("roles", find().name);
    // Between two steps, another request may have deleted it or given it to a key.
    roles.remove(find());
    return { data: {} };
  },
});
