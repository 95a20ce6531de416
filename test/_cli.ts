import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { resolve } from "node:path";
import { vi } from "vitest";
import { onTestFinished } from "vitest";

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Text for the standard input. */
  readonly input?: string;
  /** The program that runs latchkey, with its arguments. Default: this Node.js. */
  readonly runtime?: readonly string[];
  /** Whether the end of a test also ends the processes that the program has started. */
  readonly isGroup?: boolean;
}

const BIN = resolve("bin/latchkey.js");

/** The environment without variables of vitest and latchkey, which would affect child processes. */
export function cleanEnv(): Record<string, string | undefined> {
  const foreign = /^(?:LATCHKEY_|VITEST|PORT$|NODE_ENV$|NODE_OPTIONS$|FORCE_COLOR$|TEST$|MODE$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function start(
  args: readonly string[],
  {
    cwd,
    env = {},
    input,
    isGroup = false,
    runtime: [program = "", ...flags] = [process.execPath],
  }: RunOptions,
) {
  const child = spawn(program, [...flags, BIN, ...args], {
    cwd,
    env: { ...cleanEnv(), ...env },
    detached: isGroup,
  });
  if (isGroup) onTestFinished(() => killGroup(child));
  child.stdin.end(input);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (data) => (output.stdout += data));
  child.stderr.setEncoding("utf8").on("data", (data) => (output.stderr += data));
  const finished = new Promise<Finished>((done) => {
    child.on("close", (code, signal) => done({ code, signal, ...output }));
  });
  return { child, output, finished };
}

/** Kills a process that was started detached, and all processes that it has started. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}

/** Runs a command to its end. */
export function runCli(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return start(args, options).finished;
}

/** Runs a command that starts no server to its end, in this process, which is quicker. */
export async function runMain(
  args: readonly string[],
  { cwd = process.cwd() }: Pick<RunOptions, "cwd"> = {},
): Promise<Pick<Finished, "code" | "stdout" | "stderr">> {
  const { main } = await import("../src/cli/main.ts");
  const before = process.cwd();
  const printed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text, ...rest) => {
      printed[stream] += String(text);
      for (const each of rest) if (typeof each === "function") each();
      return true;
    }),
  );
  process.chdir(cwd);
  try {
    return { code: await main(args), ...printed };
  } finally {
    process.chdir(before);
    for (const spy of spies) spy.mockRestore();
  }
}

export interface RunningCli extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly finished: Promise<Finished>;
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** The line that `--json` prints. */
interface Ready {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly token: string;
  readonly controlToken?: string;
  readonly gateway?: string;
  readonly apis: readonly { readonly id: string; readonly keys: number }[];
}

/** Starts the emulator on a free port with `--json` and waits until it is ready. */
export async function startCli(
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<RunningCli & { readonly ready: Ready }> {
  const port = args.includes("-p") ? [] : ["--port", "0"];
  const running = await startUntil(/\n/, [...args, ...port, "--json"], options);
  return { ...running, ready: JSON.parse(running.output.stdout) };
}

/** Starts the emulator and waits for its banner. */
export function startBanner(args: readonly string[]): Promise<RunningCli> {
  return startUntil(/curl .*\n/, args);
}

/** Starts a command and waits until its standard output matches. */
export async function startUntil(
  output: RegExp,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunningCli> {
  const started = start(args, options);
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    started.child.kill(signal);
    return started.finished;
  };
  await new Promise<void>((done, fail) => {
    started.child.stdout.on("data", () => {
      if (output.test(started.output.stdout)) done();
    });
    void started.finished.then(({ code, stderr }) =>
      fail(new Error(`ended with ${code}: ${stderr}`)),
    );
  });
  return {
    ...started,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop("SIGKILL");
    },
  };
}
