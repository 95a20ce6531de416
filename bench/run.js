// `npm run bench`: measures everything, prints tables, and writes them to bench/results.md. With
// --peers it also measures other emulators on the same work. `--only start,worlds` measures only these
// parts, and writes no file.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./floors.js";
import { describeMachine } from "./machine.js";
import { parts } from "./parts/all.js";
import { measurePeers } from "./peers/measure.js";
import { table, toText } from "./report.js";
import { full } from "./settings.js";

const { values } = parseArgs({
  options: { peers: { type: "boolean", default: false }, only: { type: "string" } },
});
const start = performance.now();
const known = { ...parts, peers: measurePeers };
const names =
  values.only?.split(",") ?? Object.keys(known).filter((name) => name !== "peers" || values.peers);
const strange = names.find((name) => !(name in known));
if (strange !== undefined) {
  console.error(`--only: expected some of ${Object.keys(known).join(", ")}, got ${strange}`);
  process.exit(2);
}

const HOW_TO_READ = `How to read it: a figure is the median of its rounds, with the minimum and maximum in brackets. Figures over HTTP are compared with bare node:http, a server that reads the request and sends prepared bytes; both were measured in turn, in the same run. Requests per second differ from machine to machine. Ratios differ much less, so compare those. A ratio is the median of the ratios of all rounds. The spread shows how quiet the machine was: a difference that is smaller than the spread means nothing.`;

const figures = {};
const pieces = [];
for (const name of names) {
  const { figures: found, tables } = await known[name](full, (what) => console.error(what));
  Object.assign(figures, found);
  for (const each of tables) show(toText(each));
}
if (values.only === undefined) {
  show(toText(floorsTable()));
  const file = join(import.meta.dirname, "results.md");
  writeFileSync(file, `${[...introduction(), ...pieces].join("\n\n")}\n`);
  console.error(`written to bench/results.md after ${minutes()} minutes`);
}

function show(text) {
  pieces.push(text);
  console.log(`${text}\n`);
}

function floorsTable() {
  const rows = judge(figures).map(({ aim, byCpu, floor, isAtAim, state, title, value }) => [
    title,
    value,
    byCpu,
    floor,
    state === "ok" ? "pass" : state === "below" ? "FAIL" : state,
    `${aim}${isAtAim ? ", reached" : ""}`,
  ]);
  const columns = ["figure", "value", "by processor time", "floor", "", "aim"];
  const note =
    "What `npm run bench:check` holds, here by the figures above; those of requests are of 10,000 keys.";
  return table("Floors", { columns, note, rows });
}

function introduction() {
  const machine = describeMachine().map(([name, value]) => `- ${name}: ${value}`);
  return [
    "# What latchkey costs",
    `Measured by \`npm run bench${values.peers ? " -- --peers" : ""}\` in ${minutes()} minutes.`,
    machine.join("\n"),
    HOW_TO_READ,
  ];
}

function minutes() {
  return ((performance.now() - start) / 60_000).toFixed(1);
}
