import { printable } from "../base/wording/text.ts";
import { firstLines, UsageError } from "../base/usage-error.ts";
import { readArguments } from "./arguments.ts";
import { type Command, commands } from "./commands.ts";

const USAGE_EXIT_CODE = 2;
const FAILURE_EXIT_CODE = 1;

/** Runs the command line and resolves to the exit code. Prints each problem as a line on stderr. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    if (error instanceof UsageError) return report(error.problems, USAGE_EXIT_CODE);
    if (error instanceof Error && error.name === "ListenError") {
      return report([error.message], FAILURE_EXIT_CODE);
    }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return report([`a bug, please report it: ${stack}`], FAILURE_EXIT_CODE);
  }
}

function report(lines: readonly string[], exitCode: number): number {
  for (const line of firstLines(lines)) process.stderr.write(`latchkey: ${printable(line)}\n`);
  return exitCode;
}

async function run(args: readonly string[]): Promise<number> {
  const { isHelp, name, ...input } = readArguments(args);
  const command: Command = commands[name];
  if (!isHelp) return command.run(input);
  await (await import("./help.ts")).printHelp(args);
  return 0;
}
