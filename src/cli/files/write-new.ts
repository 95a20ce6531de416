import { writeFile } from "node:fs/promises";
import { UsageError } from "../../usage-error.ts";

/** @throws UsageError for a file that is there already, or that cannot be written */
export async function writeNew(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, content, { flag: "wx" });
  } catch (error) {
    throw new UsageError(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Why a file could not be written. */
export function reasonOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return reasons.get(code) ?? message;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["EEXIST", "it is there already; name another, or remove it first"],
  ["ENOENT", "there is no such folder"],
  ["ENOTDIR", "there is no such folder"],
  ["EISDIR", "it is a folder"],
  ["EACCES", "it may not be written"],
  ["EPERM", "it may not be written"],
  ["EROFS", "the disk can only be read"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the quota of the disk is used up"],
]);
