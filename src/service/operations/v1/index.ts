// The operations of v1: each line adds one. Documents and messages list them in the order of `table.ts`.
export { createKey } from "./create-key.ts";
export { listKeys } from "./list-keys.ts";
export { verifyKey } from "./verify-key.ts";
export { getKey } from "./get-key.ts";
export { updateKey } from "./update-key.ts";
export { deleteKey } from "./delete-key.ts";
export { updateRemaining } from "./update-remaining.ts";
export { limit } from "./limit.ts";
