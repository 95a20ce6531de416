// `npm run bench`: measures everything, prints tables and writes them to bench/results.md. With
// --peers it also measures other emulators on the same work. `--only start,worlds` measures these
// parts alone, and writes nothing.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./floors.js";
import { describeMachine } from "./machine.js";
import { parts } from "./parts/all.js";
import { table, toText } from "./report.js";
import { full } from "./settings.js";

const { values } = parseArgs({
  options: { peers: { type: "boolean", default: false }, only: { type: "string" } },
});
const start = performance.now();
const known = {
  ...parts,
  peers: async (...args) => (await import("./peers/measure.js")).measurePeers(...args),
};
const names = values.only?.split(",") ?? [
  ...Object.keys(parts),
  ...(values.peers ? ["peers"] : []),
];
const strange = names.find((name) => !(name in known));
if (strange !== undefined) {
  console.error(`--only: expected some of ${Object.keys(known).join(", ")}, got ${strange}`);
  process.exit(2);
}

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
process.exit();

function show(text) {
  pieces.push(text);
  console.log(`${text}\n`);
}

function floorsTable() {
  const rows = judge(figures).map(({ aim, floor, isAtAim, state, title, value }) => [
    title,
    value,
    floor,
    state === "ok" ? "pass" : state === "below" ? "FAIL" : state,
    `${aim}${isAtAim ? ", reached" : ""}`,
  ]);
  const columns = ["figure", "value", "floor", "", "aim"];
  const note =
    "What `npm run bench:check` holds, here by the figures above; those of requests are of 10,000 keys.";
  return table("Floors", { columns, note, rows });
}

function introduction() {
  const { toTitle, rows } = { toTitle: "# What latchkey costs", rows: describeMachine() };
  const machine = rows.map(([name, value]) => `- ${name}: ${value}`).join("\n");
  return [
    toTitle,
    `Measured by \`npm run bench\` in ${minutes()} minutes.`,
    machine,
    `How to read it: a figure is the median of its rounds, with the least and the most of them in brackets. Everything over HTTP stands beside bare node:http, a server that reads the request and sends bytes that stand ready: no server on Node can do better. Both were measured in turn, in the same run. Requests per second differ from machine to machine; the ratios do so much less, and they are what to compare. The spread tells how quiet the machine was: a difference that is smaller than it says nothing.`,
  ];
}

function minutes() {
  return ((performance.now() - start) / 60_000).toFixed(1);
}
