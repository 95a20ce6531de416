import { constants } from "node:os";
import { basename, delimiter, dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { throwLines, UsageError } from "../../base/usage-error.ts";
import { inShell, printable, printableJson } from "../../base/wording/text.ts";
import { SweepError } from "../../sweep/baseline.ts";
import type { SweepLimits } from "../../sweep/limits.ts";
import type { Stage } from "../../sweep/run.ts";
import { sweepStages } from "../../sweep/stages.ts";
import { isWrong, tableOf } from "../../sweep/table.ts";
import { CommandGroup } from "../command-group.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { ownSweepOptions, testDefaults } from "../options/options.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { start } from "../start.ts";
import { environmentOf } from "../program.ts";
import * as reports from "./sweep-reports.ts";

const FAILS_WITHOUT_FAULT = 3;
/** Lines of progress come this often, in milliseconds. */
const BETWEEN = 10_000;

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
  const running = new Set<CommandGroup>();
  const stop = new AbortController();
  let isShown = false;
  let output = "";
  const open = async (): Promise<Stage> => {
    const { emulator, info, ...started } = await start({ randomSeed: 1, ...options, port: 0 });
    let group: CommandGroup | undefined;
    const run = async () => {
      stop.signal.throwIfAborted();
      group = new CommandGroup(command, environmentOf(info));
      running.add(group);
      const why = await group.failure();
      ({ output } = group);
      if (why) throw Object.assign(new Error(why), { output: stripVTControlCharacters(output) });
    };
    const close = async () => {
      group?.end();
      if (group !== undefined) running.delete(group);
      if (isShown) process.stderr.write(group?.output ?? "");
      await started.stop({ grace: 0, isLast: false });
    };
    return { emulator, run, close };
  };
  let ended = 0;
  const stopListening = onEnd((code) => {
    ended = code;
    stop.abort();
    for (const group of running) group.end();
  });
  const tell = (text: string) => void process.stderr.write(`latchkey: ${printable(text)}\n`);
  let told = performance.now();
  const onCase = (done: number, count: number) => {
    if (isShown || performance.now() - told < BETWEEN) return;
    told = performance.now();
    tell(`${done} of ${count}`);
  };
  const onPlan = (plan: string) => {
    isShown = limits.case !== undefined;
    if (!isShown) tell(plan);
  };
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
