import { describe, expect, test, vi } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys } from "../_emulator.ts";

const key = { apiId: "api_one" };

const world: Fixture = {
  workspace: { id: "ws_one" },
  apis: [{ id: "api_one" }],
  roles: [{ name: "admin" }],
  identities: [{ externalId: "ann" }],
  keys: [{ ...key, id: "key_given", name: "first" }],
};

test("seed adds the records and faults of a fixture to those that exist", async () => {
  const emulator = await givenEmulator({ fixtures: [world] });
  await createKey(emulator, { ...key, name: "second" });

  await emulator.seed({
    apis: [{ id: "api_two" }],
    keys: [
      { ...key, name: "third", externalId: "ann", roles: ["admin", "editor"] },
      { apiId: "api_two", name: "other" },
    ],
    faults: [{ operation: "keys.createKey", status: 500, times: 1 }],
  });

  const { body } = await listKeys(emulator, key);
  expect(body.keys.map(({ name }: { name: string }) => name)).toEqual(["second", "third", "first"]);
  expect(emulator.identities.count()).toBe(1);
  expect(emulator.roles.all().map(({ name }) => name)).toEqual(["admin", "editor"]);
  expect((await listKeys(emulator, { apiId: "api_two" })).body.total).toBe(1);
  expect((await createKey(emulator, key)).status).toBe(500);
});

test("no request id repeats if calls are answered while a seed is added", async () => {
  const emulator = await givenEmulator({ fixtures: [world] });
  const ask = async () => {
    const headers = { Authorization: "Bearer any" };
    const url = "http://emulator.test/v1/apis.listKeys?apiId=api_one";
    return (await emulator.fetch(url, { headers })).headers.get("Unkey-Request-Id");
  };
  // Every reading of the time is a millisecond later, so a slice ends after ten steps of the seed.
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1));
  const keys = Array.from({ length: 3_000 }, (_, index) => ({ ...key, id: `key_${index}` }));

  let isSeeded = false;
  const seeding = control(emulator, "seed", { keys }).finally(() => (isSeeded = true));
  const ids: unknown[] = [];
  while (!isSeeded) {
    ids.push(await ask());
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  clock.mockRestore();
  expect((await seeding).status).toBe(204);
  ids.push(await ask(), await ask());

  expect(ids.length).toBeGreaterThan(4);
  expect(new Set(ids).size).toBe(ids.length);
});

function control(emulator: Emulator, route: string, body: object): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  const url = `http://emulator.test/_latchkey/${route}`;
  return emulator.fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

test("seed adds another workspace with its tokens", async () => {
  const fixtures = [{ ...world, tokens: [{ token: "root", permissions: ["*"] }] }];
  const emulator = await givenEmulator({ fixtures });

  await emulator.seed({
    workspace: { id: "ws_two" },
    apis: [{ id: "api_one" }],
    tokens: [{ token: "two", permissions: ["*"] }],
  });

  expect((await listKeys(emulator, key, { token: "two" })).body.total).toBe(0);
  expect((await listKeys(emulator, key, { token: "root" })).body.total).toBe(1);
});

test("seed ignores existing keys whose API or identity was deleted", async () => {
  const emulator = await givenEmulator({ fixtures: [world] });
  await createKey(emulator, { ...key, externalId: "bob" });
  emulator.identities.clear();
  emulator.apis.clear();

  await emulator.seed({ apis: [{ id: "api_two" }], keys: [{ apiId: "api_two" }] });

  expect(emulator.keys.count()).toBe(3);
});

describe("wrong fixtures", () => {
  test.each([
    [{ keys: [key, { apiId: "api_none" }] }, /^seed: keys\[1\].apiId: expected the id of an API/],
    [
      { keys: [key, { ...key, id: "key_given" }] },
      'seed: keys[1].id: duplicate of current state: keys[0].id: "key_given"',
    ],
    [{ apis: [{ id: "api_one" }] }, /^seed: apis\[0\].id: duplicate of /],
    [{ keyz: [] }, /^seed: keyz: unknown member, did you mean "keys"\?/],
    [{ keys: [key], faults: [{ times: 1 }] }, /^seed: faults\[0\]: expected one of status/],
    [{ keys: [key], tokens: [{ token: "root" }, { token: "root" }] }, /^seed: tokens\[1\].token/],
    [{ workspace: { id: "ws_two" } }, /^seed: tokens: expected a token for ws_two/],
    [{ generate: [{ apiId: "api_none", count: 1 }] }, /^seed: generate\[0\].apiId/],
    [
      { snapshot: { randomSeed: 1, keyValues: 0, ids: {} } },
      "seed: snapshot: expected no snapshot; restore a snapshot instead of adding it",
    ],
    [7, "seed: expected an object, got 7"],
    [Promise.resolve({}), "seed: expected an object, got a promise; is an await missing?"],
  ])("seed refuses the fixture %j as a whole and changes nothing", async (fixture, message) => {
    const emulator = await givenEmulator({ fixtures: [world] });
    const before = JSON.stringify(emulator.snapshot());

    await expect(emulator.seed(fixture as Fixture)).rejects.toThrow(message);

    expect(JSON.stringify(emulator.snapshot())).toBe(before);
    expect(emulator.faults.list()).toEqual([]);
  });

  test("seed refuses a fixture with a token that exists, and adds none of its keys", async () => {
    const tokens = [{ token: "root", permissions: ["*"] }];
    const emulator = await givenEmulator({ fixtures: [{ ...world, tokens }] });

    for (const added of [
      { keys: [key], tokens },
      { workspace: { id: "ws_two" }, tokens },
    ]) {
      await expect(emulator.seed(added)).rejects.toThrow(
        "seed: tokens[0].token: duplicate of current state: tokens[0].token",
      );
    }

    expect([emulator.keys.count(), emulator.workspaces.count()]).toEqual([1, 1]);
  });

  test("seed takes other records where a test has given a token to two workspaces", async () => {
    const emulator = await givenEmulator({ fixtures: [{ ...world, tokens: [{ token: "root" }] }] });
    const other = await emulator.workspaces.create({ id: "ws_two" });
    await other.tokens.create({ token: "root" });

    await emulator.seed({ workspace: { id: "ws_two" }, apis: [{ id: "api_two" }] });

    expect(other.apis.count()).toBe(1);
  });
});

describe("order of changes", () => {
  const generated: Fixture = { apis: [{ id: "api_two" }], generate: [{ count: 5 }] };
  const large: Fixture = { ...world, keys: [key, { apiId: "api_one" }] };

  test.each<[string, (emulator: Emulator) => Promise<unknown>[], count: number]>([
    ["a seed that generates, then a reset", (e) => [e.seed(generated), e.reset()], 1],
    ["a reset, then a seed that generates", (e) => [e.reset(), e.seed(generated)], 6],
    [
      "two reseeds, of which the first generates",
      (e) => [e.reseed([generated]), e.reseed([world])],
      1,
    ],
    ["a reseed that generates, then a reset", (e) => [e.reseed([generated]), e.reset()], 5],
    ["a restore, then a reset", (e) => [e.restore(large), e.reset()], 1],
    [
      "a seed that is refused, then a reset",
      (e) => [e.seed({ ...generated, keys: [{ apiId: "no" }] }).catch(() => {}), e.reset()],
      1,
    ],
    [
      "a restore that generates, then one of a snapshot",
      (e) => {
        const snapshot = e.snapshot();
        return [e.restore({ ...large, generate: [{ count: 5 }] }), e.restore(snapshot)];
      },
      1,
    ],
  ])(
    "changes of the whole state are made in the order of their calls: %s",
    async (_, change, count) => {
      const emulator = await givenEmulator({ fixtures: [world] });

      await Promise.all(change(emulator));

      expect(emulator.keys.count()).toBe(count);
    },
  );
});
