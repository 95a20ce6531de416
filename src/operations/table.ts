import { NO_QUIRKS, type Quirks } from "../contract/quirks.ts";
import { versionNames, type VersionName } from "../contract/version.ts";
import type { Operation } from "./operation.ts";
import { createKey as createKeyV1 } from "./v1/create-key.ts";
import { listKeys as listKeysV1, listKeysWith } from "./v1/list-keys.ts";
import { createKey as createKeyV2 } from "./v2/create-key.ts";
import { listKeys as listKeysV2 } from "./v2/list-keys.ts";

/** All operations of the service that latchkey emulates, by version, with the documented behaviour. */
const operations: Readonly<Record<VersionName, readonly Operation[]>> = {
  v1: [createKeyV1, listKeysV1],
  v2: [createKeyV2, listKeysV2],
};

/** The operations of these versions, with quirks. */
export function operationsOf(
  served: readonly VersionName[] = versionNames,
  quirks: Quirks = NO_QUIRKS,
): readonly Operation[] {
  return served.flatMap((version) =>
    operations[version].map((operation) =>
      // Without quirks, the operation above does: a schema takes 1 ms.
      operation === listKeysV1 && quirks.size > 0 ? listKeysWith(quirks) : operation,
    ),
  );
}
