// `npm run bench:endure`: an endurance test. Ten minutes of full load, then clients that read no replies
// or never end a body, then a large state that is saved while requests arrive. It prints a line for each
// check, and exits with 1 if one fails. `SECONDS=60` shortens the load. It needs a system with /proc.
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { askFor } from "./ask.js";
import {
  emptyLog,
  headersFor,
  listPath,
  load,
  memoryOf,
  scratch,
  SERVER_CORE,
  startWorld,
} from "./processes.js";
import { median } from "./rounds.js";
import {
  createRandom,
  createRequests,
  limitRequests,
  listRequests,
  mix,
  shuffle,
} from "./workloads.js";

const SECONDS = Number(process.env.SECONDS ?? 600);
const [KEYS, CONNECTIONS, LIMITED] = [10_000, 32, 400];
/** Seconds between two resets under load, so that the world does not grow without bound. */
const RESET_EVERY = 5;
const [MAX_GROWTH, MAX_TAIL] = [1.15, 20];
const [SLOW, DEAF] = [200, 50];
/** Memory (MB) for each client that reads no replies; one read of its requests asks for 30 MB. */
const MAX_PER_DEAF = 6;
/** The time-out of a request (s), plus the time until Node checks for it. */
const REQUEST_TIMEOUT = 60 + 5 + 5;
const [STATE_KEYS, SAVES, MAX_PAUSE] = [100_000, 7, 50];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
let failures = 0;

console.log(`endure: ${SECONDS} s of load over ${KEYS.toLocaleString("en")} keys, then crowds`);
const emulator = await startEmulator(KEYS);
const reads = [...(await listRequests(emulator, 100)), ...limitRequests(emulator, LIMITED)];
const requests = mix(shuffle(reads, createRandom()), createRequests(emulator));
await bearLoad();
await bearCrowds();
check("it exits in order after a signal", `exit code ${await end(emulator)}`, isInOrder);
await bearSaving();
console.log(failures === 0 ? "fine" : `FAILED: ${failures}`);
process.exit(failures === 0 ? 0 : 1);

async function startEmulator(keys, flags = []) {
  const server = await startWorld(keys, { core: SERVER_CORE, flags });
  return { ...server, headers: headersFor(server) };
}

/** Stops it with a signal, as users do, and resolves to its exit code. */
async function end({ child }) {
  const closed = once(child, "close");
  child.kill();
  const [code] = await closed;
  return code;
}

function ask({ headers, port }, request) {
  return askFor(port, { headers, ...request });
}

function check(title, figure, isGood) {
  const isFine = typeof isGood === "function" ? isGood(figure) : isGood;
  if (!isFine) failures += 1;
  console.log(`${isFine ? "pass" : "FAIL"}  ${title}: ${figure}`);
}

function isInOrder(figure) {
  return figure === "exit code 0";
}

async function bearLoad() {
  const minutes = [];
  const reset = () => ask(emulator, { method: "POST", path: "/_latchkey/reset" });
  const start = performance.now();
  const timer = setInterval(() => {
    const second = Math.floor((performance.now() - start) / 1_000);
    (minutes[Math.floor(second / 60)] ??= []).push(memoryOf(emulator));
    if (second % RESET_EVERY !== 0) return;
    emptyLog();
    reset().catch((error) => check("a reset under load", error.message, false));
  }, 1_000);
  const result = await load(emulator, { connections: CONNECTIONS, seconds: SECONDS, requests });
  clearInterval(timer);
  await reset();

  const { answered, errors, max, p50, p99, rate } = result;
  const told = Object.entries(errors).map(([reason, count]) => `${count} times ${reason}`);
  const asked = `${answered} requests, ${rate.toFixed(0)}/s`;
  check("no errors under load", `${asked}; ${told.join(", ") || "none"}`, told.length === 0);
  const tail = `${(p99 / p50).toFixed(1)} (${p50.toFixed(1)} and ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms)`;
  check(`p99 below ${MAX_TAIL} times p50`, tail, p99 < MAX_TAIL * p50);
  const [, second, ...later] = minutes.filter(({ length }) => length > 50).map(mean);
  if (later.length === 0) {
    console.log("      memory: too short a run to judge by; it takes 180 s");
    return;
  }
  const growth = Math.max(...later) / second;
  const figure = `${growth.toFixed(2)} (${second.toFixed(0)} MB in minute 2, then ${Math.max(...later).toFixed(0)} MB at most)`;
  check(`memory grows by ${MAX_GROWTH} at most`, figure, growth <= MAX_GROWTH);
}

async function open(count, text) {
  const sockets = Array.from({ length: count }, () => connect(emulator.port, "127.0.0.1"));
  for (const socket of sockets) socket.on("error", () => {});
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const lines = { Host: `127.0.0.1:${emulator.port}`, ...emulator.headers };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  for (const socket of sockets) socket.write(text(head.join("")));
  return sockets;
}

async function bearCrowds() {
  await sleep(1_000);
  const openFiles = () => readdirSync(`/proc/${emulator.child.pid}/fd`).length;
  const files = openFiles();
  const begin = performance.now();
  const writers = await open(
    SLOW,
    (head) => `POST /v2/keys.createKey HTTP/1.1\r\n${head}Content-Length: 100000\r\n\r\n`,
  );
  const replies = writers.map(async (socket) => {
    let reply = "";
    socket.on("data", (data) => (reply += data));
    await once(socket, "close");
    return reply;
  });
  const writing = setInterval(() => {
    for (const socket of writers) if (socket.writable) socket.write("    ");
  }, 1_000);
  await bearDeaf();

  await sleep(Math.max(0, REQUEST_TIMEOUT * 1_000 - (performance.now() - begin)));
  const ended = (await Promise.race([Promise.all(replies), sleep(0)])) ?? [];
  const told = ended.filter((reply) => reply.startsWith("HTTP/1.1 408")).length;
  const cut = ended.filter((reply) => reply === "").length;
  const title = `a body that takes more than a minute is given up, ${SLOW} times`;
  check(title, `${told} told 408, ${cut} hung up on`, told + cut === SLOW);
  clearInterval(writing);
  await sleep(1_000);
  const left = openFiles();
  check("all connections are gone afterwards", `${files} open files, then ${left}`, left <= files);
}

async function bearDeaf() {
  const before = memoryOf(emulator);
  const path = listPath(emulator, { limit: 100 });
  const deaf = await open(DEAF, (head) => `GET ${path} HTTP/1.1\r\n${head}\r\n`.repeat(2_000));
  for (const socket of deaf) socket.pause();
  let [most, longest] = [before, 0];
  for (let second = 0; second < 15; second += 1) {
    const start = performance.now();
    await ask(emulator, requests[0]);
    longest = Math.max(longest, performance.now() - start);
    most = Math.max(most, memoryOf(emulator));
    await sleep(1_000);
  }
  for (const socket of deaf) socket.destroy();
  const each = (most - before) / DEAF;
  const figure = `${each.toFixed(1)} MB each; others waited ${longest.toFixed(0)} ms at most`;
  const title = `${DEAF} clients that ask for 2,000 pages and take none cost ${MAX_PER_DEAF} MB each at most`;
  check(title, figure, each <= MAX_PER_DEAF && longest < 5_000);
}

async function bearSaving() {
  const file = join(scratch, "state.json");
  const large = await startEmulator(STATE_KEYS, ["--state", file]);
  const list = { path: listPath(large, { limit: 1 }) };
  const creates = createRequests(large);
  const savedAt = () => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const longestUntil = async (isOver) => {
    let longest = 0;
    while (!isOver()) {
      const start = performance.now();
      await ask(large, list);
      longest = Math.max(longest, performance.now() - start);
    }
    return longest;
  };
  const [saving, idle] = [[], []];
  // The first one belongs to a process that has just started.
  for (let save = 0; save <= SAVES; save += 1) {
    const [before, start] = [savedAt(), performance.now()];
    await ask(large, creates[save]);
    saving.push(await longestUntil(() => savedAt() !== before));
    const until = 2 * performance.now() - start;
    idle.push(await longestUntil(() => performance.now() > until));
  }
  const [saved, otherwise] = [saving, idle].map((waits) => median(waits.slice(1)));
  // Other work on the machine and garbage collection delay requests too.
  const more = Math.max(0, saved - otherwise);
  const title = `to save ${STATE_KEYS.toLocaleString("en")} keys keeps a request waiting for ${MAX_PAUSE} ms at most`;
  const figure = `${more.toFixed(0)} ms: longest wait ${saved.toFixed(0)} ms while saving, ${otherwise.toFixed(0)} ms otherwise, median of ${SAVES}`;
  check(title, figure, more <= MAX_PAUSE);
  check("the state is saved when it ends", `exit code ${await end(large)}`, isInOrder);
}
