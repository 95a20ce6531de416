import { readdir } from "node:fs/promises";
import { readDataFile } from "../../seeding/files.ts";
import { throwLines } from "../../base/throw-lines.ts";
import { UsageError } from "../../usage-error.ts";
import { isTokenOfAnother, serveOptions, type ServeSettings } from "./options.ts";
import { readConfig, readFlags, readVariables, type OptionsRead } from "./read-options.ts";

const CONFIG_FILE = /^latchkey\.config\.(?:json|ya?ml)$/;

/** The options of one start, merged from all sources. */
export interface StartOptions extends Omit<ServeSettings, "state"> {
  readonly state?: string;
  /** `--fixture` and `--generate`, if a flag or a variable set them, and not the configuration file. */
  readonly explicitSeeding: readonly string[];
  /** Warnings about settings that are not used. */
  readonly unused: readonly string[];
}

/**
 * Merges flags, environment, `defaults` and configuration file. Each overrides those after it. The
 * `state` of the file is not used if a flag or a variable names fixtures, because an existing state would
 * replace them.
 * @throws UsageError for invalid settings
 */
export async function mergeOptions(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  defaults: ServeSettings = {},
): Promise<StartOptions> {
  const [byFlag, byVariable] = [readFlags(flags, serveOptions), readVariables(env)];
  const file = await findConfig();
  const byFile = file === undefined ? { options: {}, lines: [] } : await readConfigFile(file);
  throwLines([...byFlag.lines, ...byVariable.lines, ...byFile.lines]);
  const explicit = { ...byVariable.options, ...byFlag.options };
  const { state, ...options } = { ...byFile.options, ...defaults, ...explicit };
  const explicitSeeding = seedingFlags(explicit);
  const unused =
    options.controlToken === undefined && isTokenOfAnother(env) ? [TOKEN_OF_ANOTHER] : [];
  if (!state) return { ...options, explicitSeeding, unused };
  if (explicit.state === undefined && explicitSeeding.length > 0) {
    const line = `--state: ${state}, which ${file} names, is not used, because ${explicitSeeding.join(" and ")} says what to start from`;
    return { ...options, explicitSeeding, unused: [...unused, line] };
  }
  return { ...options, state, explicitSeeding, unused };
}

const TOKEN_OF_ANOTHER =
  "LATCHKEY_CONTROL_TOKEN is not used, because with LATCHKEY_URL beside it, it belongs to the emulator there; use --control-token, or unset LATCHKEY_URL";

/** The options that say what to start from, unless there is a state, as far as they are set. */
export function seedingFlags({ fixtures, generate }: ServeSettings): string[] {
  return [
    ...(fixtures === undefined ? [] : ["--fixture"]),
    ...(generate === undefined ? [] : ["--generate"]),
  ];
}

async function readConfigFile(file: string): Promise<OptionsRead> {
  try {
    return readConfig(file, await readDataFile(file));
  } catch (error) {
    if (error instanceof UsageError) return { options: {}, lines: error.problems };
    throw error;
  }
}

async function findConfig(): Promise<string | undefined> {
  const [first, second] = (await readdir(".")).filter((name) => CONFIG_FILE.test(name)).sort();
  if (second !== undefined) {
    throw new UsageError(`${first} and ${second}: expected only one of them`);
  }
  return first;
}
