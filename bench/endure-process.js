// What an endurance run does with its emulator beside what every bench does with one.
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { askFor } from "./ask.js";
import { headersFor, SERVER_CORE, startWorld } from "./processes.js";

/** Serves so many made-up keys; `headers` are those that every request to it carries. */
export async function startEmulator(keys, flags = []) {
  const server = await startWorld(keys, { core: SERVER_CORE, flags });
  return { ...server, headers: headersFor(server) };
}

/** Has it end as its users do, and resolves to its exit code. */
export async function end({ child }) {
  const closed = once(child, "close");
  child.kill();
  const [code] = await closed;
  return code;
}

/** One request; a refusal is an error. */
export function ask({ headers, port }, request) {
  return askFor(port, { headers, ...request });
}

/** How many files and sockets it has open. */
export function openFilesOf({ child }) {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

if (!existsSync("/proc/self/status")) {
  console.error("bench:endure: expected a system with /proc, which tells of memory and sockets");
  process.exit(2);
}
