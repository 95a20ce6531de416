// The operations of v2: each line adds one, or a file of similar ones. Documents and messages list them
// in the order of `table.ts`.
export { createKey } from "./create-key.ts";
export { listKeys } from "./list-keys.ts";
export { verifyKey } from "./verify-key.ts";
export { getKey, whoami } from "./get-key.ts";
export { updateKey } from "./update-key.ts";
export { deleteKey } from "./delete-key.ts";
export { updateCredits } from "./update-credits.ts";
export { rerollKey } from "./reroll-key.ts";
export { migrateKeys } from "./migrate-keys.ts";
export {
  addPermissions,
  removePermissions,
  setPermissions,
  addRoles,
  removeRoles,
  setRoles,
} from "./key-items.ts";
export { createApi, getApi, deleteApi } from "./apis.ts";
export {
  createPermission,
  getPermission,
  listPermissions,
  deletePermission,
  createRole,
  getRole,
  listRoles,
  deleteRole,
} from "./roles.ts";
export { updatePermission, updateRole } from "./update-roles.ts";
export { setRolePermissions } from "./set-role-permissions.ts";
export {
  createIdentity,
  getIdentity,
  listIdentities,
  updateIdentity,
  deleteIdentity,
} from "./identities.ts";
export {
  limit,
  multiLimit,
  setOverride,
  getOverride,
  listOverrides,
  deleteOverride,
} from "./ratelimit.ts";
