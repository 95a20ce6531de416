import { unwatchFile, watchFile } from "node:fs";
import { pluralize } from "../../base/wording/text.ts";
import type { Emulator } from "../../emulator/emulator.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Fixture } from "../../seed/format.ts";
import { checkFixtures } from "../../seed/check.ts";
import { findTokenForControlRoutes, mayControl } from "../banner.ts";
import { readFixtureFiles } from "../../seed/files.ts";

/**
 * How often the files are polled, in milliseconds. File system events are not reliable for mounted
 * folders, and for editors that replace the file.
 */
const INTERVAL = 200;

/**
 * Reseeds the emulator whenever one of the fixture files changes and all of them are valid. Returns a
 * function that ends this.
 */
export function watchFixtures(
  files: readonly string[],
  started: readonly Fixture[],
  emulator: Emulator,
  report: (line: string, kind?: "notice") => void,
): () => void {
  let last = Promise.resolve();
  let seeded = JSON.stringify(started);
  const reseed = async () => {
    try {
      const fixtures = await readSettled(files);
      // A file that was saved without a change must not reset the emulator.
      const current = JSON.stringify(fixtures);
      if (current === seeded) return;
      await emulator.reseed(fixtures);
      seeded = current;
      const keys = emulator.workspaces.all().reduce((sum, { keys }) => sum + keys.count(), 0);
      report(`--watch: loaded the changed fixtures, ${pluralize(keys, "key")}`, "notice");
      if (findTokenForControlRoutes(emulator) === undefined && !mayControl(emulator, undefined))
        report(LOCKED);
    } catch (error) {
      const lines = error instanceof UsageError ? error.problems : [String(error)];
      for (const line of lines) report(`--watch: ${line}`);
      report("--watch: the fixtures were not loaded; the emulator keeps its state");
    }
  };
  const listener = () => {
    last = last.then(reseed);
  };
  const options = { interval: INTERVAL, persistent: false };
  for (const file of files) watchFile(file, options, listener);
  // A file may have changed after it was read and before it was watched.
  listener();
  return () => {
    for (const file of files) unwatchFile(file, listener);
  };
}

const LOCKED =
  "--watch: no listed token may use control routes: list one with the permission latchkey.control or *, or start again with --control-token";

/** Reads invalid files a second time, because an editor may not have finished writing them. */
async function readSettled(files: readonly string[]): Promise<Fixture[]> {
  try {
    const fixtures = await readFixtureFiles(files);
    checkFixtures(fixtures);
    return fixtures;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    return readFixtureFiles(files);
  }
}
