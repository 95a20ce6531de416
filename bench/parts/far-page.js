// Measures pages at the end of a list, in worlds of different sizes: it requests the last pages in turn.
import { freemem } from "node:os";
import { headersFor, listPath, load, SERVER_CORE, startWorld, stop } from "../processes.js";
import { number, table, withSpread } from "../report.js";
import { inTurn, ratios, summarize } from "../rounds.js";
import { getPage } from "../workloads.js";

const PAGES = 20;
/** Twenty pages of a list of 1,000 keys. */
const LIMIT = 50;
/** Memory that a process with a million keys may need (MB). */
const MEMORY = 3_000;

export async function measureFarPage(settings, tell) {
  const { connections, farPageRequests: count, rounds, warmUp } = settings;
  const hasMemory = (keys) => keys < 1_000_000 || freemem() / 2 ** 20 > MEMORY;
  const sizes = settings.farPageKeys.filter(hasMemory);
  const left = settings.farPageKeys.filter((keys) => !hasMemory(keys));
  const servers = [];
  for (const keys of sizes) {
    tell(`far page, ${number(keys)} keys`);
    const server = await startWorld(keys, { core: SERVER_CORE });
    servers.push({ ...server, requests: await farRequests(server) });
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
  const note = `${number(count)} requests a round for the last ${PAGES} pages of ${LIMIT} keys; the processes take turns.${left.length > 0 ? ` Not measured for want of memory: ${left.map(number).join(", ")} keys.` : ""}`;
  const columns = [
    "keys",
    "ms a page",
    "ratio to the smallest",
    "ratio by processor time",
    "p99, ms",
    "kB a reply",
  ];
  return {
    figures: {
      farPage: {
        value: ratio.at(-1).median,
        byCpu: ratioByCpu.at(-1).median,
        note: `in one of ${number(sizes.at(-1))}`,
      },
    },
    tables: [table("Far pages", { columns, note, rows })],
  };
}

async function farRequests(server) {
  const queries = await lastPages(server);
  const headers = headersFor(server);
  return queries.map((query) => ({ path: listPath(server, query), headers }));
}

/**
 * The queries of the last pages. The list is ordered by id, and a cursor is a position that names an id,
 * so a binary search over ids finds the position from which only these pages follow.
 */
async function lastPages(server) {
  let [near, far] = [0n, 58n ** DIGITS - 1n];
  let best = await pagesFrom(server, near);
  while (best === undefined || best.length < PAGES) {
    if (far - near < 2n) throw new Error(`expected ${PAGES} pages, found ${best?.length}`);
    const middle = (near + far) / 2n;
    const pages = await pagesFrom(server, middle);
    if (pages === undefined) near = middle;
    else [far, best] = [middle, pages];
  }
  return best;
}

/** The queries of the pages from a position on; undefined if there are more than `PAGES`. */
async function pagesFrom(server, position) {
  const queries = [];
  let cursor = toCursor(position);
  while (cursor !== undefined) {
    if (queries.length === PAGES) return undefined;
    queries.push({ limit: LIMIT, cursor });
    ({ cursor } = await getPage(server, queries.at(-1)));
  }
  return queries;
}

const DIGITS = 16n;
const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function toCursor(position) {
  let digits = "";
  for (let rest = position, index = 0n; index < DIGITS; index += 1n, rest /= 58n) {
    digits = alphabet[Number(rest % 58n)] + digits;
  }
  return Buffer.from(JSON.stringify({ key: `key_${digits}` })).toString("base64url");
}
