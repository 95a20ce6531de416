import { type Stats, unlinkSync } from "node:fs";
import {
  open,
  readdir,
  readlink,
  realpath,
  rename,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { isRunning } from "../../base/is-running.ts";
import { toBatches } from "../../seed/snapshot.ts";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

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
/** A process that writes a file never pauses longer, in milliseconds. */
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
      // Another process may have removed it, or this process may lack the permission. Then it stays.
      await unlink(file).catch(() => {});
    }),
  );
}

/**
 * Whether another process has this id. In a container, the killed process may have had the id of this
 * one.
 */
export function isAlive(id: number): boolean {
  return id !== process.pid && isRunning(id);
}

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

/** Small, because the event loop is blocked while the text of a slice is generated. */
const SLICE_BYTES = 64 * 1_024;
/** Mode of a new file: only the owner may read it, because a state contains tokens. */
const OWNER_ONLY = 0o600;

/**
 * Replaces a file atomically: a new file is written in the same folder and moved into its place. The
 * text is made and written in slices, and requests are answered between two slices. An existing file
 * keeps its owner and permissions. `check` runs right before the move. If it throws, the file does not
 * change.
 * @returns the number of bytes written
 */
export async function replaceFile(
  file: string,
  text: Iterable<string>,
  check: () => Promise<void>,
): Promise<number> {
  // The target of a symbolic link is replaced or made, and not the link.
  const target = await followLinks(file);
  const former = await stat(target).catch(() => undefined);
  const temporary = temporaryNameOf(target);
  const remove = () => {
    try {
      unlinkSync(temporary);
    } catch {
      // The file was moved, or it was never created.
    }
  };
  // A second signal exits the process at once, so the `finally` below does not run.
  process.once("exit", remove);
  try {
    const length = await writeSynced(temporary, text, former);
    await check();
    await rename(temporary, target);
    return length;
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** Writes a new file with the owner and permissions of the old one, and syncs it to the disk. */
async function writeSynced(
  file: string,
  text: Iterable<string>,
  former: Stats | undefined,
): Promise<number> {
  let length = 0;
  function* slices() {
    for (const slice of toBatches(text, new Uint8Array(SLICE_BYTES))) {
      length += slice.length;
      yield slice;
    }
  }
  const handle = await open(file, "wx", OWNER_ONLY);
  try {
    await writeFile(handle, slices());
    if (former !== undefined) {
      // Errors are ignored: most users may not change owners, and some file systems have none.
      await handle.chown(former.uid, former.gid).catch(() => {});
      await handle.chmod(former.mode).catch(() => {});
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return length;
}
