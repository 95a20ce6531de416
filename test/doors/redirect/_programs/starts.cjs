// Starts `attempts.cjs` in every way, and prints what each one prints, a line of JSON each. The argument
// says what becomes of NODE_OPTIONS before: `replaced` or `deleted`.
const children = require("node:child_process");
const cluster = require("node:cluster");
const { join } = require("node:path");
const { promisify } = require("node:util");
const { SHARE_ENV, Worker } = require("node:worker_threads");

const program = join(__dirname, "attempts.cjs");
const command = `"${process.execPath}" "${program}"`;
const text = `require(${JSON.stringify(program)})`;
const { REAL_HOST } = process.env;
const print = (output) => process.stdout.write(output);
const printed = ({ stdout }) => print(stdout);
const piped = (child) =>
  new Promise((resolve) => {
    child.stdout.on("data", print);
    child.on("close", resolve).on("exit", (code) => child.threadId !== undefined && resolve(code));
  });
const inWorker = (options, file = program) => piped(new Worker(file, { stdout: true, ...options }));
const { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } = children;
const pipe = { stdio: ["ignore", "pipe", "inherit"] };

const starts = {
  exec: async () => printed(await promisify(exec)(command)),
  execFile: async () => printed(await promisify(execFile)(process.execPath, [program])),
  spawn: () => piped(spawn(process.execPath, [program], pipe)),
  fork: () => piped(fork(program, { silent: true })),
  execSync: () => print(execSync(command)),
  execFileSync: () => print(execFileSync(process.execPath, [program])),
  spawnSync: () => printed(spawnSync(process.execPath, [program], undefined)),
  "spawnSync with options alone": () => printed(spawnSync(command, { shell: true })),
  "execSync with undefined": () => print(execSync(command, undefined)),
  "spawn with variables of its own": () =>
    piped(spawn(process.execPath, [program], { ...pipe, env: { REAL_HOST } })),
  "execFileSync with inherited variables": () =>
    print(execFileSync(process.execPath, [program], { env: Object.create({ REAL_HOST }) })),
  cluster: () => {
    cluster.setupPrimary({ exec: program, silent: true });
    return piped(cluster.fork().process);
  },
  worker: () => inWorker({}),
  "worker with variables of its own": () => inWorker({ env: { REAL_HOST } }),
  "worker without arguments": () => inWorker({ execArgv: [] }),
  "worker with shared variables": () => inWorker({ env: SHARE_ENV, execArgv: [] }),
  "worker made of text": () => inWorker({ eval: true, execArgv: [] }, text),
  "worker in a worker": () =>
    inWorker(
      { eval: true, execArgv: [] },
      `delete process.env.NODE_OPTIONS;
       new (require("node:worker_threads").Worker)(${JSON.stringify(program)}, { execArgv: [] });`,
    ),
  "child of a child": () =>
    print(
      execFileSync(process.execPath, [
        "-e",
        `delete process.env.NODE_OPTIONS;
         require("node:child_process").execSync(${JSON.stringify(command)}, { stdio: "inherit" });`,
      ]),
    ),
  // Takes the place of this process, so it is the last.
  execve: () => process.execve?.(process.execPath, [process.execPath, program]),
};

(async () => {
  for (const start of Object.values(starts)) {
    if (process.argv[2] === "replaced") process.env.NODE_OPTIONS = "--no-warnings";
    if (process.argv[2] === "deleted") delete process.env.NODE_OPTIONS;
    await start();
  }
})();
