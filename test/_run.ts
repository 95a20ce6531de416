import { execFile } from "node:child_process";
import { cleanEnv } from "./_cli.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  const options = { cwd, env: { ...cleanEnv(), ...env }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      // `error.code` is text if there is no such command, and null if a signal ended it.
      const code = typeof error?.code === "number" ? error.code : 1;
      resolve(error === null ? { code: 0, stdout, stderr } : { code, stdout, stderr });
    });
  });
}
