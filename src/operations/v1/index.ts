// The operations of v1: each line adds one, or a file of similar ones. Documents and messages list them
// in the order of `table.ts`.
export { createKey } from "./create-key.ts";
export { listKeys } from "./list-keys.ts";
export { verifyKey } from "./verify-key.ts";
export { getKey } from "./get-key.ts";
export { updateKey } from "./update-key.ts";
export { deleteKey } from "./delete-key.ts";
export { updateRemaining } from "./update-remaining.ts";
export { whoami } from "./whoami.ts";
export {
  addPermissions,
  removePermissions,
  setPermissions,
  addRoles,
  removeRoles,
  setRoles,
} from "./key-items.ts";
export { createApi, getApi, deleteApi, deleteKeys } from "./apis.ts";
export { limit } from "./limit.ts";
