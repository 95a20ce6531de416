import { readFileSync, unlinkSync } from "node:fs";
import { readFile, unlink, writeFile } from "node:fs/promises";
import { UsageError } from "../../base/usage-error.ts";
import { followLinks, HOST, isAlive } from "./replace-file.ts";

/**
 * Keeps other processes from saving to a file, until this process ends or the returned function is
 * called. The lock is a file beside it, with the host and the process id. The lock of a killed process
 * does not count, and neither does a lock of another machine or container, whose processes are invisible
 * here.
 * @throws UsageError if a process of this machine has the lock
 */
export async function lock(file: string): Promise<() => void> {
  const place = `${await followLinks(file)}.lock`;
  const content = `${HOST} ${process.pid}\n`;
  // Other processes may do the same at the same time.
  for (let isLocked = false, tries = 0; !isLocked && tries < 3; tries += 1) {
    isLocked = await writeFile(place, content, { flag: "wx" }).then(
      () => true,
      async ({ code }: NodeJS.ErrnoException) => {
        // If no lock can be written, no state can be saved either, and the failed save is reported.
        if (code !== "EEXIST") return true;
        await removeUnlessHeld(place, file);
        return false;
      },
    );
  }
  const unlock = () => {
    process.off("exit", unlock);
    try {
      if (readFileSync(place, "utf8") === content) unlinkSync(place);
    } catch {
      // Someone has removed it.
    }
  };
  process.once("exit", unlock);
  return unlock;
}

/** @throws UsageError if a process of this machine has the lock */
async function removeUnlessHeld(place: string, file: string): Promise<void> {
  const [host, id] = (await readFile(place, "utf8").catch(() => "")).split(/\s/);
  if (host === HOST && isAlive(Number(id))) {
    throw new UsageError(
      `--state: ${file}: the process ${id} saves its state there; end it, or choose another file (if it is no latchkey, remove ${place})`,
    );
  }
  await unlink(place).catch(() => {});
}
