import { problemLine } from "../../schema/problem-line.ts";
import { kindOf as kindOfValue, readAs, type Problem } from "../../schema/problems.ts";
import { unknownName } from "../../base/wording/unknown-name.ts";
import {
  detailsOf,
  flagOf,
  isTokenOfAnother,
  kindOf,
  optionNames,
  serveOptions,
  variablesOf,
  type Option,
  type OptionTable,
  type Settings,
} from "./options.ts";

/** The valid options, and a line for each invalid one. */
export interface OptionsRead<Table extends OptionTable = typeof serveOptions> {
  readonly options: Settings<Table>;
  readonly lines: readonly string[];
}

/** The setting of an option in one source. */
interface Setting {
  /** Where it is, for messages: a flag, a variable, or a member of a file. */
  readonly place: string;
  /** The setting as it was written. */
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

export function readVariables(env: Readonly<Record<string, string | undefined>>): OptionsRead {
  const read = readSettings(serveOptions, (name, option) => {
    if (name === "controlToken" && isTokenOfAnother(env)) return undefined;
    const place = variablesOf(name).find((candidate) => env[candidate]);
    if (place === undefined) return undefined;
    const raw = env[place];
    const isList = kindOf(option) === "list";
    const value = isList ? raw?.split(",").map((item) => item.trim()) : fromText(option, raw);
    return { place, raw, value };
  });
  return { options: read.options, lines: [...read.lines, ...unknownVariables(env)] };
}

/** Variables that `latchkey exec` sets for its command. They are not options. */
const EXEC_VARIABLES = ["LATCHKEY_URL", "LATCHKEY_TOKEN", "LATCHKEY_AS"];

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = optionNames.flatMap(variablesOf);
  return Object.keys(env)
    .filter((name) => name.startsWith("LATCHKEY_") && ![...known, ...EXEC_VARIABLES].includes(name))
    .map((name) => `${name}: ${unknownName("variable", name, known)}`);
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

/** Converts text of a flag or a variable to what the option takes. */
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
 * The invalid value, or the invalid item of a list, for a message. A value of any text is never shown,
 * because it may be a token, and neither is a URL with a user, which may have a password.
 */
function shown(option: Option, raw: unknown, problem: Problem): string {
  const any = kindOf(option) === "list" ? ["any"] : "any";
  if (!("value" in problem) || readAs(option, any).problems.length === 0) return "";
  const wrong = typeof problem.value === "string" ? problem.value : raw;
  if (typeof wrong !== "string") return `, got ${kindOfValue(wrong)}`;
  return wrong.includes("@") ? "" : `, got ${JSON.stringify(wrong)}`;
}
