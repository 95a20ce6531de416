// Sends the bodies that take a process the longest, and asks it all the while whether it is alive, as
// another client would. The server comes as JSON on stdin; the longest wait (ms) of each body goes to
// stdout.
import { readFileSync } from "node:fs";
import http from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { ask } from "../ask.js";
import { acceptedBodies, refusedBodies } from "../bodies.js";

/** Pause between two questions (ms). */
const PAUSE = 2;
/** A token that the server does not list. */
const UNLISTED = "not_listed";
const agent = new http.Agent({ keepAlive: true });

const { rounds, server } = await json(process.stdin);
const waits = [];
for (const version of ["v1", "v2"]) {
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, request] of refusedBodies(server, version)) {
      for (const token of [server.token, UNLISTED]) {
        await measure("refused", version, name, { ...request, token });
      }
    }
    const body = { apiId: server.apiId };
    const made = await send({ path: `/${version}/keys.createKey`, body, token: server.token });
    const { key, keyId } = JSON.parse(made.body).data ?? JSON.parse(made.body);
    for (const [name, request] of acceptedBodies({ ...server, key, keyId }, version)) {
      await measure("accepted", version, name, { ...request, token: server.token });
    }
  }
}
agent.destroy();
process.stdout.write(JSON.stringify(waits));

async function measure(outcome, version, name, request) {
  let isDone = false;
  const before = processorTime();
  const sent = send(request).finally(() => (isDone = true));
  let wait = 0;
  while (!isDone) {
    const start = performance.now();
    await ask(server.port, { path: "/_latchkey/health" });
    wait = Math.max(wait, performance.now() - start);
    await setTimeout(PAUSE);
  }
  const { status } = await sent;
  if (status < 400 !== (outcome === "accepted")) {
    throw new Error(`${version}, ${name}: expected to be ${outcome}, got ${status}`);
  }
  const cpu = processorTime() - before;
  waits.push({ kind: `${outcome}, ${version}`, name, wait, cpu });
}

/** Of the thread of the server that answers requests (ms); NaN if the system does not provide it. */
function processorTime() {
  try {
    const [time] = readFileSync(`/proc/${server.pid}/schedstat`, "utf8").split(" ");
    return Number(time) / 1e6;
  } catch {
    return Number.NaN;
  }
}

/** On a connection of its own, beside the one of `ask`. */
function send({ body, path, text = JSON.stringify(body), token }) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const target = { agent, host: "127.0.0.1", port: server.port, method: "POST", path, headers };
  return new Promise((resolve, reject) => {
    const request = http.request(target, (response) => {
      const chunks = [];
      response.on("error", reject);
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }),
      );
    });
    request.on("error", reject).end(text);
  });
}
