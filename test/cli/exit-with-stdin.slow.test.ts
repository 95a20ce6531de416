import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { startProcess } from "../../src/node.ts";
import { cleanEnv, runCli } from "../_cli.ts";
import { givenScript, isAlive } from "../node/_scripts.ts";
import { createKey } from "../_emulator.ts";
import { givenFolder } from "./_folder.ts";

const BIN = resolve("bin/latchkey.js");
const ARGS = [BIN, "--port=0", "--json", "--exit-with-stdin", "--random-seed=1"];

/** A process whose stdin stays open until the test closes it. */
async function givenPiped(...more: readonly string[]) {
  const child = spawn(process.execPath, [...ARGS, ...more], { env: cleanEnv() });
  const ended = once(child, "exit");
  const [line] = await once(child.stdout, "data");
  return { child, ended, ready: JSON.parse(String(line)) as { url: string } };
}

test("with --exit-with-stdin, the process saves its state and ends with code 0 when stdin is closed", async () => {
  const state = join(await givenFolder(), "state.json");
  const { child, ended, ready } = await givenPiped("--state", state);
  const fetchThere = { fetch: (request: Request) => fetch(request) };
  await createKey(fetchThere, { apiId: "api_local", name: "kept" }, { origin: ready.url });
  child.stdin.write("text that nothing reads\n");

  child.stdin.end();

  expect(await ended).toEqual([0, null]);
  expect(await readFile(state, "utf8")).toContain('"kept"');
});

test("with --exit-with-stdin, the process ends when a test runner that started it is killed", async () => {
  const script = await givenScript(
    `import { spawn } from "node:child_process";
     const child = spawn(process.execPath, ${JSON.stringify(ARGS)}, {
       stdio: ["pipe", "pipe", "ignore"],
     });
     child.stdout.once("data", () => {
       process.stdout.write(String(child.pid), () => process.kill(process.pid, "SIGKILL"));
     });`,
  );
  const runner = spawn(process.execPath, [script], { env: cleanEnv() });
  const [pid] = await once(runner.stdout, "data");
  await rm(script);

  await expect.poll(() => isAlive(Number(pid))).toBe(false);
});

test("with --exit-with-stdin, a signal still ends the process while stdin is open", async () => {
  const { child, ended } = await givenPiped();

  child.kill("SIGTERM");

  expect(await ended).toEqual([0, null]);
});

test("exec does not take --exit-with-stdin, because stdin belongs to its command", async () => {
  const { code, stderr } = await runCli(["exec", "--exit-with-stdin", "--", "true"]);

  expect(code).toBe(2);
  expect(stderr).toMatch(/^latchkey: --exit-with-stdin: exec does not take this option of serve/);
});

test("startProcess does not take exitWithStdin, because its process has no stdin", async () => {
  const options = { exitWithStdin: true } as never;

  await expect(startProcess(options)).rejects.toThrow(
    "startProcess: exitWithStdin: unknown option",
  );
});
