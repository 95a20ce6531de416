import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { checkNames, UsageError } from "../base/usage-error.ts";
import { isDate } from "../base/realm.ts";
import { EXPECTED_TOKEN, isToken } from "../state/records/tokens.ts";
import { connect, type EmulatorClient } from "../control/client/connect.ts";
import type { Ready, StartupInfo } from "./banner.ts";
import { preloadFlag, withoutFlag } from "../doors/redirect/node-options.ts";
import { requireFile } from "./require-file.ts";
import type { OptionName, ServeOptions } from "./options/options.ts";
import {
  flagOf,
  isTokenOfAnother,
  kindOf,
  optionNames,
  serveOptions,
  testDefaults,
  variablesOf,
} from "./options/options.ts";

/** The options of `latchkey serve`. Times are in milliseconds. */
export type ProcessOptions = Omit<ServeOptions, "exitWithStdin" | "json">;

/** A process, and a client that controls it, as `connect` of `latchkey/client` makes one. */
export interface RunningProcess
  extends EmulatorClient, Pick<Ready, "url" | "port" | "pid" | "token" | "gateway"> {
  /**
   * The token for control routes, from the options, from LATCHKEY_CONTROL_TOKEN or from the
   * configuration file. If there is none, a random one if tokens are listed and none of them may use
   * control routes. Else undefined.
   */
  readonly controlToken: string | undefined;
  /**
   * Variables to start programs with, as `latchkey exec` does: LATCHKEY_URL, LATCHKEY_TOKEN, if there is
   * one LATCHKEY_CONTROL_TOKEN, with `gateway` LATCHKEY_GATEWAY_URL, NO_PROXY with the addresses of this
   * machine, and with `as` those that redirect, like NODE_OPTIONS. They keep what the variables of this
   * process set: `spawn("node", ["app.js"], { env: { ...process.env, ...programEnv } })`.
   */
  readonly programEnv: Readonly<Record<string, string>>;
  /** Ends the process, and resolves when it has ended. */
  stop(): Promise<void>;
  /** As `stop`, at the end of the block of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The process has no stdin; it ends with this process anyway. */
const processOptions = optionNames.filter((name) => name !== "exitWithStdin");

/** A process that still runs this long after SIGTERM is killed, in milliseconds. */
const KILL_AFTER = 5_000;

/**
 * Starts `latchkey serve` in a separate process and resolves when it is ready. It listens on a free
 * port unless the options name one, and ends at the latest when this process ends.
 *
 * It writes warnings, and calls that no operation answers, to the stderr of this process, unless `log`
 * or LATCHKEY_LOG says otherwise. The members `port`, `state`, `watch`, `open`, `log` and `json` of a
 * configuration file are not used, because they are meant for a demo.
 *
 * The process gets `controlToken` in its environment, because other users of the machine can read the
 * arguments of a process. All other options, even `token`, are arguments.
 * @throws UsageError for an unknown option or a `controlToken` that is no valid header value. In a
 *   bundle, which has no second program to start. If the process does not start, with the lines that it
 *   wrote to stderr
 */
export async function startProcess(options: ProcessOptions = {}): Promise<RunningProcess> {
  const { controlToken: chosenToken, ...others } = options;
  const flags = toFlags(others);
  const args = [requireFile("bin/latchkey.js", "startProcess"), "serve", ...flags];
  const env = toEnv(chosenToken);
  // Loaded on demand, because the command line also loads this file, and starts no process.
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, args, {
    env,
    // `serve` stops when the channel closes, which happens even if this process is killed.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const { apis: _, clientToken, url, ...ready } = await untilReady(child);
  release(child);
  const stop = async () => {
    child.ref();
    const timer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER);
    child.kill();
    await ended;
    clearTimeout(timer);
  };
  return {
    ...connect(url, { token: clientToken }),
    ...ready,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What to do instead of passing objects where names of files belong, by option. */
const insteadOfObjects = {
  fixtures:
    "write it to a file, or use it in this process: createEmulator({ fixtures: [...] }), and serve for a URL",
  operations:
    "export it from a module, or use it in this process: createEmulator({ operations: [...] }), and serve for a URL",
} as const;

/**
 * The default of an option for tests. Undefined where an environment variable sets it, because the
 * defaults are passed as flags, and flags win over variables.
 */
function defaultOf(name: OptionName): unknown {
  if (name === "port") return 0;
  const isSet = variablesOf(name).some((variable) => process.env[variable]);
  return isSet ? undefined : (testDefaults as ServeOptions)[name];
}

/** @throws UsageError for unknown options, and for objects instead of names of files */
function toFlags(given: Omit<ProcessOptions, "controlToken">): string[] {
  checkNames("startProcess", given, processOptions);
  const options: ServeOptions = given;
  for (const [name, advice] of Object.entries(insteadOfObjects)) {
    const files: readonly unknown[] = [options[name as keyof typeof insteadOfObjects]].flat();
    if (!files.some((file) => typeof file === "object")) continue;
    throw new UsageError(
      `startProcess: ${name}: expected names of files, got an object; ${advice}`,
    );
  }
  return processOptions.flatMap((name) => {
    const value = options[name] ?? defaultOf(name);
    if (value === undefined) return [];
    const option = serveOptions[name];
    const flag = flagOf(name, option);
    if (value === false) return [`--no-${flag}`];
    const values = [value].flat().map(toText);
    // A latency may be a pair, `MIN-MAX` as a flag.
    const texts = kindOf(option) === "list" ? values : [values.join("-")];
    return texts.map((text) => `--${flag}=${text}`);
  });
}

/** The text of a value as a flag. Only a time may be a `Date`; an invalid one is refused by the process. */
function toText(value: unknown): string {
  return isDate(value) && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value);
}

/**
 * The environment of the process. LATCHKEY_URL and the control token that comes with it are left out,
 * because both belong to another emulator. So are the flags in NODE_OPTIONS that redirect programs to it.
 * `npm_lifecycle_script` is left out too: otherwise the new process would think that this one is npm's
 * shell (see `npm-shell.ts`).
 * @throws UsageError for a control token that is no valid header value
 */
function toEnv(controlToken: string | undefined): NodeJS.ProcessEnv {
  if (controlToken !== undefined && !isToken(controlToken)) {
    throw new UsageError(`startProcess: controlToken: ${EXPECTED_TOKEN}`);
  }
  const inherited = isTokenOfAnother(process.env)
    ? undefined
    : process.env["LATCHKEY_CONTROL_TOKEN"];
  const preload = preloadFlag(requireFile("dist/redirect.cjs", "startProcess"));
  return {
    ...process.env,
    LATCHKEY_URL: undefined,
    LATCHKEY_CONTROL_TOKEN: controlToken ?? inherited,
    // Otherwise an `exec` around this process would redirect the new one.
    LATCHKEY_AS: "",
    NODE_OPTIONS: withoutFlag(process.env["NODE_OPTIONS"], preload),
    npm_lifecycle_script: undefined,
  };
}

/** What `latchkey serve` sends to this process when it is ready. */
type Message = Ready & Pick<StartupInfo, "clientToken" | "programEnv">;

function untilReady(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.on("message", (message: Message) => {
      // Modules that NODE_OPTIONS preloads may send messages too.
      if (message?.url === undefined) return;
      resolve(message);
      // The start succeeded, so these lines are warnings.
      process.stderr.write(output);
    });
    child.stderr?.on("data", (data) => (output += data));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const lines = output.split("\n").filter((line) => line !== "");
      if (lines.length === 0)
        lines.push(`the process ended with ${signal ?? code}, and printed nothing`);
      reject(new UsageError(lines.map((line) => line.replace(/^latchkey: /, ""))));
    });
  });
}

/** Forwards its stderr from now on, and lets this process exit while it runs. */
function release(child: ChildProcess): void {
  const stderr = child.stderr as Socket;
  stderr.removeAllListeners("data").on("data", (data) => process.stderr.write(data));
  stderr.unref();
  child.unref();
  // A channel with a message listener would keep this process alive. In Bun, it has no `unref`.
  child.removeAllListeners("message").channel?.unref?.();
}
