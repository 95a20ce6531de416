// CommonJS that starts the same calls in other ways: `starts.cjs worker fetch`. Prints what they print.
const { execFileSync, fork, spawn } = require("node:child_process");
const { join } = require("node:path");
const { Worker } = require("node:worker_threads");

const main = join(__dirname, "main.js");
const lives = join(__dirname, "lives.js");
const [how, name] = process.argv.slice(2);
const PRINT = `import(${JSON.stringify(lives)})
  .then(({ live }) => live(${JSON.stringify(name)}))
  .then((seen) => process.stdout.write(JSON.stringify(seen) + "\\n"));`;

const starts = {
  CommonJS: () => import(lives).then(print),
  worker: () => new Worker(main, { argv: [name] }),
  "worker with an env of its own": () => new Worker(main, { argv: [name], env: { A: "b" } }),
  "worker made of text": () => new Worker(PRINT, { eval: true }),
  "worker in a worker": () =>
    new Worker(
      `const { Worker } = require("node:worker_threads");
       new Worker(${JSON.stringify(main)}, { argv: [${JSON.stringify(name)}] });`,
      { eval: true },
    ),
  spawn: () => spawn(process.execPath, [main, name], { stdio: "inherit" }),
  "spawn with an env of its own": () =>
    spawn(process.execPath, [main, name], { stdio: "inherit", env: {} }),
  "exec with an env of its own": async () => {
    const exec = require("node:util").promisify(require("node:child_process").exec);
    const { stdout } = await exec(`"${process.execPath}" "${main}" "${name}"`, {
      env: { A: "b=c" },
    });
    process.stdout.write(stdout);
  },
  "spawnSync with NODE_OPTIONS of its own": () =>
    require("node:child_process").spawnSync(process.execPath, [main, name], {
      stdio: "inherit",
      env: { ...process.env, NODE_OPTIONS: "--no-warnings" },
    }),
  fork: () => fork(main, [name]),
  "the shell": () =>
    spawn(`"${process.execPath}" "${main}" "${name}"`, { shell: true, stdio: "inherit" }),
  execFileSync: () => execFileSync(process.execPath, [main, name], { stdio: "inherit" }),
  text: () => execFileSync(process.execPath, ["-e", PRINT], { stdio: "inherit" }),
  "TypeScript by tsx": () =>
    execFileSync(
      process.execPath,
      ["--import", process.env.TSX, join(__dirname, "main.mts"), name],
      {
        stdio: "inherit",
      },
    ),
};

async function print({ live }) {
  process.stdout.write(`${JSON.stringify(await live(name))}\n`);
}

starts[how]();
