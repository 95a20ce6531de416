// Sends the requests that take a process the longest, and asks it all the while whether it is alive, as
// another client would. The server comes as JSON on stdin, with `isLarge` for one that has the world of
// world-work.js; the longest wait (ms) beside each request goes to stdout.
import { readFileSync } from "node:fs";
import http from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { ask } from "../ask.js";
import { acceptedBodies, refusedBodies } from "../bodies.js";
import { preparations, worldWork } from "../world-work.js";

/** Pause between two questions (ms). */
const PAUSE = 2;
/** A token that the server does not list. */
const UNLISTED = "not_listed";
const agent = new http.Agent({ keepAlive: true });

const { rounds, server } = await json(process.stdin);
const waits = [];
for (let round = 0; round < rounds; round += 1) {
  if (server.isLarge) await sendWorldWork();
  else for (const version of ["v1", "v2"]) await sendBodies(version);
}
agent.destroy();
process.stdout.write(JSON.stringify(waits));

async function sendBodies(version) {
  for (const [name, request] of refusedBodies(server, version)) {
    for (const token of [server.token, UNLISTED]) {
      await measure(`refused, ${version}`, name, { ...request, token }, 400);
    }
  }
  const made = await create(`/${version}/keys.createKey`, server.apiId);
  for (const [name, request] of acceptedBodies({ ...server, ...made }, version)) {
    await measure(`accepted, ${version}`, name, request);
  }
}

async function sendWorldWork() {
  for (const request of preparations) await send(request);
  const made = await create("/v2/keys.createKey", "api_few");
  const read = async (path) => JSON.parse((await send({ method: "GET", path })).body);
  const { keys, ...others } = await read("/_latchkey/snapshot");
  const snapshot = { ...others, keys: keys.slice(0, 50_000) };
  const { cursor } = await read("/_latchkey/keys?sort=-name");
  for (const [name, request] of worldWork({ ...made, cursor, snapshot })) {
    await measure("large world", name, request);
  }
  // The same while another client writes.
  let isOver = false;
  const { key } = await create("/v2/keys.createKey", "api_few");
  const writing = (async () => {
    while (!isOver) await send({ path: "/v2/keys.verifyKey", body: { key } });
  })();
  const work = Object.fromEntries(worldWork({ ...made, cursor, snapshot }));
  const seed = "POST seed of 100,000 made-up keys";
  await measure("large world", `${seed}, beside writes`, work[seed]);
  isOver = true;
  await writing;
  await send(work["POST reset"]);
}

async function create(path, apiId) {
  const made = JSON.parse((await send({ path, body: { apiId } })).body);
  return made.data ?? made;
}

/** @param least the least status; below 400 for a request that has to be accepted */
async function measure(kind, name, request, least = 200) {
  let isDone = false;
  const sent = send(request).finally(() => (isDone = true));
  const longest = { wait: 0, cpu: 0 };
  while (!isDone) {
    const [start, before] = [performance.now(), processorTime()];
    await ask(server.port, { path: "/_latchkey/health" });
    longest.wait = Math.max(longest.wait, performance.now() - start);
    longest.cpu = Math.max(longest.cpu, processorTime() - before);
    await setTimeout(PAUSE);
  }
  const { body, status } = await sent;
  if (status < 400 !== least < 400) throw new Error(`${kind}, ${name}: got ${status} ${body}`);
  waits.push({ kind, name, ...longest });
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
function send({ body, method = "POST", path, text = body && JSON.stringify(body), token }) {
  const bearer = token ?? server.token;
  const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
  const target = { agent, host: "127.0.0.1", port: server.port, method, path, headers };
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
