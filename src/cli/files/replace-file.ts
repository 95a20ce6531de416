import { randomUUID } from "node:crypto";
import { unlinkSync, type Stats } from "node:fs";
import { open, realpath, rename, stat, writeFile } from "node:fs/promises";
import { toBatches } from "../../seeding/fixtures/text.ts";

/** Making so many bytes of text takes a millisecond or two. */
const SLICE_BYTES = 64 * 1_024;
/** For a new file: what is saved holds tokens. */
const OWNER_ALONE = 0o600;

/**
 * Puts a text in the place of a file, whole or not at all, and resolves to how many bytes it has.
 * It is made and written in slices; between two of them whatever else there is gets its turn. A
 * file that is there keeps its permissions. `check` is called right before the file is replaced, and
 * leaves it as it is by throwing.
 */
export async function replaceFile(
  file: string,
  text: Iterable<string>,
  check: () => Promise<void>,
): Promise<number> {
  // A link stays, and the file that it leads to is replaced.
  const target = await realpath(file).catch(() => file);
  const former = await stat(target).catch(() => undefined);
  const temporary = `${target}.${randomUUID()}`;
  const remove = () => {
    try {
      unlinkSync(temporary);
    } catch {
      // It has been moved, or there never was one.
    }
  };
  // A second signal ends the process at once.
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

/** Writes a new file to the disk, with the owner and the permissions of the former one. */
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
  const handle = await open(file, "wx", OWNER_ALONE);
  try {
    await writeFile(handle, slices());
    if (former !== undefined) {
      // Not every user may give a file away, and not every disk knows owners and permissions.
      await handle.chown(former.uid, former.gid).catch(() => {});
      await handle.chmod(former.mode).catch(() => {});
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return length;
}
