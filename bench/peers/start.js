// Starts any of the emulators on a free port, and sends requests until it answers.
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../ask.js";
import { launch, scratch, stop } from "../processes.js";

const TIMEOUT = 120_000;

/**
 * Resolves at the first answer; `elapsed` is the time (ms) until then.
 * @throws Error if it ends, or does not answer in time
 */
export async function start({ bin, name, node, pages }, { records, toArgs }, { core } = {}) {
  const port = await freePort();
  const [request] = pages(10, records);
  const output = openSync(join(scratch, `${name.replace(/\W+/g, "-")}.log`), "a");
  const begin = performance.now();
  const child = launch(node.command, [bin, ...toArgs(port)], {
    core,
    cwd: scratch,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  while (performance.now() - begin < TIMEOUT) {
    const reply = await ask(port, request).catch(() => undefined);
    if (reply !== undefined && reply.status < 300) {
      return { child, port, elapsed: performance.now() - begin };
    }
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    await sleep(2);
  }
  await stop({ child });
  throw new Error(`no answer in ${TIMEOUT / 1_000} s`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
