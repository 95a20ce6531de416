import { quirks } from "../../api/quirks.ts";

/** Prints a line for each quirk: its name and the behaviour of the live service. */
export function runQuirks(): number {
  const width = Math.max(...Object.keys(quirks).map(({ length }) => length));
  for (const [name, explanation] of Object.entries(quirks)) {
    process.stdout.write(`${name.padEnd(width)}  ${explanation}\n`);
  }
  return 0;
}
