import {
  addPermissions as addPermissionsContract,
  addRoles as addRolesContract,
  removePermissions as removePermissionsContract,
  removeRoles as removeRolesContract,
  setPermissions as setPermissionsContract,
  setRoles as setRolesContract,
  type PermissionItem,
  type RoleItem,
} from "../../contract/v2/key-items.ts";
import type { Key } from "../../store/key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { ownPermissionsOf, rolesOf } from "../granted.ts";
import { defineOperation, type AdmittedCall } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { onRoles } from "../require-key.ts";
import { requireOwnKey } from "./require-key.ts";
import { requirePermissions, requireRoles } from "./require-roles.ts";

type Run = AdmittedCall<{ readonly keyId: string }>;

/** The key of a call whose token may change it and has these further rights. */
function changeableKey(call: Run, ...rights: readonly string[]): Key {
  const key = requireOwnKey(call);
  call.demand([onApi(key.apiId, "update_key"), ...rights.map(onRoles)]);
  return key;
}

/**
 * The names of the permissions that do not exist, and have to be created.
 * @throws ApiError if there are any, and the token may not create them
 */
function missingOf({ demand, workspace }: Run, names: readonly string[]): string[] {
  const missing = workspace.permissions.missing(names);
  if (missing.length > 0) demand([onRoles("create_permission")]);
  return missing;
}

export const addPermissions = defineOperation({
  contract: addPermissionsContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_permission_to_key");
    missingOf(call, input.permissions);
    const before = ownPermissionsOf(workspace, key).toSorted();
    return setPermissionsOf(workspace, key, [...before, ...input.permissions]);
  },
});

export const setPermissions = defineOperation({
  contract: setPermissionsContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_permission_to_key", "remove_permission_from_key");
    const missing = new Set(missingOf(call, input.permissions));
    // Existing ones come first in the answer.
    const existing = input.permissions.filter((name) => !missing.has(name));
    return setPermissionsOf(workspace, key, [...existing, ...missing]);
  },
});

export const removePermissions = defineOperation({
  contract: removePermissionsContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "remove_permission_from_key");
    requirePermissions(call, input.permissions);
    const removed = new Set(input.permissions);
    const before = ownPermissionsOf(workspace, key);
    return setPermissionsOf(
      workspace,
      key,
      before.filter((name) => !removed.has(name)),
    );
  },
});

export const addRoles = defineOperation({
  contract: addRolesContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_role_to_key");
    requireRoles(call, input.roles);
    return setRolesOf(workspace, key, [...rolesOf(workspace, key).toSorted(), ...input.roles]);
  },
});

export const setRoles = defineOperation({
  contract: setRolesContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call);
    requireRoles(call, input.roles);
    return setRolesOf(workspace, key, input.roles);
  },
});

export const removeRoles = defineOperation({
  contract: removeRolesContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call);
    requireRoles(call, input.roles);
    const removed = new Set(input.roles);
    const left = rolesOf(workspace, key).filter((name) => !removed.has(name));
    return setRolesOf(workspace, key, left);
  },
});

/** @returns the permissions that the key then has itself, without those of its roles */
function setPermissionsOf(workspace: Workspace, key: Key, names: readonly string[]) {
  const { permissions } = workspace.keys.revise(key, { permissions: [...names] });
  return { data: toPermissions(workspace, permissions) };
}

/** @returns the roles that the key then has */
function setRolesOf(workspace: Workspace, key: Key, names: readonly string[]) {
  const { roles } = workspace.keys.revise(key, { roles: [...names] });
  return { data: roles.flatMap((name) => toRole(workspace, name)) };
}

function toPermissions({ permissions }: Workspace, names: readonly string[]): PermissionItem[] {
  const items: PermissionItem[] = [];
  for (const name of names) {
    const permission = permissions.named(name);
    if (permission !== undefined) items.push({ id: permission.id, name, slug: name });
  }
  return items;
}

function toRole(workspace: Workspace, name: string): RoleItem[] {
  const role = workspace.roles.named(name);
  if (role === undefined) return [];
  const permissions = toPermissions(workspace, role.permissions);
  return [{ id: role.id, name, permissions: permissions.length === 0 ? undefined : permissions }];
}
