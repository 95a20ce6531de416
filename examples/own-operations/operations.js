import { ApiError, defineOperation } from "latchkey";
import * as z from "zod";

const text = z.string().min(1);

const updateRole = defineOperation({
  contract: {
    name: "permissions.updateRole",
    method: "POST",
    path: "/v2/permissions.updateRole",
    summary: "Change a role",
    input: z.strictObject({
      role: z.string().min(3).describe("The id or the name of a role."),
      name: text.optional(),
      description: text.nullish(),
    }),
    output: z.object({
      data: z.object({ id: text, name: text, description: text.optional() }),
    }),
  },

  requires: () => [{ oneOf: ["rbac.*.update_role"] }],

  async run({ workspace, input }) {
    const { id } = requireRole(workspace, input.role);
    const change = (role) => {
      if (input.name !== undefined) role.name = input.name;
      if (input.description !== undefined) role.description = input.description ?? undefined;
    };
    await workspace.roles.update({ id }, { data: change });
    const { name, description } = workspace.roles.get(id);
    return { data: { id, name, description } };
  },
});

const setRolePermissions = defineOperation({
  contract: {
    name: "permissions.setRolePermissions",
    method: "POST",
    path: "/v2/permissions.setRolePermissions",
    summary: "Replace the permissions of a role",
    input: z.strictObject({
      roleId: z.string().min(3),
      permissions: z.array(text).describe("Slugs; a permission that does not exist is made."),
    }),
    output: z.object({ data: z.array(z.object({ id: text, name: text, slug: text })) }),
  },

  requires: () => [
    { oneOf: ["rbac.*.add_permission_to_role"] },
    { oneOf: ["rbac.*.remove_permission_from_role"] },
  ],

  async run({ workspace, input }) {
    const { id } = requireRole(workspace, input.roleId);
    const change = (role) => void (role.permissions = input.permissions.toSorted());
    await workspace.roles.update({ id }, { data: change });
    const data = workspace.roles.get(id).permissions.map((slug) => {
      const permission = workspace.permissions.named(slug);
      return { id: permission.id, name: permission.name, slug };
    });
    return { data };
  },
});

export default [updateRole, setRolePermissions];

function requireRole({ roles }, idOrName) {
  const found = roles.get(idOrName) ?? roles.named(idOrName);
  if (found !== undefined) return found;
  const type = "unkey/data/role_not_found";
  throw new ApiError("NOT_FOUND", "The requested role does not exist.", { type });
}
