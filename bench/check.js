// `npm run bench:check`: a short bench of the figures that have a floor. Exits with 1 if one is below it.
import { judge } from "./floors.js";
import { parts } from "./parts/all.js";
import { quick } from "./settings.js";

const figures = {};
for (const [name, measure] of Object.entries(parts)) {
  // No floor uses its figures.
  if (name === "seeding") continue;
  const known = judge(figures);
  Object.assign(figures, (await measure(quick, () => {})).figures);
  for (const [index, line] of judge(figures).entries()) {
    if (line.state !== known[index].state) tell(line);
  }
}
const lines = judge(figures);
for (const line of lines) if (line.state === "not measured") tell(line);
process.exitCode = lines.some(({ state }) => state === "below") ? 1 : 0;

function tell({ aim, byCpu, floor, isAtAim, state, title, value }) {
  const also = byCpu === "" ? "" : `, ${byCpu} by processor time`;
  const aimed = isAtAim ? `aim ${aim}, reached` : `aim ${aim}`;
  console.log(`${state.padEnd(6)}  ${title}: ${value}${also} (floor ${floor}; ${aimed})`);
}
