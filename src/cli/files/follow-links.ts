import { readlink, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * The file that a path leads to through symbolic links. It need not exist, unlike with `realpath`.
 * @throws Error of the file system, for example ELOOP for links that lead in a circle
 */
export async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const next = await readlink(file).catch(() => undefined);
    // A link is relative to the real folder that it is in.
    return next === undefined ? file : followLinks(resolve(await realpath(dirname(file)), next));
  }
}
