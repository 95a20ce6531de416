import * as z from "zod/mini";
import { latency, MAX_LATENCY } from "../contract/fault.ts";
import { faultProblems } from "../contract/fault-rules.ts";
import { problemLine } from "../contract/problem-line.ts";
import { kindOf } from "../contract/problems.ts";
import { unknownName } from "../contract/unknown-name.ts";
import { EXPECTED_TIME, toTime } from "../store/clock.ts";
import {
  isTokenOfAnother,
  optionNames,
  serveOptions,
  toFlag,
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

type Read = { readonly value: unknown } | { readonly expected: string };

/** Flags as the parser leaves them: strings, arrays of strings, and booleans. */
export function readFlags<Table extends OptionTable>(
  flags: Readonly<Record<string, unknown>>,
  table: Table,
): ReadOptions<Table> {
  return collect(table, (name, option, tell) => {
    const raw = flags[toFlag(name)];
    if (raw === undefined) return undefined;
    const flag = `--${toFlag(name)}`;
    const { kind } = option;
    if (Array.isArray(raw) && kind !== "texts") {
      tell(`${flag}: expected once, got it ${raw.length} times`);
      return undefined;
    }
    return accept(readText(option, raw), (expected) =>
      tell(`${flag}: ${expected}${shown(kind, raw)}`),
    );
  });
}

export function readVariables(env: Readonly<Record<string, string | undefined>>): ReadOptions {
  const read = collect(serveOptions, (name, option: Option, tell) => {
    if (name === "controlToken" && isTokenOfAnother(env)) return undefined;
    const variable = variablesOf(name).find((candidate) => env[candidate]);
    const raw = variable === undefined ? undefined : env[variable];
    if (raw === undefined) return undefined;
    const text = option.kind === "texts" ? raw.split(",").map((item) => item.trim()) : raw;
    return accept(readText(option, text), (expected) =>
      tell(`${variable}: ${expected}${shown(option.kind, raw)}`),
    );
  });
  return { options: read.options, lines: [...read.lines, ...unknownVariables(env)] };
}

/** What `latchkey exec` and its like tell the tests that they run; no options. */
const TOLD = ["LATCHKEY_URL", "LATCHKEY_TOKEN"];

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = optionNames.flatMap(variablesOf);
  return Object.keys(env)
    .filter((name) => name.startsWith("LATCHKEY_") && ![...known, ...TOLD].includes(name))
    .map((name) => `${name}: ${unknownName("variable", name, known)}`);
}

/** Members of a configuration file; these have the types that JSON gives them. */
export function readConfig(file: string, config: unknown): ReadOptions {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    return { options: {}, lines: [`${file}: expected an object with options`] };
  }
  const names = optionNames.filter((name) => (serveOptions[name] as Option).config !== false);
  const unknown = Object.keys(config)
    .filter((name) => name !== "$schema" && !names.some((known) => known === name))
    .map((name) => {
      const expected = unknownName("option", name, names);
      return problemLine(file, { path: [name], expected, value: undefined, isWhole: true });
    });
  const read = collect(serveOptions, (name, option, tell) => {
    const value = (config as Record<string, unknown>)[name];
    if (value === undefined || !names.includes(name)) return undefined;
    return accept(readValue(option, value), (expected) =>
      tell(`${file}: ${name}: ${expected}${shown(option.kind, value)}`),
    );
  });
  return { options: read.options, lines: [...read.lines, ...unknown] };
}

/** Text may be a token, so it is never shown. */
function shown(kind: Option["kind"], raw: unknown): string {
  if (kind === "text" || kind === "texts" || kind === "file") return "";
  return `, got ${typeof raw === "string" ? JSON.stringify(raw) : kindOf(raw)}`;
}

function collect<Table extends OptionTable>(
  table: Table,
  read: (name: keyof Table & string, option: Option, tell: (line: string) => void) => unknown,
): ReadOptions<Table> {
  const lines: string[] = [];
  const entries = Object.entries(table).map(
    ([name, option]) => [name, read(name, option, (line) => lines.push(line))] as const,
  );
  const options = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return { options: options as Settings<Table>, lines };
}

function accept(read: Read, refuse: (expected: string) => void): unknown {
  if ("value" in read) return read.value;
  refuse(read.expected);
  return undefined;
}

/** Text from a flag or a variable: numbers and flags are spelled out. */
function readText(option: Option, raw: unknown): Read {
  switch (option.kind) {
    case "integer":
      return readValue(option, /^\d{1,16}$/.test(String(raw)) ? Number(raw) : raw);
    case "flag": {
      const spelled = new Map<unknown, boolean>([
        ["true", true],
        ["1", true],
        ["false", false],
        ["0", false],
      ]);
      return readValue(option, spelled.get(raw) ?? raw);
    }
    default:
      return readValue(option, raw);
  }
}

function readValue(option: Option, value: unknown): Read {
  switch (option.kind) {
    case "integer": {
      const { min, max } = option;
      const fits = Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
      return fits ? { value } : { expected: `expected an integer from ${min} to ${max}` };
    }
    case "text":
      return isText(value) ? { value } : { expected: "expected text that is not empty" };
    case "file":
      return value === false || isText(value)
        ? { value }
        : { expected: "expected the name of a file" };
    case "time":
      return toTime(value) !== undefined ? { value } : { expected: EXPECTED_TIME };
    case "texts": {
      const list = typeof value === "string" ? [value] : value;
      return Array.isArray(list) && list.length > 0 && list.every(isText)
        ? { value: list }
        : { expected: "expected text that is not empty, or a list of it" };
    }
    case "latency": {
      const read = toLatency(value);
      return isLatency(read) ? { value: read } : { expected: EXPECTED_LATENCY };
    }
    case "flag":
      return typeof value === "boolean" ? { value } : { expected: "expected true or false" };
    case "choice":
      return option.choices.some((choice) => choice === value)
        ? { value }
        : { expected: `expected ${option.choices.join(" or ")}` };
  }
}

const EXPECTED_LATENCY = `expected milliseconds, up to ${MAX_LATENCY}, or MIN-MAX of these`;

/** Text is read the same in a configuration file as in a flag: `80` or `80-250`. */
function toLatency(value: unknown): unknown {
  const [, min, max] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(String(value)) ?? [];
  if (typeof value !== "string" || min === undefined) return value;
  return max === undefined ? Number(min) : [Number(min), Number(max)];
}

function isLatency(value: unknown): boolean {
  const { success } = z.safeParse(latency, value);
  return success && faultProblems({ latency: value as number }, undefined).length === 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
