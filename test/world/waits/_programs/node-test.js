import { strictEqual } from "node:assert";
import test from "node:test";
import { cases } from "./cases.js";

for (const [name, [wait, outcome]] of Object.entries(cases)) {
  test(name, async () => strictEqual(await wait(), outcome));
}
