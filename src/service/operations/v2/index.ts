// The operations of v2: each line adds the operations of a file. Documents and messages list them in the
// order of `table.ts`.
export { createKey } from "./create-key.ts";
export { listKeys } from "./list-keys.ts";
export { verifyKey } from "./verify-key.ts";
export { getKey, whoami } from "./get-key.ts";
export { updateKey } from "./update-key.ts";
export { deleteKey } from "./delete-key.ts";
export { updateCredits } from "./update-credits.ts";
export { rerollKey } from "./reroll-key.ts";
export { migrateKeys } from "./migrate-keys.ts";
export * from "./key-items.ts";
export * from "./apis.ts";
export { createPermission, getPermission, listPermissions, deletePermission } from "./roles.ts";
export { createRole, getRole, listRoles, deleteRole } from "./roles.ts";
export * from "./update-roles.ts";
export * from "./identities.ts";
export * from "./ratelimit.ts";
