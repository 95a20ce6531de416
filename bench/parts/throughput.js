// Measures requests per second compared with bare node:http: lists of many pages, creates, and both.
import { askFor } from "../ask.js";
import {
  headersFor,
  load,
  MAX_CLIENT_LOAD,
  SERVER_CORE,
  startBare,
  startWorld,
  stop,
} from "../processes.js";
import { recordReplies } from "../replies.js";
import { number, table, withSpread } from "../report.js";
import { inTurn, median, ratios, summarize } from "../rounds.js";
import { createRequests, limitRequests, listRequests, mix, verifyRequests } from "../workloads.js";

const KEYS = 10_000;
const rowKinds = {
  pages100: { title: "pages of 100", make: (server) => listRequests(server, 100) },
  pages10: { title: "pages of 10", make: (server) => listRequests(server, 10) },
  creates: { title: "creates", isGrowing: true, make: (server) => createRequests(server) },
  pages100v2: { title: "pages of 100, v2", make: (server) => listRequests(server, 100, "v2") },
  pages10v2: { title: "pages of 10, v2", make: (server) => listRequests(server, 10, "v2") },
  createsV2: {
    title: "creates, v2",
    isGrowing: true,
    make: (server) => createRequests(server, "v2"),
  },
  verifications: { title: "verifications, v2", make: verifyRequests },
  limitsOfMany: {
    title: "limits of 10,000 identifiers, v2",
    make: (server) => limitRequests(server, 10_000),
  },
  mix: {
    title: "9 pages of 100, 1 create",
    isGrowing: true,
    make: async (server) => mix(await listRequests(server, 100), createRequests(server)),
  },
};

export async function measureThroughput(settings, tell) {
  const rows = [];
  const figures = {};
  const server = await startWorld(KEYS, { core: SERVER_CORE });
  for (const [name, kind] of Object.entries(rowKinds)) {
    tell(kind.title);
    const result = await measureRow(server, kind, settings);
    rows.push(toRow(kind.title, result));
    const { isDoubtful, ratio, ratioByCpu } = result;
    figures[name] = { value: ratio.median, byCpu: ratioByCpu.median, isDoubtful };
  }
  await stop(server);
  return { figures, tables: [toTable(rows, settings)] };
}

async function measureRow(server, { isGrowing, make }, settings) {
  const { connections, heatUp, rounds, seconds, warmUp } = settings;
  const requests = await make(server);
  const put = (target, job) => load(target, { connections, requests, ...job });
  await put(server, { seconds: heatUp });
  const bare = await startBare(await recordReplies(server.port, requests), { core: SERVER_CORE });
  await put(bare, { seconds: heatUp });
  const [ours, theirs] = await inTurn(
    [
      async () => {
        if (isGrowing) await reset(server);
        return put(server, { seconds, warmUp });
      },
      () => put(bare, { seconds, warmUp }),
    ],
    rounds,
  );
  await stop(bare);
  if (isGrowing) await reset(server);
  const failed = [...ours, ...theirs].find(
    ({ answered, errors }) => answered === 0 || Object.keys(errors).length > 0,
  );
  if (failed) {
    const { answered, errors } = failed;
    throw new Error(`a round of load failed: ${answered} answers, ${JSON.stringify(errors)}`);
  }
  const all = (results, name) => results.map((result) => result[name]);
  const clientLoad = Math.max(...[ours, theirs].map((results) => median(all(results, "load"))));
  return {
    ours,
    theirs,
    clientLoad,
    isDoubtful: clientLoad > MAX_CLIENT_LOAD,
    ratio: ratios(all(ours, "rate"), all(theirs, "rate")),
    // Swapped, because more processor time means fewer requests.
    ratioByCpu: ratios(all(theirs, "cpu"), all(ours, "cpu")),
  };
}

function reset(server) {
  const path = "/_latchkey/reset";
  return askFor(server.port, { method: "POST", path, headers: headersFor(server) });
}

function toRow(title, result) {
  const { clientLoad, isDoubtful, ours, ratio, ratioByCpu, theirs } = result;
  const of = (results, read) => summarize(results.map(read));
  const time = (name) => of(ours, (result) => result[name]).median.toFixed(2);
  return [
    title,
    withSpread(
      of(ours, ({ rate }) => rate),
      number,
    ),
    withSpread(
      of(theirs, ({ rate }) => rate),
      number,
    ),
    withSpread(ratio, (value) => value.toFixed(2)) + (isDoubtful ? " !" : ""),
    withSpread(ratioByCpu, (value) => value.toFixed(2)),
    `${time("p50")} / ${time("p99")}`,
    of(ours, (each) => each.bytes / each.answered / 1_000).median.toFixed(1),
    clientLoad.toFixed(2),
  ];
}

function toTable(rows, { connections, rounds, seconds }) {
  const note = `${number(KEYS)} keys, ${connections} connections, ${rounds} rounds of ${seconds} s each, latchkey and bare node:http in turn. Every row without a version is of v1. Lists go over all pages in a shuffled order; every tenth has a filter, \`externalId\` or \`ownerId\`. A create has a body of 600 bytes. Where keys are created, the process goes on and its world is reset before each round, so that it holds no more than a round adds. The bare server sends replies that were recorded from latchkey. The emulator runs with its journal, authentication and \`text\` log, which goes to a file. The client never sleeps, so that nobody has to wake its core. Its load is the share of its turns in which a reply had arrived, with the faster of the two servers; above ${MAX_CLIENT_LOAD} the client was the slower one: the row is marked with !, and does not pass. The ratio by processor time compares what each server took of its core for a request: it says the same as the ratio where the core does nothing else, and is the better one where others use it too.`;
  const columns = [
    "work",
    "latchkey, requests/s",
    "bare, requests/s",
    "ratio",
    "ratio by processor time",
    "p50 / p99, ms",
    "kB a reply",
    "client's load",
  ];
  return table("Requests", { columns, note, rows });
}
