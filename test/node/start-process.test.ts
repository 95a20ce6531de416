import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { createEmulator, UsageError } from "../../src/index.ts";
import { loadFixture, serve, startProcess, type ProcessOptions } from "../../src/node.ts";

const run = promisify(execFile);
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** What is built, for scripts of other processes. */
const ENTRY = pathToFileURL(resolve("dist/node.js")).href;

async function givenScript(code: string, ending = "mjs"): Promise<string> {
  const file = join(tmpdir(), `latchkey-${process.pid}-${Math.random()}.${ending}`);
  await writeFile(file, code);
  return file;
}

const list = async (url: string, token: string, apiId: string) => {
  const response = await fetch(`${url}/v1/apis.listKeys?apiId=${apiId}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return (await response.json()) as { total: number };
};

test("a process is ready when it is there, and gone when it is stopped", async () => {
  const { url, port, pid, token, stop } = await startProcess({
    fixture: ["fixtures/demo.yaml"],
    randomSeed: 7,
    strict: true,
  });

  expect(url).toBe(`http://localhost:${port}`);
  expect((await list(url, token, "api_payments")).total).toBe(8);
  expect(
    (
      await fetch(`${url}/v1/apis.listKeys?apiId=a&odd=1`, {
        headers: { Authorization: `Bearer ${token}` },
      })
    ).status,
  ).toBe(400);
  await stop();
  expect(isAlive(pid)).toBe(false);
  await stop();
});

test("what it refuses at its start is thrown, line by line", async () => {
  const attempt = startProcess({ fixture: ["no-such.json", "no-such.yaml"] });

  await expect(attempt).rejects.toThrow(UsageError);
  await expect(attempt).rejects.toMatchObject({
    problems: ["no-such.json: there is no such file", "no-such.yaml: there is no such file"],
  });
});

test("an option that there is not is named, with the one that was likely meant", async () => {
  const options = { fixtures: ["fixtures/demo.yaml"] } as ProcessOptions;

  await expect(startProcess(options)).rejects.toThrow(
    /^startProcess: fixtures: unknown option, did you mean "fixture"\?/,
  );
});

test("lines and messages of other code in the process are passed over", async () => {
  const file = await givenScript(
    "console.log('{\"url\":\"x\"}'); for (const each of [null, 'loaded', {}]) process.send?.(each);",
    "cjs",
  );
  vi.stubEnv("NODE_OPTIONS", `--require=${file}`);
  try {
    const { url, stop } = await startProcess();
    await stop();

    expect(url).toMatch(/^http/);
  } finally {
    vi.unstubAllEnvs();
    await rm(file);
  }
});

test("a process that ends without a word is told as such", async () => {
  const file = await givenScript("process.kill(process.pid, 'SIGKILL');", "cjs");
  vi.stubEnv("NODE_OPTIONS", `--require=${file}`);
  try {
    await expect(startProcess()).rejects.toThrow(
      "the process ended with SIGKILL, and said nothing",
    );
  } finally {
    vi.unstubAllEnvs();
    await rm(file);
  }
});

const procTest = process.platform === "linux" ? test : test.skip;

procTest("the process does not inherit the script of npm that runs this one", async () => {
  vi.stubEnv("npm_lifecycle_script", "latchkey exec -- npm test");
  try {
    const { pid, stop } = await startProcess();
    const env = await readFile(`/proc/${pid}/environ`, "utf8");
    await stop();

    expect(env).toContain("PATH=");
    expect(env).not.toContain("npm_lifecycle_script");
  } finally {
    vi.unstubAllEnvs();
  }
});

test.each([20, 100, 200, 300, 500])(
  "it does not outlive a process that is killed %i ms after it was asked for",
  async (delay) => {
    const randomSeed = 1_000_000 + Math.floor(Math.random() * 1_000_000_000);
    const file = await givenScript(
      `import { startProcess } from ${JSON.stringify(ENTRY)};
       void startProcess({ randomSeed: ${randomSeed} });
       setTimeout(() => process.kill(process.pid, "SIGKILL"), ${delay});`,
    );
    const isThere = async () => (await run("ps", ["-eo", "args"])).stdout.includes(`${randomSeed}`);

    await run(process.execPath, [file]).catch(() => {});
    await rm(file);

    await expect.poll(isThere, { timeout: 10_000 }).toBe(false);
  },
);

test.each([
  ["ends", ""],
  ["is killed", "process.kill(process.pid, 'SIGKILL');"],
  ["throws", "setTimeout(() => { throw new Error('odd'); });"],
])("it does not outlive a process that %s", async (_, ending) => {
  const file = await givenScript(
    `import { startProcess } from ${JSON.stringify(ENTRY)};
     const { pid } = await startProcess();
     console.log(pid);
     ${ending}`,
  );

  const { stdout } = await run(process.execPath, [file]).catch((error) => error);
  await rm(file);

  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});

test("a fixture file becomes an emulator, and the emulator a server", async () => {
  const emulator = await createEmulator({
    fixtures: [await loadFixture(pathToFileURL("fixtures/demo.yaml"))],
  });
  const server = await serve(emulator);
  try {
    expect((await list(server.url, "acme_admin", "api_payments")).total).toBe(8);
  } finally {
    await server.close();
  }
  await expect(fetch(server.url)).rejects.toThrow();
});
