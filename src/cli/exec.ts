import { constants } from "node:os";
import spawn from "cross-spawn";
import { UsageError } from "../usage-error.ts";
import { introduce } from "./banner.ts";
import { gatherOptions } from "./config.ts";
import { EXPECTED_COMMAND } from "./options.ts";
import { start } from "./start.ts";

/**
 * Runs a command against an emulator that lives as long as the command does, and resolves to the
 * command's exit code.
 * @throws UsageError for options, fixtures and a command that is missing
 */
export async function runExec(
  flags: Readonly<Record<string, unknown>>,
  command: readonly string[],
): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined || program === "") {
    throw new UsageError(EXPECTED_COMMAND);
  }
  const options = await gatherOptions(flags, process.env);
  const { emulator, server } = await start({ ...options, port: 0 }, { port: 0, log: "silent" });
  const { url, token } = introduce(emulator, server).ready;
  try {
    return await run(program, args, { LATCHKEY_URL: url, LATCHKEY_TOKEN: token });
  } finally {
    await server.close({ grace: 0 });
  }
}

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** Resolves to the exit code as a shell would have it: 127 not found, 128 and more for a signal. */
function run(program: string, args: string[], env: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
    const forward = (signal: NodeJS.Signals) => {
      // A terminal sends Ctrl-C and Ctrl-\ to the command as well; twice is more than once.
      const isFromTerminal = signal === "SIGINT" || signal === "SIGQUIT";
      if (!(isFromTerminal && process.stdin.isTTY)) child.kill(signal);
    };
    const finish = (code: number) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      resolve(code);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    child.once("error", (error: NodeJS.ErrnoException) => {
      const [code, reason] = failures.get(error.code ?? "") ?? [126, error.message];
      process.stderr.write(`latchkey: exec: ${program}: ${reason}\n`);
      finish(code);
    });
    child.once("close", (code, signal) => {
      finish(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

const failures: ReadonlyMap<string, readonly [code: number, reason: string]> = new Map([
  ["ENOENT", [127, "there is no such command"]],
  ["EACCES", [126, "it may not be run"]],
]);
