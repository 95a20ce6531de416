import * as f from "../../../schema/fields.ts";
import type { Key } from "../../../state/keys/key.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { MAX_ITEMS } from "../fields.ts";
import { type AdmittedCall, onKey, onRoles, operationOfV2 } from "../operation.ts";
import { keyId, permissionName, roleName } from "./fields.ts";
import { requireNamed, requireOwnKey } from "./refusals.ts";
import { permissionRecord, roleRecord, toPermissionRecords, toRoleRecord } from "./roles.ts";

// The operations that change the roles and permissions of a key.

interface Size {
  readonly min?: number;
  readonly max: number;
}

function ofPermissions(summary: string, size: Size) {
  return {
    summary,
    description: `${summary}. Answers with all permissions that it then has itself, without those of its roles.`,
    input: () =>
      f.closedObjectOf({
        keyId: keyId(),
        permissions: f.listOf(permissionName(), "permission names", size),
      }),
    output: () => f.objectOf({ data: f.listOf(permissionRecord(), "permissions") }),
  };
}

function ofRoles(summary: string, size: Size) {
  return {
    summary,
    description: `${summary}. Answers with all roles that it then has.`,
    input: () =>
      f.closedObjectOf({ keyId: keyId(), roles: f.listOf(roleName(), "role names", size) }),
    output: () => f.objectOf({ data: f.listOf(roleRecord(), "roles") }),
  };
}

type Run = AdmittedCall<{ readonly keyId: string }>;

/** Finds the key, and checks that the token may change it and has these further rights. */
function changeableKey(call: Run, ...rights: readonly string[]): Key {
  const key = requireOwnKey(call);
  // A URN for the key grants all of them.
  const onItsUrn = { like: `api.${key.apiId}.update_key`, recordId: key.id };
  const further = rights.map((right) => ({ ...onRoles(right), ...onItsUrn }));
  call.demand([onKey(key, "update_key"), ...further]);
  return key;
}

/**
 * The names of permissions that have to be created.
 * @throws ApiError if there are any and the token may not create permissions
 */
function missingOf({ demand, workspace }: Run, names: readonly string[]): string[] {
  const missing = workspace.permissions.missing(names);
  if (missing.length > 0) demand([onRoles("create_permission")]);
  return missing;
}

export const addPermissions = operationOfV2("keys.addPermissions", {
  ...ofPermissions("Add permissions of a key", { min: 1, max: 1000 }),

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_permission_to_key");
    const added = workspace.permissions.spelled(input.permissions);
    missingOf(call, added);
    const before = key.permissions.toSorted();
    return setPermissionsOf(workspace, key, [...before, ...added]);
  },
});

export const setPermissions = operationOfV2("keys.setPermissions", {
  ...ofPermissions("Replace the permissions of a key", { max: MAX_ITEMS }),

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_permission_to_key", "remove_permission_from_key");
    const given = workspace.permissions.spelled(input.permissions);
    const missing = new Set(missingOf(call, given));
    // Existing permissions come first in the answer.
    const existing = given.filter((name) => !missing.has(name));
    return setPermissionsOf(workspace, key, [...existing, ...missing]);
  },
});

export const removePermissions = operationOfV2("keys.removePermissions", {
  ...ofPermissions("Remove permissions of a key", { min: 1, max: 1000 }),

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "remove_permission_from_key");
    requireNamed(call, "permissions", input.permissions);
    const removed = new Set(input.permissions);
    const left = key.permissions.filter((name) => !removed.has(name));
    return setPermissionsOf(workspace, key, left);
  },
});

export const addRoles = operationOfV2("keys.addRoles", {
  ...ofRoles("Add roles of a key", { min: 1, max: 100 }),

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call, "add_role_to_key");
    requireNamed(call, "roles", input.roles);
    return setRolesOf(workspace, key, [...key.roles.toSorted(), ...input.roles]);
  },
});

export const setRoles = operationOfV2("keys.setRoles", {
  ...ofRoles("Replace the roles of a key", { max: 100 }),

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call);
    requireNamed(call, "roles", input.roles);
    return setRolesOf(workspace, key, input.roles);
  },
});

export const removeRoles = operationOfV2("keys.removeRoles", {
  ...ofRoles("Remove roles of a key", { min: 1, max: 100 }),

  run(call) {
    const { input, workspace } = call;
    const key = changeableKey(call);
    requireNamed(call, "roles", input.roles);
    const removed = new Set(input.roles);
    const left = key.roles.filter((name) => !removed.has(name));
    return setRolesOf(workspace, key, left);
  },
});

/** @returns the key's own permissions after the change, without those of its roles */
function setPermissionsOf(workspace: Workspace, key: Key, names: readonly string[]) {
  const { permissions } = workspace.keys.revise(key, { permissions: [...names] });
  return { data: toPermissionRecords(workspace, permissions) };
}

/** @returns the roles of the key after the change */
function setRolesOf(workspace: Workspace, key: Key, names: readonly string[]) {
  const { roles } = workspace.keys.revise(key, { roles: [...names] });
  return {
    data: roles.flatMap((name) => {
      const found = workspace.roles.named(name);
      return found === undefined ? [] : [toRoleRecord(workspace, found)];
    }),
  };
}
