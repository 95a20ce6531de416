import { readdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { readDataFile } from "../seeding/files.ts";
import { UsageError } from "../usage-error.ts";
import { serveOptions, type ServeOptions } from "./options.ts";
import { readConfig, readFlags, readVariables, type ReadOptions } from "./read-options.ts";

const CONFIG_FILE = /^latchkey\.config\.(?:json|ya?ml)$/;

/**
 * Puts together what flags, environment and configuration file say: flags win over the
 * environment, the environment over the file.
 * @throws UsageError with a line for everything that does not fit
 */
export async function gatherOptions(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServeOptions> {
  const [byFlag, byVariable] = [readFlags(flags, serveOptions), readVariables(env)];
  const file = byFlag.options.config ?? byVariable.options.config ?? (await findConfig());
  const byFile = file === undefined ? { options: {}, lines: [] } : await readConfigFile(file);
  const lines = [...byFlag.lines, ...byVariable.lines, ...byFile.lines];
  if (lines.length > 0) throw new UsageError(lines);
  return {
    ...byFile.options,
    ...byVariable.options,
    ...byFlag.options,
  };
}

async function readConfigFile(file: string): Promise<ReadOptions> {
  try {
    const { options, lines } = readConfig(file, await readDataFile(file));
    return { options: relativeTo(file, options), lines };
  } catch (error) {
    if (error instanceof UsageError) return { options: {}, lines: error.problems };
    throw error;
  }
}

async function findConfig(): Promise<string | undefined> {
  const [first, second] = (await readdir(".")).filter((name) => CONFIG_FILE.test(name)).sort();
  if (second !== undefined) {
    throw new UsageError(`${first} and ${second}: expected one of them; name it with --config`);
  }
  return first;
}

/** Paths in a configuration file start at the file. */
function relativeTo(file: string, options: ServeOptions): ServeOptions {
  const { fixture, state } = options;
  const place = (path: string) => resolve(dirname(file), path);
  return {
    ...options,
    ...(fixture === undefined ? {} : { fixture: fixture.map(place) }),
    ...(state === undefined ? {} : { state: place(state) }),
  };
}
