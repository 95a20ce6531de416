import * as z from "zod/mini";
import { closedObjectOf, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { defineContract, MAX_ITEMS } from "../operation.ts";
import { keyId, permissionName, roleName } from "./fields.ts";

// The operations that change the roles and permissions of a key.

const permission = lazily(() =>
  objectOf({
    description: z.optional(text()),
    id: text(),
    name: text(),
    slug: text(),
  }),
);
const role = lazily(() =>
  objectOf({
    description: z.optional(text()),
    id: text(),
    name: text(),
    permissions: z.optional(listOf(permission(), "permissions")),
  }),
);

export type PermissionItem = z.infer<ReturnType<typeof permission>>;
export type RoleItem = z.infer<ReturnType<typeof role>>;

/** How many permissions or roles a call may name. */
interface Size {
  readonly min?: number;
  readonly max?: number;
}

function permissionsContract(verb: "add" | "remove" | "set", summary: string, size: Size) {
  return defineContract({
    version: "v2",
    name: `keys.${verb}Permissions`,
    method: "POST",
    path: `/v2/keys.${verb}Permissions`,
    summary,
    description: `${summary}. Answers with all permissions that it then has itself, without those of its roles.`,
    input: () =>
      closedObjectOf({
        keyId: keyId(),
        permissions: listOf(permissionName(), "permission names", size),
      }),
    output: () => objectOf({ data: listOf(permission(), "permissions") }),
  });
}

function rolesContract(verb: "add" | "remove" | "set", summary: string, size: Size) {
  return defineContract({
    version: "v2",
    name: `keys.${verb}Roles`,
    method: "POST",
    path: `/v2/keys.${verb}Roles`,
    summary,
    description: `${summary}. Answers with all roles that it then has.`,
    input: () => closedObjectOf({ keyId: keyId(), roles: listOf(roleName(), "role names", size) }),
    output: () => objectOf({ data: listOf(role(), "roles") }),
  });
}

const some = { min: 1, max: 1000 };
export const addPermissions = permissionsContract("add", "Add permissions of a key", some);
export const removePermissions = permissionsContract("remove", "Remove permissions of a key", some);
export const setPermissions = permissionsContract("set", "Replace the permissions of a key", {
  max: MAX_ITEMS,
});
export const addRoles = rolesContract("add", "Add roles of a key", { min: 1, max: 100 });
export const removeRoles = rolesContract("remove", "Remove roles of a key", { min: 1, max: 100 });
export const setRoles = rolesContract("set", "Replace the roles of a key", { max: 100 });
