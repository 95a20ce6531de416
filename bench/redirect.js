// `npm run bench:redirect`: how long a redirected call takes, compared with one to latchkey's URL. A
// process without the preload calls the URL, and one with it calls both in turns. Each runs several times,
// and the fastest counts, because other work of the machine only slows them down. Exits with 1 if a
// redirected call takes more than twice as long.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { startProcess } from "../dist/node.js";

const RUNS = 3;
const MAX_RATIO = 2;
const SERVICE = "https://api.unkey.com";
const program = join(import.meta.dirname, "children", "redirected-calls.js");

const emulator = await startProcess({ as: [SERVICE], log: "silent" });
const { NODE_OPTIONS, ...others } = emulator.programEnv;

/** Medians of the program, in microseconds per call, by client and URL. */
function measure(env, ...urls) {
  const options = { env: { ...process.env, ...env }, encoding: "utf8" };
  return JSON.parse(execFileSync(process.execPath, [program, ...urls], options));
}

const alone = [];
const both = [];
try {
  for (let count = 0; count < RUNS; count += 1) {
    // Twice, so that both processes make as many calls, and are as warm.
    alone.push(measure(others, emulator.url, emulator.url));
    both.push(measure({ ...others, NODE_OPTIONS }, emulator.url, SERVICE));
  }
  for (const client of Object.keys(alone[0])) {
    const fastest = (runs, url) => Math.min(...runs.map((medians) => medians[client][url]));
    const direct = fastest(alone, emulator.url);
    const ratio = fastest(both, SERVICE) / direct;
    const beside = fastest(both, emulator.url) / direct;
    console.log(
      `${client}: direct ${direct.toFixed(0)} µs, redirected ${ratio.toFixed(2)} times, direct with the preload ${beside.toFixed(2)} times`,
    );
    if (ratio > MAX_RATIO) process.exitCode = 1;
  }
} finally {
  await emulator.stop();
}
