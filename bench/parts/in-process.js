// Measures pages and creates without a socket.
import { runScript } from "../processes.js";
import { table, withSpread } from "../report.js";
import { summarize } from "../rounds.js";

const KEYS = 10_000;
const titles = { pages100: "page of 100", pages10: "page of 10", creates: "create" };

export async function measureInProcess({ inProcess, inProcessHeatUp: heatUp, rounds }, tell) {
  tell("calls in process");
  const settings = { ...inProcess, heatUp, keys: KEYS, rounds };
  const results = await runScript("children/in-process.js", settings);
  const show = (times) =>
    times === undefined ? "-" : withSpread(summarize(times), (value) => value.toFixed(1));
  const rows = Object.entries(results).map(([name, { bare, bytes, fetch, msw }]) => [
    titles[name],
    show(fetch),
    show(msw),
    show(bare),
    (bytes / 1_000).toFixed(1),
  ]);
  const note = `Microseconds a call, the body of the reply read, in a world of ${KEYS.toLocaleString("en")} keys: the median of ${inProcess.perRound} calls, of that the median of ${rounds} rounds. msw is \`getResponse\` with the handlers. Bare is what \`new Request\`, the reading of its body, \`new Response\` and the reading of that cost alone.`;
  const columns = ["call", "emulator.fetch", "msw", "bare", "kB a reply"];
  return {
    figures: { fetchPage100: { value: summarize(results.pages100.fetch).median } },
    tables: [table("Calls in process", { columns, note, rows })],
  };
}
