// A short bench of what has a floor. Ends with 1 where a figure is below its floor.
import { judge } from "./floors.js";
import { parts } from "./parts/all.js";
import { quick } from "./settings.js";

const figures = {};
for (const [name, measure] of Object.entries(parts)) {
  if (name === "seeding") continue;
  const known = judge(figures);
  Object.assign(figures, (await measure(quick, () => {})).figures);
  for (const [index, line] of judge(figures).entries()) {
    if (line.state !== known[index].state) tell(line);
  }
}
process.exitCode = judge(figures).every(({ state }) => state === "ok") ? 0 : 1;

function tell({ aim, byCpu, floor, isAtAim, state, title, value }) {
  const aimed = isAtAim ? `aim ${aim}, reached` : `aim ${aim}`;
  const also = byCpu === "" ? "" : `, ${byCpu} by processor time`;
  console.log(`${state.padEnd(6)}  ${title}: ${value}${also} (floor ${floor}; ${aimed})`);
}
