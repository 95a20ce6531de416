import { createKey } from "./create-key.ts";
import { listKeys } from "./list-keys.ts";
import type { Operation } from "./operation.ts";

/** Every operation that is emulated. */
export const operations: readonly Operation[] = [createKey, listKeys];
