import { NO_QUIRKS, type Quirks } from "../contract/quirks.ts";
import { versionNames, type VersionName } from "../contract/version.ts";
import type { Operation } from "./operation.ts";
import * as apis1 from "./v1/apis.ts";
import { createKey as createKey1 } from "./v1/create-key.ts";
import { deleteKey as deleteKey1 } from "./v1/delete-key.ts";
import { getKey as getKey1, getKeyWith } from "./v1/get-key.ts";
import * as items1 from "./v1/key-items.ts";
import { listKeys as listKeys1, listKeysWith } from "./v1/list-keys.ts";
import { updateKey as updateKey1 } from "./v1/update-key.ts";
import { updateRemaining } from "./v1/update-remaining.ts";
import { verifyKey as verifyKey1 } from "./v1/verify-key.ts";
import { whoami as whoami1 } from "./v1/whoami.ts";
import * as apis2 from "./v2/apis.ts";
import { createKey as createKey2 } from "./v2/create-key.ts";
import { deleteKey as deleteKey2 } from "./v2/delete-key.ts";
import { getKey as getKey2 } from "./v2/get-key.ts";
import * as items2 from "./v2/key-items.ts";
import { listKeys as listKeys2 } from "./v2/list-keys.ts";
import { rerollKey } from "./v2/reroll-key.ts";
import { updateCredits } from "./v2/update-credits.ts";
import { updateKey as updateKey2 } from "./v2/update-key.ts";
import { verifyKey as verifyKey2 } from "./v2/verify-key.ts";
import { whoami as whoami2 } from "./v2/whoami.ts";

/** All operations of the service that latchkey emulates, by version, with the documented behaviour. */
const operations: Readonly<Record<VersionName, readonly Operation[]>> = {
  v1: [
    createKey1,
    listKeys1,
    verifyKey1,
    getKey1,
    updateKey1,
    deleteKey1,
    updateRemaining,
    whoami1,
    items1.addPermissions,
    items1.removePermissions,
    items1.setPermissions,
    items1.addRoles,
    items1.removeRoles,
    items1.setRoles,
    apis1.createApi,
    apis1.getApi,
    apis1.deleteApi,
    apis1.deleteKeys,
  ],
  v2: [
    createKey2,
    listKeys2,
    verifyKey2,
    getKey2,
    updateKey2,
    deleteKey2,
    updateCredits,
    rerollKey,
    whoami2,
    items2.addPermissions,
    items2.removePermissions,
    items2.setPermissions,
    items2.addRoles,
    items2.removeRoles,
    items2.setRoles,
    apis2.createApi,
    apis2.getApi,
    apis2.deleteApi,
  ],
};

/** The operations whose contract depends on quirks. */
const withQuirks: ReadonlyMap<Operation, (quirks: Quirks) => Operation> = new Map([
  [listKeys1, listKeysWith],
  [getKey1, getKeyWith],
]);

/** The operations of these versions, with quirks. */
export function operationsOf(
  served: readonly VersionName[] = versionNames,
  quirks: Quirks = NO_QUIRKS,
): readonly Operation[] {
  return served.flatMap((version) =>
    operations[version].map((operation) =>
      // Without quirks, the operation above does: a schema takes 1 ms.
      quirks.size > 0 ? (withQuirks.get(operation)?.(quirks) ?? operation) : operation,
    ),
  );
}
