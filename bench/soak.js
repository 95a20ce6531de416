// `npm run soak`: a stress test. 200 tokens send requests, faults, resets and invalid input. If an answer
// is missing or broken, the journal of the emulator has to name a fault that explains it.
// `SECONDS=20 node bench/soak.js` is a short run. `SEED=1` makes each token choose the same requests.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import http from "node:http";
import { text as read } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator } from "../dist/index.js";
import { serve } from "../dist/node.js";

const SECONDS = Number(process.env.SECONDS ?? 300);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const [TOKENS, IN_FLIGHT] = [200, 64];
/** Time-out of a reply, and the pause before the journal is asked which fault delays it (ms). */
const [TIMEOUT, PATIENCE] = [10_000, 300];
/** The heap of a new process grows for about so many seconds under any load. */
const [WARM_UP, MAX_GROWTH] = [60, 1.15];
/** How a client sees each effect of a fault; without an effect it gets a whole reply. */
const SIGHTS = { drop: "closed", hang: "silent", truncate: "cut off", malformed: "garbled" };
const [CREATE, LIST, JOURNAL] = ["/v1/keys.createKey", "/v1/apis.listKeys", "/_latchkey/requests"];
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const pick = (random, choices) => choices[Math.floor(random() * choices.length)];
const range = (random, min, max) => min + Math.floor(random() * (max - min + 1));
const get = (path, settle) => ({ method: "GET", path, expects: 200, settle });
const post = (path, body, expects, settle) => ({ method: "POST", path, body, expects, settle });
const memory = () => execFileSync("ps", ["-o", "rss=", "-p", `${child.pid}`]) / 1_024;
const openFiles = () =>
  existsSync("/proc/self/fd") ? readdirSync(`/proc/${child.pid}/fd`).length : Number.NaN;
const reset = (client) => post("/_latchkey/reset", "", 204, () => void startOver(client));
const SHARES = { 70: listKeys, 20: createKey, 5: control, 3: addFault, 2: reset, 1: mistake };
const MIX = Object.entries(SHARES).flatMap(([share, make]) => Array(Number(share)).fill(make));
// With first in, first out, no connection is idle for so long that the emulator closes it.
const agent = new http.Agent({ keepAlive: true, scheduling: "fifo" });
const counts = { requests: 0, answered: 0, refused: 0, hits: 0 };
console.log(`soak: ${SECONDS} s, ${TOKENS} tokens, ${IN_FLIGHT} at a time, SEED=${SEED}`);
const { apis, child, port } = await start();
try {
  const files = openFiles();
  checkMemory(await soak());
  await stop(files);
  await leaveNothing();
  console.log(`fine: ${counts.requests} requests, each answered as it was to be`);
  process.exit(0);
} catch (error) {
  console.log(`FAILED after ${counts.requests} requests: ${error.stack}`);
  process.exit(1);
}

async function start() {
  const flags = "--port 0 --json --log silent --isolate --generate 200 --random-seed 1".split(" ");
  const args = ["bin/latchkey.js", "serve", "--fixture", "fixtures/demo.yaml", ...flags];
  const emulator = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => emulator.kill("SIGKILL"));
  const ready = JSON.parse((await once(emulator.stdout, "data"))[0]);
  return { apis: ready.apis, child: emulator, port: ready.port };
}

async function soak() {
  const clients = Array.from({ length: TOKENS }, (_, number) => newClient(number));
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1_000;
  // A token has one request at a time, so the last entry of its journal belongs to that request.
  const work = async () => {
    while (elapsed() < SECONDS) {
      const client = clients.shift();
      await step(client);
      clients.push(client);
    }
  };
  const samples = [];
  const timer = setInterval(() => {
    const [time, size, { requests }] = [elapsed(), memory(), counts];
    if (samples.push([time, size, requests]) % 10 !== 0) return;
    const [before, , done] = samples.at(-11) ?? [0, 0, 0];
    const rate = Math.round((requests - done) / (time - before));
    const ends = `${openFiles()} fds, ${JSON.stringify(counts)}`;
    console.log(`${Math.round(time)} s: ${rate} requests/s, ${Math.round(size)} MB, ${ends}`);
  }, 1_000);
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  clearInterval(timer);
  return samples;
}

function newClient(number) {
  let state = Math.imul(SEED + number, 0x9e3779b1);
  const draw = () => (state = Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return startOver({ token: `soak_${number}`, random: () => draw() / 2 ** 32 });
}

function startOver(client) {
  const totals = new Map(apis.map(({ id, keys }) => [id, keys]));
  return Object.assign(client, { totals, faults: new Map(), recorded: 0, lastId: "", next: "" });
}

async function step(client) {
  const request = pick(client.random, MIX)(client);
  const came = await ask(client, request);
  counts.requests += 1;
  const isRecorded = !request.isAnonymous && !request.path.startsWith("/_latchkey");
  if (isRecorded) client.recorded += 1;
  if (came.sight === "whole" && came.status === request.expects) {
    counts[came.status < 400 ? "answered" : "refused"] += 1;
    if (isRecorded) client.lastId = came.requestId;
    const [name, got, expected] = request.settle?.(came.body) ?? [];
    if (got !== expected) fail(`expected ${expected} ${name}, got ${got}`, client, request, came);
    return;
  }
  if (request.mayBeHit) came.entry ??= await newest(client);
  const fault = culprit(client, came);
  if (fault === undefined) fail("no fault explains this", client, request, came);
  counts.hits += 1;
  client.lastId = came.entry.requestId;
  if (fault.when === "after" && request.path === CREATE) request.settle?.();
}

/** The fault that explains the outcome of the last request, according to the journal. */
function culprit({ faults, lastId }, { body, entry, requestId, sight, status }) {
  if (entry === undefined || entry.requestId === lastId) return undefined;
  if (requestId !== undefined && requestId !== entry.requestId) return undefined;
  const fault = entry.faults.map((id) => faults.get(id)).find((each) => each?.code ?? each?.effect);
  if (fault === undefined || sight !== (SIGHTS[fault.effect] ?? "whole")) return undefined;
  if (sight === "whole" && body.error?.code !== fault.code) return undefined;
  const isRight = status === undefined || status === (fault.status ?? entry.status);
  return isRight ? fault : undefined;
}

/** Sends a request and resolves to its outcome. If a fault lets it hang, it does not wait for long. */
async function ask(client, request) {
  const isHang = (id) => client.faults.get(id)?.effect === "hang";
  const mayHang = request.mayBeHit && [...client.faults.keys()].some(isHang);
  const { outgoing, reply } = send(port, request.isAnonymous ? undefined : client.token, request);
  const time = mayHang ? PATIENCE : TIMEOUT;
  let [came, entry] = [];
  // On a slow machine the request may still be in transit until the journal has it.
  for (let left = TIMEOUT; came === undefined && left > 0; left -= time) {
    came = await within(time, reply);
    entry = came === undefined && mayHang ? await newest(client) : undefined;
    if (entry?.requestId !== client.lastId && entry?.faults.some(isHang)) break;
  }
  if (came === undefined) outgoing.destroy();
  return came ?? { sight: "silent", entry };
}

async function newest(client) {
  const came = await ask(client, get(JOURNAL));
  if (came.status !== 200) fail("no journal", client, get(JOURNAL), came);
  return came.body.requests.at(-1);
}

function send(port, token, { body, method, path }) {
  const headers = { "Content-Type": "application/json" };
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  const content = typeof body === "object" ? JSON.stringify(body) : body;
  const outgoing = http.request({ agent, port, method, path, headers }).end(content);
  // A failure after the head shows in the missing part of the body.
  outgoing.on("error", () => {});
  return { outgoing, reply: receive(outgoing) };
}

async function receive(outgoing) {
  const [response] = await once(outgoing, "response").catch(() => []);
  if (response === undefined) return { sight: "closed" };
  const text = await read(response).catch(() => undefined);
  const { headers, statusCode: status } = response;
  const reply = { status, requestId: headers["unkey-request-id"], text };
  if (text === undefined) return { sight: "cut off", ...reply };
  try {
    return { sight: "whole", ...reply, body: status === 204 ? undefined : JSON.parse(text) };
  } catch {
    return { sight: "garbled", ...reply };
  }
}

/** The result of the promise, or undefined if that takes longer than the given time (ms). */
function within(time, promise) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, time)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function fail(why, { faults, token }, { body, method, path }, came) {
  const { sight, status = "", text = "", ...rest } = { ...came, body: undefined };
  throw new Error(`${why}
  request  ${token}: ${method} ${path} ${JSON.stringify(body ?? "")}
  came     ${sight} ${status} ${text.slice(0, 500)} ${JSON.stringify(rest)}
  faults   ${JSON.stringify([...faults.values()])}`);
}

function listKeys(client, { next, random, totals } = client) {
  const externalId = pick(random, ["org_bluebird", "team_platform", "user_1", "nobody"]);
  const filter = random() < 0.3 ? { externalId } : {};
  const first = { apiId: pick(random, apis).id, limit: range(random, 1, 100), ...filter };
  const query = next && random() < 0.6 ? next : first;
  const settle = ({ cursor, total }) => {
    client.next = cursor && { ...query, cursor };
    return ["keys in total", total, totals.get(query.apiId)];
  };
  return { ...get(`${LIST}?${new URLSearchParams(query)}`, settle), mayBeHit: true };
}

function createKey({ random, totals }) {
  const apiId = pick(random, apis).id;
  // The internal API stores no key values, so its keys cannot be recoverable.
  const recoverable = apiId === "api_internal" && random() < 0.1;
  const externalId = random() < 0.5 ? `user_${range(random, 1, 50)}` : undefined;
  const roles = random() < 0.3 ? [`role_${range(random, 1, 10)}`] : undefined;
  const meta = random() < 0.3 ? { text: "x".repeat(range(random, 0, 2_000)) } : undefined;
  const body = { apiId, name: "soak", externalId, roles, meta, recoverable };
  const settle = recoverable ? undefined : () => void totals.set(apiId, totals.get(apiId) + 1);
  return { ...post(CREATE, body, recoverable ? 412 : 200, settle), mayBeHit: true };
}

function control({ faults, random, recorded, totals }) {
  const [kept, expected] = [Math.min(recorded, 1_000), sum([...totals.values()])];
  return pick(random, [
    get("/_latchkey/clock"),
    { ...post("/_latchkey/clock", { advance: range(random, 0, 3_600_000) }, 200), method: "PUT" },
    get("/_latchkey/faults", (body) => ["faults", body.faults.length, faults.size]),
    get(JOURNAL, ({ requests }) => ["requests recorded", requests.length, kept]),
    get("/_latchkey/snapshot", ({ keys }) => ["keys in the snapshot", keys.length, expected]),
  ]);
}

function addFault({ faults, random }) {
  const when = pick(random, [undefined, "before", "after"]);
  const slow = { latency: pick(random, [range(random, 0, 50), [0, 50]]) };
  const status = pick(random, [400, 404, 418, 429, 500, 503, 599]);
  const refusal = pick(random, [{ status }, { code: "NOT_FOUND" }, { status, code: "DISABLED" }]);
  const silence = { effect: pick(random, ["drop", "hang"]) };
  const distortion = { effect: pick(random, ["truncate", "malformed"]) };
  const kinds = [slow, refusal, silence, { ...refusal, ...distortion }];
  const outcome = pick(random, [...kinds.map((kind) => ({ ...kind, when })), distortion]);
  const operation = pick(random, [undefined, "keys.createKey", "apis.listKeys"]);
  const init = { operation, times: range(random, 1, 3), ...pick(random, [{}, slow]), ...outcome };
  return post("/_latchkey/faults", init, 201, (fault) => void faults.set(fault.id, fault));
}

function mistake({ random }) {
  return pick(random, [
    post(CREATE, '{"apiId":', 400),
    post(CREATE, { apiId: "api_payments", byteLength: 1 }, 400),
    { ...post(CREATE, { apiId: "api_payments" }, 401), isAnonymous: true },
    post("/v1/keys.noSuchOperation", {}, 404),
    { ...get(CREATE), expects: 405 },
    post("/_latchkey/faults", { effect: "explode" }, 400),
  ]);
}

function checkMemory(samples) {
  const fifth = (from) => samples.filter(([time]) => time >= from && time < from + SECONDS / 5);
  const mean = (part) => sum(part.map(([, size]) => size)) / part.length;
  const isLong = SECONDS >= 2 * WARM_UP;
  const [first, last] = [isLong ? WARM_UP : SECONDS / 5, SECONDS * 0.8].map(fifth).map(mean);
  const growth = `${first.toFixed(1)} MB, then ${last.toFixed(1)} MB: ${(last / first).toFixed(3)}`;
  console.log(`memory: ${growth}${isLong ? "" : " (too short a run to judge by)"}`);
  if (isLong && !(last / first <= MAX_GROWTH)) throw new Error(`expected ${MAX_GROWTH} at most`);
}

/** Checks that only the idle connections of this client are open, and that the process ends. */
async function stop(files) {
  await sleep(500);
  const kept = Object.values(agent.freeSockets).flat().length;
  console.log(`open files: ${files}, then ${openFiles()} with ${kept} idle connections`);
  if (openFiles() > files + kept) throw new Error("expected no other file to be open");
  const begin = performance.now();
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = (await within(5_000, exit)) ?? [];
  console.log(`SIGTERM: ended with ${code} after ${Math.round(performance.now() - begin)} ms`);
  if (code !== 0) throw new Error("expected it to end with 0 within 5 s");
}

/** Closes a server in this process while replies are slow, too slow for its grace, or hanging. */
async function leaveNothing() {
  const handles = async () => {
    agent.destroy();
    await sleep(100);
    return process.getActiveResourcesInfo().filter((kind) => /^(TCP|Timeout)/.test(kind));
  };
  const { length } = await handles();
  const emulator = await createEmulator({ log: () => {} });
  emulator.faults.add({ operation: "apis.listKeys", latency: 500 });
  emulator.faults.add({ match: { externalId: "never" }, latency: 60_000 });
  emulator.faults.add({ operation: "keys.createKey", effect: "hang" });
  const server = await serve(emulator);
  const list = get(`${LIST}?apiId=api_local`);
  const never = get(`${list.path}&externalId=never`);
  const create = post(CREATE, { apiId: "api_local" });
  const asked = [list, never, create].map((request) => send(server.port, "any", request).reply);
  await emulator.requests.waitFor({ operation: "keys.createKey" });
  await server.close();
  const sights = (await Promise.all(asked)).map(({ sight }) => sight).join(", ");
  const left = (await handles()).slice(length);
  console.log(`open handles after close: ${left.length}`);
  if (left.length === 0 && sights === "whole, closed, closed") return;
  throw new Error(`expected none, and other replies; left: ${left}, replies: ${sights}`);
}
