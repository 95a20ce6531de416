// Measures how long other clients wait while bodies arrive that are as large as a process takes them.
import { LOAD_CORE, runScript, SERVER_CORE, startWorld, stop } from "../processes.js";
import { table } from "../report.js";
import { summarize } from "../rounds.js";

const KEYS = 1_000;

export async function measureWaits({ waitRounds: rounds }, tell) {
  tell("waits");
  // With a token that is listed, so that there are others that are not.
  const started = await startWorld(KEYS, { core: SERVER_CORE, flags: ["--token", "bench_token"] });
  const { apiId, child, port, token } = started;
  const server = { apiId, port, token, pid: child.pid };
  const waits = await runScript("children/waits.js", { rounds, server }, { core: LOAD_CORE });
  await stop(started);
  const kinds = [...new Set(waits.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const each = waits.filter((wait) => wait.kind === kind);
    const [worst] = each.toSorted((one, other) => other.wait - one.wait);
    const times = summarize(each.map(({ wait }) => wait));
    return [
      kind,
      each.length,
      times.median.toFixed(0),
      times.max.toFixed(0),
      worst.name,
      longestCpu(each),
    ];
  });
  const note = `The longest time (ms) that \`GET /_latchkey/health\` took while a body arrived and was answered, over all bodies of bench/bodies.js, ${rounds} times each.`;
  const columns = [
    "bodies",
    "sent",
    "median",
    "longest",
    "the longest with",
    "longest by processor time",
  ];
  const wait = {
    value: Math.max(...waits.map((each) => each.wait)),
    byCpu: Math.max(...waits.map((each) => each.cpu)),
  };
  return { figures: { wait }, tables: [table("Waits", { columns, note, rows })] };
}

/** The most processor time that a body took, and which one; the wait includes that of other processes. */
function longestCpu(waits) {
  const [worst] = waits.toSorted((one, other) => other.cpu - one.cpu);
  return Number.isNaN(worst.cpu) ? "-" : `${worst.cpu.toFixed(0)} (${worst.name})`;
}
