import { NO_QUIRKS, type Quirks } from "../contract/quirks.ts";
import { createKey } from "./create-key.ts";
import { listKeysWith } from "./list-keys.ts";
import type { Operation } from "./operation.ts";

/** Every operation that is emulated. */
export function operationsWith(quirks: Quirks): readonly Operation[] {
  return [createKey, listKeysWith(quirks)];
}

/** The same, as the interface has them. */
export const operations: readonly Operation[] = operationsWith(NO_QUIRKS);
