import { readdir, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * Names this machine in file names. Processes of two containers may have the same id, but containers
 * have different host names.
 */
const HOST = hostname()
  .replaceAll(/[^\w-]/g, "-")
  .slice(0, 40);
/** What follows the name of the file: host, process id and a UUID. */
const SUFFIX =
  /^\.([\w-]{0,40})\.(\d{1,10})\.[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
/** No process pauses this long while it writes a file (ms). */
const MAX_PAUSE = 60_000;

/** A new name for a file beside `target`, which is written and then moved to `target`. */
export function temporaryNameOf(target: string): string {
  return `${target}.${HOST}.${process.pid}.${crypto.randomUUID()}`;
}

/**
 * Removes the temporary files of `target` that killed processes left. Call it before this process
 * has made one. Another process may be writing one at the moment, so a file stays if its process is
 * alive, or on another machine, and has written to it within the last minute.
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
      // Another start may have removed it. Without the permission to, it does no more harm than before.
      await unlink(file).catch(() => {});
    }),
  );
}

/** Whether another process has this id. In a container, the killed process may have had our own. */
function isAlive(id: number): boolean {
  if (id === process.pid) return false;
  try {
    // The signal 0 is not sent; it only asks whether there is such a process.
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
