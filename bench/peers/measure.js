// Other emulators on the same work, as nearly as each can do it, beside ours and bare node:http.
import { mkdirSync, openSync, closeSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../ask.js";
import {
  launch,
  load,
  memoryOf,
  scratch,
  SERVER_CORE,
  startBare,
  startLatchkey,
  stop,
} from "../processes.js";
import { recordReplies } from "../replies.js";
import { number, table, withSpread } from "../report.js";
import { inTurn, median, ratios, summarize } from "../rounds.js";
import { createBody, createRandom, getPage, shuffle } from "../workloads.js";
import { emulate } from "./emulate.js";
import { install } from "./install.js";
import { jsonServer } from "./json-server.js";
import { latchkey } from "./latchkey.js";
import { mockoon } from "./mockoon.js";
import { prism } from "./prism.js";

const API = "api_local";
const RECORDS = 10_000;
/** For the start. */
const FEW = 10;
const BODIES = 500;
const TIMEOUT = 120_000;
const SHORT = { headers: {}, body: "{}" };
const MAX_CLIENT_LOAD = 0.95;

const works = {
  pages100: { title: "pages of 100", make: (peer, records) => pages(peer, 100, records) },
  pages10: { title: "pages of 10", make: (peer, records) => pages(peer, 10, records) },
  creates: { title: "creates", make: creates },
};

export async function measurePeers(full, tell) {
  const settings = { ...full, ...full.peers };
  tell("peers: installing");
  const records = await makeRecords();
  const folder = join(scratch, "peers");
  mkdirSync(folder);
  const peers = [latchkey, jsonServer, mockoon, prism, emulate].map((peer) =>
    prepare(peer, folder, records, tell),
  );
  const starts = await measureStarts(peers, records.slice(0, FEW), settings, tell);
  const rates = await measureRates(peers, records, settings, tell);
  return { figures: {}, tables: [toTable(peers, starts, rates, settings), toNotes(peers)] };
}

/** The keys that each of them gets, as a list shows them. */
async function makeRecords() {
  const fixture = join(scratch, "api.json");
  writeFileSync(fixture, JSON.stringify({ apis: [{ id: API }] }));
  const server = await startLatchkey(["--fixture", fixture, "--generate", String(RECORDS)]);
  const records = [];
  let cursor;
  do {
    const page = await getPage(server, { limit: 100, ...(cursor && { cursor }) });
    records.push(...page.keys);
    ({ cursor } = page);
  } while (cursor !== undefined);
  await stop(server);
  return records;
}

/** With what keeps it from being measured, if something does. */
function prepare(peer, folder, records, tell) {
  try {
    const installed = peer.spec === undefined ? ownInstall(peer) : install(peer);
    const few = peer.prepare(folder, records.slice(0, FEW));
    const many = peer.prepare(folder, records);
    return { ...peer, ...installed, few, many, failures: {} };
  } catch (error) {
    tell(`peers: ${peer.name}: ${error.message}`);
    const why = "could not be installed";
    return { ...peer, failures: { start: why, ...everyWork(why) } };
  }
}

function ownInstall({ bin }) {
  return { bin, node: { command: process.execPath, version: process.versions.node } };
}

function everyWork(why) {
  return Object.fromEntries(Object.keys(works).map((name) => [name, why]));
}

async function measureStarts(peers, few, { rounds }, tell) {
  tell("peers: cold start");
  const runs = peers.map(() => []);
  const bare = [];
  for (let round = 0; round < rounds; round += 1) {
    const server = await startBare();
    bare.push({ time: server.elapsed, memory: memoryOf(server) });
    await stop(server);
    for (const [index, peer] of peers.entries()) {
      if (peer.failures.start !== undefined) continue;
      try {
        const started = await start(peer, peer.few, few);
        runs[index].push({ time: started.elapsed, memory: memoryOf(started) });
        await stop(started);
      } catch (error) {
        tell(`peers: ${peer.name}: ${error.message}`);
        peer.failures.start = "did not start";
      }
    }
  }
  return { bare, runs };
}

/** Resolves when it has answered for the first time; `elapsed` is the time (ms) until then. */
async function start(peer, toArgs, records, options) {
  const port = await freePort();
  const output = openSync(join(scratch, `${peer.name.replace(/\W+/g, "-")}.log`), "a");
  const begin = performance.now();
  const child = launch(peer.node.command, [peer.bin, ...toArgs(port)], {
    ...options,
    cwd: scratch,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const [request] = peer.pages(10, records);
  while (performance.now() - begin < TIMEOUT) {
    const reply = await ask(port, request).catch(() => undefined);
    if (reply !== undefined && reply.status < 300) {
      return { child, port, elapsed: performance.now() - begin };
    }
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    await sleep(2);
  }
  await stop({ child });
  throw new Error("no answer");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function measureRates(peers, records, settings, tell) {
  const servers = new Map();
  for (const peer of peers) {
    if (peer.failures.start !== undefined) continue;
    tell(`peers: ${peer.name}, ${number(RECORDS)} keys`);
    try {
      servers.set(peer, await start(peer, peer.many, records, { core: SERVER_CORE }));
    } catch (error) {
      tell(`peers: ${peer.name}: ${error.message}`);
      Object.assign(peer.failures, everyWork("did not start with so many"));
    }
  }
  const rates = {};
  for (const [name, work] of Object.entries(works)) {
    tell(`peers: ${work.title}`);
    rates[name] = await measureWork(name, work, servers, records, settings);
  }
  for (const server of servers.values()) await stop(server);
  return rates;
}

async function measureWork(name, { make }, servers, records, settings) {
  const { connections, heatUp, rounds, seconds, warmUp } = settings;
  const jobs = new Map();
  for (const [peer, server] of servers) {
    if (peer.failures[name] !== undefined) continue;
    jobs.set(peer, { server, requests: make(peer, records) });
  }
  const own = jobs.get([...jobs.keys()].find((peer) => peer.name === latchkey.name));
  const replies = await recordReplies(own.server.port, own.requests);
  const bare = await startBare({ get: [SHORT], post: [SHORT], ...replies }, { core: SERVER_CORE });
  const all = [...jobs.values(), { ...own, server: bare }];
  const put = ({ requests, server }, job) => load(server, { connections, requests, ...job });
  for (const each of all) await put(each, { seconds: heatUp });
  const results = await inTurn(
    all.map((each) => () => put(each, { seconds, warmUp })),
    rounds,
  );
  await stop(bare);
  const theirs = results.pop();
  for (const [index, peer] of [...jobs.keys()].entries()) {
    const failed = results[index].find(({ answered, errors }) => {
      return answered === 0 || Object.keys(errors).length > 0;
    });
    if (failed)
      peer.failures[name] = `failed: ${Object.keys(failed.errors).join(", ") || "no answer"}`;
  }
  return {
    bare: theirs,
    byPeer: new Map([...jobs.keys()].map((peer, index) => [peer, results[index]])),
  };
}

function pages(peer, limit, records) {
  return shuffle(peer.pages(limit, records), createRandom());
}

function creates(peer) {
  const random = createRandom();
  return Array.from({ length: BODIES }, (_, index) =>
    peer.create(createBody(API, index, random), index),
  );
}

function toTable(peers, starts, rates, { connections, rounds, seconds }) {
  const rows = peers.map((peer, index) => [
    peer.name,
    ...Object.entries(rates).map(([name, { bare, byPeer }]) => {
      return peer.failures[name] ?? showRate(byPeer.get(peer), bare);
    }),
    ...(peer.failures.start === undefined
      ? showStart(starts.runs[index])
      : [peer.failures.start, "-"]),
  ]);
  const bare = Object.values(rates).map((each) => showRate(each.bare));
  rows.push(["bare node:http", ...bare, ...showStart(starts.bare)]);
  const titles = Object.values(works).map(({ title }) => `${title}, requests/s`);
  const columns = ["server", ...titles, "first answer, ms", "memory, MB"];
  const note = `${number(RECORDS)} keys, ${connections} connections, ${rounds} rounds of ${seconds} s in turn; lists of all pages in a shuffled order, and creates of 600 bytes. Behind the rate: its share of bare node:http, and kB a reply. The start is with ${FEW} keys: from the start of the process until it answers a list, and the resident memory then. A rate with ! was as much as the client could ask for.`;
  return table("Peers", { columns, note, rows });
}

function showRate(results, bare) {
  const rates = results.map(({ rate }) => rate);
  const share =
    bare &&
    ratios(
      rates,
      bare.map(({ rate }) => rate),
    ).median;
  const size = median(results.map(({ answered, bytes }) => bytes / answered / 1_000));
  const isDoubtful = median(results.map((result) => result.load)) > MAX_CLIENT_LOAD;
  const relative = share === undefined ? "" : `; ${share.toFixed(share < 0.01 ? 4 : 2)}`;
  const show = (rate) => (rate < 10 ? rate.toFixed(1) : number(rate));
  return `${withSpread(summarize(rates), show)}${isDoubtful ? " !" : ""}${relative}; ${size.toFixed(1)} kB`;
}

function showStart(runs) {
  return [
    withSpread(summarize(runs.map(({ time }) => time)), number),
    withSpread(summarize(runs.map(({ memory }) => memory)), number),
  ];
}

function toNotes(peers) {
  const rows = peers.map(({ name, node, note, version = "this one" }) => [
    name,
    version,
    node === undefined ? "-" : node.version,
    note,
  ]);
  return table("What the peers were asked", {
    columns: ["server", "version", "Node.js", "what it does"],
    rows,
  });
}
