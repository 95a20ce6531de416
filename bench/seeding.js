// What a world of made-up keys costs, from 1,000 keys to 1,000,000: the time until the process
// answers, its memory, a page at the beginning and far behind, and a reset. Each size has a process
// of its own; `node bench/seeding.js 1000 10000` measures these alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createEmulator } from "../dist/index.js";

const COUNTS = [1_000, 10_000, 100_000, 1_000_000];
/** Runs of which the median is told; of a million one, which takes long enough. */
const RUNS = (count) => (count > 100_000 ? 1 : 3);
const API = "api_local";

const [mode, ...rest] = process.argv.slice(2);
if (mode === "--in-process") await measureInProcess(Number(rest[0]));
else await measureAll([mode, ...rest].filter(Boolean).map(Number));

async function measureAll(counts) {
  const rows = [];
  for (const count of counts.length > 0 ? counts : COUNTS) {
    const runs = [];
    for (let run = 0; run < RUNS(count); run += 1) {
      runs.push({ ...(await measureServer(count)), ...(await runInProcess(count)) });
    }
    const median = (name) =>
      runs.map((run) => run[name]).toSorted((a, b) => a - b)[runs.length >> 1];
    rows.push({
      keys: count.toLocaleString("en"),
      "ready (s)": (median("ready") / 1_000).toFixed(2),
      "memory (MB)": Math.round(median("memory")),
      "peak (MB)": Math.round(median("peak")),
      "first page (ms)": median("first").toFixed(2),
      "last page (ms)": median("last").toFixed(2),
      "over HTTP (ms)": median("http").toFixed(2),
      "reset (ms)": median("reset").toFixed(1),
      "restore (ms)": median("restore").toFixed(1),
    });
    console.error(`measured ${rows.at(-1).keys} keys`);
  }
  console.table(Object.fromEntries(rows.map(({ keys, ...row }) => [keys, row])));
}

/** A real process, from its start to a page. */
async function measureServer(count) {
  const start = performance.now();
  const flags = ["serve", "--port=0", "--json", "--log=silent", "--random-seed=1"];
  const child = spawn(process.execPath, ["bin/latchkey.js", ...flags, `--generate=${count}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const { url, apis } = JSON.parse(line);
  if (apis[0].keys < count) throw new Error(`expected ${count} keys, got ${apis[0].keys}`);
  await page(url, "");
  const ready = performance.now() - start;
  const http = await typical(() => page(url, ""));
  const memory = memoryOf(child.pid, "VmRSS");
  const peak = memoryOf(child.pid, "VmHWM");
  child.kill();
  await once(child, "close");
  return { ready, http, memory, peak };
}

async function page(url, query) {
  const response = await fetch(`${url}/v1/apis.listKeys?apiId=${API}${query}`, {
    headers: { Authorization: "Bearer any" },
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

/** Pages without sockets, resets and restores, in a process that does nothing else. */
async function runInProcess(count) {
  const child = spawn(process.execPath, [import.meta.filename, "--in-process", String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  await once(child, "close");
  return JSON.parse(output);
}

async function measureInProcess(count) {
  const emulator = await createEmulator({ generate: { count }, randomSeed: 1 });
  const keys = emulator.keys.all();
  const cursor = btoa(JSON.stringify({ key: keys[keys.length - 101].id })).replace(/=+$/, "");
  const list = (query) => async () => {
    const request = `http://localhost/v1/apis.listKeys?apiId=${API}${query}`;
    const response = await emulator.fetch(request, { headers: { Authorization: "Bearer any" } });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  const first = await typical(list(""));
  const last = await typical(list(`&cursor=${cursor}`));
  const rounds = count > 10_000 ? 1 : 9;
  const reset = await medianOf(rounds, () => emulator.reset());
  const snapshot = emulator.snapshot();
  const restore = await medianOf(rounds, () => emulator.restore(snapshot));
  process.stdout.write(JSON.stringify({ first, last, reset, restore }));
}

/** The median of a few hundred calls (ms), after some to warm up. */
function typical(work) {
  return medianOf(300, work, 50);
}

async function medianOf(rounds, work, warmUp = 0) {
  const times = [];
  for (let round = -warmUp; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    if (round >= 0) times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1];
}

/** MB; not a number where the system does not tell. */
function memoryOf(pid, name) {
  try {
    const [, kB] = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(
      readFileSync(`/proc/${pid}/status`, "utf8"),
    );
    return Number(kB) / 1_024;
  } catch {
    return Number.NaN;
  }
}
