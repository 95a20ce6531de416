// Measures the time from the start of a process to its first answer, and its memory then.
import { memoryOf, startBare, startLatchkey, stop } from "../processes.js";
import { number, table, withSpread } from "../report.js";
import { inTurn, ratios, summarize } from "../rounds.js";

const contenders = {
  "latchkey, zero configuration": () => startLatchkey(),
  "latchkey, demo fixture": () => startLatchkey(["--fixture", "fixtures/demo.yaml"]),
  "bare node:http": () => startBare(),
};

export async function measureStart({ starts }, tell) {
  tell("cold start");
  const measure = (start) => async () => {
    const server = await start();
    const memory = memoryOf(server);
    await stop(server);
    return { time: server.elapsed, memory };
  };
  const runs = await inTurn(Object.values(contenders).map(measure), starts);
  const times = runs.map((each) => each.map(({ time }) => time));
  const memory = runs.map((each) => summarize(each.map((run) => run.memory)));
  const ratio = times.map((each) => ratios(each, times.at(-1)));
  const rows = Object.keys(contenders).map((name, index) => [
    name,
    withSpread(summarize(times[index]), number),
    withSpread(ratio[index], (value) => value.toFixed(2)),
    withSpread(memory[index], (value) => value.toFixed(1)),
  ]);
  const note = `From the start of the process to the first answer over HTTP, that of a list, and the resident memory behind it; ${starts} starts of each in turn, on any core.`;
  const columns = ["process", "first answer, ms", "ratio to bare", "memory, MB"];
  return {
    figures: {
      coldStart: { value: ratio[0].median },
      memory: { value: memory[0].median },
    },
    tables: [table("Start", { columns, note, rows })],
  };
}
