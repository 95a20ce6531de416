import { closest, unknownName } from "../../schema/unknown-name.ts";
import { UsageError } from "../../usage-error.ts";
import { commands, type Command, type CommandName, type Given } from "./commands.ts";
import { serveOptions, toFlag } from "./options.ts";
import { flagKinds, parse } from "./parser.ts";

export interface CommandLine extends Given {
  readonly name: CommandName;
  /** Whether help or version is asked for, so that nothing is run. */
  readonly isQuestion: boolean;
}

/**
 * Reads the arguments of the command line: the command, and what it is given.
 * @throws UsageError for arguments that there are not
 */
export function readArguments(args: readonly string[]): CommandLine {
  refuse(invalidFlags(args));
  const asServe = parse(args, serveOptions);
  const name = asServe.words.find(isCommand) ?? "serve";
  const { options, words: taken }: Command = commands[name];
  const parsed = parse(args, options);
  const place = parsed.words.indexOf(name);
  const words = parsed.words.filter((_, index) => index !== place);
  const { flags, problem, program, unknown } = parsed;
  const isQuestion = flags["help"] === true || flags["version"] === true || words.at(-1) === "help";
  if (isQuestion) return { name, flags, words, program, isQuestion };

  if (taken?.isList && (words.length === 0 || words.includes("-"))) refuse([EXPECTED_FILES]);
  if (problem !== undefined) refuse([`${problem}; \`latchkey --help\` tells what there is`]);
  const strayWords = taken?.isList ? [] : words.slice(taken === undefined ? 0 : 1);
  const strayLine = name === "exec" ? () => strayInExec(program) : strayWord;
  refuse([
    ...unknown.map((flag) => unknownFlag(flag, name, !asServe.unknown.includes(flag))),
    ...strayWords.map(strayLine),
  ]);
  if (name === "exec" && !program[0]) refuse([EXPECTED_PROGRAM]);
  return { name, flags, words, program, isQuestion };
}

/** @throws UsageError with each line once, if there is any */
function refuse(lines: readonly string[]): void {
  if (lines.length > 0) throw new UsageError([...new Set(lines)]);
}

const EXPECTED_FILES =
  "check: expected the names of files, without an option before them; standard input is not read";
const EXPECTED_PROGRAM = "exec: expected a command behind --, like `latchkey exec -- npm test`";

/** The parser takes `--strict=maybe` for `--strict=false`; this refuses it. */
function invalidFlags(args: readonly string[]): string[] {
  const { boolean } = flagKinds(serveOptions);
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).flatMap((arg) => {
    const [, flag = "", value = ""] = /^--([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const isValid = !boolean.includes(flag) || value === "true" || value === "false";
    return isValid ? [] : [`--${flag}: expected true or false, got ${JSON.stringify(value)}`];
  });
}

function isCommand(word: string): word is CommandName {
  return Object.hasOwn(commands, word);
}

function unknownFlag(flag: string, command: CommandName, isOfServe: boolean): string {
  if (command === "exec" && isOfServe) {
    return `--${flag}: an option of serve; exec takes a free port, and its output is the command's`;
  }
  const known = Object.keys(commands[command].options).map(toFlag);
  return known.length === 0
    ? `--${flag}: unknown option; ${command} takes none`
    : `--${flag}: ${unknownName("option", flag, known)}`;
}

function strayInExec(program: readonly string[]): string {
  return program.length === 0
    ? EXPECTED_PROGRAM
    : "exec: expected no word before --; each fixture has a --fixture of its own";
}

/** What is wrong with a word that nothing asked for. It may be a token, so it stays out. */
function strayWord(word: string): string {
  const command = closest(word, Object.keys(commands));
  return command === undefined
    ? "expected no word without an option before it, like --fixture before a file; `latchkey --help` tells what there is"
    : `unknown command, did you mean "${command}"?`;
}
