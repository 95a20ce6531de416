// Measures what latchkey adds to the time of a test file: in a separate process, and in a run of vitest.
import { once } from "node:events";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { launch } from "../processes.js";
import { givenProject } from "../project.js";
import { number, table, withSpread } from "../report.js";
import { inTurn, ratios, summarize } from "../rounds.js";

const FILES = 10;
/** The first is the baseline of the others. */
const scripts = {
  "msw alone": "first-answer-msw.js",
  "emulator.fetch": "first-answer-emulator.js",
  "latchkey's msw handlers": "first-answer-handlers.js",
};

export async function measureTestFile({ testFiles: { processes, runs } }, tell) {
  tell("the price of a test file");
  const folder = givenProject("test-file", ["msw", ...(runs > 0 ? ["vitest"] : [])]);
  for (const script of Object.values(scripts)) {
    copyFileSync(join(import.meta.dirname, "..", "children", script), join(folder, script));
  }
  const alone = await measureProcesses(folder, processes);
  return {
    figures: alone.figures,
    tables: [alone.table, ...(runs > 0 ? [await measureRuns(folder, runs, tell)] : [])],
  };
}

async function measureProcesses(folder, rounds) {
  const contenders = Object.values(scripts).map((script) => async () => {
    return Number(await output(folder, [script]));
  });
  // Reads every file once, so that all rounds find the files in the cache of the operating system.
  await inTurn(contenders, 1);
  const times = await inTurn(contenders, rounds);
  const ratio = times.map((each) => ratios(each, times[0]));
  const rows = Object.keys(scripts).map((name, index) => [
    name,
    withSpread(summarize(times[index]), number),
    withSpread(ratio[index], (value) => value.toFixed(2)),
  ]);
  const note = `From the first import to the first answer, in a process of its own, of the package as it is published; ${rounds} processes of each in turn. msw alone mocks one route.`;
  return {
    figures: { emulatorFile: { value: ratio[1].median }, handlersFile: { value: ratio[2].median } },
    table: table("The price of a test file", {
      columns: ["test file", "first answer, ms", "ratio to msw alone"],
      note,
      rows,
    }),
  };
}

async function measureRuns(folder, rounds, tell) {
  tell("test files in vitest");
  const names = ["nothing", ...Object.keys(scripts)];
  const contenders = names.map((name, index) => {
    const project = join(folder, `vitest-${index}`);
    mkdirSync(project);
    for (let file = 0; file < FILES; file += 1) {
      writeFileSync(join(project, `${file}.test.js`), testOf(scripts[name]));
    }
    return async () => {
      const start = performance.now();
      const vitest = join("node_modules", "vitest", "vitest.mjs");
      await output(folder, [vitest, "run", "--maxWorkers=1", "--dir", `vitest-${index}`]);
      return (performance.now() - start) / 1_000 / FILES;
    };
  });
  const times = await inTurn(contenders, rounds);
  const seconds = (value) => value.toFixed(2);
  const rows = names.map((name, index) => [
    name,
    withSpread(summarize(times[index]), seconds),
    withSpread(summarize(times[index].map((time, round) => time - times[0][round])), seconds),
  ]);
  const note = `A run of vitest over ${FILES} files with one worker, divided by the files; ${rounds} runs of each in turn. Each file has one test, which uses what the row names.`;
  const columns = ["test file", "s a file", "s more than nothing"];
  return table("Test files in vitest", { columns, note, rows });
}

function testOf(script) {
  const body = script === undefined ? "{}" : `import("../${script}")`;
  return `import { test } from "vitest";\ntest("answers", () => ${body});\n`;
}

async function output(cwd, args) {
  const child = launch(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${printed}`);
  return printed;
}
