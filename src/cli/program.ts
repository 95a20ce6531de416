import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { printable } from "../base/wording/text.ts";
import { untilNpmShellEnds } from "./npm-shell.ts";

/** The environment of a command that calls the emulator. */
export function environmentOf({ programEnv }: { readonly programEnv: NodeJS.ProcessEnv }) {
  return {
    ...process.env,
    // Undefined removes the control token of another emulator.
    LATCHKEY_CONTROL_TOKEN: undefined,
    // Otherwise an emulator that the command starts would think that its parent is npm's shell (see
    // `npm-shell.ts`).
    npm_lifecycle_script: undefined,
    ...programEnv,
  };
}

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** Resolves to the exit code as in a shell: 127 for a missing program, 128 + n for signal n. */
export function untilEnded(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve) => {
    const forward = toForward(child);
    const finish = (code: number) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      resolve(code);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    void untilNpmShellEnds().then(() => child.kill());
    child.on("error", (error: NodeJS.ErrnoException) => {
      // With a pid, the command still runs, and only a signal could not be sent.
      if (child.pid === undefined) finish(reportFailure(program, error));
      else report([`exec: ${program}: ${error.message}`]);
    });
    child.once("close", (code, signal) => {
      finish(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function toForward(child: ChildProcess): (signal: NodeJS.Signals) => void {
  // Not `process.stdin.isTTY`, which opens stdin. Only the command may read stdin.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const seen = new Set<NodeJS.Signals>();
  return (signal) => {
    // A terminal sends Ctrl-C and Ctrl-\ to the command itself, so the first one is not forwarded. The
    // second one is forwarded, because the first may have come from another process.
    const isFromTerminal = hasTerminal && (signal === "SIGINT" || signal === "SIGQUIT");
    if (!isFromTerminal || seen.has(signal)) child.kill(signal);
    seen.add(signal);
  };
}

export function reportFailure(program: string, error: NodeJS.ErrnoException): number {
  const [code] = failures.get(error.code ?? "") ?? [126];
  report([`exec: ${program}: ${startFailure(error)}`]);
  return code;
}

/** Why a command could not be started. */
export function startFailure({ code = "", message }: NodeJS.ErrnoException): string {
  return failures.get(code)?.[1] ?? message;
}

const failures: ReadonlyMap<string, readonly [code: number, reason: string]> = new Map([
  ["ENOENT", [127, "there is no such command"]],
  ["ENOTDIR", [127, "there is no such command"]],
  ["EACCES", [126, "permission denied"]],
]);

/** Writes lines to stderr, each with the name of latchkey before it. */
export function report(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`latchkey: ${printable(line)}\n`);
}
