import { NO_QUIRKS, type Quirks } from "../../api/quirks.ts";
import { versionNames, type VersionName } from "../../api/version.ts";
import { lazily } from "../../base/lazily.ts";
import type { BuiltIn, Operation } from "./operation.ts";
import * as v1 from "./v1/index.ts";
import * as v2 from "./v2/index.ts";

const operations: Readonly<Record<VersionName, Readonly<Record<string, BuiltIn>>>> = { v1, v2 };

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

/** All emulators without quirks share the operations, because their schemas take time to make. */
const withoutQuirks: Readonly<Record<VersionName, () => readonly Operation[]>> = {
  v1: lazily(() => madeFor("v1", NO_QUIRKS)),
  v2: lazily(() => madeFor("v2", NO_QUIRKS)),
};

/** The operations of these versions, as the quirks change them. */
export function operationsOf(
  served: readonly VersionName[] = versionNames,
  quirks: Quirks = NO_QUIRKS,
): readonly Operation[] {
  return served.flatMap((version) =>
    quirks.size === 0 ? withoutQuirks[version]() : madeFor(version, quirks),
  );
}

function madeFor(version: VersionName, quirks: Quirks): readonly Operation[] {
  const all = operations[version];
  const names = new Set([...first, ...Object.keys(all)]);
  return [...names].flatMap((name) => all[name]?.(quirks) ?? []);
}
