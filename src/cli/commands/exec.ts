import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { resolveOptions } from "../options/config.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { testDefaults, variablesOf } from "../options/options.ts";
import { start } from "../start.ts";

/**
 * Runs a command against an emulator that lives as long as the command does, and resolves to the
 * command's exit code.
 * @throws UsageError for options and fixtures
 */
export async function runExec(
  flags: Readonly<Record<string, unknown>>,
  command: readonly string[],
): Promise<number> {
  const [program = "", ...args] = command;
  const options = await resolveOptions(flags, withoutPort(process.env), testDefaults);
  // Loaded when it is needed: other commands share a file with this one.
  const { default: spawn } = await import("cross-spawn");
  const { info, stop } = await start({ ...options, port: 0 }, { port: 0, log: testDefaults.log });
  const { controlToken, ready } = info;
  let code: number;
  try {
    const env = {
      ...process.env,
      LATCHKEY_URL: ready.url,
      LATCHKEY_TOKEN: ready.token,
      // Undefined leaves out that of another emulator.
      LATCHKEY_CONTROL_TOKEN: controlToken,
      // An emulator that the command starts would take the shell that starts it for the one of npm.
      npm_lifecycle_script: undefined,
    };
    code = await untilEnded(spawn(program, args, { stdio: "inherit", env }), program);
  } catch (error) {
    // Some failures are thrown and not told.
    code = tellFailure(program, error as NodeJS.ErrnoException);
  }
  const unsaved = await stop({ grace: 0 });
  return code === 0 ? unsaved : code;
}

/** What `PORT` says is for the command. */
function withoutPort(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = variablesOf("port");
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** Resolves to the exit code as a shell would have it: 127 not found, 128 and more for a signal. */
function untilEnded(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve) => {
    const forward = toForward(child);
    const finish = (code: number) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      resolve(code);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    void untilNpmShellEnds().then(() => child.kill());
    child.on("error", (error: NodeJS.ErrnoException) => {
      // A signal may fail as well; the command goes on then.
      if (child.pid === undefined) finish(tellFailure(program, error));
      else process.stderr.write(`latchkey: exec: ${program}: ${error.message}\n`);
    });
    child.once("close", (code, signal) => {
      finish(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function toForward(child: ChildProcess): (signal: NodeJS.Signals) => void {
  // `process.stdin.isTTY` would open the command's stdin, and change how it is read.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const seen = new Set<NodeJS.Signals>();
  return (signal) => {
    // A terminal sends Ctrl-C and Ctrl-\ to the command as well; a second one is meant.
    const isOfTerminal = hasTerminal && (signal === "SIGINT" || signal === "SIGQUIT");
    if (!isOfTerminal || seen.has(signal)) child.kill(signal);
    seen.add(signal);
  };
}

function tellFailure(program: string, error: NodeJS.ErrnoException): number {
  const [code, reason] = failures.get(error.code ?? "") ?? [126, error.message];
  process.stderr.write(`latchkey: exec: ${program}: ${reason}\n`);
  return code;
}

const failures: ReadonlyMap<string, readonly [code: number, reason: string]> = new Map([
  ["ENOENT", [127, "there is no such command"]],
  ["ENOTDIR", [127, "there is no such command"]],
  ["EACCES", [126, "it may not be run"]],
]);
