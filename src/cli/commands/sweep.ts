import { type ChildProcess, spawn as spawnPlain } from "node:child_process";
import { constants } from "node:os";
import { basename, delimiter, dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { printable, printableJson } from "../../base/wording/text.ts";
import { throwLines, UsageError } from "../../base/usage-error.ts";
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
 * @returns the exit code: 1 if a case is wrong, 3 if the command fails without a fault, 128 + n if signal
 *   n ended it
 * @throws UsageError for invalid options and fixtures, for a command that makes no call, and if no case
 *   ran
 */
export async function runSweep(
  flags: Readonly<Record<string, unknown>>,
  command: readonly string[],
): Promise<number> {
  const own = readFlags(flags, ownSweepOptions);
  throwLines(own.lines);
  // The sweep checks the names of faults and verdicts.
  const { accept, acceptAll = false, json = false, report = [], ...limits } = own.options;
  const reports = await import("./sweep-reports.ts");
  const targets = reports.readTargets(report);
  if (acceptAll && accept === undefined) throw new UsageError("--accept-all needs --accept");
  const accepted = accept === undefined ? [] : await reports.readAccepted(accept, acceptAll);
  const environment = { ...process.env, PORT: undefined, LATCHKEY_PORT: undefined };
  const defaults = { ...testDefaults, log: "silent" } as const;
  const merged = await mergeOptions(flags, environment, defaults);
  // These have no flag here, but a configuration file or a variable may set them.
  const { open: _, state: __, watch: ___, ...options } = merged;
  const { default: spawn } = await import("cross-spawn");
  const { SweepError, sweepStages } = await import("../../sweep/sweep.ts");
  const { tableOf } = await import("../../sweep/table.ts");
  const running = new Set<ChildProcess>();
  const stop = new AbortController();
  let isShown = false;
  let output = "";
  const open = async (): Promise<Stage> => {
    const started = await start({ randomSeed: 1, ...options, port: 0 });
    let child: ChildProcess | undefined;
    const run = () =>
      new Promise<void>((resolve, reject) => {
        const [program = "", ...args] = command;
        let text = "";
        // The command leads a new process group, so one signal ends it and all that it has started.
        const detached = process.platform !== "win32";
        const env = environmentOf(started.info);
        child = spawn(program, args, { detached, env, stdio: ["ignore", "pipe", "pipe"] });
        running.add(child);
        if (stop.signal.aborted) endGroup(child);
        for (const stream of [child.stdout, child.stderr]) {
          stream?.setEncoding("utf8").on("data", (more: string) => {
            if (isShown) process.stderr.write(more);
            text = (text + more).slice(-MAX_OUTPUT);
          });
        }
        const fail = (why: string) => {
          output = text;
          reject(Object.assign(new Error(why), { output: stripVTControlCharacters(text) }));
        };
        child.on("error", (error) => fail(reasonOf(error)));
        child.once("exit", (code, signal) => {
          if (code === 0) resolve();
          else fail(`it ended with ${code === null ? signal : `exit code ${code}`}`);
        });
      });
    const close = async () => {
      if (child !== undefined) endGroup(child);
      if (child !== undefined) running.delete(child);
      await started.stop({ grace: 0, isLast: false });
    };
    return { emulator: started.emulator, run, close };
  };
  let ended = 0;
  const stopListening = onEnd((code) => {
    ended = code;
    stop.abort();
    for (const child of running) endGroup(child);
  });
  const isTerminal = process.stderr.isTTY;
  let told = performance.now();
  const tell = (text: string) => void process.stderr.write(`latchkey: ${printable(text)}\n`);
  const onPlan = (plan: string) => {
    isShown = limits.case !== undefined;
    if (!isShown) tell(plan);
  };
  const onCase = (done: number, count: number) => {
    if (isShown) return;
    if (isTerminal)
      process.stderr.write(`\r${done} of ${count}${done < count ? "" : "\r\u001B[K"}`);
    else if (performance.now() - told >= BETWEEN) {
      told = performance.now();
      tell(`${done} of ${count}`);
    }
  };
  const again = againWith(command);
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  try {
    const watch = { onPlan, onCase, signal: stop.signal };
    const found = await sweepStages(open, limits as SweepLimits, watch);
    const isWhole = [limits.case, limits.only, limits.faults].every((each) => each === undefined);
    const swept = reports.withAccepted(found, accepted, isWhole && found.notRun === 0);
    print(json ? printableJson(reports.toJson(swept, again)) : tableOf(swept, again));
    await reports.write(swept, targets, again, json);
    if (ended > 0) return ended;
    if (acceptAll && accept !== undefined) await reports.writeAccepted(accept, found, accepted);
    return !acceptAll && reports.isAnyWrong(swept) ? 1 : 0;
  } catch (error) {
    if (ended > 0) return ended;
    const isFailing = error instanceof SweepError;
    if (!isFailing && !(error instanceof UsageError)) throw error;
    if (json) print(printableJson({ cases: [], notes: [], problem: error.message }));
    if (!isFailing) throw error;
    process.stderr.write(`${output}\n`);
    tell(error.message);
    return FAILS_WITHOUT_FAULT;
  } finally {
    stopListening();
  }
}

const FAILS_WITHOUT_FAULT = 3;
/** Without a terminal, a line of progress comes this often, in milliseconds. */
const BETWEEN = 10_000;
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

/** Ends the commands with this process: they are in other groups, which a terminal does not signal. */
function onEnd(end: (code: number) => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listener = (signal: (typeof signals)[number]) => end(128 + constants.signals[signal]);
  for (const signal of signals) process.on(signal, listener);
  void untilNpmShellEnds().then(() => listener("SIGTERM"));
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** The command line that repeats a case, as this one was started. Tokens are left out. */
function againWith(command: readonly string[]): (name: string) => string {
  const left = new Set(["sweep", "--", "--json", "--accept-all"]);
  const own = process.argv.slice(2, process.argv.length - command.length);
  const words = own.flatMap((word, index) => {
    const before = own[index - 1] ?? "";
    const isOfReport = /^--(?:case|report|accept|jobs|most|for)(?:=|$)/;
    if (left.has(word) || isOfReport.test(word)) return [];
    if (isOfReport.test(before) && !before.includes("=")) return [];
    if (/^--(?:control-)?token$/.test(before)) return ["…"];
    return [word.replace(/^(--(?:control-)?token=).*/, "$1…")];
  });
  return (name) => {
    const line = [...startOf(), "sweep", "--case", name, ...words, "--", ...command];
    return line.map(inShell).join(" ");
  };
}

/** How latchkey was started: from the packages of a project, by its name, or by its file. */
function startOf(): string[] {
  const [, file = ""] = process.argv;
  if (file.includes("node_modules")) return ["npx", "--no-install", "latchkey"];
  const isOnPath = (process.env["PATH"] ?? "").split(delimiter).includes(dirname(file));
  return isOnPath ? [basename(file)] : ["node", file];
}

function inShell(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
