import * as z from "zod/mini";
import { docs, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../schema/lazily.ts";
import { defineContract } from "../operation.ts";
import { namedItem } from "./update-key.ts";

// The operations that change the roles and permissions of a key.

const keyId = lazily(() =>
  text({ min: 1 }).register(docs, { description: "Identifier of the key." }),
);

const slug = lazily(() =>
  z.optional(text({ min: 1 }).register(docs, { description: "The same as its name." })),
);

/** A permission, which can also be named by its slug. */
const sluggedItem = lazily(() => z.extend(namedItem(), { slug: slug() }));
const existingPermission = lazily(() => z.omit(sluggedItem(), { create: true }));
const existingRole = lazily(() => z.omit(namedItem(), { create: true }));

const named = lazily(() =>
  listOf(objectOf({ id: text(), name: text() }), "items").register(docs, {
    description: "Those that the call names.",
  }),
);

function permissionsContract<Item extends z.ZodMiniObject>(
  name: string,
  summary: string,
  item: () => Item,
) {
  return defineContract({
    name,
    method: "POST",
    path: `/v1/${name}`,
    summary,
    input: () =>
      objectOf({ keyId: keyId(), permissions: listOf(item(), "permissions", { min: 1 }) }),
    output: named,
  });
}

function rolesContract<Item extends z.ZodMiniObject>(
  name: string,
  summary: string,
  item: () => Item,
) {
  return defineContract({
    name,
    method: "POST",
    path: `/v1/${name}`,
    summary,
    input: () => objectOf({ keyId: keyId(), roles: listOf(item(), "roles", { min: 1 }) }),
    output: named,
  });
}

const nothing = lazily(() => objectOf({}));

export const addPermissions = permissionsContract(
  "keys.addPermissions",
  "Add permissions of a key",
  namedItem,
);
export const setPermissions = permissionsContract(
  "keys.setPermissions",
  "Replace the permissions of a key",
  sluggedItem,
);
export const removePermissions = defineContract({
  name: "keys.removePermissions",
  method: "POST",
  path: "/v1/keys.removePermissions",
  summary: "Remove permissions of a key",
  input: () =>
    objectOf({
      keyId: keyId(),
      permissions: listOf(existingPermission(), "permissions", { min: 1 }),
    }),
  output: nothing,
});
export const addRoles = rolesContract("keys.addRoles", "Add roles of a key", namedItem);
export const setRoles = rolesContract("keys.setRoles", "Replace the roles of a key", namedItem);
export const removeRoles = defineContract({
  name: "keys.removeRoles",
  method: "POST",
  path: "/v1/keys.removeRoles",
  summary: "Remove roles of a key",
  input: () => objectOf({ keyId: keyId(), roles: listOf(existingRole(), "roles", { min: 1 }) }),
  output: nothing,
});
