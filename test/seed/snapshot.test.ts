import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UsageError, type Emulator, type Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW } from "../_emulator.ts";
import { anyFixture } from "../_fixtures.ts";
import { createKeyV2, listKeysV2 } from "../_v2.ts";

const calls = { name: "calls", limit: 4, duration: 5_000, autoApply: true };

/** The answers of an emulator to a fixed sequence of requests, with their request ids. */
async function answersOf(emulator: Emulator): Promise<string> {
  const answers = [];
  for (const apiId of ["api_a", "api_b", "api_none"]) {
    for (const token of ["all", "reader", "gone", "other"]) {
      answers.push(await listKeys(emulator, { apiId, decrypt: "true", limit: "2" }, { token }));
      answers.push(await listKeys(emulator, { apiId, externalId: "user_1" }, { token }));
      answers.push(await listKeys(emulator, { apiId, ownerId: "user_2" }, { token }));
      const body = { apiId, externalId: "user_9", roles: ["admin", "new"], permissions: ["new"] };
      answers.push(await createKey(emulator, body, { token }));
      answers.push(await listKeys(emulator, { apiId }, { token }));
      const uses = { credits: { remaining: 3 }, ratelimits: [calls], expires: 0 };
      answers.push(await createKeyV2(emulator, { apiId, ...uses }, { token }));
      answers.push(await listKeysV2(emulator, { apiId, decrypt: true }, { token }));
    }
  }
  answers.push(await listKeys(emulator, { apiId: "api_a" }, { token: null }));
  return JSON.stringify(
    answers.map(({ status, headers, body }) => [status, headers.get("unkey-request-id"), body]),
  );
}

const asJson = (fixture: Fixture): Fixture => JSON.parse(JSON.stringify(fixture)) as Fixture;

describe("start from a snapshot", () => {
  test("an emulator that starts from a snapshot answers every request like the original", async () => {
    await fc.assert(
      fc.asyncProperty(anyFixture, async (fixture) => {
        const emulator = await givenEmulator({ fixtures: [fixture] });
        for (const apiId of ["api_a", "api_b"]) {
          await createKey(emulator, {
            apiId,
            name: "more",
            ratelimit: { limit: 4, duration: 5_000 },
          });
          const daily = { remaining: 5, refill: { interval: "daily", amount: 9 } };
          const limits = { credits: daily, ratelimits: [calls, { ...calls, name: "default" }] };
          await createKeyV2(emulator, { apiId, externalId: "user_1", ...limits });
        }
        await emulator.keys.update((q) => q.where({ name: "more" }), {
          data: (key) => void (key.enabled = false),
        });

        const snapshot = asJson(emulator.snapshot());
        const copy = await givenEmulator({ fixtures: [snapshot], randomSeed: undefined });

        expect(asJson(copy.snapshot())).toEqual(snapshot);
        expect(await answersOf(copy)).toBe(await answersOf(emulator));
      }),
      { numRuns: 15 },
    );
  });

  test("a snapshot keeps keys whose roles, permissions, identities or APIs were deleted", async () => {
    const emulator = await givenEmulator({
      fixtures: [
        {
          apis: [{ id: "api_a", storeEncryptedKeys: true }, { id: "api_b" }, { id: "api_gone" }],
          keys: [
            { apiId: "api_a", roles: ["role_gone", "admin"], permissions: ["gone", "kept"] },
            { apiId: "api_a", externalId: "user_gone" },
            { apiId: "api_a", externalId: "user_1", recoverable: true },
            { apiId: "api_b", externalId: "user_1" },
            { apiId: "api_gone" },
          ],
        },
      ],
    });
    emulator.roles.delete((q) => q.where({ name: "role_gone" }));
    emulator.permissions.delete((q) => q.where({ name: "gone" }));
    emulator.identities.delete((q) => q.where({ externalId: "user_gone" }));
    emulator.apis.delete((q) => q.where({ id: "api_gone" }));
    const change = (id: string, members: object) =>
      emulator.apis.update({ id }, { data: (api) => void Object.assign(api, members) });
    await change("api_a", { storeEncryptedKeys: false });
    await change("api_b", { keyspace: false });

    const copy = await givenEmulator({ fixtures: [asJson(emulator.snapshot())] });

    expect(await answersOf(copy)).toBe(await answersOf(emulator));
    expect(copy.keys.count({ apiId: "api_b" })).toBe(1);
  });

  test("a snapshot keeps disabled workspaces, and rate limits with windows of under a second", async () => {
    const off: Fixture = {
      workspace: { id: "ws_off", name: "Off", enabled: false },
      tokens: [{ token: "all", permissions: ["*"] }],
      apis: [{ id: "api_a" }],
      keys: [{ apiId: "api_a", ratelimit: { limit: 5, refillInterval: 250 } }],
    };
    const on: Fixture = {
      workspace: { id: "ws_on", enabled: true },
      tokens: [{ token: "reader", permissions: ["*"] }],
      apis: [{ id: "api_a" }],
    };
    const emulator = await givenEmulator({ fixtures: [off, on] });
    const given = emulator.snapshot();
    const snapshot = asJson(given);

    const copy = await givenEmulator({ fixtures: [snapshot] });
    const isEnabled = ({ workspaces }: Emulator) => workspaces.all().map(({ enabled }) => enabled);

    expect(snapshot.workspace).toEqual({ id: "ws_off", name: "Off", enabled: false });
    expect(snapshot.workspaces?.[0]?.workspace).toEqual({ id: "ws_on" });
    expect(asJson(copy.snapshot())).toEqual(snapshot);
    expect(await answersOf(copy)).toBe(await answersOf(emulator));
    expect(isEnabled(copy)).toEqual([false, true]);
    expect(copy.keys.all()[0]?.ratelimits).toEqual([
      { name: "default", limit: 5, duration: 250, autoApply: true, async: true },
    ]);
    for (const each of [given, snapshot]) {
      await emulator.reseed([on]);
      expect(isEnabled(emulator)).toEqual([true]);
      await emulator.restore(each);
      expect(isEnabled(emulator)).toEqual([false, true]);
    }
  });

  test("a snapshot has every workspace, each with its own sequence of ids", async () => {
    const fixtureOf = (name: string): Fixture => ({
      workspace: { id: `ws_${name}` },
      tokens: [{ token: name, permissions: ["*"] }],
      apis: [{ id: "api_a" }],
      keys: [{ apiId: "api_a", name }],
    });
    const emulator = await givenEmulator({ fixtures: [fixtureOf("all"), fixtureOf("reader")] });
    await createKey(emulator, { apiId: "api_a" }, { token: "reader" });

    const snapshot = asJson(emulator.snapshot());
    const copy = await givenEmulator({ fixtures: [snapshot] });

    expect(snapshot.workspaces).toHaveLength(1);
    expect(await answersOf(copy)).toBe(await answersOf(emulator));
  });

  test("a snapshot may have key values and tokens that several records share", async () => {
    const emulator = await givenEmulator({
      fixtures: [
        { workspace: { id: "ws_one" }, apis: [{ id: "api_a", storeEncryptedKeys: true }] },
      ],
    });
    const members = { apiId: "api_a", recoverable: true };
    const { key } = (await createKey(emulator, members)).body;
    await emulator.reset();
    // After a reset, the same value is generated again.
    await emulator.keys.create({ ...members, key });
    await createKey(emulator, members);
    expect(emulator.keys.count({ plaintext: key })).toBe(2);
    const two = await emulator.workspaces.create({ id: "ws_two" });
    await emulator.tokens.create({ token: "all", permissions: ["*"] });
    await two.tokens.create({ token: "all", permissions: ["*"] });
    await emulator.workspaces.create({ id: "ws_three" });

    const copy = await givenEmulator({ fixtures: [asJson(emulator.snapshot())] });

    expect(await answersOf(copy)).toBe(await answersOf(emulator));
  });

  test("the option generate adds only the keys that a snapshot does not have yet", async () => {
    const emulator = await givenEmulator({ generate: { apiId: "api_one", count: 20 } });
    const fixtures = [asJson(emulator.snapshot())];

    const more = await givenEmulator({ fixtures, generate: { apiId: "api_one", count: 30 } });
    await emulator.reseed(fixtures);

    expect(more.keys.count()).toBe(30);
    expect(emulator.keys.count()).toBe(20);
  });

  test("an emulator takes the random seed of its snapshot, unless it is given one", async () => {
    const snapshot = (await givenEmulator({ randomSeed: 7 })).snapshot();

    expect((await givenEmulator({ fixtures: [snapshot], randomSeed: undefined })).randomSeed).toBe(
      7,
    );
    expect((await givenEmulator({ fixtures: [snapshot], randomSeed: 8 })).randomSeed).toBe(8);
  });

  test("a snapshot may list further records, as any fixture does", async () => {
    const snapshot = asJson((await givenEmulator()).snapshot());
    const more = { ...snapshot, keys: [{ apiId: "api_one", name: "by hand", roles: ["new"] }] };

    const emulator = await givenEmulator({ fixtures: [more] });

    const { body } = await listKeys(emulator, { apiId: "api_one" });
    expect(body.keys).toMatchObject([{ name: "by hand", roles: ["new"] }]);
  });
});

describe("content", () => {
  test("a snapshot has the same content when it is written as text in pieces", async () => {
    await fc.assert(
      fc.asyncProperty(anyFixture, async (fixture) => {
        const emulator = await givenEmulator({ fixtures: [fixture] });

        const text = [...emulator.snapshotText({ $schema: "x" })].join("");

        expect(JSON.parse(text)).toEqual({ $schema: "x", ...asJson(emulator.snapshot()) });
      }),
      { numRuns: 15 },
    );
  });

  test("a snapshot is frozen, and holds the key values of recoverable keys only", async () => {
    const emulator = await givenEmulator();
    const { body } = await createKey(emulator, { apiId: "api_one" });
    const kept = await createKey(emulator, { apiId: "api_vault", recoverable: true });

    const snapshot = emulator.snapshot();
    const text = JSON.stringify(snapshot);

    expect(text).not.toContain(body.key);
    expect(text).toContain(kept.body.key);
    expect(() => Object.assign(snapshot.keys?.[0] as object, { name: "x" })).toThrow(TypeError);
    expect(() => (snapshot.keys as unknown[]).push({})).toThrow(TypeError);
    expect(() => Object.assign(snapshot.snapshot?.ids.key as object, { made: 9 })).toThrow(
      TypeError,
    );
  });

  test("a snapshot of a workspace that was deleted cannot be taken", async () => {
    const emulator = await givenEmulator();
    emulator.workspaces.clear();

    expect(() => emulator.snapshot()).toThrow(UsageError);
    await emulator.reset();
    expect(emulator.snapshot().apis).toHaveLength(2);
  });
});

test("the requests to all workspaces, and those without a token, share one sequence of ids", async () => {
  const fixture: Fixture = {
    apis: [{ id: "api_a" }],
    tokens: [{ token: "first", permissions: ["*"] }],
    workspaces: [
      { workspace: { id: "ws_other" }, tokens: [{ token: "other", permissions: ["*"] }] },
    ],
  };
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const idOf = async (token: string | undefined, to = emulator) => {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const { headers: got } = await to.fetch("https://latchkey.test/v1/apis.listKeys", { headers });
    return got.get("unkey-request-id") ?? "";
  };

  const ids = [await idOf("first"), await idOf("other"), await idOf(undefined), await idOf("none")];

  expect(new Set(ids).size).toBe(4);
  expect(ids).toEqual(ids.toSorted());
  const snapshot = emulator.snapshot();
  expect(snapshot.snapshot?.ids.req).toEqual({ made: 4, last: ids.at(-1) });
  expect(snapshot.workspaces?.[0]?.snapshot?.ids).toEqual({});
  const copy = await givenEmulator({ fixtures: [snapshot] });
  expect(await idOf("other", copy)).toBe(await idOf("first"));
});

describe("restore", () => {
  test.each([
    ["a snapshot", (fixture: Fixture) => fixture],
    ["the JSON of a snapshot", asJson],
  ])("restore brings back the state from %s", async (_, through) => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one", externalId: "user_1", roles: ["r"] });
    const snapshot = through(emulator.snapshot());
    const { keys } = emulator;
    const before = await answersOf(emulator);

    for (let round = 0; round < 2; round += 1) {
      await emulator.restore(snapshot);
      expect(await answersOf(emulator)).toBe(before);
    }
    expect(emulator.keys).toBe(keys);
  });

  test("restore does not change what reset brings back", async () => {
    const emulator = await givenEmulator();
    const snapshot = emulator.snapshot();
    await emulator.restore({ apis: [{ id: "api_other" }] });
    expect(emulator.apis.all().map(({ id }) => id)).toEqual(["api_other"]);

    await emulator.reset();

    expect(emulator.snapshot()).toEqual(snapshot);
  });

  test("restore refuses a wrong snapshot with the path to the problem, and changes nothing", async () => {
    const emulator = await givenEmulator();
    const snapshot = asJson(emulator.snapshot());
    const keys = [{ id: "key_1", apiId: "api_none", start: "abc", createdAt: 1 }];

    const restored = emulator.restore({ ...snapshot, keys });

    await expect(restored).rejects.toThrow(
      'snapshot: keys[0].apiId: expected the id of an API of this workspace, like "api_one", got "api_none"',
    );
    expect(emulator.snapshot()).toEqual(snapshot);
  });
});

test.each([
  ["restore", Promise.resolve({}), "snapshot: expected an object, got a promise"],
  ["reseed", Promise.resolve([]), "reseed: expected an array of fixtures, got an object"],
  ["reseed", [Promise.resolve({})], "fixtures[0]: expected an object, got a promise"],
  ["reseed", undefined, "reseed: expected an array of fixtures, got nothing"],
] as const)("%s refuses %s and changes nothing", async (method, given, message) => {
  const emulator = await givenEmulator();
  const before = emulator.snapshot();

  const done = emulator[method](given as never);

  await expect(done).rejects.toThrow(UsageError);
  await expect(done).rejects.toThrow(message);
  expect(emulator.snapshot()).toEqual(before);
});

describe("reseed", () => {
  test("reseed starts over from new fixtures, and later resets restore these", async () => {
    const emulator = await givenEmulator();
    const fixtures = [{ apis: [{ id: "api_new" }], keys: [{ apiId: "api_new" }] }];

    await emulator.reseed(fixtures);
    await createKey(emulator, { apiId: "api_new" });
    await emulator.reset();

    expect(emulator.snapshot()).toEqual((await givenEmulator({ fixtures })).snapshot());
  });

  test("reseed creates its records at the time of the clock that starts over", async () => {
    const emulator = await givenEmulator();
    const start = emulator.clock.now();
    emulator.clock.advance("365d");

    await emulator.reseed([{ apis: [{ id: "api_new" }], keys: [{ apiId: "api_new" }] }]);

    expect(emulator.clock.now()).toBe(start);
    expect(emulator.keys.all().map(({ createdAt }) => createdAt)).toEqual([start]);
  });

  test("reseed still applies the options tokens and generate", async () => {
    const options = { tokens: [{ token: "only" }], generate: 4 };
    const emulator = await givenEmulator(options);

    await emulator.reseed([{ apis: [{ id: "api_new" }], tokens: [{ token: "listed" }] }]);

    const { body } = await listKeys(emulator, { apiId: "api_new" }, { token: "only" });
    expect(body.total).toBe(4);
    const refused = await listKeys(emulator, { apiId: "api_new" }, { token: "listed" });
    expect(refused.status).toBe(401);
  });
});

describe("wrong types", () => {
  type Step = string | number;

  /** The paths of a value and of all values within it. */
  function placesIn(value: unknown, path: readonly Step[] = []): (readonly Step[])[] {
    if (typeof value !== "object" || value === null) return [path];
    const steps: Step[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    return [path, ...steps.flatMap((step) => placesIn(at(value, step), [...path, step]))];
  }

  const at = (value: unknown, step: Step): unknown => (value as Record<Step, unknown>)[step];

  function replace(value: unknown, [step, ...rest]: readonly Step[], by: unknown): unknown {
    if (step === undefined) return by;
    const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as object;
    const next = replace(at(value, step), rest, by);
    return Object.defineProperty(copy, step, { value: next, enumerable: true, writable: true });
  }

  const nameOf = (path: readonly Step[]) =>
    path
      .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
      .join("")
      .slice(1);

  test.each([
    ["in a fixture", async (fixture: Fixture) => fixture],
    [
      "in a snapshot",
      async (fixture: Fixture) =>
        asJson((await givenEmulator({ fixtures: [fixture], now: NOW })).snapshot()),
    ],
  ])("a value of a wrong type %s is refused with its path, at any place", async (_, through) => {
    await fc.assert(
      fc.asyncProperty(anyFixture, fc.nat(), async (given, chance) => {
        const fixture = await through(given);
        // `meta` may hold any members, and the fixture as a whole has no path.
        const places = placesIn(fixture).filter(
          (path) => path.length > 0 && !path.slice(0, -1).includes("meta"),
        );
        const path = places[chance % places.length] ?? [];

        const broken = replace(fixture, path, Symbol("broken")) as Fixture;
        const made = givenEmulator({ fixtures: [broken] });

        await expect(made).rejects.toThrow(UsageError);
        await expect(made).rejects.toThrow(`fixtures[0]: ${nameOf(path)}: expected`);
      }),
      { numRuns: 60 },
    );
  });
});
