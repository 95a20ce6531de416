import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { checkNames } from "../world/check-names.ts";
import { EXPECTED_TOKEN, isToken } from "../store/records.ts";
import { UsageError } from "../usage-error.ts";
import type { Ready } from "./banner.ts";
import {
  isTokenOfAnother,
  optionNames,
  serveOptions,
  testDefaults,
  toFlag,
  typeOf,
  variablesOf,
  type OptionName,
  type ServeOptions,
} from "./options/options.ts";

/** The options of `latchkey serve`, in camel case. */
export type ProcessOptions = Omit<ServeOptions, "json">;

export interface RunningProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** A token to use. Where none is listed, any would do. */
  readonly token: string;
  /**
   * What control routes take: the control token of the options, LATCHKEY_CONTROL_TOKEN or the
   * configuration file, or a random token where tokens are listed and none of them may use control
   * routes. Undefined where there is none.
   */
  readonly controlToken: string | undefined;
  /** Ends the process and resolves when it has ended. */
  stop(): Promise<void>;
}

const BIN = fileURLToPath(new URL("../../bin/latchkey.js", import.meta.url));
/** A process that has not ended by then (milliseconds) is killed. */
const PATIENCE = 5_000;

/**
 * Starts `latchkey serve` in a process of its own and resolves when it is ready. It takes a free
 * port unless the options name one, and ends with this process at the latest. On stderr it tells
 * warnings and operations that are not served, unless the options or LATCHKEY_LOG say otherwise.
 * Of a configuration file it does not use `port`, `state`, `watch`, `open`, `log` and `json`, which
 * are meant for a demo. The process gets `controlToken` in its environment, because other users of
 * the machine can read arguments; all other options are arguments, also `token`.
 * @throws UsageError for an option that there is not, for a `controlToken` that no header could
 *   carry, and with what the process said where it did not start
 */
export async function startProcess(options: ProcessOptions = {}): Promise<RunningProcess> {
  const { controlToken: givenToken, ...others } = options;
  const flags = toFlags({ ...defaultsIn(process.env), port: 0, ...given(others) });
  const child = spawn(process.execPath, [BIN, "serve", ...flags], {
    env: toEnv(givenToken),
    // The process ends when the channel does, however this one comes to its end.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const { url, port, pid, token, controlToken } = await untilReady(child);
  release(child);
  return {
    url,
    port,
    pid,
    token,
    controlToken,
    async stop() {
      child.ref();
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      child.kill();
      await ended;
      clearTimeout(timer);
    },
  };
}

/** What is undefined is not given: a default holds for it. */
function given(options: ProcessOptions): ProcessOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Flags win over the variables, so there must be none where a variable says something. */
function defaultsIn(env: NodeJS.ProcessEnv): ServeOptions {
  const isSet = (name: string) => variablesOf(name as OptionName).some((each) => env[each]);
  return Object.fromEntries(Object.entries(testDefaults).filter(([name]) => !isSet(name)));
}

/** @throws UsageError for options that there are not */
function toFlags(options: ServeOptions): string[] {
  checkNames("startProcess", options, optionNames);
  return optionNames.flatMap((name) => {
    const value: unknown = options[name];
    if (value === undefined) return [];
    if (value === false) return [`--no-${toFlag(name)}`];
    const values = [value].flat();
    const isList = typeOf(serveOptions[name]) === "array";
    // A latency may be a pair.
    return (isList ? values : [values.join("-")]).map((item) => `--${toFlag(name)}=${item}`);
  });
}

/**
 * The environment of the process. LATCHKEY_URL and the control token beside it belong to another
 * emulator; npm's script belongs to this process.
 * @throws UsageError for a control token that no header could carry
 */
function toEnv(controlToken: string | undefined): NodeJS.ProcessEnv {
  if (controlToken !== undefined && !isToken(controlToken)) {
    throw new UsageError(`startProcess: controlToken: ${EXPECTED_TOKEN}`);
  }
  const inherited = isTokenOfAnother(process.env)
    ? undefined
    : process.env["LATCHKEY_CONTROL_TOKEN"];
  return {
    ...process.env,
    LATCHKEY_URL: undefined,
    LATCHKEY_CONTROL_TOKEN: controlToken ?? inherited,
    npm_lifecycle_script: undefined,
  };
}

function untilReady(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.on("message", (message: Ready) => {
      // What is loaded into every process, by NODE_OPTIONS, may send messages too.
      if (message?.url === undefined) return;
      resolve(message);
      // What it told of a start that came to be.
      process.stderr.write(output);
    });
    child.stderr?.on("data", (data) => (output += data));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const lines = output.split("\n").filter((line) => line !== "");
      if (lines.length === 0)
        lines.push(`the process ended with ${signal ?? code}, and said nothing`);
      reject(new UsageError(lines.map((line) => line.replace(/^latchkey: /, ""))));
    });
  });
}

/** What it still has to say goes to our own stderr, and it does not keep this process. */
function release(child: ChildProcess): void {
  const stderr = child.stderr as Socket;
  stderr.removeAllListeners("data").on("data", (data) => process.stderr.write(data));
  stderr.unref();
  child.unref();
  // A channel with a listener would keep this process.
  child.removeAllListeners("message").channel?.unref();
}
