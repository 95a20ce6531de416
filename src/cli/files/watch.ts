import { unwatchFile, watchFile } from "node:fs";
import { pluralize } from "../../schema/pluralize.ts";
import type { Emulator } from "../../emulator/emulator.ts";
import { UsageError } from "../../usage-error.ts";
import type { Fixture } from "../../seeding/fixtures/format.ts";
import { planFixtures } from "../../seeding/fixtures/plan.ts";
import { toSource } from "../../seeding/fixtures/source.ts";
import { mayControl, steererOf } from "../banner.ts";
import { readFixtures } from "./read-fixtures.ts";

/**
 * Between two looks at a file (ms). Editors put a new file in the place of the old one, and folders
 * are mounted from elsewhere: looking works for all of them, notices of the system do not.
 */
const INTERVAL = 200;

/** Starts over from the fixtures whenever one of their files changes and all of them fit. */
export function watchFixtures(
  files: readonly string[],
  started: readonly Fixture[],
  emulator: Emulator,
  tell: (line: string, kind?: "notice") => void,
): { stop(): void } {
  let turn = Promise.resolve();
  let known = JSON.stringify(started);
  const reseed = async () => {
    try {
      const fixtures = await readWhole(files);
      // A file that was only touched takes nothing away from anybody.
      const found = JSON.stringify(fixtures);
      if (found === known) return;
      await emulator.reseed(fixtures);
      known = found;
      const keys = emulator.workspaces.all().reduce((sum, { keys }) => sum + keys.count(), 0);
      tell(`--watch: started over with ${pluralize(keys, "key")}`, "notice");
      if (steererOf(emulator) === undefined && !mayControl(emulator, undefined)) tell(LOCKED);
    } catch (error) {
      const lines = error instanceof UsageError ? error.problems : [String(error)];
      for (const line of lines) tell(`--watch: ${line}`);
      tell("--watch: everything stays as it was");
    }
  };
  const listener = () => {
    turn = turn.then(reseed);
  };
  const options = { interval: INTERVAL, persistent: false };
  for (const file of files) watchFile(file, options, listener);
  // One may have changed between its reading and now.
  listener();
  return {
    stop() {
      for (const file of files) unwatchFile(file, listener);
    },
  };
}

const LOCKED =
  "--watch: no listed token may use control routes: list one with the permission latchkey.control or *, or start again with --control-token";

/** A file may have been met while it is being written, so one that is wrong is looked at again. */
async function readWhole(files: readonly string[]): Promise<Fixture[]> {
  try {
    const fixtures = await readFixtures(files);
    planFixtures(fixtures.map(toSource));
    return fixtures;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    return readFixtures(files);
  }
}
