import { readFile, stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import type { Emulator } from "../../emulator/emulator.ts";
import { readFixtureFile } from "../../seed/files.ts";
import type { Fixture } from "../../seed/format.ts";
import { UsageError } from "../../base/usage-error.ts";
import { followLinks, removeStale, replaceFile } from "./replace-file.ts";
import { fileFailure, schemaReference } from "./write-new.ts";

/** The shortest time between two checks for changes, in milliseconds. */
const INTERVAL = 250;
/**
 * The pause after a save, as a multiple of the time that the save took. So a large state is saved less
 * often.
 */
const PAUSE_FACTOR = 2;

/**
 * Reads the file of `--state`, and removes the temporary files of killed processes.
 * @throws UsageError for a file that is no saved state, and for a missing folder
 */
export async function readState(
  file: string,
): Promise<{ fixture: Fixture | undefined; fingerprint: string | undefined }> {
  if (extname(file).toLowerCase() !== ".json") {
    throw new UsageError(`--state: ${file}: expected a name that ends in .json`);
  }
  const fingerprint = await fingerprintOf(file);
  const target = await followLinks(file).catch((error: unknown) => {
    throw new UsageError(`--state: ${file}: ${fileFailure(error)}`, { cause: error });
  });
  if (fingerprint === undefined && (await fingerprintOf(dirname(target))) === undefined) {
    const link = target === file ? "" : `it is a symbolic link to ${target}; `;
    throw new UsageError(`--state: ${file}: ${link}there is no such folder`);
  }
  if (await isMounted(target)) {
    throw new UsageError(
      `--state: ${file}: it is mounted by itself, so a save cannot replace it; mount its folder ${dirname(target)} instead`,
    );
  }
  await removeStale(target);
  if (fingerprint === undefined) return { fixture: undefined, fingerprint };
  const fixture = await readFixtureFile(file);
  if (fixture.snapshot !== undefined) return { fixture, fingerprint };
  throw new UsageError(
    `--state: ${file}: expected a state that latchkey has saved, with the member \`snapshot\`; to start from a fixture, name it with --fixture`,
  );
}

/**
 * Saves the state of the emulator soon after a change. If it cannot be saved, reports each reason once
 * and tries again.
 */
export function keepState(
  file: string,
  { fingerprint }: Awaited<ReturnType<typeof readState>>,
  emulator: Emulator,
  report: (line: string) => void,
): () => Promise<boolean> {
  let savedRevision: number | undefined;
  let reportedReason: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();

  const checkUntouched = async () => {
    const current = await fingerprintOf(file);
    if (current === undefined || current === fingerprint) return;
    throw new Error(
      "another program has changed this file; choose another file, or remove this one",
    );
  };
  const save = async () => {
    try {
      await checkUntouched();
      // `snapshotText` takes the state at once and makes the text later, so this revision belongs to it.
      // A change during the write gets a later revision.
      const { revision } = emulator;
      const text = emulator.snapshotText({ $schema: schemaReference(file) });
      const length = await replaceFile(file, text, checkUntouched);
      fingerprint = await fingerprintOf(file);
      // Another program may have written the file since the move. Without a fingerprint, the next save
      // is refused (`checkUntouched`).
      if (!fingerprint?.endsWith(`/${length}`)) fingerprint = undefined;
      savedRevision = revision;
      if (reportedReason !== undefined) report(`--state: ${file}: saved again`);
      reportedReason = undefined;
    } catch (error) {
      const reason = fileFailure(error);
      if (reason !== reportedReason) report(`--state: ${file}: cannot be saved: ${reason}`);
      reportedReason = reason;
    }
  };
  const isSaved = () => savedRevision === emulator.revision;
  const saveAndSchedule = async () => {
    const start = performance.now();
    if (!isSaved()) await save();
    timer = setTimeout(run, Math.max(INTERVAL, PAUSE_FACTOR * (performance.now() - start)));
    timer.unref();
  };
  const run = () => {
    saving = saveAndSchedule();
  };
  run();

  return async () => {
    // A save in progress sets the timer when it ends, so wait for it before the timer is cleared.
    await saving;
    clearTimeout(timer);
    await save();
    return isSaved();
  };
}

/** Whether a file is a mount point, like a volume of a container. Only Linux shows this. */
async function isMounted(file: string): Promise<boolean> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  // Spaces and backslashes in a path are octal.
  const toText = (path = "") =>
    path.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
  return table.split("\n").some((line) => toText(line.split(" ")[4]) === file);
}

/** Inode, time and size of a file, to detect that it was replaced; undefined if it does not exist. */
async function fingerprintOf(file: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs, size } = await stat(file);
    return `${ino}/${mtimeMs}/${size}`;
  } catch {
    return undefined;
  }
}
