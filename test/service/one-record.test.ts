import { describe, expect, test } from "vitest";
import { UsageError, type Emulator, type Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listAll, NOW } from "../_emulator.ts";
import { problemsOf } from "../_fixture-problems.ts";
import { createKeyV2, listAllV2 } from "../_v2.ts";

const api = { apiId: "api_one" };
const apis = [{ id: "api_one", storeEncryptedKeys: true }];
const calls = { name: "calls", limit: 10, duration: 60_000, autoApply: true };

// oxlint-disable-next-line typescript/no-explicit-any
type Anything = any;
const shownByV1 = (emulator: Emulator): Promise<Anything[]> => listAll(emulator, api);
const shownByV2 = (emulator: Emulator): Promise<Anything[]> => listAllV2(emulator, api);
const asJson = (fixture: Fixture): Fixture => JSON.parse(JSON.stringify(fixture)) as Fixture;
const copyOf = (emulator: Emulator) =>
  givenEmulator({ fixtures: [asJson(emulator.snapshot())], randomSeed: undefined });
/** A copy without the ids of rate limits and identities. */
const withoutIds = (record: object) =>
  JSON.parse(JSON.stringify(record), (name, value) => (name === "id" ? undefined : value));
/** The ids of all rate limits that v2 shows, of keys and identities, by name. */
const limitIds = async (emulator: Emulator) => {
  const keys = await shownByV2(emulator);
  return keys
    .flatMap(({ identity, ratelimits = [] }) => [...ratelimits, ...(identity?.ratelimits ?? [])])
    .map(({ id, name }) => [name, id]);
};

describe("a key that is created through v1", () => {
  test.each([
    [{}, {}],
    [{ remaining: 5 }, { credits: { remaining: 5 } }],
    [
      { remaining: 5, refill: { interval: "daily", amount: 3 } },
      { credits: { refill: { amount: 3, interval: "daily" }, remaining: 5 } },
    ],
    [
      { remaining: 5, refill: { interval: "monthly", amount: 3 } },
      { credits: { refill: { amount: 3, interval: "monthly", refillDay: 1 }, remaining: 5 } },
    ],
    [
      { ratelimit: { limit: 2, duration: 1_000, async: false } },
      { ratelimits: [{ autoApply: true, duration: 1_000, limit: 2, name: "default" }] },
    ],
    [
      { ratelimit: { limit: 2, refillRate: 9, refillInterval: 1 } },
      { ratelimits: [{ autoApply: true, duration: 1, limit: 2, name: "default" }] },
    ],
    [
      { ratelimit: { limit: 2, duration: 1_000, refillInterval: 1 } },
      { ratelimits: [{ autoApply: true, duration: 1_000, limit: 2, name: "default" }] },
    ],
    [{ name: "", prefix: "", meta: {}, expires: 0, ownerId: "" }, {}],
    [{ ownerId: "any | text" }, { identity: { externalId: "any | text" } }],
    [{ environment: "live", roles: ["made"] }, { roles: ["made"] }],
  ])("is shown by v2: row %#", async (members, shown) => {
    const emulator = await givenEmulator();

    const { body } = await createKey(emulator, { ...api, ...members });

    const [key] = await shownByV2(emulator);
    const start = body.key.slice(0, 5);
    expect(withoutIds(key)).toEqual({
      createdAt: NOW,
      enabled: true,
      keyId: body.keyId,
      start,
      ...shown,
    });
  });
});

describe("a key that is created through v2", () => {
  const hidden = { name: "bytes", limit: 1, duration: 1_000, autoApply: false };
  test.each([
    [{}, {}],
    [{ credits: { remaining: 0 } }, { remaining: 0 }],
    [{ credits: { remaining: null } }, {}],
    [
      { credits: { remaining: 1, refill: { interval: "daily", amount: 3, refillDay: 9 } } },
      { remaining: 1, refill: { interval: "daily", amount: 3 } },
    ],
    [
      { credits: { remaining: 1, refill: { interval: "monthly", amount: 3, refillDay: 31 } } },
      { remaining: 1, refill: { interval: "monthly", amount: 3, refillDay: 31 } },
    ],
    [{ ratelimits: [calls, hidden] }, {}],
    [
      { ratelimits: [calls, { ...calls, name: "default" }, hidden] },
      { ratelimit: { async: true, limit: 10, duration: 60_000 } },
    ],
    [{ expires: 0 }, {}],
    [{ expires: 5 }, { expires: 5 }],
  ])("is shown by v1: row %#", async (members, shown) => {
    const emulator = await givenEmulator();

    const { body } = await createKeyV2(emulator, { ...api, prefix: "pay", ...members });

    const { keyId, key } = body.data;
    expect(await shownByV1(emulator)).toEqual([
      {
        ...api,
        id: keyId,
        workspaceId: "ws_test",
        start: key.slice(0, 8),
        createdAt: NOW,
        enabled: true,
        permissions: [],
        roles: [],
        ...shown,
      },
    ]);
  });

  test("has its place among the keys of v1, in the order of creation", async () => {
    const emulator = await givenEmulator();
    const ids: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      ids.push((await createKey(emulator, api)).body.keyId);
      ids.push((await createKeyV2(emulator, api)).body.data.keyId);
    }

    expect((await shownByV1(emulator)).map(({ id }) => id)).toEqual(ids);
    expect((await shownByV2(emulator)).map(({ keyId }) => keyId)).toEqual(ids);
  });
});

describe("the rate limits of keys and identities", () => {
  const world: Fixture = {
    workspace: { id: "ws_test" },
    apis,
    identities: [{ externalId: "user_1", ratelimits: [{ ...calls, limit: 1 }] }],
    keys: [
      {
        ...api,
        name: "first",
        externalId: "user_1",
        ratelimits: [calls, { ...calls, name: "bytes" }],
      },
      { ...api, name: "second", ratelimits: [calls] },
      { ...api, name: "third", ratelimit: { limit: 1, duration: 1_000 } },
    ],
  };

  test("each have an id, which is shown by v2 only", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    const ids = await limitIds(emulator);

    expect(ids.map(([name]) => name)).toEqual(["calls", "bytes", "calls", "calls", "default"]);
    expect(new Set(ids.map(([, id]) => id)).size).toBe(5);
    for (const [, id] of ids) expect(id).toMatch(/^rl_[1-9A-HJ-NP-Za-km-z]{16}$/);
    expect(JSON.stringify(await shownByV1(emulator))).not.toMatch(/rl_|calls/);
  });

  test("keep their ids in a snapshot, and when it is restored", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    await createKeyV2(emulator, { ...api, ratelimits: [calls] });
    const ids = await limitIds(emulator);
    const snapshot = emulator.snapshot();

    const copy = await copyOf(emulator);
    await emulator.reset();
    await emulator.restore(snapshot);

    expect(await limitIds(copy)).toEqual(ids);
    expect(await limitIds(emulator)).toEqual(ids);
  });

  test("keep the id of their name when a limit changes and others come and go", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    const before = new Map((await limitIds(emulator)) as [string, string][]);

    await emulator.keys.update((query) => query.where({ name: "first" }), {
      data: (key) => {
        key.ratelimits = [
          { ...calls, name: "third" },
          { ...calls, name: "bytes", limit: 99, duration: 5, autoApply: false },
        ];
      },
    });

    const [changed] = await shownByV2(emulator);
    expect(changed.ratelimits).toMatchObject([
      { name: "third" },
      { name: "bytes", limit: 99, duration: 5, autoApply: false, id: before.get("bytes") },
    ]);
  });

  test("of an identity are shown with each of its keys, and not as limits of the key", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    await createKeyV2(emulator, { ...api, externalId: "user_1" });

    const keys = await shownByV2(emulator);

    const [, , , last] = keys;
    expect(last.identity).toEqual(keys[0].identity);
    expect(last.identity.ratelimits).toMatchObject([{ name: "calls", limit: 1 }]);
    expect("ratelimits" in last).toBe(false);
  });

  test("with one name count once: of two in one call, the last one", async () => {
    const emulator = await givenEmulator();

    await createKeyV2(emulator, { ...api, ratelimits: [calls, { ...calls, limit: 99 }] });

    const [{ ratelimits }] = (await shownByV2(emulator)) as [Anything];
    expect(ratelimits).toMatchObject([{ name: "calls", limit: 99 }]);
  });
});

describe("a fixture", () => {
  const withKey = (members: object) => ({ apis, keys: [{ ...api, ...members }] });

  test("takes uses and rate limits in the spelling of either version", async () => {
    const refill = { interval: "daily" as const, amount: 2 };
    const fixture: Fixture = {
      apis,
      keys: [
        { ...api, credits: { remaining: 3, refill }, ratelimits: [calls] },
        { ...api, remaining: 3, refill, ratelimit: { limit: 1, duration: 1_000 } },
        {
          ...api,
          credits: { remaining: null },
          ratelimit: { limit: 1, duration: 1_000 },
          ratelimits: [calls],
        },
        { ...api, remaining: 0, ratelimits: [{ ...calls, name: "default" }] },
      ],
    };
    const emulator = await givenEmulator({ fixtures: [fixture] });

    const shown = await shownByV2(emulator);

    const credits = { refill: { amount: 2, interval: "daily" }, remaining: 3 };
    expect(shown.map((key) => key.credits)).toEqual([
      credits,
      credits,
      undefined,
      { remaining: 0 },
    ]);
    expect(shown.map((key) => key.ratelimits.map(({ name }: Anything) => name))).toEqual([
      ["calls"],
      ["default"],
      ["default", "calls"],
      ["default"],
    ]);
  });

  test.each<[members: object, problem: string]>([
    [
      { credits: { remaining: 1 }, remaining: 1 },
      "keys[0].remaining: use either `remaining` and `refill` (v1) or `credits` (v2), not both",
    ],
    [
      { credits: { remaining: 1 }, refill: { interval: "daily", amount: 1 } },
      "keys[0].refill: use either `remaining` and `refill` (v1) or `credits` (v2), not both",
    ],
    [
      {
        ratelimit: { limit: 1, duration: 1_000 },
        ratelimits: [calls, { ...calls, name: "default" }],
      },
      "keys[0].ratelimits[1].name: expected another name than default",
    ],
    [
      { ratelimits: [calls, { ...calls, name: "other" }, calls] },
      "keys[0].ratelimits[2].name: expected a name that no other of these rate limits has",
    ],
    [{ credits: {} }, "keys[0].credits.remaining: expected an integer of at least 0"],
    [
      { credits: { remaining: -1 } },
      "keys[0].credits.remaining: expected an integer of at least 0",
    ],
    [
      { credits: { remaining: 1, remainig: 2 } },
      'keys[0].credits.remainig: unknown member, did you mean "remaining"?',
    ],
    [
      { credits: { remaining: null, refill: { interval: "daily", amount: 1 } } },
      "expected a number of uses",
    ],
    [{ ratelimits: [{ ...calls, name: "ab" }] }, "keys[0].ratelimits[0].name: expected a string"],
    [
      { ratelimits: [{ name: "abc", limit: 1, duration: 1 }] },
      "keys[0].ratelimits[0].autoApply: expected true or false",
    ],
    [{ ratelimits: calls }, "keys[0].ratelimits: expected an array of rate limits"],
  ])("with such a key is refused: row %#", async (members, problem) => {
    const problems = await problemsOf(withKey(members));

    expect(problems).toEqual([expect.stringContaining(problem)]);
    const emulator = await givenEmulator({ fixtures: [{ apis }] });
    await expect(emulator.keys.create({ ...api, ...members })).rejects.toThrow(UsageError);
    expect(emulator.keys.count()).toBe(0);
  });

  test("with an identity that has two rate limits of one name is refused", async () => {
    const identities = [{ externalId: "user_1", ratelimits: [calls, { ...calls, limit: 5 }] }];

    expect(await problemsOf({ apis, identities })).toHaveLength(1);
  });
});

describe("a snapshot", () => {
  test("keeps that an expiry of 0 has passed, which in v1 and in a fixture means none", async () => {
    const emulator = await givenEmulator({ fixtures: [{ apis, keys: [{ ...api, expires: 0 }] }] });
    await createKey(emulator, { ...api, expires: 0 });
    await createKeyV2(emulator, { ...api, expires: 0 });

    const copy = await copyOf(emulator);

    const expiries = (each: Emulator) => each.keys.all().map(({ expires }) => expires);
    expect(expiries(emulator)).toEqual([undefined, undefined, 0]);
    expect(expiries(copy)).toEqual([undefined, undefined, 0]);
  });
});
