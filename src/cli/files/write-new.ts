import { writeFile } from "node:fs/promises";
import { UsageError } from "../../base/usage-error.ts";
import { dirname, relative, resolve, sep } from "node:path";

/** @throws UsageError if the file exists already, or cannot be written */
export async function writeNew(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, content, { flag: "wx" });
  } catch (error) {
    throw new UsageError(`${file}: ${fileFailure(error)}`, { cause: error });
  }
}

export function fileFailure(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  // Removes file names that the user does not know, like the temporary file of a save.
  return reasons.get(code) ?? message.replace(new RegExp(`^(${code}: [^,]+), .*$`, "s"), "$1");
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["EEXIST", "it exists already; name another, or remove it first"],
  ["ENOENT", "there is no such folder"],
  ["ENOTDIR", "there is no such folder"],
  ["EISDIR", "it is a folder"],
  ["ELOOP", "its symbolic links lead in a circle"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EROFS", "the disk is read-only"],
  ["EBUSY", "another program uses it, or it is mounted by itself"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the quota of the disk is used up"],
]);

const SCHEMA = "node_modules/latchkey/fixtures/fixture.schema.json";

/**
 * The relative path from a fixture file to the JSON Schema of fixtures in `node_modules`, for editors. It
 * is right if latchkey is installed in the current folder.
 */
export function schemaReference(file = "."): string {
  const folder = file === "." ? resolve(".") : dirname(resolve(file));
  const path = relative(folder, resolve(SCHEMA)).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
