import { kindOf as kindOfValue, type Problem, problemLine, readAs } from "../../schema/problems.ts";
import { unknownName } from "../../base/wording/text.ts";
import {
  detailsOf,
  flagOf,
  isTokenOfAnother,
  kindOf,
  type Option,
  type OptionName,
  optionNames,
  type OptionTable,
  serveOptions,
  type ServeSettings,
  type Settings,
  variablesOf,
} from "./options.ts";
import { readdir } from "node:fs/promises";
import { readDataFile } from "../../seed/files.ts";
import { throwLines, UsageError } from "../../base/usage-error.ts";

export interface OptionsRead<Table extends OptionTable = typeof serveOptions> {
  readonly options: Settings<Table>;
  readonly lines: readonly string[];
}

interface Setting {
  /** Where it is, for messages: a flag, a variable, or a member of a file. */
  readonly place: string;
  readonly raw: unknown;
  /** The setting for the schema: text is converted to a number, a boolean or a list. */
  readonly value: unknown;
}

/** Reads flags as the parser returns them: strings, arrays of strings, and booleans. */
export function readFlags<Table extends OptionTable>(
  flags: Readonly<Record<string, unknown>>,
  table: Table,
): OptionsRead<Table> {
  return readSettings(table, (name, option) => {
    const flag = flagOf(name, option);
    const [raw, place] = [flags[flag], `--${flag}`];
    return Array.isArray(raw) && kindOf(option) !== "list"
      ? `${place}: expected once, got it ${raw.length} times`
      : { place, raw, value: fromText(option, raw) };
  });
}

/**
 * Reads the variables of options that no flag sets. An overridden variable is not checked.
 * @param names the options to read
 */
export function readVariables(
  env: NodeJS.ProcessEnv,
  flags: Readonly<Record<string, unknown>> = {},
  names: readonly OptionName[] = optionNames,
): OptionsRead {
  return readSettings(serveOptions, (name, option) => {
    if (!names.includes(name) || flags[flagOf(name, option)] !== undefined) return undefined;
    if (name === "controlToken" && isTokenOfAnother(env)) return undefined;
    const place = variablesOf(name).find((candidate) => isChosen(candidate, env[candidate]));
    if (place === undefined) return undefined;
    const raw = env[place];
    const isList = kindOf(option) === "list";
    const value = isList ? raw?.split(",").map((item) => item.trim()) : fromText(option, raw);
    return { place, raw, value };
  });
}

/**
 * Whether a person may have set a variable. For a Service or a linked container called `latchkey`,
 * Kubernetes and Docker set LATCHKEY_PORT=tcp://10.96.1.5:4010, LATCHKEY_SERVICE_HOST and others.
 */
function isChosen(name: string, value: string | undefined): boolean {
  return Boolean(value) && !/^(?:tcp|udp|sctp):\/\//.test(value ?? "") && !OF_SERVICE.test(name);
}

const OF_SERVICE =
  /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$|^LATCHKEY_(?:\w+_)?(?:NAME$|ENV_)/;

/** Variables that `latchkey exec` sets for its command. They are not options. */
const EXEC_VARIABLES = ["LATCHKEY_URL", "LATCHKEY_GATEWAY_URL", "LATCHKEY_TOKEN", "LATCHKEY_AS"];

/** A line for each variable that is probably a misspelt option. */
export function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = optionNames.flatMap(variablesOf);
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith("LATCHKEY_") && isChosen(name, value))
    .filter(([name]) => ![...known, ...EXEC_VARIABLES].includes(name))
    .map(([name]) => `${name} is ignored: ${unknownName("variable", name, known)}`);
}

/** Reads the members of a configuration file, which have the types of JSON. */
export function readConfig(file: string, config: unknown): OptionsRead {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    return { options: {}, lines: [`${file}: expected an object with options`] };
  }
  const names = optionNames.filter((name) => detailsOf(serveOptions[name]).config !== false);
  const members: Readonly<Record<string, unknown>> = { ...config };
  const unknown = Object.keys(members)
    .filter((name) => name !== "$schema" && !names.some((known) => known === name))
    .map((name) =>
      problemLine(file, {
        path: [name],
        expected: unknownName("option", name, names),
      }),
    );
  const read = readSettings(serveOptions, (name) => {
    if (!names.includes(name)) return undefined;
    const raw = members[name];
    return { place: `${file}: ${name}`, raw, value: raw };
  });
  return { options: read.options, lines: [...read.lines, ...unknown] };
}

/** Validates the setting that `find` returns for each option. `find` may return an error line instead. */
function readSettings<Table extends OptionTable>(
  table: Table,
  find: (name: keyof Table & string, option: Option) => Setting | string | undefined,
): OptionsRead<Table> {
  const options: Record<string, unknown> = {};
  const lines: string[] = [];
  for (const [name, option] of Object.entries(table)) {
    const setting = find(name, option);
    if (typeof setting === "string") lines.push(setting);
    if (typeof setting !== "object" || setting.value === undefined) continue;
    const { place, raw, value } = setting;
    const read = readAs(option, value);
    const [problem] = read.problems;
    if (problem === undefined) options[name] = read.value;
    else lines.push(`${place}: ${problem.expected}${shown(option, raw, problem)}`);
  }
  return { options: options as Settings<Table>, lines };
}

function fromText(option: Option, raw: unknown): unknown {
  if (typeof raw !== "string") return raw;
  const { parse = (text: string) => text } = detailsOf(option);
  switch (kindOf(option)) {
    case "number":
      return /^\d{1,16}$/.test(raw) ? Number(raw) : raw;
    case "boolean":
      return spelled.get(raw) ?? raw;
    default:
      return parse(raw);
  }
}

const spelled: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/**
 * The invalid value, or the invalid item of a list, for a message. Free text is never shown, because it
 * may be a token, and neither is a URL with a user, which may have a password.
 */
function shown(option: Option, raw: unknown, problem: Problem): string {
  const any = kindOf(option) === "list" ? ["any"] : "any";
  if (!("value" in problem) || readAs(option, any).problems.length === 0) return "";
  const wrong = typeof problem.value === "string" ? problem.value : raw;
  if (typeof wrong !== "string") return `, got ${kindOfValue(wrong)}`;
  return wrong.includes("@") ? "" : `, got ${JSON.stringify(wrong)}`;
}

const CONFIG_FILE = /^latchkey\.config\.(?:json|ya?ml)$/i;
/** Formats of configuration files that other tools read. */
const OTHER_CONFIG = /^latchkey\.config\.(?:[cm]?[jt]sx?|json5|jsonc|toml)$|^\.latchkeyrc\b/i;

export interface StartOptions extends Omit<ServeSettings, "state"> {
  readonly state?: string;
  /** `--fixture` and `--generate`, if a flag or a variable set them, and not the configuration file. */
  readonly explicitSeeding: readonly string[];
  /** A line for each setting that has no effect. */
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
  env: NodeJS.ProcessEnv,
  defaults: ServeSettings = {},
): Promise<StartOptions> {
  const [byFlag, byVariable] = [readFlags(flags, serveOptions), readVariables(env, flags)];
  const file = await findConfig();
  const byFile = file === undefined ? { options: {}, lines: [] } : await readConfigFile(file);
  throwLines([...byFlag.lines, ...byVariable.lines, ...byFile.lines]);
  const explicit = { ...byVariable.options, ...byFlag.options };
  const { state, ...options } = { ...byFile.options, ...defaults, ...explicit };
  const explicitSeeding = seedingFlags(explicit);
  const unused = unknownVariables(env);
  if (options.controlToken === undefined && isTokenOfAnother(env)) unused.push(TOKEN_OF_ANOTHER);
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
  // A folder that was removed, or that this process may not list, counts as one without configuration.
  const names = await readdir(".").catch(() => []);
  const [first, second] = names.filter((name) => CONFIG_FILE.test(name)).sort();
  if (second !== undefined) {
    throw new UsageError(`${first} and ${second}: expected only one of them`);
  }
  const other = names.find((name) => OTHER_CONFIG.test(name));
  if (other === undefined) return first;
  throw new UsageError(
    `${other}: expected latchkey.config.json, .yaml or .yml; no other format is read`,
  );
}

/** The options that a table names. */
export function pick<Name extends keyof StartOptions>(
  options: StartOptions,
  table: Readonly<Record<Name, unknown>>,
): Pick<StartOptions, Name> {
  const named = Object.entries(options).filter(([name]) => Object.hasOwn(table, name));
  return Object.fromEntries(named) as Pick<StartOptions, Name>;
}
