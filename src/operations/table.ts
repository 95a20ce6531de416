import type { Quirks } from "../contract/quirks.ts";
import { createKey } from "./create-key.ts";
import { listKeys, listKeysWith } from "./list-keys.ts";
import type { Operation } from "./operation.ts";

/** All operations of the service that latchkey emulates, with the documented behaviour. */
export const operations: readonly Operation[] = [createKey, listKeys];

/** The same operations with quirks. Without any, it returns the list above: a schema takes 1 ms. */
export function operationsWith(quirks: Quirks): readonly Operation[] {
  return quirks.size === 0 ? operations : [createKey, listKeysWith(quirks)];
}
