// Measures the time from the start of a process with made-up keys to its first page.
import { memoryOf, startWorld, stop } from "../processes.js";
import { number, table, withSpread } from "../report.js";
import { summarize } from "../rounds.js";

export async function measureSeeding({ rounds, seedingKeys }, tell) {
  const rows = [];
  for (const keys of seedingKeys) {
    tell(`seeding, ${number(keys)} keys`);
    const runs = [];
    // One round is enough for a million keys, because it takes long.
    for (let round = 0; round < (keys < 1_000_000 ? rounds : 1); round += 1) {
      const server = await startWorld(keys);
      runs.push([server.elapsed / 1_000, memoryOf(server), memoryOf(server, "VmHWM")]);
      await stop(server);
    }
    const [time, memory, peak] = [0, 1, 2].map((index) => summarize(runs.map((run) => run[index])));
    rows.push([
      number(keys),
      runs.length,
      withSpread(time, (value) => value.toFixed(2)),
      number(memory.median),
      Number.isNaN(peak.median) ? "-" : number(peak.median),
    ]);
  }
  const note = "From the start of the process, with `--generate`, to the first page over HTTP.";
  const columns = ["keys", "runs", "first page, s", "memory, MB", "peak, MB"];
  return { figures: {}, tables: [table("Seeding", { columns, note, rows })] };
}
