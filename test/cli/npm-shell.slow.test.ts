import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnv } from "../_cli.ts";
import { untilClosed } from "../_server.ts";
import { givenFolder } from "./_folder.ts";

const BIN = resolve("bin/latchkey.js");
const FLAGS = "--port 0 --json --log silent";
// On Windows, npm uses no such shell, and a process does not learn that its parent has ended.

const posixTest = process.platform === "win32" ? test.skip : test;

interface Started {
  /** The started process: npm, or a shell. */
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
}

/** Runs a command that starts an emulator, and waits until the emulator is ready. */
async function startBy(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Started> {
  const child = spawn(command, args, {
    cwd,
    env: { ...withoutNpm(cleanEnv()), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout?.on("data", (data) => (text += data));
  // npm writes other lines before the one of the emulator.
  const ready = /^\{.*\}$/m;
  while (!ready.test(text)) await once(child.stdout as NodeJS.ReadableStream, "data");
  const { pid, url } = JSON.parse(ready.exec(text)?.[0] ?? "");
  onTestFinished(() => {
    for (const id of [child.pid, pid]) kill(id);
  });
  return { child, pid, url };
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Removes npm's variables, because npm may run these tests. */
function withoutNpm(env: Record<string, string | undefined>) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)));
}

/** A project in which latchkey is installed, with this script. */
async function givenProject(script: string): Promise<string> {
  const scripts = { emulator: script };
  const folder = await givenFolder({ "package.json": JSON.stringify({ name: "app", scripts }) });
  await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
  await symlink(BIN, join(folder, "node_modules/.bin/latchkey"));
  return folder;
}

posixTest.each([
  ["npx", ["latchkey", ...FLAGS.split(" ")]],
  ["npx", ["latchkey", "serve", ...FLAGS.split(" ")]],
  ["npm", ["run", "emulator"]],
])("SIGTERM to %s %j ends the emulator", async (command, args) => {
  const cwd = await givenProject(`latchkey ${FLAGS}`);
  const { child, url } = await startBy(command, args, { cwd });

  child.kill("SIGTERM");

  await untilClosed(url);
});

/** Starts the emulator in a shell that waits for it, as npm's does, with this npm script. */
function startInShell(script: string): Promise<Started> {
  const command = `"${process.execPath}" "${BIN}" ${FLAGS} & wait`;
  return startBy("sh", ["-c", command], { env: { npm_lifecycle_script: script } });
}

posixTest(
  "the emulator outlives a killed shell, unless it is an npm script in the foreground",
  async () => {
    const scripts = ["", "latchkey &", "latchkey & node app.js", "node start.js latchkey"];
    const others = await Promise.all(scripts.map(startInShell));
    for (const { child } of others) child.kill("SIGKILL");

    // It starts last: when it has ended, the others would have ended too.
    const watched = await startInShell("PORT=0 latchkey --json");
    watched.child.kill("SIGKILL");
    await untilClosed(watched.url);

    for (const { url } of others) {
      expect((await fetch(`${url}/_latchkey/health`)).status).toBe(200);
    }
  },
);

posixTest("SIGTERM to npx latchkey exec ends the command and the emulator", async () => {
  const cwd = await givenProject("");
  const program = `console.log(JSON.stringify({ url: process.env.LATCHKEY_URL, pid: process.pid })); setInterval(() => {}, 1000)`;
  const args = ["latchkey", "exec", "--", process.execPath, "-e", program];
  const { child, url } = await startBy("npx", args, { cwd });

  child.kill("SIGTERM");

  await untilClosed(url);
});
