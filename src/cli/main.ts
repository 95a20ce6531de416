import { UsageError } from "../usage-error.ts";
import { serveOptions, toFlag } from "./options.ts";
import { readPlainStart } from "./plain-start.ts";
import { runServe } from "./serve.ts";

const USAGE_EXIT_CODE = 2;
const FAILURE_EXIT_CODE = 1;

/** Runs the command line and resolves to the exit code. What is wrong is told a line each. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    if (error instanceof UsageError) return tell(error.problems, USAGE_EXIT_CODE);
    if (error instanceof Error && error.name === "ListenError") {
      return tell([error.message], FAILURE_EXIT_CODE);
    }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return tell([`a bug, please report it: ${stack}`], FAILURE_EXIT_CODE);
  }
}

function tell(lines: readonly string[], exitCode: number): number {
  for (const line of lines) process.stderr.write(`latchkey: ${line}\n`);
  return exitCode;
}

async function run(given: readonly string[]): Promise<number> {
  const { args, program } = splitProgram(given);
  const lines = oddFlags(args);
  if (lines.length > 0) throw new UsageError(lines);
  // Most starts are of this command; the modules of others are loaded when one is the one.
  const start = readPlainStart(args);
  if (start?.command === "serve") return runServe(start.flags);
  if (start?.command === "exec") return (await import("./exec.ts")).runExec(start.flags, program);
  return (await import("./commands.ts")).runCommand(args, program);
}

/** What `exec` runs is never read as options. */
function splitProgram(args: readonly string[]) {
  const end = args[0] === "exec" ? args.indexOf("--") : -1;
  return end === -1
    ? { args, program: [] }
    : { args: args.slice(0, end), program: args.slice(end + 1) };
}

/** The parser takes `--strict=maybe` for `--strict=false`; this refuses it. */
function oddFlags(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).flatMap((arg) => {
    const [, flag, value = ""] = /^--([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const option = Object.entries(serveOptions).find(([name]) => toFlag(name) === flag)?.[1];
    if (option?.kind !== "flag" || value === "true" || value === "false") return [];
    return [`--${flag}: expected true or false, got ${JSON.stringify(value)}`];
  });
}
