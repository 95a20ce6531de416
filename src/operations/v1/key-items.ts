import {
  addPermissions as addPermissionsContract,
  addRoles as addRolesContract,
  removePermissions as removePermissionsContract,
  removeRoles as removeRolesContract,
  setPermissions as setPermissionsContract,
  setRoles as setRolesContract,
} from "../../contract/v1/key-items.ts";
import type { Key } from "../../store/key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { defineOperation, type AdmittedCall } from "../operation.ts";
import { onRoles } from "../require-key.ts";
import {
  attachedTo,
  collections,
  createItems,
  describeItems,
  MAY_NOT_CHANGE,
  requirementsToSet,
  resolveItems,
  type NamedItem,
  type Noun,
} from "./named-items.ts";
import { requireKey } from "./require-key.ts";

type Run = Pick<AdmittedCall<unknown>, "demand" | "workspace">;

/** Adds to the roles or permissions of a key. */
function add({ demand, workspace }: Run, noun: Noun, keyId: string, items: readonly NamedItem[]) {
  const key = requireKey(workspace, keyId);
  const resolved = resolveItems(workspace, noun, items);
  if (resolved.unknown !== undefined) throw resolved.unknown;
  // Also for roles, the service asks for the right to create permissions.
  if (resolved.missing.length > 0) demand([onRoles("create_permission")], MAY_NOT_CHANGE);
  return write(
    workspace,
    noun,
    key,
    [...attachedTo(workspace, noun, key), ...resolved.names],
    resolved.names,
  );
}

/** Replaces the roles or permissions of a key. */
function set({ demand, workspace }: Run, noun: Noun, keyId: string, items: readonly NamedItem[]) {
  const key = requireKey(workspace, keyId);
  const resolved = resolveItems(workspace, noun, items);
  const { adding, creating, removing } = requirementsToSet(noun, key, resolved);
  demand(removing, MAY_NOT_CHANGE);
  if (resolved.unknown !== undefined) throw resolved.unknown;
  demand([...creating, ...adding]);
  return write(workspace, noun, key, resolved.names, resolved.names);
}

/** Removes from the roles or permissions of a key. One that it does not have counts for nothing. */
function remove({ workspace }: Run, noun: Noun, keyId: string, items: readonly NamedItem[]) {
  const key = requireKey(workspace, keyId);
  const names = new Set(resolveItems(workspace, noun, items).names);
  const before = attachedTo(workspace, noun, key);
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
  named: readonly string[],
) {
  createItems(workspace, noun, named);
  workspace.keys.revise(key, { [collections[noun]]: after });
  return describeItems(workspace, noun, named);
}

export const addPermissions = defineOperation({
  contract: addPermissionsContract,
  requires: () => [onRoles("add_permission_to_key")],
  run: (call) => add(call, "permission", call.input.keyId, call.input.permissions),
});

export const removePermissions = defineOperation({
  contract: removePermissionsContract,
  requires: () => [onRoles("remove_permission_from_key")],
  run: (call) => remove(call, "permission", call.input.keyId, call.input.permissions),
});

export const setPermissions = defineOperation({
  contract: setPermissionsContract,
  run: (call) => set(call, "permission", call.input.keyId, call.input.permissions),
});

export const addRoles = defineOperation({
  contract: addRolesContract,
  requires: () => [onRoles("add_role_to_key")],
  run: (call) => add(call, "role", call.input.keyId, call.input.roles),
});

export const removeRoles = defineOperation({
  contract: removeRolesContract,
  requires: () => [onRoles("remove_role_from_key")],
  run: (call) => remove(call, "role", call.input.keyId, call.input.roles),
});

export const setRoles = defineOperation({
  contract: setRolesContract,
  run: (call) => set(call, "role", call.input.keyId, call.input.roles),
});
