// Runs the tests that `npm test` leaves out: first the slow tests with this Node.js; then the tests
// whose outcome may depend on the version, with the lowest version of each line of Node.js that
// `engines` in package.json supports. `--only` takes names of runs, separated by commas: `slow`, or a
// version like `22.12.0`. `--reports` names a folder for a JSON report of each run.
//
// It installs what `npm ci` does not: those versions of Node.js, and msw 3.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installInto, linkMsw3 } from "./on-demand.js";

/** Tests of code that uses sockets, processes, streams, modules or `fetch`. */
const DEPENDS_ON_NODE = ["cli", "doors", "environments", "http", "msw", "node"]
  .concat("redirect", "vitest")
  .map((folder) => `test/${folder}/`)
  .concat("test/client", "test/package/alone.test.ts", "test/package/tools.test.ts");

const ON_OTHER_NODE = ["fetch", "http", "slow", "*in node"]
  .flatMap((project) => ["--project", project])
  .concat("--exclude", "test/**/*.slow.test.ts")
  // The compiler gives the same result with every Node.js.
  .concat(
    "--testNamePattern",
    "^(?!.*(the compiler finds every type|the types of latchkey need no DOM))",
  )
  .concat(DEPENDS_ON_NODE);

const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
const versions = engines.node.split("||").map((range) => {
  const [, major, minor = "0"] = /(\d+)(?:\.(\d+))?/.exec(range);
  return `${major}.${minor}.0`;
});
/** The arguments of vitest, by the name of the run. */
const runs = new Map([
  // Most of these tests wait for other processes.
  [
    "slow",
    ["--project", "slow", "--project", "msw*", `--maxWorkers=${availableParallelism() + 2}`],
  ],
  ...versions.map((version) => [version, ON_OTHER_NODE]),
]);

const options = { only: { type: "string" }, reports: { type: "string" } };
const { only, reports } = parseArgs({ options }).values;
const names = only?.split(",") ?? [...runs.keys()];
const unknown = names.filter((name) => !runs.has(name));
if (unknown.length > 0) {
  console.error(`--only: expected ${[...runs.keys()].join(", ")}, got ${unknown.join(", ")}`);
  process.exit(2);
}

linkMsw3();
const failed = names.filter((name) => {
  const isVersion = versions.includes(name);
  const node = isVersion ? install(name) : process.execPath;
  console.log(isVersion ? `\nNode.js ${name}` : "\nslow tests");
  const report = ["--reporter=default", "--reporter=json"].concat(
    `--outputFile.json=${join(reports ?? "", `${name}.json`)}`,
  );
  const vitest = ["node_modules/vitest/vitest.mjs", "run", ...runs.get(name)];
  const args = reports === undefined ? vitest : [...vitest, ...report];
  return spawnSync(node, args, { stdio: "inherit" }).status !== 0;
});
console.log(`\npassed: ${names.filter((name) => !failed.includes(name)).join(", ") || "none"}`);
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** Installs a version of Node.js from the npm package node-<platform>-<arch>; returns its program. */
function install(version) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = installInto(join("node", version), `${name}@${version}`, name);
  return join(folder, "bin", platform === "win" ? "node.exe" : "node");
}
