// Measures reset, and restore of a snapshot.
import { runScript } from "../processes.js";
import { number, table, withSpread } from "../report.js";
import { summarize } from "../rounds.js";

export async function measureWorlds({ worldKeys, worldRounds: rounds }, tell) {
  const rows = [];
  const figures = {};
  for (const keys of worldKeys) {
    tell(`reset and restore, ${number(keys)} keys`);
    const { reset, restore, restoreCopy } = await runScript("children/worlds.js", { keys, rounds });
    const show = (times) => withSpread(summarize(times), (value) => value.toFixed(2));
    rows.push([number(keys), show(reset), show(restore), show(restoreCopy)]);
    figures.reset ??= { value: summarize(reset).median };
  }
  const note = `Milliseconds, after ten keys were created, one changed and one deleted; ${rounds} times each. A copy of a snapshot is what comes out of a file, and is checked as any fixture; the time to copy it is part of the figure.`;
  const columns = ["keys", "reset", "restore", "restore of a copy"];
  return { figures, tables: [table("Reset and restore", { columns, note, rows })] };
}
