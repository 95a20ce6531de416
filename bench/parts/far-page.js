// Measures pages at the end of a list, in worlds of different sizes: it requests the last pages in turn.
import { freemem } from "node:os";
import { load, SERVER_CORE, startWorld, stop } from "../processes.js";
import { number, table, withSpread } from "../report.js";
import { inTurn, ratios, summarize } from "../rounds.js";
import { lastPages } from "../workloads.js";

const PAGES = 20;
/** Twenty pages of a list of 1,000 keys. */
const LIMIT = 50;
/** Memory that a process with a million keys may need (MB). */
const MEMORY = 3_000;

export async function measureFarPage(settings, tell) {
  const { connections, farPageKeys, farPageRequests: count, rounds, warmUp } = settings;
  const hasMemory = freemem() / 2 ** 20 > MEMORY;
  const servers = [];
  for (const keys of farPageKeys.filter((each) => hasMemory || each < 1_000_000)) {
    tell(`far page, ${number(keys)} keys`);
    const server = await startWorld(keys, { core: SERVER_CORE });
    servers.push({ ...server, requests: await lastPages(server, LIMIT, PAGES) });
  }
  const put = ({ requests, ...server }) => load(server, { connections, requests, count, warmUp });
  for (const server of servers) await put(server);
  tell("far page, rounds");
  const results = await inTurn(
    servers.map((server) => () => put(server)),
    rounds,
  );
  for (const server of servers) await stop(server);
  const times = results.map((runs) => runs.map(({ rate }) => 1_000 / rate));
  const ratio = times.map((each) => ratios(each, times[0]));
  const cpu = results.map((runs) => runs.map((run) => run.cpu));
  const ratioByCpu = cpu.map((each) => ratios(each, cpu[0]));
  const rows = servers.map(({ keys }, index) => [
    number(keys),
    withSpread(summarize(times[index]), (value) => value.toFixed(3)),
    withSpread(ratio[index], (value) => value.toFixed(2)),
    withSpread(ratioByCpu[index], (value) => value.toFixed(2)),
    summarize(results[index].map(({ p99 }) => p99)).median.toFixed(2),
    (results[index][0].bytes / results[index][0].answered / 1_000).toFixed(1),
  ]);
  const note = `${number(count)} requests a round for the last ${PAGES} pages of ${LIMIT} keys; the processes take turns.${hasMemory ? "" : " A million keys are not measured for want of memory."}`;
  const columns = [
    "keys",
    "ms a page",
    "ratio to the smallest",
    "ratio by processor time",
    "p99, ms",
    "kB a reply",
  ];
  return {
    figures: { farPage: { value: ratio.at(-1).median, byCpu: ratioByCpu.at(-1).median } },
    tables: [table("Far pages", { columns, note, rows })],
  };
}
