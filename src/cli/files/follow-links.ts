import { readlink, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Follows symbolic links to a file. Unlike for `realpath`, the file need not exist.
 * @throws Error of the file system, for example ELOOP for links that lead in a circle
 */
export async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const next = await readlink(file).catch(() => undefined);
    // A link is relative to its real folder.
    return next === undefined ? file : followLinks(resolve(await realpath(dirname(file)), next));
  }
}
