import { type ChildProcess, spawn as spawnPlain } from "node:child_process";
import { constants } from "node:os";
import { printableJson } from "../../base/wording/text.ts";
import { throwLines } from "../../base/usage-error.ts";
import type { SweepLimits } from "../../sweep/limits.ts";
import type { Stage } from "../../sweep/run.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { ownSweepOptions, testDefaults } from "../options/options.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { start } from "../start.ts";
import { environmentOf, reasonOf } from "./exec.ts";

/**
 * Runs a command again and again, each time against a fresh emulator with another answer spoilt, and
 * prints what breaks it.
 * @returns the exit code: 1 if a case is wrong, or the command fails without a fault
 * @throws UsageError for invalid options and fixtures, and for a command that makes no call
 */
export async function runSweep(
  flags: Readonly<Record<string, unknown>>,
  command: readonly string[],
): Promise<number> {
  const own = readFlags(flags, ownSweepOptions);
  throwLines(own.lines);
  // The sweep checks the names of faults and verdicts.
  const { json, ...limits } = own.options;
  const environment = { ...process.env, PORT: undefined, LATCHKEY_PORT: undefined };
  const defaults = { ...testDefaults, log: "silent" } as const;
  const merged = await mergeOptions(flags, environment, defaults);
  // These have no flag here, but a configuration file or a variable may set them.
  const { open: _, state: __, watch: ___, ...options } = merged;
  const { default: spawn } = await import("cross-spawn");
  const { SweepError, sweepStages } = await import("../../sweep/sweep.ts");
  const { isWrong, tableOf } = await import("../../sweep/table.ts");
  let isShown = false;
  let output = "";
  let end = () => {};
  const open = async (): Promise<Stage> => {
    const started = await start({ randomSeed: 1, ...options, port: 0 });
    const run = () =>
      new Promise<void>((resolve, reject) => {
        output = "";
        const [program = "", ...args] = command;
        // The command leads a new process group, so one signal ends it and all that it has started.
        const detached = process.platform !== "win32";
        const stdio = ["ignore", "pipe", "pipe"] as const;
        const env = environmentOf(started.info);
        const child = spawn(program, args, { detached, env, stdio: [...stdio] });
        end = () => endGroup(child);
        for (const stream of [child.stdout, child.stderr]) {
          stream?.setEncoding("utf8").on("data", (text: string) => {
            if (isShown) process.stderr.write(text);
            output = (output + text).slice(-MAX_OUTPUT);
          });
        }
        child.on("error", (error) => reject(new Error(reasonOf(error))));
        child.once("exit", (code, signal) => {
          if (code === 0) resolve();
          else reject(new Error(`it ended with ${code === null ? signal : `exit code ${code}`}`));
        });
      });
    const close = async () => {
      end();
      await started.stop({ grace: 0, isLast: false });
    };
    return { emulator: started.emulator, run, close };
  };
  const stopListening = onEnd(() => end());
  const tellProgress = (number: number, count: number) => {
    isShown = limits.case !== undefined;
    if (process.stderr.isTTY && !isShown) process.stderr.write(`\r${number} of ${count}`);
  };
  try {
    const swept = await sweepStages(open, limits as SweepLimits, { onCase: tellProgress });
    if (process.stderr.isTTY && !isShown) process.stderr.write("\r\u001B[K");
    const text = json ? printableJson(swept) : tableOf(swept, again(command));
    process.stdout.write(`${text}\n`);
    return swept.cases.some(isWrong) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof SweepError)) throw error;
    process.stderr.write(`${output}\nlatchkey: ${error.message}\n`);
    return 1;
  } finally {
    stopListening();
  }
}

/** How much of the output of a command is kept, in UTF-16 units: its end. */
const MAX_OUTPUT = 65_536;

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === "win32") spawnPlain("taskkill", ["/pid", String(pid), "/t", "/f"]);
  else {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // All of them have ended.
    }
  }
}

/** Ends the command with this process: it is in another group, which a terminal does not signal. */
function onEnd(end: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listener = (signal: (typeof signals)[number]) => {
    end();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.on(signal, listener);
  void untilNpmShellEnds().then(() => listener("SIGTERM"));
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** The command line that repeats a case. Tokens are left out. */
function again(command: readonly string[]): (name: string) => string {
  const own = process.argv.slice(2, process.argv.length - command.length);
  const words = own.flatMap((word, index) => {
    const before = own[index - 1] ?? "";
    if (["sweep", "--", "--json", "--case"].includes(word) || before === "--case") return [];
    if (word.startsWith("--case=")) return [];
    if (/^--(?:control-)?token$/.test(before)) return ["…"];
    return [word.replace(/^(--(?:control-)?token=).*/, "$1…")];
  });
  return (name) =>
    ["latchkey sweep", ...["--case", name, ...words, "--", ...command].map(inShell)].join(" ");
}

function inShell(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
