import { unlinkSync, type Stats } from "node:fs";
import { open, rename, stat, writeFile } from "node:fs/promises";
import { toBatches } from "../../seeding/fixtures/snapshot.ts";
import { followLinks } from "./follow-links.ts";
import { temporaryNameOf } from "./temporary-file.ts";

/** Small, because the event loop is blocked while the text of a slice is made. */
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
