// Times calls without a socket, in a separate process: through `emulator.fetch` and msw, and, for
// comparison, `Request` and `Response` alone. Settings come as JSON on stdin; times (µs) go to stdout.
import { json } from "node:stream/consumers";
import { getResponse } from "msw";
import { createEmulator } from "../../dist/index.js";
import { createHandlers } from "../../dist/msw.js";
import { inTurn, median } from "../rounds.js";
import { createBody, createRandom, shuffle } from "../workloads.js";

const ORIGIN = "https://api.example.com";
const API = "api_local";
const BODIES = 500;
const authorization = { Authorization: "Bearer any" };

const { calls, doors, heatUp, keys, perRound, rounds } = await json(process.stdin);
const emulator = await createEmulator({ generate: { count: keys }, randomSeed: 1 });
const handlers = createHandlers(emulator, { baseUrl: ORIGIN });
const results = {};
for (const name of calls) results[name] = await measure(name);
process.stdout.write(JSON.stringify(results));

async function measure(name) {
  const requests = name === "creates" ? creates() : await lists(name === "pages10" ? 10 : 100);
  const bytes = await sizeOf(requests[0]);
  const contenders = { ...callers(), bare: bareCaller(bytes) };
  const names = [...doors, "bare"];
  for (const door of names) await run(contenders[door], requests, heatUp);
  const times = await inTurn(
    names.map((door) => async () => {
      // Removes the keys of the last round, so that every round has a world of the same size.
      if (name === "creates") await emulator.reset();
      return run(contenders[door], requests, perRound);
    }),
    rounds,
  );
  return Object.fromEntries([
    ["bytes", bytes],
    ...names.map((door, index) => [door, times[index]]),
  ]);
}

function callers() {
  return {
    fetch: async ({ init, url }) => {
      const response = await emulator.fetch(url, init);
      await response.arrayBuffer();
      return response.ok;
    },
    msw: async ({ init, url }) => {
      const response = await getResponse(handlers, new Request(url, init));
      await response.arrayBuffer();
      return response.ok;
    },
  };
}

/** Reads the body of a request, if it has one, and makes a reply with this number of bytes. */
function bareCaller(bytes) {
  const body = new Uint8Array(bytes).fill(32);
  const headers = { "Content-Type": "application/json" };
  return async ({ init, url }) => {
    const request = new Request(url, init);
    if (request.body !== null) await request.arrayBuffer();
    const response = new Response(body, { headers });
    await response.arrayBuffer();
    return response.ok;
  };
}

/** The median time of these calls (µs). */
async function run(call, requests, count) {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const request = requests[index % requests.length];
    const start = performance.now();
    const isOk = await call(request);
    times.push((performance.now() - start) * 1_000);
    if (!isOk) throw new Error(`${request.url} was refused`);
  }
  return median(times);
}

async function lists(limit) {
  const requests = [];
  let cursor;
  do {
    const query = new URLSearchParams({ apiId: API, limit, ...(cursor && { cursor }) });
    const url = `${ORIGIN}/v1/apis.listKeys?${query}`;
    requests.push({ url, init: { headers: authorization } });
    ({ cursor } = await (await emulator.fetch(url, { headers: authorization })).json());
  } while (cursor !== undefined);
  return shuffle(requests, createRandom());
}

function creates() {
  const random = createRandom();
  const headers = { ...authorization, "Content-Type": "application/json" };
  return Array.from({ length: BODIES }, (_, index) => {
    const body = JSON.stringify(createBody(API, index, random));
    return { url: `${ORIGIN}/v1/keys.createKey`, init: { method: "POST", headers, body } };
  });
}

async function sizeOf({ init, url }) {
  const response = await emulator.fetch(url, init);
  return (await response.arrayBuffer()).byteLength;
}
