import { describe, expect } from "vitest";
import type { Emulator } from "../../../src/index.ts";
import { test } from "../../../src/vitest.ts";

const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
const list = (url: string, apiId: string) =>
  fetch(`${url}/v1/apis.listKeys?apiId=${apiId}`, { headers }).then((response) => response.json());
const create = (url: string, apiId: string) =>
  fetch(`${url}/v1/keys.createKey`, {
    method: "POST",
    headers,
    body: JSON.stringify({ apiId }),
  }).then((response) => response.json());

const seen: { emulator: Emulator; url: string; key: unknown }[] = [];

test.for([1, 2])("each test has its own emulator (%i)", async (_, { emulator, url }) => {
  const { key } = await create(url, "api_local");

  expect(await list(url, "api_local")).toMatchObject({ total: 4 });
  expect(emulator.keys.count()).toBe(4);
  seen.push({ emulator, url, key });
});

test("emulators of earlier tests are closed, were separate, and made the same key values", async () => {
  const [first, second] = seen;

  expect(first?.emulator).not.toBe(second?.emulator);
  expect(first?.key).toBe(second?.key);
  for (const { url } of seen) await expect(fetch(url)).rejects.toThrow();
});

test("a test can use `emulator` without `url`", ({ emulator }) => {
  expect(emulator.keys.count()).toBe(3);
});

describe("emulatorOptions", () => {
  test.override({ emulatorOptions: { fixtures: [{ apis: [{ id: "api_mine" }] }], randomSeed: 5 } });

  test("emulatorOptions of a group configure the emulators of its tests", async ({
    emulator,
    url,
  }) => {
    expect(emulator.randomSeed).toBe(5);
    expect(await list(url, "api_mine")).toEqual({ keys: [], total: 0 });
  });
});

const withKey = test.extend<{ keyId: string }>({
  async keyId({ emulator }, use) {
    await use((await emulator.keys.create({ apiId: "api_local", name: "extra" })).id);
  },
});

withKey("test.extend adds fixtures that use the emulator", async ({ keyId, url }) => {
  expect(await list(url, "api_local")).toMatchObject({ total: 4 });
  expect(keyId).toMatch(/^key_/);
});

describe("failOnFindings", () => {
  test.override({ failOnFindings: true });

  test.fails("a test fails at its end if a client made a mistake", async ({ url }) => {
    const body = JSON.stringify({ apiId: "api_local", expires: 1_790_000_000 });
    await fetch(`${url}/v2/keys.createKey`, { method: "POST", headers, body });
  });

  test("a test passes without a mistake", async ({ url }) => {
    expect(await create(url, "api_local")).toMatchObject({ keyId: expect.any(String) });
  });

  test("a test passes if it cleared the findings", async ({ emulator, url }) => {
    const body = JSON.stringify({ apiId: "api_local", expires: 1_790_000_000 });
    await fetch(`${url}/v2/keys.createKey`, { method: "POST", headers, body });

    expect(emulator.findings.list()).toHaveLength(1);
    emulator.findings.clear();
  });
});

describe("test.sweep", () => {
  const runs: string[] = [];
  test.override({ emulatorOptions: { fixtures: [{ apis: [{ id: "api_mine" }] }] } });

  test.sweep(
    "runs its function with the options of the group, without and with each fault",
    { faults: ["500", "429"] },
    async ({ emulator, url }) => {
      runs.push(url);
      await list(url, "api_mine");
      expect(emulator.apis.all().map(({ id }) => id)).toEqual(["api_mine"]);
    },
  );

  test("it had a fresh emulator for each run", () => {
    expect(new Set(runs).size).toBe(4);
  });
});
