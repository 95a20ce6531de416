import * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import { closedObjectOf, described, docs, objectOf, text } from "../../../schema/fields.ts";
import { MAX_DESCRIPTION } from "../../../state/vocabulary.ts";
import { operationOfV2, type Requirement } from "../operation.ts";
import { permissionName, roleName } from "./fields.ts";
import { refusals, refuse, requireOne } from "./refusals.ts";
import { permissionRecord, toPermissionRecord } from "./roles.ts";

const about = "Changes the members that are sent. Keys and roles that have it keep it.";

/** Only a URN grants it. */
function toUpdate(noun: "permission" | "role"): Requirement {
  return { oneOf: [], like: `rbac.*.update_${noun}` };
}

const newDescription = lazily(() =>
  z.optional(
    z.nullable(text({ max: MAX_DESCRIPTION })).register(docs, {
      description: "For a person to read. null or an empty one: none.",
    }),
  ),
);

export const updatePermission = operationOfV2({
  name: "permissions.updatePermission",
  summary: "Change a permission",
  description: about,
  input: () =>
    closedObjectOf({
      permission: described(permissionName(), "Its id or its slug."),
      name: z.optional(text({ min: 1, max: 512 })),
      slug: z.optional(permissionName()),
      description: newDescription(),
    }),
  output: () => objectOf({ data: permissionRecord() }),

  run(call) {
    const { description, name, permission, slug } = call.input;
    const { permissions } = call.workspace;
    const before = requireOne(call, "permissions", permission, toUpdate("permission"));
    const holder = slug === undefined ? undefined : permissions.named(slug);
    if (holder !== undefined && holder !== before) {
      throw refuse(refusals.takenPermission(holder.slug, "."));
    }
    const after = {
      ...before,
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description: description ?? undefined }),
    };
    return { data: toPermissionRecord(permissions.update(before, after)) };
  },
});

export const updateRole = operationOfV2({
  name: "permissions.updateRole",
  summary: "Change a role",
  description: about,
  input: () =>
    closedObjectOf({
      role: described(roleName(), "Its id or its name."),
      name: z.optional(roleName()),
      description: newDescription(),
    }),
  output: () =>
    objectOf({ data: objectOf({ description: z.optional(text()), id: text(), name: text() }) }),

  run(call) {
    const { description, name, role } = call.input;
    const { roles } = call.workspace;
    const before = requireOne(call, "roles", role, toUpdate("role"));
    const holder = name === undefined ? undefined : roles.named(name);
    if (holder !== undefined && holder !== before) {
      throw refuse(refusals.takenRole(holder.name, "."));
    }
    const after = roles.update(before, {
      ...before,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: description ?? undefined }),
    });
    return { data: { description: after.description, id: after.id, name: after.name } };
  },
});
