import { closest, unknownName } from "../base/wording/text.ts";
import { throwLines, UsageError } from "../base/usage-error.ts";
import { type Command, type CommandInput, type CommandName, commands } from "./commands.ts";
import {
  detailsOf,
  flagOf,
  flagsOf,
  kindOf,
  type Option,
  type OptionTable,
  serveOptions,
} from "./options/options.ts";
import Parser from "yargs-parser";

export interface CommandLine extends CommandInput {
  readonly name: CommandName;
  /** Whether to print the help or the version instead of running the command. */
  readonly isHelp: boolean;
}

/**
 * Reads the arguments of the command line: the command, its flags and its words.
 * @throws UsageError for unknown flags and commands, invalid values and unexpected words
 */
export function readArguments(given: readonly string[]): CommandLine {
  const args = withDashes(given);
  throwLines(invalidFlags(args));
  const asServe = parse(args, serveOptions);
  const name = asServe.words.find(isCommand) ?? "serve";
  const { options, words: taken }: Command = commands[name];
  const parsed = name === "serve" ? asServe : parse(args, options);
  const commandIndex = parsed.words.indexOf(name);
  const words = parsed.words.filter((_, index) => index !== commandIndex);
  const { flags, problem, program, unknown } = parsed;
  const isHelp = flags["help"] === true || flags["version"] === true || words.at(-1) === "help";
  if (isHelp) return { name, flags, words, program, isHelp };

  if (taken?.isList && (words.length === 0 || words.includes("-"))) {
    throw new UsageError(EXPECTED_FILES);
  }
  if (problem !== undefined) throw new UsageError(`${problem}; see \`latchkey --help\``);
  const unexpected = taken?.isList ? [] : words.slice(taken === undefined ? 0 : 1);
  const takesProgram = "program" in commands[name];
  const toProblem = takesProgram ? () => unexpectedBefore(name, program) : unexpectedWord;
  const lines = [
    ...unknown.map((flag) => unknownFlag(flag, name, !asServe.unknown.includes(flag))),
    ...unexpected.map(toProblem),
  ];
  throwLines([...new Set(lines)]);
  if (takesProgram && !program[0]) throw new UsageError(expectedProgram(name));
  if (!takesProgram && program.length > 0) throw new UsageError(unexpectedProgram(name));
  return { name, flags, words, program, isHelp };
}

/**
 * Puts `--` before the command of exec or sweep, which begins with the first word that is no option:
 * `npm exec`, `npm run` and yarn 1 remove one `--` from the arguments.
 */
function withDashes(args: readonly string[]): readonly string[] {
  const { program: rest } = parse(args, serveOptions, { halts: true });
  const [name = "", ...others] = rest;
  const isCommandOfProgram = isCommand(name) && "program" in commands[name];
  if (!isCommandOfProgram || args[args.length - rest.length - 1] === "--") return args;
  const { program } = parse(others, commands[name].options, { halts: true });
  const [first] = program;
  const begin = args.length - program.length;
  const isGiven = args[begin - 1] === "--";
  const isFixture = first !== undefined && /\.(?:json|ya?ml)$/i.test(first);
  if (first === undefined || isGiven || isFixture || (first === "help" && program.length === 1))
    return args;
  return [...args.slice(0, begin), "--", ...args.slice(begin)];
}

const EXPECTED_FILES =
  "check: expected file names, without options before them; it does not read standard input";

function expectedProgram(name: CommandName): string {
  return `${name}: expected a command behind --, like \`latchkey ${name} -- npm test\``;
}

/**
 * Problems of flags like `--strict=maybe`, which the parser would read as `--strict=false`.
 */
function invalidFlags(args: readonly string[]): string[] {
  const { boolean } = flagKinds(serveOptions);
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  return own.flatMap((arg) => {
    const [, flag = "", value = ""] = /^--([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const isValid = !boolean.includes(flag) || value === "true" || value === "false";
    return isValid ? [] : [`--${flag}: expected true or false, got ${JSON.stringify(value)}`];
  });
}

function isCommand(word: string): word is CommandName {
  return Object.hasOwn(commands, word);
}

/** Why a command does not take some options of serve. */
const reasons: { readonly [Name in CommandName]?: string } = {
  exec: "it uses a free port and prints only the output of the command",
  sweep: "each run has a fresh emulator on a free port",
  site: "its page has no server",
};

function unknownFlag(flag: string, command: CommandName, isOfServe: boolean): string {
  const reason = reasons[command];
  if (reason !== undefined && isOfServe)
    return `--${flag}: ${command} does not take this option of serve; ${reason}`;
  const known = flagsOf(commands[command].options);
  return known.length === 0
    ? `--${flag}: unknown option; ${command} takes none`
    : `--${flag}: ${unknownName("option", flag, known)}`;
}

function unexpectedProgram(name: CommandName): string {
  return `${name}: expected nothing behind --: put the options before it; only exec and sweep take a command there`;
}

function unexpectedBefore(name: CommandName, program: readonly string[]): string {
  return program.length === 0
    ? expectedProgram(name)
    : `${name}: expected no word before --; put --fixture before each fixture`;
}

/** The problem with a word that is no command and no value. It is not shown, because it may be a token. */
function unexpectedWord(word: string): string {
  const command = closest(word, Object.keys(commands));
  return command === undefined
    ? `unexpected word: put an option before it, like --fixture before a file, or begin with a command: ${Object.keys(commands).join(", ")}; see \`latchkey --help\``
    : `unknown command, did you mean "${command}"?`;
}

/** Settings for both yargs and yargs-parser, so that they read arguments in the same way. */
export const parserConfiguration = {
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
};

export const textFlags = { help: "h", version: "v" } as const;

interface Parsed extends CommandInput {
  readonly unknown: readonly string[];
  readonly problem: string | undefined;
}

export function flagKinds(table: OptionTable) {
  const options = Object.entries(table);
  const ofKind = (isOfKind: (option: Option) => boolean) =>
    options.filter(([, option]) => isOfKind(option)).map(([name, option]) => flagOf(name, option));
  const aliases = options.map(([name, option]) => [
    flagOf(name, option),
    detailsOf(option).alias ?? [],
  ]);
  return {
    alias: Object.fromEntries(aliases),
    array: ofKind((option) => kindOf(option) === "list"),
    boolean: ofKind((option) => kindOf(option) === "boolean"),
    string: ofKind((option) => kindOf(option) !== "boolean"),
  };
}

/**
 * Reads arguments with yargs-parser, the parser that yargs itself uses. yargs is slow to load, so only
 * `help.ts` imports it.
 * @param halts whether to stop at the first word; it and what follows are the program then
 */
function parse(args: readonly string[], table: OptionTable, { halts = false } = {}): Parsed {
  const { alias, array, boolean, string } = flagKinds(table);
  const alone = new Map(
    Object.entries(table).flatMap(([name, option]) => {
      const { alone: value } = detailsOf(option);
      return value === undefined ? [] : [[flagOf(name, option), value] as const];
    }),
  );
  const everywhere = Object.keys(textFlags);
  const { argv, error } = Parser.detailed([...args], {
    alias: { ...alias, ...textFlags },
    array,
    boolean: [...boolean, ...everywhere],
    string,
    // NaN means at least one value. yargs does the same for an option that requires a value.
    narg: Object.fromEntries(
      string.filter((flag) => !alone.has(flag)).map((flag) => [flag, Number.NaN]),
    ),
    configuration: {
      ...parserConfiguration,
      "halt-at-non-option": halts,
      "parse-positional-numbers": false,
      "populate--": true,
      "strip-aliased": true,
    },
  });
  const { _: words, "--": program = [], ...flags } = argv;
  for (const [flag, value] of alone) if (flags[flag] === "") flags[flag] = value;
  const known = new Set([...boolean, ...string, ...everywhere]);
  return {
    flags,
    words: words.map(String),
    program: program.map(String),
    unknown: Object.keys(flags).filter((name) => !known.has(name)),
    problem: error?.message,
  };
}
