import * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import type { Steps } from "../../../base/steps.ts";
import { closedObjectOf, described, docs, objectOf, text } from "../../../schema/fields.ts";
import { MAX_DESCRIPTION } from "../../../state/vocabulary.ts";
import type { Workspace } from "../../../state/workspace.ts";
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

/**
 * Renames a role or permission in all keys, in steps. Meanwhile, both names mean it. The caller then
 * renames the record at once.
 */
function* rename(
  { keys, permissions, roles }: Workspace,
  kind: "permissions" | "roles",
  id: string,
  [from, to]: readonly [string, string],
): Steps<void> {
  if (from === to) return;
  const set = kind === "roles" ? roles : permissions;
  const end = set.expect(to, id);
  yield* keys.renameInSteps(kind, from, to);
  end();
  // Another request may have deleted it meanwhile.
  if (set.get(id) === undefined) yield* keys.takeInSteps(kind, to);
}

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

  *run(call) {
    const { description, name, permission, slug } = call.input;
    const { permissions } = call.workspace;
    const find = () => requireOne(call, "permissions", permission, toUpdate("permission"));
    const { id, slug: former } = find();
    const holder = slug === undefined ? undefined : permissions.named(slug);
    if (holder !== undefined && holder.id !== id) {
      throw refuse(refusals.takenPermission(slug ?? "", "."));
    }
    if (slug !== undefined) yield* rename(call.workspace, "permissions", id, [former, slug]);
    const before = permissions.get(id) ?? find();
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

  *run(call) {
    const { description, name, role } = call.input;
    const { roles } = call.workspace;
    const find = () => requireOne(call, "roles", role, toUpdate("role"));
    const { id, name: former } = find();
    const holder = name === undefined ? undefined : roles.named(name);
    if (holder !== undefined && holder.id !== id) {
      throw refuse(refusals.takenRole(name ?? "", "."));
    }
    if (name !== undefined) yield* rename(call.workspace, "roles", id, [former, name]);
    const before = roles.get(id) ?? find();
    const after = roles.update(before, {
      ...before,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description: description ?? undefined }),
    });
    return { data: { description: after.description, id: after.id, name: after.name } };
  },
});
