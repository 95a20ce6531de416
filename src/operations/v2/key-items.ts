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
import type { Key } from "../../store/records.ts";
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

/** @throws ApiError for permissions that do not exist, if the token may not create them */
function demandCreation({ demand, workspace }: Run, names: readonly string[]): void {
  if (workspace.permissions.missing(names).length === 0) return;
  demand([onRoles("create_permission")]);
}

export const addPermissions = defineOperation({
  contract: addPermissionsContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_permission_to_key");
    demandCreation(call, input.permissions);
    const before = ownPermissionsOf(workspace, key).toSorted();
    return setPermissionsOf(workspace, key, [...before, ...input.permissions]);
  },
});

export const setPermissions = defineOperation({
  contract: setPermissionsContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_permission_to_key", "remove_permission_from_key");
    demandCreation(call, input.permissions);
    const missing = new Set(workspace.permissions.missing(input.permissions));
    // Existing ones come first in the answer.
    const isNew = (name: string) => missing.has(name);
    const existing = input.permissions.filter((name) => !isNew(name));
    return setPermissionsOf(workspace, key, [...existing, ...input.permissions.filter(isNew)]);
  },
});

export const removePermissions = defineOperation({
  contract: removePermissionsContract,

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "remove_permission_from_key");
    requirePermissions(call, input.permissions);
    const before = ownPermissionsOf(workspace, key);
    const left = before.filter((name) => !input.permissions.includes(name));
    return setPermissionsOf(workspace, key, left);
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
    const left = rolesOf(workspace, key).filter((name) => !input.roles.includes(name));
    return setRolesOf(workspace, key, left);
  },
});

/** @returns the permissions that the key then has itself, without those of its roles */
function setPermissionsOf(workspace: Workspace, key: Key, names: readonly string[]) {
  const { permissions } = workspace.keys.revise(key, { permissions: [...new Set(names)] });
  return { data: permissions.flatMap((name) => toPermission(workspace, name)) };
}

/** @returns the roles that the key then has */
function setRolesOf(workspace: Workspace, key: Key, names: readonly string[]) {
  const { roles } = workspace.keys.revise(key, { roles: [...new Set(names)] });
  return { data: roles.flatMap((name) => toRole(workspace, name)) };
}

function toPermission({ permissions }: Workspace, name: string): PermissionItem[] {
  const permission = permissions.named(name);
  return permission === undefined ? [] : [{ id: permission.id, name, slug: name }];
}

function toRole(workspace: Workspace, name: string): RoleItem[] {
  const role = workspace.roles.named(name);
  if (role === undefined) return [];
  const permissions = role.permissions.flatMap((permission) => toPermission(workspace, permission));
  return [{ id: role.id, name, permissions: permissions.length === 0 ? undefined : permissions }];
}
