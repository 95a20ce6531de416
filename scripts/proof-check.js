// Fails if a row of test/proof.yaml names no test that ran and passed, by the JSON reports of vitest in
// a folder: `node scripts/proof-check.js <folder>`.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "./load.js";
import { proofProblems, readProof } from "./proof.js";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("proof-check: expected a folder with reports, got none");
  process.exit(2);
}
const reports = readdirSync(folder).map((name) =>
  JSON.parse(readFileSync(join(folder, name), "utf8")),
);
const proof = readProof(await load(["src/operations/table.ts"]));
const problems = proofProblems(proof, reports);
for (const problem of problems) console.error(problem);
console.log(
  `proof: ${problems.length === 0 ? "every row" : "not every row"} has a test that passed`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
