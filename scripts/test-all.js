// Runs the tests that `npm test` leaves out: first the slow tests with this Node.js; then the slow tests
// of whole projects, other runtimes, older clients and compilers, and of every way to begin a process;
// then the tests whose outcome may depend on the version, with the lowest version of each line of Node.js
// that `engines` in package.json supports, fewer with the line of this Node.js; then the tests of sockets
// and processes with Bun and Deno.
// `--only` takes names of runs, separated by commas: `slow`, `projects`, `bun`, `deno`, or a version like
// `22.12.0`. `--reports` names a folder for a JSON report of each run.
//
// It installs what `npm ci` does not: those versions of Node.js, Bun, Deno, and msw 3.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installNode, linkMsw3, programOf } from "./on-demand.js";

/** Tests that begin a process, listen on a socket and import the package: these may lack a function. */
const IN_EVERY_VERSION = ["cli/exec.test.ts", "doors/http/serve.test.ts", "package/alone.test.ts"];
/** Further tests of code that uses sockets, processes, streams, modules or `fetch`. */
const IN_EVERY_LINE = [
  "clients/v1.test.ts",
  "clients/v2.test.ts",
  "control/client/connect.test.ts",
  "doors/answers.test.ts",
].concat(
  ["environments/jsdom.test.ts", "node/start-process.test.ts", "doors/vitest/"],
  ["control/events", "control/waiting", "doors/http/bad-input", "doors/http/faults"].map(
    (name) => `${name}.test.ts`,
  ),
  ["safety", "clients/clients"].map((name) => `doors/redirect/${name}.test.ts`),
);

/**
 * Slow tests that take long and seldom find what no other test does: projects of frameworks, tools and
 * runtimes, older clients and compilers, every way to begin a process.
 */
const PROJECTS = [
  "api/openapi/generators",
  "api/openapi/spectral",
  "clients/older.slow",
  "clients/v2-older.slow",
  "docs/contributing.slow",
  "doors/redirect/children.slow",
  "doors/redirect/clients/clients",
  "doors/redirect/clients/vitest",
  "package/examples",
  "package/jest",
  "package/next",
  "package/tools",
  "package/types-older",
  "runtimes/runtimes.slow",
  "runtimes/workers.slow",
].map((name) => `test/${name}.test.ts`);

/** The arguments for another version of Node.js. */
function onNode(version) {
  const isOfThisLine = parseInt(version) === parseInt(process.versions.node);
  const files = [...IN_EVERY_VERSION, ...(isOfThisLine ? [] : IN_EVERY_LINE)];
  return [
    ...projects("fetch", "http", "slow", "msw in node", "msw-3 in node"),
    "--exclude",
    "test/**/*.slow.test.ts",
    // Each worker imports the sources anew for each project.
    `--maxWorkers=${availableParallelism()}`,
    ...files.map((file) => `test/${file}`),
  ];
}

const IN_OTHER_RUNTIMES = [
  ...projects("fetch", "http"),
  "test/doors/answers.test.ts",
  ...["doors/http/serve", "doors/http/faults", "control/events"].map(
    (name) => `test/${name}.test.ts`,
  ),
  "test/node/start-process.test.ts",
];
/** Tests that fail in Bun and in Deno, each with the reason. */
const OF_NODE_ALONE = [
  // They do not read NODE_OPTIONS.
  "its process is killed at the start",
  // They lack the channel `http.server.request.start` of diagnostics.
  "disconnects just before its reply is sent",
  // When they are closed, their servers break off connections that have not sent all
  // (denoland/deno#35609).
  "has arrived but was not read yet",
  // Their `fetch` does not reject as that of Node does when no reply comes: Deno's sends the call again.
  // test/runtimes/ has these faults with another client.
  "byte for byte: faults are applied",
];
const OF_NO_BUN = [
  // Its `fetch` cleans paths before it sends them.
  "byte for byte: paths that no operation has",
  "finishes requests in flight",
  "malformed HTTP \\(no version\\)",
  // A client of `node:net` sees the end of its connection, and then no close.
  "while fake timers are installed",
  "on which nothing has been sent",
  // It lacks the function `gc`.
  "after garbage collection",
];
const OF_NO_DENO = [
  // Its `listen` fails with another code.
  "a host that is no address of this machine",
  // It lacks the flag `--input-type`.
  "a server that was unref",
];

const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
const versions = engines.node.split("||").map((range) => {
  const [, major, minor = "0"] = /(\d+)(?:\.(\d+))?/.exec(range);
  return `${major}.${minor}.0`;
});
// Most of these tests wait for other processes.
const slow = [...projects("slow", "msw*"), `--maxWorkers=${availableParallelism() + 2}`];
/** The command that runs vitest, and the arguments of vitest, by the name of the run. */
const runs = new Map([
  ["slow", [thisNode, [...slow, ...PROJECTS.map((file) => `--exclude=${file}`)]]],
  ["projects", [thisNode, [...slow, ...PROJECTS]]],
  ...versions.map((version) => [version, [() => [installNode(version)], onNode(version)]]),
  [
    "bun",
    [() => [programOf("bun")], [...IN_OTHER_RUNTIMES, ...without(...OF_NODE_ALONE, ...OF_NO_BUN)]],
  ],
  [
    "deno",
    [
      () => [programOf("deno"), "run", "--allow-all"],
      [...IN_OTHER_RUNTIMES, ...without(...OF_NODE_ALONE, ...OF_NO_DENO)],
    ],
  ],
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
  const [toCommand, args] = runs.get(name);
  const [program, ...flags] = toCommand();
  console.log(`\ntests: ${name}`);
  const report = ["--reporter=default", "--reporter=json"].concat(
    `--outputFile.json=${join(reports ?? "", `${name}.json`)}`,
  );
  const vitest = [...flags, "node_modules/vitest/vitest.mjs", "run", ...args];
  const all = reports === undefined ? vitest : [...vitest, ...report];
  return spawnSync(program, all, { stdio: "inherit" }).status !== 0;
});
console.log(`\npassed: ${names.filter((name) => !failed.includes(name)).join(", ") || "none"}`);
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

function projects(...names) {
  return names.flatMap((name) => ["--project", name]);
}

/** Leaves out tests whose title has one of these patterns in it. */
function without(...patterns) {
  return ["--testNamePattern", `^(?!.*(${patterns.join("|")}))`];
}

function thisNode() {
  return [process.execPath];
}
