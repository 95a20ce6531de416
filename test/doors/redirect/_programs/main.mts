// The same program in TypeScript.
// @ts-expect-error -- it has no types
import { live } from "./lives.js";

const name: string = process.argv[2] ?? "";
process.stdout.write(`${JSON.stringify(await live(name))}\n`);
