import { type ChildProcess, spawn as spawnPlain } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { basename, delimiter, dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import spawn from "cross-spawn";
import { throwLines, UsageError } from "../../base/usage-error.ts";
import { inShell, printable, printableJson } from "../../base/wording/text.ts";
import { SweepError } from "../../sweep/baseline.ts";
import type { SweepLimits } from "../../sweep/limits.ts";
import type { Stage } from "../../sweep/run.ts";
import { sweepStages } from "../../sweep/stages.ts";
import { isWrong, tableOf } from "../../sweep/table.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { ownSweepOptions, testDefaults } from "../options/options.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { start } from "../start.ts";
import { environmentOf, startFailure } from "../program.ts";
import * as reports from "./sweep-reports.ts";

const FAILS_WITHOUT_FAULT = 3;
/** Lines of progress come this often, in milliseconds. */
const BETWEEN = 10_000;
/** How much of the output of a command is kept, in UTF-16 units: its end. */
const MAX_OUTPUT = 65_536;

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
  if (acceptAll && accept === undefined) throw new UsageError("--accept-all needs --accept");
  const accepted = accept === undefined ? [] : await reports.readAccepted(accept, acceptAll);
  const environment = { ...process.env, PORT: undefined, LATCHKEY_PORT: undefined };
  const merged = await mergeOptions(flags, environment, { ...testDefaults, log: "silent" });
  // These have no flag here, but a configuration file or a variable may set them.
  const { open: _, state: __, watch: ___, ...options } = merged;
  const running = new Set<ChildProcess>();
  const stop = new AbortController();
  const isShown = limits.case !== undefined;
  let output = "";
  const open = async (): Promise<Stage> => {
    const { emulator, info, ...started } = await start({ randomSeed: 1, ...options, port: 0 });
    let child: ChildProcess | undefined;
    const run = async () => {
      stop.signal.throwIfAborted();
      const [program = "", ...args] = command;
      // The command leads a new process group, so one signal ends it and all that it has started.
      const detached = process.platform !== "win32";
      const stdio = ["ignore", "pipe", "pipe"] as const;
      child = spawn(program, args, { detached, env: environmentOf(info), stdio: [...stdio] });
      running.add(child);
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding("utf8").on("data", (more: string) => {
          text = (text + more).slice(-MAX_OUTPUT);
        });
      const closed = new Promise((resolve) => child?.on("close", resolve));
      const why = await once(child, "exit").then(
        ([code, signal]) => code !== 0 && `it ended with ${signal ?? `exit code ${code}`}`,
        startFailure,
      );
      // The end of its output; a process that it has left behind may keep it open.
      await Promise.race([closed, setTimeout(1_000, undefined, { ref: false })]);
      output = text;
      if (why) throw Object.assign(new Error(why), { output: stripVTControlCharacters(text) });
    };
    const close = async () => {
      if (child !== undefined) endGroup(child);
      if (child !== undefined) running.delete(child);
      await started.stop({ grace: 0, isLast: false });
    };
    return { emulator, run, close };
  };
  let ended = 0;
  const stopListening = onEnd((code) => {
    ended = code;
    stop.abort();
    for (const child of running) endGroup(child);
  });
  const tell = (text: string) => void process.stderr.write(`latchkey: ${printable(text)}\n`);
  let told = performance.now();
  const onCase = (done: number, count: number) => {
    if (isShown) process.stderr.write(output);
    else if (performance.now() - told >= BETWEEN) {
      told = performance.now();
      tell(`${done} of ${count}`);
    }
  };
  const onPlan = (plan: string) => (isShown ? undefined : tell(plan));
  const again = againWith(flags, command);
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  try {
    const watch = { onPlan, onCase, signal: stop.signal };
    const found = await sweepStages(open, limits as SweepLimits, watch);
    const isWhole = ![limits.case, limits.only, limits.faults].some(Boolean) && found.notRun === 0;
    const swept = reports.withAccepted(found, accepted, isWhole);
    print(json ? reports.toJson(swept, again) : tableOf(swept, again));
    await reports.writeReports(swept, report, again);
    // With `--json`, stdout has the JSON alone. The runner of GitHub reads stderr too.
    await reports.annotate(swept, again, json ? process.stderr : process.stdout);
    if (ended > 0) return ended;
    if (!acceptAll || accept === undefined) return Number(swept.cases.some(isWrong));
    await reports.writeAccepted(accept, found, accepted);
    return 0;
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

/** What a case that is repeated alone does not need. */
const LEFT_OUT = ["case", "report", "accept", "accept-all", "json", "jobs", "most", "for"];

/** The command line that repeats a case, as this one was started. Tokens are left out. */
function againWith(flags: Readonly<Record<string, unknown>>, command: readonly string[]) {
  const given = Object.entries(flags).filter(([name]) => !LEFT_OUT.includes(name));
  const words = given.flatMap(([name, values]) =>
    [values].flat().map((value) => {
      if (typeof value === "boolean") return value ? `--${name}` : `--no-${name}`;
      return `--${name}=${name.endsWith("token") ? "…" : String(value)}`;
    }),
  );
  return (name: string) => {
    const line = [...startOf(), "sweep", "--case", name, ...words, "--", ...command];
    return line.map((word) => (/^[\w@%+=:,./…-]+$/.test(word) ? word : inShell(word))).join(" ");
  };
}

/** How latchkey was started: from the packages of a project, by its name, or by its file. */
function startOf(): string[] {
  const [, file = ""] = process.argv;
  if (file.includes("node_modules")) return ["npx", "--no-install", "latchkey"];
  const isOnPath = (process.env["PATH"] ?? "").split(delimiter).includes(dirname(file));
  return isOnPath ? [basename(file)] : ["node", file];
}
