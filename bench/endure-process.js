// Starts and stops the emulator of an endurance run, and calls it.
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { askFor } from "./ask.js";
import { headersFor, SERVER_CORE, startWorld } from "./processes.js";

/** Starts an emulator with made-up keys; `headers` are the headers that every request needs. */
export async function startEmulator(keys, flags = []) {
  const server = await startWorld(keys, { core: SERVER_CORE, flags });
  return { ...server, headers: headersFor(server) };
}

/** Stops it with a signal, as users do, and resolves to its exit code. */
export async function end({ child }) {
  const closed = once(child, "close");
  child.kill();
  const [code] = await closed;
  return code;
}

/** Sends one request. Throws for a reply with an error status. */
export function ask({ headers, port }, request) {
  return askFor(port, { headers, ...request });
}

/** The number of its open files and sockets. */
export function openFilesOf({ child }) {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

if (!existsSync("/proc/self/status")) {
  console.error("bench:endure: expected a system with /proc, which shows memory and sockets");
  process.exit(2);
}
