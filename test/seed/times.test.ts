import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createEmulator, UsageError, type Fixture } from "../../src/index.ts";
import { loadFixture } from "../../src/node.ts";
import { givenFolder } from "../cli/_folder.ts";
import { createKey, givenEmulator, NOW } from "../_emulator.ts";
import { problemsOf } from "../_fixture-problems.ts";

const DAY = 86_400_000;
const apis = [{ id: "api_one" }];

/** A fixture with a key that expires at this time. */
const expiring = (expires: unknown) =>
  ({ apis, keys: [{ apiId: "api_one", id: "key_1", expires }] }) as Fixture;

test.each([
  [NOW + 5, NOW + 5],
  [0, undefined],
  ["2026-03-01T00:00:00Z", Date.UTC(2026, 2, 1)],
  ["2026-03-01", Date.UTC(2026, 2, 1)],
  ["2026-03-01 02:00:00+02:00", Date.UTC(2026, 2, 1)],
  [new Date(NOW + 7), NOW + 7],
  ["in 30d", NOW + 30 * DAY],
  ["in 30 days", NOW + 30 * DAY],
  ["in 5m", NOW + 300_000],
  ["90d ago", NOW - 90 * DAY],
  ["1.5h ago", NOW - 5_400_000],
  ["today", NOW],
])("a key of a fixture that expires %j expires at %j", async (expires, time) => {
  const emulator = await givenEmulator({ fixtures: [expiring(expires)] });

  expect(emulator.keys.get("key_1")?.expires).toBe(time);
});

test("a time of a key with free-form data counts from now too", async () => {
  const key = { apiId: "api_one", id: "key_1", expires: "in 30d", meta: { plan: "pro" } };
  const emulator = await givenEmulator({ fixtures: [{ apis, keys: [key] }] });

  expect(emulator.keys.get("key_1")?.expires).toBe(NOW + 30 * DAY);
});

const GENERAL = 'expected a time in unix milliseconds, or as "2026-03-01T00:00:00Z" or "in 30d"';

test.each([
  ["+30d", 'expected "in 30d", got "+30d"'],
  ["now+30d", 'expected "in 30d", got "now+30d"'],
  ["30 days from now", 'expected "in 30 days", got "30 days from now"'],
  ["-90d", 'expected "90d ago", got "-90d"'],
  ["3d", 'expected "in 3d" or "3d ago", got "3d"'],
  ["in 30", `${GENERAL}, got "in 30"`],
  ["in 3 fortnights", `${GENERAL}, got "in 3 fortnights"`],
  ["in 3d ago", `${GENERAL}, got "in 3d ago"`],
  ["1767225600", `${GENERAL}, got "1767225600"`],
  ["100y ago", `${GENERAL}, got "100y ago"`],
  ["in 999999y", `${GENERAL}, got "in 999999y"`],
  ["tomorrow", `${GENERAL}, got "tomorrow"`],
  [-1, `${GENERAL}, got -1`],
  [1.5, `${GENERAL}, got 1.5`],
  [new Date("x"), `${GENERAL}, got an object`],
  [true, `${GENERAL}, got true`],
])("the time %j in a fixture is refused with the right spelling", async (expires, problem) => {
  expect(await problemsOf(expiring(expires))).toEqual([`fixtures[0]: keys[0].expires: ${problem}`]);
});

test("every time of a fixture may count from now, and every duration may be text", async () => {
  const limit = { name: "whole", limit: 5, autoApply: true };
  const times = { createdAt: "90d ago", updatedAt: "2d ago", lastUsedAt: "1m ago" };
  const fixture: Fixture = {
    apis,
    tokens: [{ token: "admin_token", permissions: ["*"], expires: "in 1h" }],
    identities: [{ externalId: "user_1", ratelimits: [{ ...limit, duration: "1h" }] }],
    keys: [
      {
        ...times,
        apiId: "api_one",
        id: "key_1",
        remaining: 5,
        refill: { interval: "daily", amount: 5, lastRefillAt: "today" },
        ratelimit: { limit: 5, duration: "1m" },
      },
      {
        apiId: "api_one",
        id: "key_2",
        credits: { remaining: 5, refill: { interval: "daily", amount: 5, lastRefillAt: "1d ago" } },
        ratelimits: [{ ...limit, duration: "2 hours" }],
      },
      { apiId: "api_one", id: "key_3", ratelimit: { limit: 5, refillInterval: "10s" } },
    ],
  };
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const { keys } = emulator;

  expect(emulator.tokens.get("admin_token")?.expires).toBe(NOW + 3_600_000);
  expect(emulator.identities.named("user_1")?.ratelimits[0]?.duration).toBe(3_600_000);
  expect(keys.get("key_1")).toMatchObject({
    createdAt: NOW - 90 * DAY,
    updatedAt: NOW - 2 * DAY,
    lastUsedAt: NOW - 60_000,
    refill: { lastRefillAt: NOW },
    ratelimits: [{ duration: 60_000 }],
  });
  expect(keys.get("key_2")?.refill?.lastRefillAt).toBe(NOW - DAY);
  expect(keys.get("key_2")?.ratelimits[0]?.duration).toBe(7_200_000);
  expect(keys.get("key_3")?.ratelimits[0]?.duration).toBe(10_000);
  expect(JSON.stringify(emulator.snapshot())).not.toMatch(/ago|in 1h|hours|"1m"/);
});

test.each([
  [{ limit: 1, duration: "1 fortnight" }, "ratelimit.duration", 1000, "1 fortnight"],
  [{ limit: 1, duration: "0.5s" }, "ratelimit.duration", 1000, "0.5s"],
  [{ limit: 1, refillInterval: "-1m" }, "ratelimit.refillInterval", 1, "-1m"],
])("the rate limit %j is refused", async (ratelimit, path, min, value) => {
  const fixture = { apis, keys: [{ apiId: "api_one", ratelimit }] };

  expect(await problemsOf(fixture)).toEqual([
    `fixtures[0]: keys[0].${path}: expected a duration in milliseconds, at least ${min}, or text like "1m", got "${value}"`,
  ]);
});

test("meta is stored as it is, and may have no Date", async () => {
  const fixture = (meta: unknown) => ({ apis, keys: [{ apiId: "api_one", id: "key_1", meta }] });
  const emulator = await givenEmulator({ fixtures: [fixture({ due: "in 30d" }) as Fixture] });

  expect(emulator.keys.get("key_1")?.meta).toEqual({ due: "in 30d" });
  expect(await problemsOf(fixture({ due: new Date(NOW) }))).toEqual([
    "fixtures[0]: keys[0].meta.due: expected values that JSON can hold, got an object",
  ]);
});

test.each([
  ["a date", "2026-03-01"],
  ["a date and a time", "2026-03-01T00:00:00Z"],
  ["a tagged timestamp", "!!timestamp 2026-03-01"],
  ["quoted text", '"2026-03-01"'],
])("a YAML fixture may have %s", async (_, text) => {
  const yaml = `x-plans: { trial: &trial { expires: ${text} } }
apis: [{ id: api_one }]
keys: [{ apiId: api_one, <<: *trial }]
`;
  const file = join(await givenFolder({ "fixture.yaml": yaml }), "fixture.yaml");
  const emulator = await givenEmulator({ fixtures: [await loadFixture(file)] });

  expect(emulator.keys.all()[0]?.expires).toBe(Date.UTC(2026, 2, 1));
});

test("members x-… at the top of a fixture are ignored, and nowhere else", async () => {
  const withPlans = { "x-plans": { anything: [1] }, apis: [{ id: "api_one" }] };

  expect(await problemsOf(withPlans)).toEqual([]);
  expect(await problemsOf({ xplans: {}, apis: [{ id: "api_one", "x-note": 1 }] })).toEqual([
    expect.stringContaining("fixtures[0]: xplans: unknown member"),
    expect.stringContaining("fixtures[0]: apis[0].x-note: unknown member"),
  ]);
});

describe("times that count from now", () => {
  test("a time that counts from now stays when the clock moves, after a reset, and in isolated worlds", async () => {
    const emulator = await givenEmulator({ fixtures: [expiring("in 30d")], isolate: true });
    const time = NOW + 30 * DAY;

    emulator.clock.advance("7d");
    expect(emulator.keys.get("key_1")?.expires).toBe(time);
    await emulator.reset();
    expect(emulator.keys.get("key_1")?.expires).toBe(time);
    emulator.clock.advance("7d");
    expect(emulator.workspace("late").keys.get("key_1")?.expires).toBe(time);
  });

  test("a time that counts from now counts by the clock of the world that it is added to", async () => {
    const emulator = await givenEmulator({ isolate: true });
    const world = emulator.workspace("one");
    world.clock.advance("7d");

    await world.seed({ keys: [{ apiId: "api_one", id: "key_1", expires: "in 1d" }] });
    const made = await world.keys.create({ apiId: "api_one", expires: "in 1d" });
    const token = await world.tokens.create({ token: "other_token", expires: "in 1d" });

    const due = NOW + 8 * DAY;
    const times = [world.keys.get("key_1")?.expires, made.expires, token.expires];
    expect(times).toEqual([due, due, due]);
  });

  test("a time that counts from now counts from the moment of creation, however long the start takes", async () => {
    let now = NOW;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 400));
    try {
      const { keys } = await createEmulator({ fixtures: [expiring("in 30d")] });

      const key = keys.get("key_1");
      expect(key?.expires).toBe((key?.createdAt ?? 0) + 30 * DAY);
    } finally {
      clock.mockRestore();
    }
  });

  test("a time that counts from now counts from the clock's now in a snapshot that was edited by hand", async () => {
    const emulator = await givenEmulator();
    emulator.clock.advance("7d");

    await emulator.restore(expiring("in 30d"));

    expect(emulator.keys.get("key_1")?.expires).toBe(NOW + 37 * DAY);
  });
});

test("the times of an update may be written in every way", async () => {
  const { clock, keys } = await givenEmulator({ fixtures: [expiring("in 30d")] });
  clock.advance("1d");

  const next = await keys.update(
    { id: "key_1" },
    {
      data: (key) => {
        key.expires = "in 30d";
        key.createdAt = new Date(NOW - DAY);
        key.lastUsedAt = "1h ago";
      },
    },
  );

  expect(next).toMatchObject({
    expires: NOW + 31 * DAY,
    createdAt: NOW - DAY,
    lastUsedAt: NOW + DAY - 3_600_000,
  });
  const attempt = keys.update({ id: "key_1" }, { data: (key) => void (key.expires = "+1d") });
  await expect(attempt).rejects.toThrow(
    new UsageError('key: expires: expected "in 1d", got "+1d"'),
  );
});

test("an operation still takes times in unix milliseconds and durations in milliseconds only", async () => {
  const emulator = await givenEmulator();
  const answers = [
    await createKey(emulator, { apiId: "api_one", expires: "in 30d" }),
    await createKey(emulator, { apiId: "api_one", ratelimit: { limit: 1, duration: "1m" } }),
  ];

  expect(answers.map(({ status, body }) => [status, body.error.message])).toEqual([
    [400, "expires: expected an integer of at least 0, got a string of 6 characters"],
    [400, "ratelimit.duration: expected an integer of at least 1000, got a string of 2 characters"],
  ]);
});
