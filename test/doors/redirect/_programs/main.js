// Calls the service in the ways that its arguments name, and prints a line of JSON for each.
import { live } from "./lives.js";

for (const name of process.argv.slice(2)) {
  process.stdout.write(`${JSON.stringify(await live(name))}\n`);
}
