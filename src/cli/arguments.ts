import { closest, unknownName } from "../contract/unknown-name.ts";
import { UsageError } from "../usage-error.ts";
import { commands, type Arguments, type Command } from "./commands.ts";
import {
  detailsOf,
  EXPECTED_COMMAND,
  execOptions,
  serveOptions,
  toFlag,
  typeOf,
} from "./options.ts";
import { parse } from "./parser.ts";

export interface CommandLine extends Arguments {
  readonly name: keyof typeof commands;
  /** Whether `--help` or `--version` asks for a text, so that nothing is run. */
  readonly isQuestion: boolean;
}

/**
 * Reads the arguments of the command line: the command, and what it is given.
 * @throws UsageError for arguments that there are not
 */
export function readArguments(
  args: readonly string[],
  program: readonly string[] = [],
): CommandLine {
  refuse(oddFlags(args));
  const asServe = parse(args, serveOptions);
  const name = asServe.words.find(isCommand) ?? "serve";
  const command: Command = commands[name];
  const parsed = name === "serve" ? asServe : parse(args, command.options);
  const { flags, problem, unknown } = parsed;
  const place = parsed.words.indexOf(name);
  const words = parsed.words.filter((_, index) => index !== place);
  const isQuestion = flags["help"] === true || flags["version"] === true || words.at(-1) === "help";
  const line = { name, flags, words, program, isQuestion };
  if (isQuestion) return line;

  const { isList = false } = command.words ?? {};
  if (isList && (words.length === 0 || words.includes("-"))) refuse([EXPECTED_FILES]);
  if (problem !== undefined) refuse([`${problem}; \`latchkey --help\` tells what there is`]);
  const most = command.words === undefined ? 0 : 1;
  const strayWords = isList ? [] : words.slice(most);
  refuse([
    ...unknown.map((flag) => unknownLine(flag, name)),
    ...strayWords.map((word) => strayLine(word, line)),
  ]);
  return line;
}

/** @throws UsageError with each line once, if there is any */
function refuse(lines: readonly string[]): void {
  if (lines.length > 0) throw new UsageError([...new Set(lines)]);
}

const EXPECTED_FILES =
  "check: expected the names of files, without an option before them; standard input is not read";

/** The parser takes `--strict=maybe` for `--strict=false`; this refuses it. */
function oddFlags(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).flatMap((arg) => {
    const [, flag, value = ""] = /^--([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const option = Object.entries(serveOptions).find(([name]) => toFlag(name) === flag)?.[1];
    if (option === undefined || typeOf(option) !== "boolean") return [];
    if (value === "true" || value === "false") return [];
    return [`--${flag}: expected true or false, got ${JSON.stringify(value)}`];
  });
}

function isCommand(word: string): word is keyof typeof commands {
  return Object.hasOwn(commands, word);
}

function unknownLine(flag: string, command: keyof typeof commands): string {
  if (command === "exec" && isOfServeOnly(flag)) {
    return `--${flag}: an option of serve; exec takes a free port, and its output is the command's`;
  }
  const known = Object.keys(commands[command].options).map(toFlag);
  return known.length === 0
    ? `--${flag}: unknown option; ${command} takes none`
    : `--${flag}: ${unknownName("option", flag, known)}`;
}

function isOfServeOnly(flag: string): boolean {
  return Object.entries(serveOptions).some(([name, option]) => {
    const names = [toFlag(name), detailsOf(option).alias];
    return !Object.hasOwn(execOptions, name) && names.includes(flag);
  });
}

/** What is wrong with a word that nothing asked for. It may be a token, so it stays out. */
function strayLine(word: string, { name, program }: CommandLine): string {
  if (name === "exec") {
    return program.length === 0
      ? EXPECTED_COMMAND
      : "exec: expected no word before --; each fixture has a --fixture of its own";
  }
  const command = closest(word, Object.keys(commands));
  return command === undefined
    ? "expected no word without an option before it, like --fixture before a file; `latchkey --help` tells what there is"
    : `unknown command, did you mean "${command}"?`;
}
