import type { Quirks } from "../contract/quirks.ts";
import { createKey } from "./create-key.ts";
import { listKeys, listKeysWith } from "./list-keys.ts";
import type { Operation } from "./operation.ts";

/** Every operation that is emulated, as the interface has them. */
export const operations: readonly Operation[] = [createKey, listKeys];

/** The same with quirks. Without any, nothing is made anew: schemas take a millisecond each. */
export function operationsWith(quirks: Quirks): readonly Operation[] {
  return quirks.size === 0 ? operations : [createKey, listKeysWith(quirks)];
}
