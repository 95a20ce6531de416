import { versionAt, type VersionName } from "../contract/version.ts";
import { versionOf } from "../contract/operation.ts";
import type { Operation } from "../operations/operation.ts";
import type { InterfaceVersion } from "./interface-version.ts";
import { v1 } from "./v1/version.ts";
import { v2 } from "./v2/version.ts";

/** Every version of the interface. */
const interfaceVersions: Readonly<Record<VersionName, InterfaceVersion>> = { v1, v2 };

/** The version of an operation. Without one, that of the path; v1 for a path that belongs to none. */
export function interfaceOf(operation: Operation | undefined, path: string): InterfaceVersion {
  return interfaceVersions[operation ? versionOf(operation.contract) : (versionAt(path) ?? "v1")];
}
