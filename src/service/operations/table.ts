import { NO_QUIRKS, type Quirks } from "../../api/quirks.ts";
import { versionNames, type VersionName } from "../../api/version.ts";
import type { BuiltIn, Operation } from "./operation.ts";
import * as v1 from "./v1/index.ts";
import * as v2 from "./v2/index.ts";

/**
 * The operations that documents and messages list first, because they matter most. All others follow,
 * sorted by name.
 */
const first: readonly string[] = [
  "createKey",
  "listKeys",
  "verifyKey",
  "getKey",
  "updateKey",
  "deleteKey",
  "updateRemaining",
  "updateCredits",
  "rerollKey",
  "whoami",
  "addPermissions",
  "removePermissions",
  "setPermissions",
  "addRoles",
  "removeRoles",
  "setRoles",
  "createApi",
  "getApi",
  "deleteApi",
  "limit",
  "multiLimit",
  "setOverride",
  "getOverride",
  "listOverrides",
  "deleteOverride",
];

const inOrder: Readonly<Record<VersionName, readonly BuiltIn[]>> = {
  v1: sorted(v1),
  v2: sorted(v2),
};

function sorted(operations: Readonly<Record<string, BuiltIn>>): readonly BuiltIn[] {
  const names = new Set([...first, ...Object.keys(operations)]);
  return [...names].flatMap((name) => operations[name] ?? []);
}

/** The operations of these versions, as the quirks change them. */
export function operationsOf(
  served: readonly VersionName[] = versionNames,
  quirks: Quirks = NO_QUIRKS,
): readonly Operation[] {
  const all = served.flatMap((version) => inOrder[version]);
  // Without quirks, all emulators share the schemas, because these take time to make.
  return quirks.size === 0 ? all : all.map((operation) => operation.withQuirks(quirks));
}
