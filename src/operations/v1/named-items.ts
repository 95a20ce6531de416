import * as z from "zod/mini";
import { ApiError } from "../../contract/errors.ts";
import { docs, flag, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { quoted } from "../../base/wording/shorten.ts";
import type { Key } from "../../store/key.ts";
import type { Permission, Role } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import type { AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";

/** A role or permission that a call names. */
export const namedItem = lazily(() =>
  objectOf({
    id: z.optional(text({ min: 3 }).register(docs, { description: "Its identifier." })),
    name: z.optional(text({ min: 1 }).register(docs, { description: "Its name." })),
    create: z.optional(
      flag().register(docs, { description: "Whether to create it if it does not exist." }),
    ),
  }).register(docs, {
    id: "NamedItem",
    description: "A role or permission, by its id or its name.",
  }),
);

type Noun = "role" | "permission";

const collections = { role: "roles", permission: "permissions" } as const;

/** The refusal of the service if a token may not remove items. */
const MAY_NOT_REMOVE = { code: "UNAUTHORIZED", status: 403 } as const;

/**
 * The names of the roles, or the slugs of the permissions, that a key gets in place of those that it has.
 * An item may have an id and a name, and then means both. An empty item is ignored.
 * @returns those of existing items, then of those to create, without duplicates
 * @throws ApiError for an item that does not exist, and for a token that may not set them
 */
export function namesToSet(
  { demand, workspace }: Pick<AdmittedCall<unknown>, "demand" | "workspace">,
  noun: Noun,
  key: Key,
  items: readonly z.output<ReturnType<typeof namedItem>>[],
): string[] {
  const collection = collections[noun];
  const found = new Set<string>();
  const missing = new Set<string>();
  let unknown: ApiError | undefined;
  for (const { create, id, name } of items) {
    if (id !== undefined) {
      const item = workspace[collection].get(id);
      if (item === undefined) unknown ??= notFound(noun, id);
      else found.add(referenceTo(item));
    }
    if (name === undefined) continue;
    const item = itemNamed(workspace, noun, name);
    if (item !== undefined) found.add(referenceTo(item));
    else if (create) missing.add(name);
    else unknown ??= notFound(noun, name, "; send `create: true` to create it");
  }
  const before = new Set(key[collection]);
  const after = new Set([...found, ...missing]);
  const isRemoving = [...before].some((name) => !after.has(name));
  const isAdding = [...after].some((name) => !before.has(name));
  if (isRemoving) demand([onRoles(`remove_${noun}_from_key`)], MAY_NOT_REMOVE);
  if (unknown !== undefined) throw unknown;
  demand([
    ...(missing.size > 0 ? [onRoles(`create_${noun}`)] : []),
    ...(isAdding ? [onRoles(`add_${noun}_to_key`)] : []),
  ]);
  return [...after];
}

/** How keys refer to a role or permission. */
function referenceTo(item: Role | Permission): string {
  return "slug" in item ? item.slug : item.name;
}

/** The role or permission with this name. Of several permissions, it is the one with this slug, or the first. */
function itemNamed(
  { permissions, roles }: Workspace,
  noun: Noun,
  name: string,
): Role | Permission | undefined {
  if (noun === "role") return roles.named(name);
  const likely = permissions.named(name);
  if (likely?.name === name) return likely;
  for (const permission of permissions.values()) if (permission.name === name) return permission;
  return undefined;
}

function notFound(noun: Noun, idOrName: string, note = ""): ApiError {
  const shown = quoted(idOrName, 100);
  return new ApiError("NOT_FOUND", `${noun}: there is no ${noun} ${shown}${note}`);
}
