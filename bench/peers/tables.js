// The tables with the figures of the peers.
import { MAX_CLIENT_LOAD } from "../processes.js";
import { number, table, withSpread } from "../report.js";
import { median, ratios, summarize } from "../rounds.js";
import { works } from "./rates.js";

export function toTable(peers, starts, rates, { connections, few, many, rounds, seconds }) {
  const rows = peers.map((peer) => [
    peer.name,
    ...Object.entries(rates).map(
      ([name, { bare, byPeer }]) =>
        peer.failures[name] ?? peer.failures.start ?? showRate(byPeer.get(peer), bare),
    ),
    ...(peer.failures.start === undefined
      ? showStart(starts.byPeer.get(peer))
      : [peer.failures.start, "-"]),
  ]);
  const bare = Object.values(rates).map((each) => showRate(each.bare));
  rows.push(["bare node:http", ...bare, ...showStart(starts.bare)]);
  const titles = Object.values(works).map(({ title }) => `${title}, requests/s`);
  const columns = ["server", ...titles, "first answer, ms", "memory, MB"];
  const note = `${number(many)} keys, ${connections} connections, ${rounds} rounds of ${seconds} s, all in turn; lists of all pages in a shuffled order, and creates of 600 bytes, which each of them keeps that can. Behind a rate: its share of bare node:http, and kB a reply. The start is with ${few} keys: from the start of the process until it answers a list, and the resident memory then. A rate with ! was as much as the client could ask for.`;
  return table("Peers", { columns, note, rows });
}

export function toNotes(peers) {
  const rows = peers.map(({ name, node, note, version = "this one" }) => [
    name,
    node === undefined ? "-" : version,
    node === undefined ? "-" : node.version,
    note,
  ]);
  const columns = ["server", "version", "Node.js", "what it does"];
  return table("What the peers were asked", { columns, rows });
}

function showRate(results, bare) {
  const rates = results.map(({ rate }) => rate);
  const show = (rate) => (rate < 10 ? rate.toFixed(1) : number(rate));
  const isDoubtful = median(results.map((result) => result.load)) > MAX_CLIENT_LOAD;
  const size = median(results.map(({ answered, bytes }) => bytes / answered / 1_000));
  return [
    withSpread(summarize(rates), show) + (isDoubtful ? " !" : ""),
    ...(bare === undefined ? [] : [shareOf(rates, bare)]),
    `${size.toFixed(1)} kB`,
  ].join("; ");
}

function shareOf(rates, bare) {
  const others = bare.map(({ rate }) => rate);
  const share = ratios(rates, others).median;
  return share.toFixed(share < 0.01 ? 4 : 2);
}

function showStart(runs) {
  return [
    withSpread(summarize(runs.map(({ time }) => time)), number),
    withSpread(summarize(runs.map(({ memory }) => memory)), number),
  ];
}
