import { readFile, rm } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { UsageError } from "../../src/index.ts";
import { loadFixture, startProcess, type ProcessOptions } from "../../src/node.ts";
import { givenScript, isAlive } from "./_scripts.ts";

const list = async (url: string, token: string, apiId: string) => {
  const response = await fetch(`${url}/v1/apis.listKeys?apiId=${apiId}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return (await response.json()) as { total: number };
};

test("startProcess resolves when the emulator is ready, and stop() ends its process", async () => {
  const { url, port, pid, token, stop } = await startProcess({
    fixtures: ["fixtures/demo.yaml"],
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

test("startProcess takes a Date as now", async () => {
  const now = new Date(Date.UTC(2026, 2, 1, 12));
  const { url, token, stop } = await startProcess({ now });

  const response = await fetch(`${url}/_latchkey/clock`, {
    headers: { Authorization: `Bearer ${token}` },
  });

  expect(await response.json()).toEqual({ now: now.getTime(), frozen: true });
  await stop();
  await expect(startProcess({ now: new Date(Number.NaN) })).rejects.toThrow(
    '--now: expected a time in unix milliseconds, or as "2026-03-01T00:00:00Z" or "in 30d", got "Invalid Date"',
  );
});

test("startProcess returns a client that controls its process, and await using ends the process", async () => {
  let pid: number;
  {
    await using emulator = await startProcess({ fixtures: ["fixtures/small.json"] });
    pid = emulator.pid;
    await emulator.seed({ apis: [{ id: "api_more" }], keys: [{ apiId: "api_more" }] });
    await emulator.clock.set("2030-01-01");

    expect((await list(emulator.url, emulator.token, "api_more")).total).toBe(1);
    const [request] = await emulator.requests.waitFor({ operation: "apis.listKeys" });
    expect(request.time).toBeGreaterThanOrEqual(Date.UTC(2030, 0, 1));
  }
  expect(isAlive(pid)).toBe(false);
});

test.each([
  ["a control token that it makes", [{ token: "reader", permissions: [] }], {}],
  ["a control token that was given", [], { controlToken: "given" }],
  [
    "a listed token that is not the first",
    [
      { token: "reader", permissions: [] },
      { token: "admin", permissions: ["*"] },
    ],
    {},
  ],
])("the client of startProcess uses %s", async (_, tokens, options) => {
  const file = await givenScript(JSON.stringify({ tokens, apis: [{ id: "api_one" }] }), "json");
  try {
    await using emulator = await startProcess({ fixtures: [file], ...options });

    expect(await emulator.requests.list()).toEqual([]);
  } finally {
    await rm(file);
  }
});

test("startProcess throws a UsageError with every problem of its fixtures", async () => {
  const attempt = startProcess({ fixtures: ["no-such.json", "no-such.yaml"] });

  await expect(attempt).rejects.toThrow(UsageError);
  await expect(attempt).rejects.toMatchObject({
    problems: ["no-such.json: there is no such file", "no-such.yaml: there is no such file"],
  });
});

test.each([
  ["a fixture", { apis: [{ id: "api_mine" }] }],
  ["a promise of one", loadFixture("fixtures/small.json")],
])("startProcess takes names of files, and refuses %s as an object", async (_, fixture) => {
  const options = { fixtures: [fixture] } as unknown as ProcessOptions;

  await expect(startProcess(options)).rejects.toThrow(
    "startProcess: fixtures: expected names of files, got an object; write it to a file, or use it in this process: createEmulator({ fixtures: [...] }), and serve for a URL",
  );
});

test("startProcess ignores output and messages of other code in its process", async () => {
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

test("startProcess rejects with the signal if its process is killed at the start", async () => {
  const file = await givenScript("process.kill(process.pid, 'SIGKILL');", "cjs");
  vi.stubEnv("NODE_OPTIONS", `--require=${file}`);
  try {
    await expect(startProcess()).rejects.toThrow(
      "the process ended with SIGKILL, and printed nothing",
    );
  } finally {
    vi.unstubAllEnvs();
    await rm(file);
  }
});

const procTest = process.platform === "linux" ? test : test.skip;

procTest("startProcess does not pass npm_lifecycle_script to its process", async () => {
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
