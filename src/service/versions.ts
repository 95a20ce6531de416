import { versionAt, type VersionName } from "../contract/version.ts";
import type { InterfaceVersion } from "./interface-version.ts";
import { v1 } from "./v1/version.ts";
import { v2 } from "./v2/version.ts";

/** Every version of the interface. */
export const interfaceVersions: Readonly<Record<VersionName, InterfaceVersion>> = { v1, v2 };

/** The version that a path belongs to; v1 for a path that belongs to none. */
export function interfaceAt(path: string): InterfaceVersion {
  return interfaceVersions[versionAt(path) ?? "v1"];
}
