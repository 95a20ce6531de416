import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { missingFile, packageFile } from "../base/package-file.ts";
import { UsageError } from "../base/usage-error.ts";

/**
 * The path of a file of the package.
 * @param user what needs the file
 * @throws UsageError if it is not there
 */
export function requireFile(path: string, user: string): string {
  const url = packageFile(path);
  if (url === undefined || !existsSync(url)) throw new UsageError(`${user}: ${missingFile(path)}`);
  return fileURLToPath(url);
}
