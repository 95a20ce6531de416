import { constants } from "node:os";
import { basename, delimiter, dirname } from "node:path";
import { throwLines, UsageError } from "../../base/usage-error.ts";
import { inShell, printableJson } from "../../base/wording/text.ts";
import { SweepError } from "../../sweep/baseline.ts";
import type { SweepLimits } from "../../sweep/limits.ts";
import type { PreparedRun } from "../../sweep/run.ts";
import { sweepCases } from "../../sweep/sweep-cases.ts";
import { isWrong, tableOf } from "../../sweep/table.ts";
import { CommandGroup } from "../command-group.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { testDefaults } from "../options/options.ts";
import { ownSweepOptions } from "../options/sweep-options.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { start } from "../start.ts";
import { environmentOf, report } from "../program.ts";
import * as reports from "./sweep-reports.ts";

const FAILS_WITHOUT_FAULT = 3;
/** How often a line of progress is printed (ms). */
const PROGRESS_INTERVAL = 10_000;

/**
 * Runs a command again and again, each time against a fresh emulator that spoils a different answer, and
 * prints the mistakes that it finds.
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
  // `sweepCases` checks the names of faults and verdicts.
  const { accept, acceptAll = false, json = false, report: targets = [], ...limits } = own.options;
  if (acceptAll && accept === undefined) throw new UsageError("--accept-all needs --accept");
  const accepted = accept === undefined ? [] : await reports.readAccepted(accept, acceptAll);
  const environment = { ...process.env, PORT: undefined, LATCHKEY_PORT: undefined };
  const merged = await mergeOptions(flags, environment, { ...testDefaults, log: "silent" });
  // A configuration file or a variable may set these, although they are no flags of this command.
  const { open: _, state: __, watch: ___, ...options } = merged;
  const running = new Set<CommandGroup>();
  /** Aborted by a signal; the reason is the exit code. */
  const stop = new AbortController();
  let isShown = false;
  const prepare = async (): Promise<PreparedRun> => {
    const { emulator, info, ...started } = await start({ randomSeed: 1, ...options, port: 0 });
    let group: CommandGroup | undefined;
    const run = async () => {
      stop.signal.throwIfAborted();
      group = new CommandGroup(command, environmentOf(info));
      running.add(group);
      const why = await group.failure();
      if (why) throw Object.assign(new Error(why), { output: group.output });
    };
    const close = async () => {
      group?.end();
      if (group !== undefined) running.delete(group);
      if (isShown) process.stderr.write(group?.output ?? "");
      await started.stop({ grace: 0, isLast: false });
    };
    return { emulator, run, close };
  };
  const stopListening = onEnd((code) => {
    stop.abort(code);
    for (const group of running) group.end();
  });
  let lastProgress = performance.now();
  const onCase = (done: number, count: number) => {
    if (isShown || performance.now() - lastProgress < PROGRESS_INTERVAL) return;
    lastProgress = performance.now();
    report([`${done} of ${count}`]);
  };
  const onPlan = (plan: string) => {
    isShown = limits.case !== undefined;
    if (!isShown) report([plan]);
  };
  const again = againWith(flags, command);
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  try {
    const watch = { onPlan, onCase, signal: stop.signal };
    const found = await sweepCases(prepare, limits as SweepLimits, watch);
    const isWhole = ![limits.case, limits.only, limits.faults].some(Boolean) && found.notRun === 0;
    const swept = reports.withAccepted(found, accepted, isWhole);
    print(json ? reports.toJson(swept, again) : tableOf(swept, again));
    await reports.writeReports(swept, targets, again);
    // With `--json`, stdout has only the JSON. GitHub's runner reads annotations from stderr too.
    await reports.annotate(swept, again, json ? process.stderr : process.stdout);
    if (stop.signal.aborted) return Number(stop.signal.reason);
    if (!acceptAll || accept === undefined) return Number(swept.cases.some(isWrong));
    await reports.writeAccepted(accept, found, accepted);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return Number(stop.signal.reason);
    const isFailing = error instanceof SweepError;
    if (!isFailing && !(error instanceof UsageError)) throw error;
    if (json) print(printableJson({ cases: [], notes: [], problem: error.message }));
    if (!isFailing) throw error;
    const { output = "" } = Object(error.cause);
    process.stderr.write(`${output}\n`);
    report([error.message]);
    return FAILS_WITHOUT_FAULT;
  } finally {
    stopListening();
  }
}

/** Calls `end` on a signal. The commands are in other process groups, which a terminal does not signal. */
function onEnd(end: (code: number) => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listener = (signal: (typeof signals)[number]) => end(128 + constants.signals[signal]);
  for (const signal of signals) process.on(signal, listener);
  void untilNpmShellEnds().then(() => listener("SIGTERM"));
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** Flags that do not matter for a single case. */
const LEFT_OUT = ["case", "report", "accept", "accept-all", "json", "jobs", "most", "for"];

/** The command line that repeats a case, with the flags of this one. Tokens are left out. */
function againWith(flags: Readonly<Record<string, unknown>>, command: readonly string[]) {
  const given = Object.entries(flags).filter(([name]) => !LEFT_OUT.includes(name));
  const words = given.flatMap(([name, values]) =>
    [values].flat().map((value) => {
      if (typeof value === "boolean") return value ? `--${name}` : `--no-${name}`;
      return `--${name}=${name.endsWith("token") ? "…" : String(value)}`;
    }),
  );
  return (name: string) => {
    const line = [...startWords(), "sweep", "--case", name, ...words, "--", ...command];
    return line.map((word) => (/^[\w@%+=:,./…-]+$/.test(word) ? word : inShell(word))).join(" ");
  };
}

/** The words that start latchkey as it was started now: with npx, by its name, or by its file. */
function startWords(): string[] {
  const [, file = ""] = process.argv;
  if (file.includes("node_modules")) return ["npx", "--no-install", "latchkey"];
  const isOnPath = (process.env["PATH"] ?? "").split(delimiter).includes(dirname(file));
  return isOnPath ? [basename(file)] : ["node", file];
}
