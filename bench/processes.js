// Starts the processes of a bench. Each is killed when the bench exits. If the system has `taskset`,
// servers run on one core and the load on another.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { askFor } from "./ask.js";

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;
/** From this share of busy turns on, the client may have been slower than the server. */
export const MAX_CLIENT_LOAD = 0.95;
const root = join(import.meta.dirname, "..");
const children = new Set();

/** A folder for files of this run; removed when it ends. */
export const scratch = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
const logFile = join(scratch, "latchkey.log");

process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

export const isPinned = [SERVER_CORE, LOAD_CORE].every(
  (core) => spawnSync("taskset", ["-c", String(core), process.execPath, "-v"]).status === 0,
);

/** Starts a process, pinned to `core` if there is one. */
export function launch(command, args, { core, ...options } = {}) {
  const isBound = core !== undefined && isPinned;
  const child = isBound
    ? spawn("taskset", ["-c", String(core), command, ...args], options)
    : spawn(command, args, options);
  children.add(child);
  child.once("close", () => children.delete(child));
  return child;
}

export async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

/**
 * Starts the emulator as its users do, with its log in a file. `elapsed` is the time (ms) from the start
 * to the first page.
 */
export async function startLatchkey(flags = [], { core, nodeFlags = [], ipc = false } = {}) {
  const log = openSync(logFile, "a");
  const start = performance.now();
  const args = ["bin/latchkey.js", "serve", "--port", "0", "--json", "--random-seed", "1"];
  const child = launch(process.execPath, [...nodeFlags, ...args, ...flags], {
    core,
    cwd: root,
    stdio: ["ignore", "pipe", log, ...(ipc ? ["ipc"] : [])],
  });
  closeSync(log);
  const { apis, port, token } = JSON.parse(await firstLine(child, "latchkey"));
  const server = { child, port, apiId: apis[0].id, keys: apis[0].keys, token };
  await askFor(port, { path: listPath(server), headers: headersFor(server) });
  return { ...server, elapsed: performance.now() - start };
}

export function startWorld(count, { flags = [], ...options } = {}) {
  return startLatchkey(["--generate", String(count), ...flags], options);
}

/** The log of a long run would fill the disk. */
export function emptyLog() {
  truncateSync(logFile);
}

/** Headers of every request to the emulator. */
export function headersFor({ token }) {
  return { Authorization: `Bearer ${token}` };
}

export function listPath({ apiId }, query = {}) {
  return `/v1/apis.listKeys?${new URLSearchParams({ apiId, ...query })}`;
}

/**
 * Starts bare node:http with these replies, or with one of a few bytes. `elapsed` is the time (ms) from
 * the start to the first answer.
 */
export async function startBare(replies, { core } = {}) {
  const start = performance.now();
  const args = [join(root, "bench/bare.js"), ...(replies === undefined ? ["--short"] : [])];
  const child = launch(process.execPath, args, { core, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(replies === undefined ? "" : JSON.stringify(replies));
  const { port } = JSON.parse(await firstLine(child, "the bare server"));
  await askFor(port, { path: "/" });
  return { child, port, elapsed: performance.now() - start };
}

/**
 * Puts load on a server. Resolves to the result of `load.js`, and `cpu`: the processor time (µs) that
 * the server took for each request.
 */
export async function load({ child, port }, job) {
  const before = processorTimeOf(child);
  const result = await runScript("load.js", { port, ...job }, { core: LOAD_CORE });
  return { ...result, cpu: (processorTimeOf(child) - before) / result.total };
}

/** Processor time of all threads (µs); NaN if the system does not provide it. */
function processorTimeOf({ pid }) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) => {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    });
    return times.reduce((sum, time) => sum + time, 0) / 1_000;
  } catch {
    return Number.NaN;
  }
}

/** Runs a script of this folder that reads JSON from stdin and writes JSON to stdout. */
export async function runScript(name, input, { core = SERVER_CORE } = {}) {
  const child = launch(process.execPath, [join(import.meta.dirname, name)], {
    core,
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(input));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return JSON.parse(output);
}

/** Resident memory of a process (MB). */
export function memoryOf({ child: { pid } }) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 1_024;
  } catch {
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) / 1_024;
  }
}

/** The first line on stdout. */
async function firstLine(child, name) {
  let output = "";
  child.stdout.setEncoding("utf8");
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("\n")) {
      child.stdout.resume();
      return output.slice(0, output.indexOf("\n"));
    }
  }
  throw new Error(`${name} ended before it was ready`);
}
