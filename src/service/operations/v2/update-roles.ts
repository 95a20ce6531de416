import * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import type { Steps } from "../../../base/steps.ts";
import { closedObjectOf, described, docs, objectOf, text } from "../../../schema/fields.ts";
import { MAX_DESCRIPTION } from "../../../state/vocabulary.ts";
import { type AdmittedCall, operationOfV2 } from "../operation.ts";
import { permissionName, roleName } from "./fields.ts";
import { refusals, refuse, requireOne } from "./refusals.ts";
import { permissionRecord, toPermissionRecord } from "./roles.ts";

const about = "Changes the members that are sent. Keys and roles that have it keep it.";

const newDescription = lazily(() =>
  z.optional(
    z.nullable(text({ max: MAX_DESCRIPTION })).register(docs, {
      description: "For a person to read. null or an empty one: none.",
    }),
  ),
);

const kinds = {
  permissions: { right: "rbac.*.update_permission", taken: refusals.takenPermission },
  roles: { right: "rbac.*.update_role", taken: refusals.takenRole },
};

/**
 * Finds a role or permission to change, and gives it its new name in all keys, in steps. Meanwhile, both
 * names mean it. The caller then changes the record at once.
 * @param to its new name or slug. Default: it keeps the former one
 * @throws ApiError if there is none, if the token may not change it, and if another one has the new name
 */
function* toChange<Kind extends keyof typeof kinds>(
  call: Pick<AdmittedCall<unknown>, "demand" | "may" | "workspace">,
  kind: Kind,
  idOrName: string,
  to: string | undefined,
): Steps<ReturnType<typeof requireOne<Kind>>> {
  const { keys, [kind]: set } = call.workspace;
  const { right, taken } = kinds[kind];
  // Only a URN grants it.
  const find = () => requireOne(call, kind, idOrName, { oneOf: [], like: right });
  const found = find();
  const { id } = found;
  const from = "slug" in found ? found.slug : found.name;
  if (to === undefined || to === from) return found;
  const holder = set.named(to);
  if (holder !== undefined && holder.id !== id) throw refuse(taken(to, "."));
  const end = set.expect(to, id);
  yield* keys.renameInSteps(kind, from, to);
  end();
  // Another request may have deleted it meanwhile.
  if (set.get(id) === undefined) yield* keys.takeInSteps(kind, to);
  return (set.get(id) as typeof found | undefined) ?? find();
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
    const { permission, ...sent } = call.input;
    const before = yield* toChange(call, "permissions", permission, sent.slug);
    const { name = before.name, slug = before.slug, description = before.description } = sent;
    const members = { ...before, name, slug, description: description ?? undefined };
    return { data: toPermissionRecord(call.workspace.permissions.update(before, members)) };
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
    const { role, ...sent } = call.input;
    const before = yield* toChange(call, "roles", role, sent.name);
    const { name = before.name, description = before.description } = sent;
    const members = { ...before, name, description: description ?? undefined };
    const after = call.workspace.roles.update(before, members);
    return { data: { description: after.description, id: after.id, name: after.name } };
  },
});
