import { describe, expect, test } from "vitest";
import { createEmulator, type Emulator, type Key, type UsageQuery } from "../../src/index.ts";
import { lastRefill } from "../../src/state/time/refill.ts";
import { NOW, post } from "../_emulator.ts";
import { loadFixture } from "../../src/node.ts";

const DAY = 86_400_000;
const demo = await loadFixture("fixtures/demo.yaml");
const apis = [{ id: "api_one", storeEncryptedKeys: true }, { id: "api_two" }];

function givenWorld(options: object = {}): Promise<Emulator> {
  return createEmulator({
    fixtures: [{ apis }],
    generate: 300,
    randomSeed: 7,
    now: NOW + DAY / 2,
    log: () => {},
    ...options,
  });
}

const world = await givenWorld();
const keys = world.keys.all();
const usageOf = ({ id }: Key) => world.usage({ keyId: id, days: 90 });
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The calls of the last of four weeks, compared with the first. */
function trendOf(emulator: Emulator, query: UsageQuery, until: string): number {
  const { days } = emulator.usage({ ...query, until, days: 28 });
  const sum = (from: number) =>
    days.slice(from, from + 7).reduce((before, { total }) => before + total, 0);
  return sum(21) / sum(0);
}

describe.each([
  ["the demo", demo],
  ["a world without lists", { apis }],
])("in %s", (_, fixture) => {
  test.each([
    [1435, "2026-11-25T14:00:00Z", 500],
    [2, "2026-11-28T23:59:00Z", 100],
    [3, "2026-06-02T07:00:00Z", 2_000],
  ])(
    "no chart of seed %i at %s has a gap or a jump, and the first pages have eight customers",
    async (randomSeed, now, generate) => {
      const emulator = await givenWorld({ fixtures: [fixture], randomSeed, now, generate });
      const all = emulator.keys.all();
      const customers = emulator.identities
        .all()
        .map(({ externalId }) => externalId)
        .filter((externalId) => emulator.keys.count({ ownerId: externalId }) >= 3);
      const busy = all.filter(
        ({ createdAt, lastUsedAt = 0 }) =>
          createdAt < Date.parse(now) - 40 * DAY && lastUsedAt > Date.parse(now) - 2 * DAY,
      );
      const charts: UsageQuery[] = [
        {},
        ...emulator.apis.all().map(({ id }) => ({ apiId: id })),
        ...customers.map((externalId) => ({ externalId })),
      ];
      const wrong = charts.flatMap((query) =>
        ["1d ago", "today"]
          .map((until) => trendOf(emulator, query, until))
          .filter((trend) => !(trend >= 0.7 && trend <= 1.5))
          .map((trend) => ({ ...query, trend })),
      );
      // A key that is called some times a day has smaller numbers, and one that works has no weekend.
      const ofKeys = busy.map(({ id }) => trendOf(emulator, { keyId: id }, "1d ago"));

      expect(customers.length).toBeGreaterThan(9);
      expect(busy.length).toBeGreaterThan(all.length / 2);
      expect(wrong).toEqual([]);
      expect(Math.min(...ofKeys)).toBeGreaterThan(0.7);
      expect(Math.max(...ofKeys)).toBeLessThan(1.5);
      for (const { id } of emulator.apis.all()) {
        const own = all.filter(({ apiId }) => apiId === id);
        for (const page of [own, own.toSorted((a, b) => b.createdAt - a.createdAt)]) {
          const owners = new Set(page.slice(0, 25).map(({ ownerId }) => ownerId));
          owners.delete(undefined);
          expect(owners.size).toBeGreaterThanOrEqual(8);
        }
      }
    },
  );
});

test("weekends have fewer calls in the chart of each customer, and most calls are valid", () => {
  const { groups = [], outcomes, total } = world.usage({ by: "externalId", limit: 1_000 });
  for (const { externalId } of groups.filter((group) => group.total > 300)) {
    if (externalId === undefined) continue;
    const { days } = world.usage({ externalId, days: 28, until: "1d ago" });
    const ofDays = (isWeekend: boolean) =>
      days
        .filter(({ day }) => (new Date(day).getUTCDay() % 6 === 0) === isWeekend)
        .reduce((sum, each, _, { length }) => sum + each.total / length, 0);
    expect(ofDays(true)).toBeLessThan(0.85 * ofDays(false));
  }
  expect(outcomes.VALID).toBeGreaterThan(0.9 * total);
  for (const outcome of ["DISABLED", "EXPIRED", "RATE_LIMITED"] as const) {
    expect(outcomes[outcome]).toBeGreaterThan(0);
  }
});

describe("the usage of past days stays", () => {
  const past = (emulator: Emulator) => [
    emulator.usage({ until: "2025-12-31", days: 90 }).days,
    emulator.usage({ until: "2025-12-31", days: 30, by: "key", limit: 1_000 }).groups,
  ];
  const before = JSON.stringify(past(world));
  const callAll = async (emulator: Emulator, operation: string, toBody: (key: Key) => object) => {
    for (const key of emulator.keys.all().filter(({ environment }) => environment)) {
      await post(emulator, `/v2/keys.${operation}`, toBody(key));
    }
  };

  test.each<[string, (emulator: Emulator) => unknown]>([
    [
      "the clock goes 30 days forward and back",
      ({ clock }) => {
        clock.advance("30d");
        clock.set(NOW + DAY / 2);
      },
    ],
    [
      "refills at midnights",
      async (emulator) => {
        const one = { operation: "set", value: 1 };
        await callAll(emulator, "updateCredits", ({ id }) => ({ ...one, keyId: id }));
        emulator.clock.advance("70d");
        await post(emulator, "/v2/keys.verifyKey", { key: "unknown" });
        expect(emulator.keys.count({ remaining: 1 })).toBeLessThan(emulator.keys.count());
      },
    ],
    ["the clock runs", ({ clock }) => clock.set("real")],
    [
      "keys.updateCredits",
      (emulator) =>
        callAll(emulator, "updateCredits", ({ id }) => ({ keyId: id, operation: "set", value: 3 })),
    ],
    [
      "keys.updateKey",
      (emulator) =>
        callAll(emulator, "updateKey", ({ id, enabled }) => ({
          keyId: id,
          enabled: !enabled,
          expires: NOW + 9 * DAY,
          ratelimits: [],
          credits: null,
        })),
    ],
    [
      "keys.rerollKey",
      (emulator) => callAll(emulator, "rerollKey", ({ id }) => ({ keyId: id, expiration: 0 })),
    ],
    [
      "updates by a test",
      async ({ keys: all }) => {
        for (const { id } of all.all()) {
          await all.update({ id }, { data: (key) => void (key.environment = undefined) });
        }
      },
    ],
    ["a snapshot is restored", async (emulator) => emulator.restore(emulator.snapshot())],
    [
      "a snapshot is read from its text",
      async (emulator) => {
        await emulator.restore(JSON.parse(JSON.stringify(emulator.snapshot())));
      },
    ],
    [
      "a reset",
      async (emulator) => {
        emulator.keys.clear();
        await emulator.reset();
      },
    ],
  ])("when %s", async (_, change) => {
    const emulator = await givenWorld();
    await change(emulator);

    expect(JSON.stringify(past(emulator)) === before).toBe(true);
  });

  test("in an emulator that starts with the snapshot on a later day", async () => {
    const snapshot = JSON.parse(JSON.stringify(world.snapshot()));
    const later = await givenWorld({
      fixtures: [snapshot],
      generate: undefined,
      now: NOW + 9 * DAY,
    });

    expect(JSON.stringify(past(later)) === before).toBe(true);
  });

  test("when keys are verified, which is added", async () => {
    const emulator = await givenWorld();
    const key = emulator.keys.all().find(({ enabled, expires, plaintext, remaining }) => {
      return enabled && expires === undefined && plaintext !== undefined && remaining === undefined;
    });
    const query = { keyId: key?.id, days: 30 };
    const { days } = emulator.usage(query);
    await post(emulator, "/v2/keys.verifyKey", { key: key?.plaintext });
    emulator.clock.set("3d ago");
    await post(emulator, "/v2/keys.verifyKey", { key: key?.plaintext });
    emulator.clock.advance("3d");

    const after = emulator.usage(query).days;
    const added = after.map(({ total }, index) => total - (days[index]?.total ?? 0));
    expect(added.flatMap((count, index) => (count === 0 ? [] : [[29 - index, count]]))).toEqual([
      [3, 1],
      [0, 1],
    ]);
  });
});

test("a generated key is used from the day after its creation until its last use, and on that day", () => {
  const wrong = keys.filter((key) => {
    const { createdAt, lastUsedAt } = key;
    const called = usageOf(key).days.filter(({ total }) => total > 0);
    const isEarly = called.some(({ day }) => day <= dayOf(createdAt));
    if (lastUsedAt === undefined) return called.length > 0;
    const isRecent = lastUsedAt > NOW - 80 * DAY;
    return isEarly || (isRecent && called.at(-1)?.day !== dayOf(lastUsedAt)) || lastUsedAt >= NOW;
  });
  expect(wrong).toEqual([]);
});

test("a generated key only has outcomes that its settings explain", () => {
  for (const key of keys) {
    const { outcomes } = usageOf(key);
    if (outcomes.RATE_LIMITED !== undefined) expect(key.ratelimits).not.toEqual([]);
    if (outcomes.USAGE_EXCEEDED !== undefined) expect(key.remaining).toBe(0);
    if (outcomes.DISABLED !== undefined) expect(key.enabled).toBe(false);
    if (outcomes.EXPIRED !== undefined) expect(key.expires).toBeLessThan(NOW);
  }
});

test("a generated key that expired is valid until that day, and never after it", () => {
  const expired = keys.filter(({ expires = Infinity }) => expires < NOW);
  const validAfter = expired.filter((key) =>
    usageOf(key).days.some(
      ({ day, outcomes }) => outcomes.VALID !== undefined && day > dayOf(key.expires ?? 0),
    ),
  );

  expect(expired.filter((key) => usageOf(key).outcomes.EXPIRED !== undefined)).not.toEqual([]);
  expect(validAfter).toEqual([]);
});

test.each([
  ["generated", {}],
  ["ordered", { remaining: 300, refill: { interval: "monthly", amount: 1_000, refillDay: 20 } }],
  ["just refilled", { remaining: 50, refill: { interval: "daily", amount: 50 } }],
])("the history fits the credits and the rate limits: %s", async (_, like) => {
  const limit = { limit: 100, duration: DAY };
  const ratelimit = Object.keys(like).length > 0 ? { ratelimit: limit } : {};
  const emulator = await givenWorld({ generate: { count: 200, like: { ...like, ...ratelimit } } });
  let used = 0;
  for (const { createdAt, id, ratelimits, refill, remaining = 0 } of emulator.keys.all()) {
    const { days } = emulator.usage({ keyId: id, days: 90 });
    const start = dayOf((refill && lastRefill(refill, createdAt, NOW)) ?? createdAt);
    const perMonth = (refill?.amount ?? Infinity) * (refill?.interval === "daily" ? 31 : 1);
    const count = (all: typeof days) =>
      all.reduce((sum, { outcomes: { VALID = 0 } }) => sum + VALID, 0);
    const since = days.filter(({ day }) => day >= start);
    used += count(days);
    if (refill !== undefined) expect(count(since)).toBeLessThanOrEqual(refill.amount - remaining);
    for (const from of [0, 30, 59])
      expect(count(days.slice(from, from + 31))).toBeLessThanOrEqual(perMonth);
    for (const { duration, limit: most } of ratelimits) {
      for (const day of days) expect(count([day])).toBeLessThanOrEqual((most * DAY) / duration);
    }
  }
  expect(used).toBeGreaterThan(1_000);
});

test("the sums of days, keys, owners and APIs agree", () => {
  const { days, groups, outcomes, total } = world.usage({ days: 90, by: "key", limit: 1_000 });
  const owners = world.usage({ days: 90, by: "externalId", limit: 1_000 });
  const ofApis = apis.map(({ id }) => world.usage({ apiId: id, days: 90 }));
  const add = (counted: Iterable<{ readonly total: number }> = []) =>
    Array.from(counted).reduce((sum, each) => sum + each.total, 0);

  expect(total).toBeGreaterThan(10_000);
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(total);
  for (const counted of [days, groups, owners.groups, ofApis, keys.map((key) => usageOf(key))]) {
    expect(add(counted)).toBe(total);
  }
  for (const day of days) expect(world.usage({ until: day.day, days: 1 }).days).toEqual([day]);
});

test("the history is the same at each start, and with a higher count", async () => {
  const more = await givenWorld({ generate: 600 });

  expect((await givenWorld()).usage({ by: "key" })).toEqual(world.usage({ by: "key" }));
  for (const { id } of keys) {
    expect(more.usage({ keyId: id })).toEqual(world.usage({ keyId: id }));
  }
});

test("customers are busy and quiet", () => {
  const { groups = [], total } = world.usage({ by: "externalId", limit: 1_000 });
  const first = groups.slice(0, 10).reduce((sum, group) => sum + group.total, 0);

  expect(first).toBeGreaterThan(0.3 * total);
  expect(groups.filter((group) => group.total < 1_000).length).toBeGreaterThan(10);
});

test("a key without a history has only what was counted", async () => {
  const { environment, lastUsedAt } = keys[0] ?? {};
  const own = { apiId: "api_one", createdAt: NOW - 90 * DAY, environment, lastUsedAt };
  const emulator = await givenWorld({ fixtures: [{ apis, keys: [own] }], generate: undefined });

  expect(emulator.usage({ days: 90 }).total).toBe(0);
});
