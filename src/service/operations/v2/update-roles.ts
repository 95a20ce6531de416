import * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import type { Steps } from "../../../base/steps.ts";
import { ApiError } from "../../../api/errors.ts";
import * as f from "../../../schema/fields.ts";
import { MAX_DESCRIPTION } from "../../../state/vocabulary.ts";
import { MAX_ITEMS } from "../fields.ts";
import { type AdmittedCall, onRoles, operationOfV2 } from "../operation.ts";
import { permissionName, roleName } from "./fields.ts";
import { refusals, refuse, requireOne } from "./refusals.ts";
import { permissionRecord, toPermissionRecord, toPermissionRecords } from "./roles.ts";

const description = "Changes the members that are sent. Keys and roles that have it keep it.";

const newDescription = lazily(() =>
  f.optional(
    z.nullable(f.text({ max: MAX_DESCRIPTION })),
    "A text for people. null or an empty text removes it.",
  ),
);

const rightOf = {
  permissions: { right: "rbac.*.update_permission", taken: refusals.takenPermission },
  roles: { right: "rbac.*.update_role", taken: refusals.takenRole },
};

/**
 * Finds a role or permission to change, and renames it in all keys, in steps. Until the end, both names
 * mean it. The caller then changes the record at once.
 * @param to its new name or slug. Default: the former one
 * @throws ApiError if there is none, if the token may not change it, and if another one has the new name
 */
function* renameInKeys<Kind extends keyof typeof rightOf>(
  call: AdmittedCall<unknown>,
  kind: Kind,
  idOrName: string,
  to: string | undefined,
): Steps<ReturnType<typeof requireOne<Kind>>> {
  const { keys, [kind]: set } = call.workspace;
  const { right, taken } = rightOf[kind];
  // Only a URN grants this; no older permission does.
  const find = () => requireOne(call, kind, idOrName, { oneOf: [], like: right });
  const found = find();
  const { id } = found;
  const from = "slug" in found ? found.slug : found.name;
  if (to === undefined || to === from) return found;
  const holder = set.named(to);
  if (holder !== undefined && holder.id !== id) throw refuse(taken(to, "."));
  const release = set.reserve(to, id);
  yield* keys.renameInSteps(kind, from, to);
  release();
  // Between two steps, another request may have deleted it.
  if (set.get(id) === undefined) yield* keys.renameInSteps(kind, to);
  return (set.get(id) as typeof found | undefined) ?? find();
}

export const updatePermission = operationOfV2("permissions.updatePermission", {
  summary: "Change a permission",
  description,
  input: () =>
    f.closedObjectOf({
      permission: f.described(permissionName(), "Its id or its slug."),
      name: z.optional(f.text({ min: 1, max: 512 })),
      slug: z.optional(permissionName()),
      description: newDescription(),
    }),
  output: () => f.objectOf({ data: permissionRecord() }),

  *run(call) {
    const { permission, ...sent } = call.input;
    const before = yield* renameInKeys(call, "permissions", permission, sent.slug);
    const { name = before.name, slug = before.slug, description = before.description } = sent;
    const members = { ...before, name, slug, description: description ?? undefined };
    return { data: toPermissionRecord(call.workspace.permissions.update(before, members)) };
  },
});

export const updateRole = operationOfV2("permissions.updateRole", {
  summary: "Change a role",
  description,
  input: () =>
    f.closedObjectOf({
      role: f.described(roleName(), "Its id or its name."),
      name: z.optional(roleName()),
      description: newDescription(),
    }),
  output: () =>
    f.objectOf({
      data: f.objectOf({ description: z.optional(f.text()), id: f.text(), name: f.text() }),
    }),

  *run(call) {
    const { role, ...sent } = call.input;
    const before = yield* renameInKeys(call, "roles", role, sent.name);
    const { name = before.name, description = before.description } = sent;
    const members = { ...before, name, description: description ?? undefined };
    const after = call.workspace.roles.update(before, members);
    return { data: { description: after.description, id: after.id, name: after.name } };
  },
});

export const setRolePermissions = operationOfV2("permissions.setRolePermissions", {
  summary: "Replace the permissions of a role",
  description:
    "Replaces the permissions of a role, and answers with them. Permissions that do not exist are created.",
  input: () =>
    f.closedObjectOf({
      role: f.optional(roleName(), "Its id or its name. Needed without `roleId`."),
      roleId: f.optional(roleName(), "The older name of `role`."),
      permissions: f.listOf(permissionName(), "permission names", { max: MAX_ITEMS }),
    }),
  output: () => f.objectOf({ data: f.listOf(permissionRecord(), "permissions") }),

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
