// The processes of an endurance run: the emulator as its users run it, and the load beside it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
} from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "..");
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const children = new Set();
/** Files of this run; gone when it ends. */
const scratch = mkdtempSync(join(tmpdir(), "latchkey-endure-"));

process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

function launch(args, options) {
  const child = spawn(process.execPath, args, { cwd: root, ...options });
  children.add(child);
  child.once("close", () => children.delete(child));
  return child;
}

/** Serves so many made-up keys, with its log in a file, and the journal on, as they are by default. */
export async function startEmulator(keys, flags = []) {
  const log = openSync(join(scratch, "log"), "a");
  const args = ["bin/latchkey.js", "serve", "--port=0", "--json", "--log=text", "--random-seed=1"];
  const child = launch([...args, `--generate=${keys}`, ...flags], {
    stdio: ["ignore", "pipe", log],
  });
  closeSync(log);
  const [line] = await once(child.stdout, "data");
  const { apis, port, token } = JSON.parse(line);
  return { child, port, apiId: apis[0].id, headers: { Authorization: `Bearer ${token}` } };
}

export function scratchFile(name) {
  return join(scratch, name);
}

/** The log of a long run would fill the disk. */
export function emptyLog() {
  truncateSync(join(scratch, "log"));
}

export async function stop({ child }) {
  const closed = once(child, "close");
  child.kill();
  const [code] = await closed;
  return code;
}

/** Puts load on it, from another process; resolves to what `load.js` tells of it. */
export async function load({ port }, job) {
  const child = launch(["bench/load.js"], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify({ port, ...job }));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`load.js ended with ${code}`);
  return JSON.parse(output);
}

/** One request and its reply, as JSON. */
export async function ask({ headers, port }, { body, method = "GET", path }) {
  const outgoing = http.request({ agent, host: "127.0.0.1", port, method, path, headers });
  outgoing.setHeader("Content-Type", "application/json").end(body);
  const [response] = await once(outgoing, "response");
  const reply = await text(response);
  if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${reply}`);
  return reply === "" ? undefined : JSON.parse(reply);
}

/** Memory (MB) that it has now. */
export function memoryOf({ child }) {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 1_024;
}

/** The time (s) that it has had a processor; the system counts it in hundredths. */
export function processorTimeOf({ child }) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** How many files and sockets it has open. */
export function openFilesOf({ child }) {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

if (!existsSync("/proc/self/status")) {
  console.error("bench:endure: expected a system with /proc, which tells of memory and sockets");
  process.exit(2);
}
