import type { Argv } from "yargs";
import { closest, unknownName } from "../contract/unknown-name.ts";
import { UsageError } from "../usage-error.ts";
import {
  EXPECTED_COMMAND,
  execOptions,
  generateOptions,
  helpText,
  openApiOptions,
  serveOptions,
  toFlag,
  type Option,
  type OptionTable,
} from "./options.ts";
import { version } from "../version.ts";
import { runServe } from "./serve.ts";
import { parserConfiguration } from "./plain-start.ts";

type Run = () => number | Promise<number>;

/**
 * Runs the command that these arguments name, with a program where it runs one. Resolves to the
 * exit code.
 * @throws UsageError for arguments that there are not
 */
export async function runCommand(
  args: readonly string[],
  program: readonly string[],
): Promise<number> {
  // Loaded when it is needed: exec, which shares a file with this one, does without.
  const { default: yargs } = await import("yargs");
  // Commands are run after parsing, so that what they throw is not taken for a wrong flag; the
  // module of a command is loaded when it is the one.
  let chosen: Run = () => 0;
  const choose = (next: Run) => {
    chosen = next;
  };
  await yargs()
    .scriptName("latchkey")
    .locale("en")
    .usage("$0 [command]\n\nA local emulator of an API-key management service.")
    .command(
      ["serve", "$0"],
      "start the emulator (default)",
      (command) => withOptions(command, serveOptions),
      (flags) => choose(() => runServe(flags)),
    )
    .command(
      "exec",
      "start on a free port, run the command after -- with LATCHKEY_URL and LATCHKEY_TOKEN set, stop",
      (command) => withOptions(command, execOptions),
      (flags) => choose(async () => (await import("./exec.ts")).runExec(flags, program)),
    )
    .command(
      "generate",
      "write a fixture of made-up keys",
      (command) => withOptions(command, generateOptions),
      (flags) => choose(async () => (await import("./generate.ts")).runGenerate(flags)),
    )
    .command(
      "init [file]",
      "write a commented fixture to start from [latchkey.yaml]",
      (command) => command.positional("file", { type: "string", describe: "YAML file" }),
      (flags) => choose(async () => (await import("./init.ts")).runInit(flags["file"])),
    )
    .command(
      "check <fixture..>",
      "validate fixtures: a line for every problem, exit code 1 if there is one",
      (command) =>
        command.positional("fixture", {
          type: "string",
          array: true,
          describe: "JSON or YAML file",
        }),
      (flags) =>
        choose(async () => (await import("./check.ts")).runCheck(toFiles(flags["fixture"]))),
    )
    .command(
      "openapi",
      "print the OpenAPI 3.1 document",
      (command) => withOptions(command, openApiOptions),
      (flags) => choose(async () => (await import("./openapi.ts")).runOpenApi(flags)),
    )
    .command(
      "quirks",
      "list the oddities of the live service that --quirk brings back",
      () => {},
      () => choose(async () => (await import("./quirks.ts")).runQuirks()),
    )
    .strict()
    .version("version", "print the version", version)
    .help("help", "print this text")
    .alias({ help: "h", version: "v" })
    .parserConfiguration(parserConfiguration)
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      // The parser's own complaints come with a message, and some of them with an error as well.
      if (message === null) throw error;
      if (message.startsWith("Not enough non-option")) throw new UsageError(EXPECTED_FILES);
      const unknown = /^Unknown arguments?: (.*)$/.exec(message)?.[1]?.split(", ");
      if (unknown !== undefined) {
        const stray = unknown.map((name) => strayLine(name, args, program.length > 0));
        throw new UsageError([...new Set(stray)]);
      }
      throw new UsageError(`${message}; \`latchkey --help\` tells what there is`);
    })
    .wrap(Math.min(100, process.stdout.columns ?? 100))
    .parseAsync([...args]);
  return chosen();
}

const EXPECTED_FILES =
  "check: expected the names of files, without an option before them; standard input is not read";

const COMMANDS = ["serve", "exec", "generate", "init", "check", "openapi", "quirks"];

/** The options of the command that these arguments name. */
function optionsOf([command = "serve"]: readonly string[]): OptionTable {
  if (command === "exec") return execOptions;
  if (command === "generate") return generateOptions;
  if (command === "openapi") return openApiOptions;
  return COMMANDS.includes(command) && command !== "serve" ? {} : serveOptions;
}

/** What is wrong with an argument that nothing asked for. A word may be a token, so it stays out. */
function strayLine(name: string, args: readonly string[], hasProgram: boolean): string {
  const isExec = args[0] === "exec";
  const flag = args.find((arg) => /^--?/.test(arg) && arg.replace(/^--?|=.*$/gs, "") === name);
  if (isExec && isOfServeOnly(name)) {
    return `--${name}: an option of serve; exec takes a free port, and its output is the command's`;
  }
  if (flag !== undefined) {
    const known = Object.keys(optionsOf(args)).map(toFlag);
    if (known.length === 0) return `--${name}: unknown option; ${args[0]} takes none`;
    return `--${name}: ${unknownName("option", name, known)}`;
  }
  if (isExec && hasProgram) {
    return "exec: expected no word before --; each fixture has a --fixture of its own";
  }
  if (isExec) return EXPECTED_COMMAND;
  const command = closest(name, COMMANDS);
  return command === undefined
    ? "expected no word without an option before it, like --fixture before a file; `latchkey --help` tells what there is"
    : `unknown command, did you mean "${command}"?`;
}

function isOfServeOnly(name: string): boolean {
  return Object.entries(serveOptions).some(([option, { alias }]: [string, Option]) => {
    return !Object.hasOwn(execOptions, option) && [toFlag(option), alias].includes(name);
  });
}

function withOptions(command: Argv, table: OptionTable): Argv {
  for (const [name, option] of Object.entries(table)) {
    const { alias, kind } = option;
    command.option(toFlag(name), {
      describe: helpText(option),
      ...(alias === undefined ? {} : { alias }),
      ...(kind === "flag" ? { boolean: true } : { string: true, requiresArg: true }),
      ...(kind === "texts" ? { array: true } : {}),
    });
  }
  return command;
}

function toFiles(value: unknown): string[] {
  const files = (Array.isArray(value) ? value : [value]).map(String);
  if (files.length > 0) return files;
  throw new UsageError(EXPECTED_FILES);
}
