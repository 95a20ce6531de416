// Measures how long other clients wait while a process does what takes it the longest: it reads bodies
// that are as large as it takes them, and works on a large world.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  LOAD_CORE,
  runScript,
  scratch,
  SERVER_CORE,
  startLatchkey,
  startWorld,
  stop,
} from "../processes.js";
import { table } from "../report.js";
import { summarize } from "../rounds.js";
import { worldFixture } from "../world-work.js";

const KEYS = 1_000;
// A token that is listed, so that there are others that are not.
const flags = ["--token", "bench_token"];

export async function measureWaits({ waitRounds: rounds }, tell) {
  tell("waits");
  const small = await waitsOf(await startWorld(KEYS, { core: SERVER_CORE, flags }), { rounds });
  tell("waits in a large world");
  const file = join(scratch, "large-world.json");
  writeFileSync(file, JSON.stringify(worldFixture));
  const started = await startLatchkey(["--fixture", file, ...flags], { core: SERVER_CORE });
  const large = await waitsOf(started, { rounds, isLarge: true });
  const kinds = [...new Set(small.map(({ kind }) => kind))];
  const rows = kinds.map((kind) =>
    toRow(
      kind,
      small.filter((wait) => wait.kind === kind),
    ),
  );
  const names = [...new Set(large.map(({ name }) => name))];
  const work = names.map((name) =>
    toRow(
      name,
      large.filter((wait) => wait.name === name),
    ).toSpliced(4, 1),
  );
  const wait = {
    value: Math.max(...small.map((each) => each.wait)),
    byCpu: Math.max(...small.map((each) => each.cpu)),
  };
  const sent = ["sent", "median", "longest"];
  const longest = "longest by processor time";
  return {
    figures: { wait },
    tables: [
      table("Waits", {
        columns: ["bodies", ...sent, "the longest with", longest],
        note: `The longest time (ms) that \`GET /_latchkey/health\` took while a body arrived and was answered, over all bodies of bench/bodies.js, ${rounds} times each. The processor time is that of the server's thread from a question to its answer.`,
        rows,
      }),
      table("Waits in a large world", {
        columns: ["work", ...sent, longest],
        note: `The same while work is done that grows with the world, of 100,000 keys and 50,000 counters of rate limits (bench/world-work.js).`,
        rows: work,
      }),
    ],
  };
}

/** The longest waits beside each request. */
async function waitsOf(started, { isLarge = false, rounds }) {
  const { apiId, child, port, token } = started;
  const server = { apiId, isLarge, port, token, pid: child.pid };
  const waits = await runScript("children/waits.js", { rounds, server }, { core: LOAD_CORE });
  await stop(started);
  return waits;
}

function toRow(name, waits) {
  const [worst] = waits.toSorted((one, other) => other.wait - one.wait);
  const [most] = waits.toSorted((one, other) => other.cpu - one.cpu);
  const { max, median } = summarize(waits.map(({ wait }) => wait));
  const cpu = Number.isNaN(most.cpu) ? "-" : `${most.cpu.toFixed(0)} (${most.name})`;
  return [name, waits.length, median.toFixed(0), max.toFixed(0), worst.name, cpu];
}
