import * as z from "zod/mini";
import { docs, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import type { Schema } from "../../schema/schema.ts";
import { defineContract, MAX_ITEMS, type ObjectSchema } from "../operation.ts";
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

const some = { min: 1, max: MAX_ITEMS };

const nothing = lazily(() => objectOf({}));

const withPermissions =
  <Item extends z.ZodMiniObject>(item: () => Item) =>
  () =>
    objectOf({ keyId: keyId(), permissions: listOf(item(), "permissions", some) });

const withRoles =
  <Item extends z.ZodMiniObject>(item: () => Item) =>
  () =>
    objectOf({ keyId: keyId(), roles: listOf(item(), "roles", some) });

function contractOf<Input extends ObjectSchema, Output extends Schema>(
  name: string,
  summary: string,
  input: () => Input,
  output: () => Output,
) {
  return defineContract({ name, method: "POST", path: `/v1/${name}`, summary, input, output });
}

export const addPermissions = contractOf(
  "keys.addPermissions",
  "Add permissions of a key",
  withPermissions(namedItem),
  named,
);
export const setPermissions = contractOf(
  "keys.setPermissions",
  "Replace the permissions of a key",
  withPermissions(sluggedItem),
  named,
);
export const removePermissions = contractOf(
  "keys.removePermissions",
  "Remove permissions of a key",
  withPermissions(existingPermission),
  nothing,
);
export const addRoles = contractOf(
  "keys.addRoles",
  "Add roles of a key",
  withRoles(namedItem),
  named,
);
export const setRoles = contractOf(
  "keys.setRoles",
  "Replace the roles of a key",
  withRoles(namedItem),
  named,
);
export const removeRoles = contractOf(
  "keys.removeRoles",
  "Remove roles of a key",
  withRoles(existingRole),
  nothing,
);
