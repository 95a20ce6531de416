// Measures what latchkey adds to the time of a test file, in a process of its own.
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { launch } from "../processes.js";
import { givenProject } from "../project.js";
import { number, table, withSpread } from "../report.js";
import { inTurn, ratios, summarize } from "../rounds.js";

/** The first is the baseline of the others. */
const scripts = {
  "msw alone": "first-answer-msw.js",
  "emulator.fetch": "first-answer-emulator.js",
  "latchkey's msw handlers": "first-answer-handlers.js",
};

export async function measureTestFile({ starts }, tell) {
  tell("the price of a test file");
  const folder = givenProject("test-file", ["msw"]);
  for (const script of Object.values(scripts)) {
    copyFileSync(join(import.meta.dirname, "..", "children", script), join(folder, script));
  }
  const contenders = Object.values(scripts).map((script) => () => run(folder, script));
  // Reads every file once, so that all rounds find the files in the cache of the operating system.
  await inTurn(contenders, 1);
  const times = await inTurn(contenders, starts);
  const ratio = times.map((each) => ratios(each, times[0]));
  const rows = Object.keys(scripts).map((name, index) => [
    name,
    withSpread(summarize(times[index]), number),
    withSpread(ratio[index], (value) => value.toFixed(2)),
  ]);
  const note = `From the first import to the first answer, in a process of its own, of the package as it is published; ${starts} processes of each in turn. msw alone mocks one route.`;
  const columns = ["test file", "first answer, ms", "ratio to msw alone"];
  return {
    figures: { emulatorFile: { value: ratio[1].median }, handlersFile: { value: ratio[2].median } },
    tables: [table("The price of a test file", { columns, note, rows })],
  };
}

/** The time that a script prints (ms). */
async function run(cwd, script) {
  const child = launch(process.execPath, [script], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${printed}`);
  return Number(printed);
}
