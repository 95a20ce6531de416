// Measures other emulators on the same work, as closely as each can do it, with latchkey and bare
// node:http.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { memoryOf, scratch, startBare, startLatchkey, stop } from "../processes.js";
import { getPage } from "../workloads.js";
import { emulate } from "./emulate.js";
import { install } from "./install.js";
import { jsonServer } from "./json-server.js";
import { latchkey, writeKeys } from "./latchkey.js";
import { mockoon } from "./mockoon.js";
import { prism } from "./prism.js";
import { measureRates } from "./rates.js";
import { start } from "./start.js";
import { toNotes, toTable } from "./tables.js";

const RECORDS = 10_000;
/** The number of keys for measuring the start. */
const FEW = 10;

export async function measurePeers(full, tell) {
  const settings = { ...full, ...full.peers, few: FEW, many: RECORDS };
  const folder = join(scratch, "peers");
  mkdirSync(folder);
  const records = await makeRecords(folder);
  const peers = [latchkey, jsonServer, mockoon, prism, emulate].map((peer) => {
    tell(`peers: preparing ${peer.name}`);
    return prepare(peer, folder, records);
  });
  const starts = await measureStarts(peers, settings, tell);
  const rates = await measureRates(peers, records, settings, tell);
  for (const { failures, name } of peers) {
    for (const failure of new Set(Object.values(failures))) tell(`peers: ${name} ${failure}`);
  }
  return { figures: {}, tables: [toTable(peers, starts, rates, settings), toNotes(peers)] };
}

/** The keys that each emulator gets, as lists show them. */
async function makeRecords(folder) {
  const server = await startLatchkey(["--fixture", writeKeys(folder, RECORDS)]);
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

/** Prepares a peer; `failures` says why something cannot be measured. */
function prepare(peer, folder, records) {
  try {
    const [few, many] = [records.slice(0, FEW), records].map((each) => ({
      records: each,
      toArgs: peer.prepare(folder, each),
    }));
    const node = { command: process.execPath, version: process.versions.node };
    const installed = peer.spec === undefined ? { node } : install(peer);
    return { ...peer, ...installed, few, many, failures: {} };
  } catch (error) {
    const text = String(error.stderr ?? error.message);
    const why = /npm error .*/.exec(text)?.[0] ?? text.split("\n", 1)[0];
    return { ...peer, failures: { start: `not installed: ${why}` } };
  }
}

async function measureStarts(peers, { rounds }, tell) {
  tell("peers: cold start");
  const bare = [];
  const byPeer = new Map(peers.map((peer) => [peer, []]));
  const measure = async (runs, server) => {
    runs.push({ time: server.elapsed, memory: memoryOf(server) });
    await stop(server);
  };
  for (let round = 0; round < rounds; round += 1) {
    await measure(bare, await startBare());
    for (const [peer, runs] of byPeer) {
      if (peer.failures.start !== undefined) continue;
      try {
        await measure(runs, await start(peer, peer.few));
      } catch (error) {
        peer.failures.start = `not started: ${error.message}`;
      }
    }
  }
  return { bare, byPeer };
}
