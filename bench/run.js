// `npm run bench`: measures everything, prints tables, and writes them to bench/results.md. `--quick`
// measures for a minute, `--only start,waits` measures only these parts; both write no file.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./floors.js";
import { describeMachine } from "./machine.js";
import { measureFarPage } from "./parts/far-page.js";
import { measureMemoryPerKey } from "./parts/memory-per-key.js";
import { measureStart } from "./parts/start.js";
import { measureTestFile } from "./parts/test-file.js";
import { measureThroughput } from "./parts/throughput.js";
import { measureWaits } from "./parts/waits.js";
import { table, toText } from "./report.js";

const parts = {
  throughput: measureThroughput,
  "far-page": measureFarPage,
  start: measureStart,
  "test-file": measureTestFile,
  "memory-per-key": measureMemoryPerKey,
  waits: measureWaits,
};

const full = {
  /** The number of rounds for each figure; contenders take turns in each round. */
  rounds: 5,
  connections: 32,
  /** Seconds of load in each round, and of the warm-up before it, which does not count. */
  seconds: 2,
  warmUp: 0.5,
  /** Seconds of load before the first round of a row, so that V8 has compiled the code. */
  heatUp: 2,
  farPageKeys: [1_000, 100_000, 1_000_000],
  farPageRequests: 3_000,
  /** The number of processes of each kind. */
  starts: 15,
  memoryKeys: 100_000,
  waitRounds: 2,
};
const quick = {
  ...full,
  rounds: 3,
  seconds: 0.5,
  warmUp: 0.15,
  heatUp: 0.5,
  farPageKeys: [1_000, 100_000],
  farPageRequests: 600,
  starts: 5,
  memoryKeys: 50_000,
  waitRounds: 1,
};

const HOW_TO_READ = `How to read it: a figure is the median of its rounds, with the minimum and maximum in brackets. Figures over HTTP are compared with bare node:http, a server that reads the request and sends prepared bytes; both were measured in turn, in the same run. Requests per second differ from machine to machine. Ratios differ much less, so compare those. A ratio is the median of the ratios of all rounds. The spread shows how quiet the machine was: a difference that is smaller than the spread means nothing.`;

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" } },
});
const names = values.only?.split(",") ?? Object.keys(parts);
const strange = names.find((name) => !(name in parts));
if (strange !== undefined) {
  console.error(`--only: expected some of ${Object.keys(parts).join(", ")}, got ${strange}`);
  process.exit(2);
}
const start = performance.now();
const minutes = () => ((performance.now() - start) / 60_000).toFixed(1);
const figures = {};
const pieces = [];
for (const name of names) {
  const settings = values.quick ? quick : full;
  const { figures: found, tables } = await parts[name](settings, (what) => console.error(what));
  Object.assign(figures, found);
  for (const each of tables) show(toText(each));
}
if (values.only === undefined) {
  const columns = ["figure", "value", "by processor time", "floor", "", "aim"];
  const note = "Figures of requests are of v1 where they name no version.";
  show(toText(table("Floors", { columns, note, rows: judge(figures) })));
}
if (values.only === undefined && !values.quick) {
  const machine = describeMachine().map(([name, value]) => `- ${name}: ${value}`);
  const head = ["# What latchkey costs", `Measured by \`npm run bench\` in ${minutes()} minutes.`];
  const text = [...head, machine.join("\n"), HOW_TO_READ, ...pieces].join("\n\n");
  writeFileSync(join(import.meta.dirname, "results.md"), `${text}\n`);
  console.error(`written to bench/results.md after ${minutes()} minutes`);
}

function show(text) {
  pieces.push(text);
  console.log(`${text}\n`);
}
