import { problemLine } from "../../schema/problem-line.ts";
import { kindOf, readAs } from "../../schema/problems.ts";
import { unknownName } from "../../schema/unknown-name.ts";
import {
  detailsOf,
  isTokenOfAnother,
  optionNames,
  serveOptions,
  toFlag,
  typeOf,
  variablesOf,
  type Option,
  type OptionTable,
  type Settings,
} from "./options.ts";

/** Options as far as they could be read, and a line for each that could not. */
export interface ReadOptions<Table extends OptionTable = typeof serveOptions> {
  readonly options: Settings<Table>;
  readonly lines: readonly string[];
}

/** What a person has set for an option, as one source says it. */
interface Found {
  /** What a person calls it: a flag, a variable, or a member of a file. */
  readonly place: string;
  readonly raw: unknown;
  /** What of it the schema reads. */
  readonly value: unknown;
}

/** Flags as the parser leaves them: strings, arrays of strings, and booleans. */
export function readFlags<Table extends OptionTable>(
  flags: Readonly<Record<string, unknown>>,
  table: Table,
): ReadOptions<Table> {
  return collect(table, (name, option) => {
    const raw = flags[toFlag(name)];
    const place = `--${toFlag(name)}`;
    return Array.isArray(raw) && typeOf(option) !== "array"
      ? `${place}: expected once, got it ${raw.length} times`
      : { place, raw, value: fromText(option, raw) };
  });
}

export function readVariables(env: Readonly<Record<string, string | undefined>>): ReadOptions {
  const read = collect(serveOptions, (name, option) => {
    if (name === "controlToken" && isTokenOfAnother(env)) return undefined;
    const place = variablesOf(name).find((candidate) => env[candidate]);
    if (place === undefined) return undefined;
    const raw = env[place];
    const isList = typeOf(option) === "array";
    const value = isList ? raw?.split(",").map((item) => item.trim()) : fromText(option, raw);
    return { place, raw, value };
  });
  return { options: read.options, lines: [...read.lines, ...unknownVariables(env)] };
}

/** What `latchkey exec` and its like tell the tests that they run; no options. */
const EXEC_VARIABLES = ["LATCHKEY_URL", "LATCHKEY_TOKEN"];

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = optionNames.flatMap(variablesOf);
  return Object.keys(env)
    .filter((name) => name.startsWith("LATCHKEY_") && ![...known, ...EXEC_VARIABLES].includes(name))
    .map((name) => `${name}: ${unknownName("variable", name, known)}`);
}

/** Members of a configuration file; these have the types that JSON gives them. */
export function readConfig(file: string, config: unknown): ReadOptions {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    return { options: {}, lines: [`${file}: expected an object with options`] };
  }
  const names = optionNames.filter((name) => detailsOf(serveOptions[name]).config !== false);
  const unknown = Object.keys(config)
    .filter((name) => name !== "$schema" && !names.some((known) => known === name))
    .map((name) => {
      const expected = unknownName("option", name, names);
      return problemLine(file, { path: [name], expected, value: undefined, omitValue: true });
    });
  const read = collect(serveOptions, (name) => {
    if (!names.includes(name)) return undefined;
    const raw = (config as Record<string, unknown>)[name];
    return { place: `${file}: ${name}`, raw, value: raw };
  });
  return { options: read.options, lines: [...read.lines, ...unknown] };
}

/** Reads what `find` finds for each option; it may also find a line that tells what is wrong. */
function collect<Table extends OptionTable>(
  table: Table,
  find: (name: keyof Table & string, option: Option) => Found | string | undefined,
): ReadOptions<Table> {
  const options: Record<string, unknown> = {};
  const lines: string[] = [];
  for (const [name, option] of Object.entries(table)) {
    const found = find(name, option);
    if (typeof found === "string") lines.push(found);
    if (typeof found !== "object" || found.value === undefined) continue;
    const { place, raw, value } = found;
    const read = readAs(option, toList(option, value));
    const [problem] = read.problems;
    if (problem === undefined) options[name] = read.value;
    else lines.push(`${place}: ${problem.expected}${shown(option, raw)}`);
  }
  return { options: options as Settings<Table>, lines };
}

/** A single text is a list as well, where a list is read. */
function toList(option: Option, value: unknown): unknown {
  return typeof value === "string" && typeOf(option) === "array" ? [value] : value;
}

/** Text from a flag or a variable: numbers and booleans are spelled out. */
function fromText(option: Option, raw: unknown): unknown {
  switch (typeOf(option)) {
    case "number":
      return typeof raw === "string" && /^\d{1,16}$/.test(raw) ? Number(raw) : raw;
    case "boolean":
      return spelled.get(raw) ?? raw;
    default:
      return raw;
  }
}

const spelled: ReadonlyMap<unknown, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** What stands there instead. Where any text would do it may be a token, so that is never shown. */
function shown(option: Option, raw: unknown): string {
  const takesAnyText = readAs(option, toList(option, "any")).problems.length === 0;
  if (takesAnyText) return "";
  return `, got ${typeof raw === "string" ? JSON.stringify(raw) : kindOf(raw)}`;
}
