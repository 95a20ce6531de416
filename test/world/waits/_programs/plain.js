// Runs the cases one after the other, without those that have the argument in their names.
import { cases } from "./cases.js";

const [, , left] = process.argv;
for (const [name, [wait, outcome]] of Object.entries(cases)) {
  if (left !== undefined && name.includes(left)) continue;
  const got = await wait();
  process.stdout.write(got === outcome ? `${name}\n` : `${name}: ${got}\n`);
}
