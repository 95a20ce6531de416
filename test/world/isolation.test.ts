import { describe, expect, test } from "vitest";
import { createEmulator, UsageError, type Emulator, type Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW } from "../_emulator.ts";

const key = { apiId: "api_one" };
const fixture: Fixture = {
  workspace: { id: "ws_test" },
  apis: [{ id: "api_one", storeEncryptedKeys: true }],
  keys: [{ ...key, name: "first", externalId: "ann", roles: ["admin"] }],
};
const listed: Fixture = { ...fixture, tokens: [{ token: "root", permissions: ["*"] }] };

const isolated = (more: Parameters<typeof givenEmulator>[0] = {}) =>
  givenEmulator({ fixtures: [fixture], isolate: true, ...more });
/** The statuses of a create with each of these tokens, one after another. */
async function statusesOf(emulator: Emulator, ...tokens: readonly (string | null)[]) {
  const statuses = [];
  for (const token of tokens) statuses.push((await createKey(emulator, key, { token })).status);
  return statuses;
}
const total = async (emulator: Emulator, token: string) =>
  (await listKeys(emulator, key, { token })).body.total;

test("with isolation, 50 concurrent tokens see only their own workspace and get equal answers", async () => {
  const emulator = await isolated();
  const tokens = Array.from({ length: 50 }, (_, index) => `client_${index}`);
  const live = async (token: string) => {
    const answers = [];
    for (const name of ["a", "b", "c"]) {
      const body = { ...key, name, externalId: name, roles: [name], recoverable: true };
      answers.push((await createKey(emulator, body, { token })).body);
      answers.push(await listKeys(emulator, { ...key, decrypt: true }, { token }));
    }
    return JSON.stringify(answers.map((answer) => answer.body ?? answer));
  };

  const lives = await Promise.all(tokens.map(live));

  expect(new Set(lives).size).toBe(1);
  expect(JSON.parse(lives[0] ?? "").at(-1).total).toBe(4);
  expect(emulator.keys.count()).toBe(1);
});

test("each isolated workspace has its own reset, faults, clock and journal", async () => {
  const emulator = await isolated();
  const [one, two] = [emulator.workspace("one"), emulator.workspace("two")];
  one.faults.add({ status: 500, times: 1 });
  one.clock.advance("1h");

  const statuses = await statusesOf(emulator, "one", "two", "one");
  await one.reset();

  expect(statuses).toEqual([500, 200, 200]);
  expect([await total(emulator, "one"), await total(emulator, "two")]).toEqual([1, 2]);
  expect([one.clock.now(), two.clock.now(), emulator.clock.now()]).toEqual([NOW, NOW, NOW]);
  expect([one.requests.count(), two.requests.count(), emulator.requests.count()]).toEqual([
    1, 2, 0,
  ]);
  expect(emulator.keys.count()).toBe(1);
});

test("emulator.workspace(token) is the workspace that requests with that token reach", async () => {
  const emulator = await isolated();
  const mine = emulator.workspace("mine");
  const { keys } = mine;

  await mine.keys.create({ ...key, name: "by hand" });
  await mine.seed({ keys: [{ ...key, name: "seeded" }] });
  const snapshot = mine.snapshot();
  mine.keys.clear();
  await mine.restore(snapshot);

  expect(await total(emulator, "mine")).toBe(3);
  expect(mine.keys).toBe(keys);
  expect(mine.randomSeed).toBe(emulator.randomSeed);
  expect(await total(emulator, "other")).toBe(1);
  const copy = await createEmulator({ fixtures: [snapshot] });
  expect(copy.keys.count()).toBe(3);
});

test("an isolated workspace starts from the fixtures, not from changes of the shared world", async () => {
  const emulator = await isolated({ fixtures: [listed] });
  await createKey(emulator, key, { token: "root" });
  await emulator.keys.update((q) => q.where({ name: "first" }), {
    data: (draft) => void (draft.name = "changed"),
  });

  const { body } = await listKeys(emulator, key, { token: "guest" });

  expect(body).toMatchObject({ total: 1, keys: [{ name: "first" }] });
});

describe("tokens", () => {
  test("with isolation, the tokens of a fixture share its workspace and keep their permissions", async () => {
    const reader = { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] };
    const fixtures = [{ ...fixture, tokens: [{ token: "root", permissions: ["*"] }, reader] }];
    const emulator = await isolated({ fixtures });

    await createKey(emulator, key, { token: "root" });

    expect(await total(emulator, "reader")).toBe(2);
    expect((await createKey(emulator, key, { token: "reader" })).status).toBe(403);
    expect((await createKey(emulator, key, { token: "guest" })).status).toBe(200);
    expect(emulator.workspace("root")).toBe(emulator);
  });

  test("with isolation, the tokens of the option tokens are the only ones that are accepted", async () => {
    const tokens = [{ token: "a" }, { token: "b", permissions: ["api.*.create_key"] }];
    const emulator = await isolated({ tokens });

    expect(await statusesOf(emulator, "a", "b", "c", null)).toEqual([200, 200, 401, 401]);
    expect((await listKeys(emulator, key, { token: "b" })).status).toBe(403);
    expect(await total(emulator, "a")).toBe(2);
    expect(() => emulator.workspace("c")).toThrow(/expected a token that this emulator accepts/);
  });

  test("snapshots of isolated workspaces do not show the tokens of a fixture", async () => {
    const emulator = await isolated({ fixtures: [listed] });

    expect(JSON.stringify(emulator.workspace("guest").snapshot())).not.toContain("root");
  });

  test("tokens that are added to an isolated workspace do not lock out the token it belongs to", async () => {
    const emulator = await isolated();
    const mine = emulator.workspace("mine");
    await mine.tokens.create({ token: "other", permissions: ["*"] });
    expect(await total(emulator, "mine")).toBe(1);

    await mine.tokens.create({ token: "mine", permissions: [] });
    expect((await createKey(emulator, key, { token: "mine" })).status).toBe(403);
  });

  test("with isolation, a missing or malformed token is refused with 401 and changes no workspace", async () => {
    const emulator = await isolated();

    expect((await createKey(emulator, key, { token: null })).status).toBe(401);
    const headers = { Authorization: "Basic abc" };
    expect((await createKey(emulator, key, { token: null, headers })).status).toBe(401);
    expect(emulator.keys.count()).toBe(1);
  });
});

describe("many isolated workspaces", () => {
  test("the least recently used of over 1,000 isolated workspaces is dropped, unless it is in use", async () => {
    const emulator = await isolated();
    const held = emulator.workspace("held");
    for (const token of ["held", "idle", "used", "slow"]) await createKey(emulator, key, { token });
    const slow = emulator.workspace("slow");
    slow.faults.add({ latency: 3_600_000, operation: "keys.createKey" });
    const answer = createKey(emulator, key, { token: "slow" });
    await slow.requests.waitFor({ match: ({ status }) => status === undefined });

    for (let client = 0; client < 1_000; client += 1) {
      if (client === 500) await listKeys(emulator, key, { token: "used" });
      await listKeys(emulator, key, { token: `client_${client}` });
    }

    const totals = [];
    for (const token of ["held", "used", "slow", "idle"]) totals.push(await total(emulator, token));
    expect(totals).toEqual([2, 2, 2, 1]);
    expect(held.keys.count()).toBe(2);
    await slow.reset();
    expect((await answer).status).toBe(500);
  });
});

test("reseed starts every isolated workspace over from the new fixtures", async () => {
  const emulator = await isolated();
  const held = emulator.workspace("held");
  const { keys } = held;
  await createKey(emulator, key, { token: "held" });
  await createKey(emulator, key, { token: "idle" });

  const again: Fixture = { ...fixture, keys: [key, key, key, key] };
  await emulator.reseed([again]);

  expect([await total(emulator, "held"), await total(emulator, "idle")]).toEqual([4, 4]);
  expect([held.keys, keys.count()]).toEqual([keys, 4]);
  await createKey(emulator, key, { token: "held" });
  await held.reset();
  expect(keys.count()).toBe(4);
});

test("a reseed that is refused leaves the shared and isolated workspaces as they were", async () => {
  const emulator = await isolated();
  await createKey(emulator, key, { token: "guest" });
  const stray = { ...fixture, faults: [{ status: 500 }], keys: [{ apiId: "api_none" }] };

  await expect(emulator.reseed([stray])).rejects.toThrow("keys[0].apiId");

  expect(emulator.keys.count()).toBe(1);
  expect(await total(emulator, "guest")).toBe(2);
  await emulator.reset({ all: true });
  expect(await total(emulator, "guest")).toBe(1);
  expect(await total(emulator, "new")).toBe(1);
});

test("with isolation, only the tokens listed at the start share the fixture's workspace", async () => {
  const reader = { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] };
  const emulator = await isolated({ fixtures: [{ ...fixture, tokens: [reader] }] });
  emulator.tokens.delete((q) => q.where({ token: "reader" }));
  await emulator.seed({ tokens: [{ token: "guest", permissions: [] }] });

  expect(await statusesOf(emulator, "reader", "guest")).toEqual([401, 200]);
});

test("faults of a fixture apply in each isolated workspace separately", async () => {
  const emulator = await isolated({
    fixtures: [{ ...fixture, faults: [{ operation: "keys.createKey", status: 503, times: 1 }] }],
  });

  expect(await statusesOf(emulator, "a", "a", "b")).toEqual([503, 200, 503]);
});

test("without isolation, emulator.workspace throws", async () => {
  const emulator = await givenEmulator();

  expect(() => emulator.workspace("any")).toThrow(UsageError);
  expect(() => emulator.workspace("any")).toThrow(/expected the option isolate/);
});

test("emulator.workspace refuses a token that no header can carry", async () => {
  const emulator = await isolated();

  expect(() => emulator.workspace("two words")).toThrow(/^workspace: expected a token/);
});
