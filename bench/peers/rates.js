// Measures requests per second of each emulator, and of bare node:http, on the same work.
import { load, SERVER_CORE, startBare, stop } from "../processes.js";
import { recordReplies } from "../replies.js";
import { inTurn } from "../rounds.js";
import { createBody, createRandom, shuffle } from "../workloads.js";
import { latchkey } from "./latchkey.js";
import { start } from "./start.js";

const API = "api_local";
const BODIES = 500;

export const works = {
  pages100: { title: "pages of 100", make: (peer, records) => lists(peer, 100, records) },
  pages10: { title: "pages of 10", make: (peer, records) => lists(peer, 10, records) },
  creates: { title: "creates", make: creates },
};

/** The rates by kind of work: `bare`, and `byPeer`. Work that a peer cannot do is in its `failures`. */
export async function measureRates(peers, records, settings, tell) {
  const servers = new Map();
  for (const peer of peers) {
    if (peer.failures.start !== undefined) continue;
    tell(`peers: ${peer.name}, ${records.length} keys`);
    try {
      servers.set(peer, await start(peer, peer.many, { core: SERVER_CORE }));
    } catch (error) {
      for (const name of Object.keys(works)) peer.failures[name] = `not started: ${error.message}`;
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
  const peers = [...servers.keys()];
  const jobs = peers.map((peer) => ({
    server: servers.get(peer),
    requests: make(peer, records),
  }));
  const own = jobs[peers.findIndex((peer) => peer.name === latchkey.name)];
  if (own === undefined) throw new Error("latchkey itself did not start");
  const replies = await recordReplies(own.server.port, own.requests);
  const bare = await startBare(replies, { core: SERVER_CORE });
  const contenders = [...jobs, { ...own, server: bare }];
  const put = ({ requests, server }, job) => load(server, { connections, requests, ...job });
  for (const each of contenders) await put(each, { seconds: heatUp });
  const results = await inTurn(
    contenders.map((each) => () => put(each, { seconds, warmUp })),
    rounds,
  );
  await stop(bare);
  for (const [index, peer] of peers.entries()) {
    const failure = failureOf(results[index]);
    if (failure !== undefined) peer.failures[name] = `failed: ${failure}`;
  }
  const byPeer = new Map(peers.map((peer, index) => [peer, results[index]]));
  return { bare: results.at(-1), byPeer };
}

function failureOf(rounds) {
  const errors = rounds.flatMap((round) => Object.keys(round.errors));
  if (errors.length > 0) return [...new Set(errors)].join(", ");
  return rounds.some(({ answered }) => answered === 0) ? "no answer in a round" : undefined;
}

function lists(peer, limit, records) {
  return shuffle(peer.pages(limit, records), createRandom());
}

function creates(peer) {
  const random = createRandom();
  return Array.from({ length: BODIES }, (_, index) =>
    peer.create(createBody(API, index, random), index),
  );
}
