import * as z from "zod/mini";
import { docs, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import type { Key } from "../../store/key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { about, MAX_ITEMS } from "../fields.ts";
import { operationOfV1, type AdmittedCall } from "../operation.ts";
import { onRoles } from "../requirements.ts";
import {
  checkReplacement,
  collections,
  MAY_NOT_CHANGE,
  namedItem,
  resolveItems,
  type NamedItem,
  type Noun,
} from "./named-items.ts";
import { requireKey } from "./require-key.ts";

// The operations that change the roles and permissions of a key.

/** Names a permission, by id, name or slug. */
const sluggedItem = lazily(() =>
  z.extend(namedItem(), {
    slug: z.optional(
      text({ min: 1 }).register(docs, { description: "Its slug. With it, `name` is ignored." }),
    ),
  }),
);
const existingPermission = lazily(() => z.omit(sluggedItem(), { create: true }));
const existingRole = lazily(() => z.omit(namedItem(), { create: true }));

const keyId = lazily(() => text({ min: 1 }).register(docs, about.keyId));

function permissionsOf<Item extends z.ZodMiniObject>(item: Item) {
  const permissions = listOf(item, "permissions", { min: 1, max: MAX_ITEMS });
  return objectOf({ keyId: keyId(), permissions });
}

function rolesOf<Item extends z.ZodMiniObject>(item: Item) {
  return objectOf({ keyId: keyId(), roles: listOf(item, "roles", { min: 1, max: MAX_ITEMS }) });
}

const named = lazily(() =>
  listOf(objectOf({ id: text(), name: text() }), "items").register(docs, {
    description: "Those that the call names.",
  }),
);

type Run = Pick<AdmittedCall<unknown>, "demand" | "workspace">;

function add({ demand, workspace }: Run, noun: Noun, keyId: string, items: readonly NamedItem[]) {
  const key = requireKey(workspace, keyId);
  const resolved = resolveItems(workspace, noun, items);
  if (resolved.unknown !== undefined) throw resolved.unknown;
  // The service asks for the right to create permissions, even to create roles.
  if (resolved.missing.length > 0) demand([onRoles("create_permission")], MAY_NOT_CHANGE);
  const after = [...key[collections[noun]], ...resolved.names];
  return write(workspace, noun, key, after, resolved.names);
}

/** Replaces the roles or permissions of a key. */
function set(call: Run, noun: Noun, keyId: string, items: readonly NamedItem[]) {
  const { workspace } = call;
  const key = requireKey(workspace, keyId);
  const resolved = resolveItems(workspace, noun, items);
  checkReplacement(call, noun, key, resolved);
  return write(workspace, noun, key, resolved.names, resolved.names);
}

/** Items that the key does not have are ignored. */
function remove({ workspace }: Run, noun: Noun, keyId: string, items: readonly NamedItem[]) {
  const key = requireKey(workspace, keyId);
  const names = new Set(resolveItems(workspace, noun, items).names);
  const before = key[collections[noun]];
  const after = before.filter((name) => !names.has(name));
  if (after.length < before.length) workspace.keys.revise(key, { [collections[noun]]: after });
  return {};
}

/** @returns the items that the call names, as the service answers */
function write(
  workspace: Workspace,
  noun: Noun,
  key: Key,
  after: readonly string[],
  names: readonly string[],
) {
  workspace.keys.revise(key, { [collections[noun]]: after });
  return names.flatMap((name) => {
    const item = workspace[collections[noun]].named(name);
    return item === undefined ? [] : [{ id: item.id, name: item.name }];
  });
}

export const addPermissions = operationOfV1({
  name: "keys.addPermissions",
  summary: "Add permissions of a key",
  input: () => permissionsOf(namedItem()),
  output: named,
  requires: () => [onRoles("add_permission_to_key")],
  run: (call) => add(call, "permission", call.input.keyId, call.input.permissions),
});

export const removePermissions = operationOfV1({
  name: "keys.removePermissions",
  summary: "Remove permissions of a key",
  input: () => permissionsOf(existingPermission()),
  output: () => objectOf({}),
  requires: () => [onRoles("remove_permission_from_key")],
  run: (call) => remove(call, "permission", call.input.keyId, call.input.permissions),
});

export const setPermissions = operationOfV1({
  name: "keys.setPermissions",
  summary: "Replace the permissions of a key",
  input: () => permissionsOf(sluggedItem()),
  output: named,
  run: (call) => set(call, "permission", call.input.keyId, call.input.permissions),
});

export const addRoles = operationOfV1({
  name: "keys.addRoles",
  summary: "Add roles of a key",
  input: () => rolesOf(namedItem()),
  output: named,
  requires: () => [onRoles("add_role_to_key")],
  run: (call) => add(call, "role", call.input.keyId, call.input.roles),
});

export const removeRoles = operationOfV1({
  name: "keys.removeRoles",
  summary: "Remove roles of a key",
  input: () => rolesOf(existingRole()),
  output: () => objectOf({}),
  requires: () => [onRoles("remove_role_from_key")],
  run: (call) => remove(call, "role", call.input.keyId, call.input.roles),
});

export const setRoles = operationOfV1({
  name: "keys.setRoles",
  summary: "Replace the roles of a key",
  input: () => rolesOf(namedItem()),
  output: named,
  run: (call) => set(call, "role", call.input.keyId, call.input.roles),
});
