import { stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import type { Emulator } from "../../emulator/emulator.ts";
import { readFixtureFile } from "../../seeding/files.ts";
import type { Fixture } from "../../seeding/fixtures/format.ts";
import { UsageError } from "../../usage-error.ts";
import { replaceFile } from "./replace-file.ts";
import { schemaReference } from "../schema-reference.ts";
import { reasonOf } from "./write-new.ts";

/** Between two looks at whether there is anything to save (ms). */
const INTERVAL = 250;
/** A large world takes long to save: it is then saved less often, not all of the time. */
const REST = 2;

export interface SavedState {
  /** Undefined where there is no such file yet. */
  readonly fixture: Fixture | undefined;
  /** Tells whether the file is still the one that was read. */
  readonly fingerprint: string | undefined;
}

/**
 * Reads a state that was saved.
 * @throws UsageError for a file that is no state, and for a folder that is not there
 */
export async function readState(file: string): Promise<SavedState> {
  if (extname(file).toLowerCase() !== ".json") {
    throw new UsageError(`--state: ${file}: expected a name that ends in .json`);
  }
  const fingerprint = await fingerprintOf(file);
  if (fingerprint === undefined && (await fingerprintOf(dirname(file))) === undefined) {
    throw new UsageError(`--state: ${file}: there is no such folder`);
  }
  if (fingerprint === undefined) return { fixture: undefined, fingerprint };
  const fixture = await readFixtureFile(file);
  if (fixture.snapshot !== undefined) return { fixture, fingerprint };
  throw new UsageError(
    `--state: ${file}: expected a state that latchkey has saved, with the member \`snapshot\`; to start from a fixture, name it with --fixture`,
  );
}

export interface StateKeeper {
  /** Saves what is left to save. Resolves to whether everything is. */
  stop(): Promise<boolean>;
}

/**
 * Saves what the emulator holds within a second of a change. What cannot be saved is told, once
 * for each reason, and tried again.
 */
export function keepState(
  file: string,
  read: SavedState,
  emulator: Emulator,
  tell: (line: string) => void,
): StateKeeper {
  let saved: number | undefined;
  let known = read.fingerprint;
  let told: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();

  const checkUntouched = async () => {
    const found = await fingerprintOf(file);
    if (found === undefined || found === known) return;
    throw new Error("something else has written it; name another, or remove it");
  };
  const save = async () => {
    try {
      await checkUntouched();
      // Both at once: what changes while it is written is saved the next time.
      const { revision } = emulator;
      const text = emulator.snapshotText({ $schema: schemaReference(file) });
      const length = await replaceFile(file, text, checkUntouched);
      known = await fingerprintOf(file);
      // Somebody may have been quicker than this look.
      if (!known?.endsWith(`/${length}`)) known = undefined;
      saved = revision;
      if (told !== undefined) tell(`--state: ${file}: saved again`);
      told = undefined;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== told) tell(`--state: ${file}: cannot be saved: ${reason}`);
      told = reason;
    }
  };
  const isSaved = () => saved === emulator.revision;
  const look = async () => {
    const start = performance.now();
    if (!isSaved()) await save();
    timer = setTimeout(turn, Math.max(INTERVAL, REST * (performance.now() - start)));
    timer.unref();
  };
  const turn = () => {
    saving = look();
  };
  turn();

  return {
    async stop() {
      // One that is under way sets the timer anew when it ends.
      await saving;
      clearTimeout(timer);
      await save();
      return isSaved();
    },
  };
}

/** Tells whether a file is the same as before; undefined where there is none. */
async function fingerprintOf(file: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs, size } = await stat(file);
    return `${ino}/${mtimeMs}/${size}`;
  } catch {
    return undefined;
  }
}
