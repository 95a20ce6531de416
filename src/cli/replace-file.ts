import { chmod, stat, writeFile } from "node:fs/promises";
import { toBatches } from "../seeding/fixtures/text.ts";

/** Making so many bytes of text takes a millisecond or two. */
const SLICE_BYTES = 64 * 1_024;
const OWNER_MAY_WRITE = 0o200;
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
  let length = 0;
  function* slices() {
    for (const slice of toBatches(text, new Uint8Array(SLICE_BYTES))) {
      length += slice.length;
      yield slice;
    }
  }
  const write = async (temporary: string) => {
    const { mode } = await stat(temporary);
    // It has the permissions of the file already, which may forbid this; they are put back later.
    if ((mode & OWNER_MAY_WRITE) === 0) await chmod(temporary, mode | OWNER_MAY_WRITE);
    await writeFile(temporary, slices(), { flag: "r+" });
    await check();
  };
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  // Loaded when it is needed: most starts keep no state.
  const { default: writeFileAtomic } = await import("write-file-atomic");
  // It takes no text in slices, and does not see when a full disk takes only the beginning of one.
  // So it is given none: it waits until it is written here, then syncs and renames, or cleans up.
  const mode = isThere ? {} : { mode: OWNER_ALONE };
  await writeFileAtomic(file, "", { tmpfileCreated: write, ...mode });
  return length;
}
