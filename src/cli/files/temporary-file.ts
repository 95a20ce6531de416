import { readdir, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * The name of this machine in file names. Processes in two containers may have the same id, but the
 * containers have different host names.
 */
export const HOST = hostname()
  .replaceAll(/[^\w-]/g, "-")
  .slice(0, 40);
/** The end of the name of a temporary file: host, process id and a UUID. */
const SUFFIX =
  /^\.([\w-]{0,40})\.(\d{1,10})\.[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
/** A process that writes a file never pauses so long, in milliseconds. */
const MAX_PAUSE = 60_000;

/** A new name in the folder of `target`, for a file that is written and then moved to `target`. */
export function temporaryNameOf(target: string): string {
  return `${target}.${HOST}.${process.pid}.${crypto.randomUUID()}`;
}

/**
 * Removes the temporary files of `target` that killed processes left. Call it before this process makes
 * one. A file is kept if another process may still write it: if that process is alive or on another
 * machine, and has written to the file within the last minute.
 */
export async function removeStale(target: string): Promise<void> {
  const folder = dirname(target);
  const names = await readdir(folder).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const suffix = name.startsWith(basename(target)) ? name.slice(basename(target).length) : "";
      const [, host, id] = SUFFIX.exec(suffix) ?? [];
      if (id === undefined) return;
      const file = join(folder, name);
      if (host !== HOST || isAlive(Number(id))) {
        const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
        if (Date.now() - mtimeMs < MAX_PAUSE) return;
      }
      // Another process may have removed it. Without the permission to remove it, it just stays.
      await unlink(file).catch(() => {});
    }),
  );
}

/** Whether another process has this id. In a container, the killed process may have had the same id. */
export function isAlive(id: number): boolean {
  if (id === process.pid) return false;
  try {
    // The signal 0 is not sent. It only checks whether the process exists.
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
