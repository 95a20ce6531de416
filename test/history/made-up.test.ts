import { expect, test } from "vitest";
import { createEmulator, type Emulator, type Key } from "../../src/index.ts";
import { lastRefill } from "../../src/usage/refill.ts";
import { NOW, post } from "../_emulator.ts";

const DAY = 86_400_000;
const apis = [{ id: "api_one", storeEncryptedKeys: true }, { id: "api_two" }];

function givenWorld(options: object = {}): Promise<Emulator> {
  return createEmulator({
    fixtures: [{ apis }],
    generate: 300,
    randomSeed: 7,
    now: NOW,
    log: () => {},
    ...options,
  });
}

const world = await givenWorld();
const keys = world.keys.all();
const usageOf = ({ id }: Key, days = 90) => world.usage({ keyId: id, days });
const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);
const used = keys.filter(({ lastUsedAt = 0 }) => lastUsedAt >= NOW - 80 * DAY);

test("a made-up key is used between its creation and its last use, and on the day of its last use", () => {
  expect(used.length).toBeGreaterThan(100);
  const wrong = keys.filter((key) => {
    const { createdAt, expires = Infinity, lastUsedAt = -1 } = key;
    const { days } = usageOf(key);
    const end = Math.min(lastUsedAt, expires);
    const isOutside = days.some(
      ({ day, total }) => total > 0 && (startOf(day) + DAY <= createdAt || startOf(day) > end),
    );
    const last = days.find(({ day }) => startOf(day) === Math.floor(end / DAY) * DAY);
    return isOutside || last?.total === 0;
  });
  expect(wrong).toEqual([]);
});

test("the sums of days, keys, owners and APIs agree", () => {
  const all = world.usage({ days: 90, by: "key", limit: 1_000 });
  const owners = world.usage({ days: 90, by: "externalId", limit: 1_000 });
  const ofApis = apis.map(({ id }) => world.usage({ apiId: id, days: 90 }));
  const add = (counted: Iterable<{ readonly total: number }>) =>
    Array.from(counted).reduce((sum, { total }) => sum + total, 0);
  const { outcomes, total } = all;

  expect(total).toBeGreaterThan(10_000);
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(total);
  for (const counted of [
    all.days,
    all.groups,
    owners.groups,
    ofApis,
    used.map((key) => usageOf(key)),
  ]) {
    expect(add(counted ?? [])).toBe(total);
  }
  for (const group of all.groups ?? []) {
    expect(world.usage({ keyId: group.keyId, days: 90 })).toMatchObject({
      total: group.total,
      outcomes: group.outcomes,
    });
  }
  for (const day of all.days) {
    expect(world.usage({ until: day.day, days: 1 }).days).toEqual([day]);
  }
});

test("the history is the same at each start, and with a higher count", async () => {
  const again = await givenWorld();
  const more = await givenWorld({ generate: 600 });

  expect(again.usage({ by: "key" })).toEqual(world.usage({ by: "key" }));
  for (const { id } of used.slice(0, 50)) {
    expect(more.usage({ keyId: id })).toEqual(world.usage({ keyId: id }));
  }
});

test("working days are busier than weekends, and most verifications are valid", () => {
  const { days, outcomes, total } = world.usage({ until: "2025-12-21", days: 84 });
  const ofWeekday = (test: (weekday: number) => boolean) =>
    days
      .filter(({ day }) => test(new Date(day).getUTCDay()))
      .reduce((sum, each, _, { length }) => sum + each.total / length, 0);

  expect(ofWeekday((weekday) => weekday % 6 === 0)).toBeLessThan(
    0.75 * ofWeekday((weekday) => weekday % 6 !== 0),
  );
  expect(outcomes.VALID).toBeGreaterThan(0.9 * total);
  expect(outcomes.RATE_LIMITED).toBeGreaterThan(0);
});

test("customers are busy and quiet", () => {
  const { groups = [], total } = world.usage({ by: "externalId", limit: 1_000 });

  expect(groups.slice(0, 10).reduce((sum, group) => sum + group.total, 0)).toBeGreaterThan(
    0.3 * total,
  );
  expect(groups.filter((group) => group.total < 100).length).toBeGreaterThan(10);
});

test("only keys with such limits exceed them", () => {
  for (const key of keys) {
    const { outcomes } = usageOf(key);
    if (outcomes.RATE_LIMITED !== undefined) expect(key.ratelimits).not.toEqual([]);
    if (outcomes.USAGE_EXCEEDED !== undefined) expect(key.remaining).toBe(0);
    if (outcomes.DISABLED !== undefined) expect(key.enabled).toBe(false);
  }
  expect(Object.keys(world.usage({ days: 90 }).outcomes).toSorted()).toEqual([
    "DISABLED",
    "RATE_LIMITED",
    "USAGE_EXCEEDED",
    "VALID",
  ]);
});

test("since its last refill, a key has the valid verifications that its remaining uses tell", () => {
  const counts = keys.flatMap(({ createdAt, enabled, id, lastUsedAt = 0, refill, remaining }) => {
    if (!enabled || lastUsedAt === 0 || refill === undefined || remaining === undefined) return [];
    const start = lastRefill(refill, createdAt, lastUsedAt) ?? createdAt;
    const days = Math.floor(lastUsedAt / DAY) - Math.floor(start / DAY) + 1;
    if (days > 90) return [];
    const { VALID: valid = 0 } = world.usage({ keyId: id, until: lastUsedAt, days }).outcomes;
    const perDay = refill.amount / (refill.interval === "daily" ? 1 : 31);
    return [{ id, valid, used: refill.amount - remaining, isExact: perDay <= 500 }];
  });

  const exact = counts.filter(({ isExact, used }) => isExact && used > 0);
  expect(exact.length).toBeGreaterThan(5);
  expect(exact.map(({ valid }) => valid)).toEqual(exact.map(({ used }) => used));
  // A call may take several of very many uses.
  expect(counts.filter(({ used, valid }) => valid > Math.max(1, used))).toEqual([]);
});

test("a verification that is counted changes nothing about the days before", async () => {
  const emulator = await givenWorld();
  const key = emulator.keys
    .all()
    .find(
      ({ enabled, expires, lastUsedAt = 0, plaintext, remaining }) =>
        enabled &&
        expires === undefined &&
        plaintext !== undefined &&
        remaining === undefined &&
        lastUsedAt > NOW - 20 * DAY,
    );
  const before = emulator.usage({ keyId: key?.id, days: 90 });

  emulator.clock.advance("5d");
  await post(emulator, "/v2/keys.verifyKey", { key: key?.plaintext });

  const after = emulator.usage({ keyId: key?.id, days: 90 });
  expect(after.days.slice(0, 85)).toEqual(before.days.slice(5));
  expect(after.days.at(-1)).toEqual({ day: "2026-01-06", total: 1, outcomes: { VALID: 1 } });
});

test("the history is that of a snapshot too, and snapshots do not mention it", async () => {
  const snapshot = world.snapshot();
  const restored = await createEmulator({ fixtures: [snapshot], now: NOW, log: () => {} });

  expect(restored.usage({ by: "key" })).toEqual(world.usage({ by: "key" }));
  expect(JSON.stringify(snapshot)).not.toContain("RATE_LIMITED");
});

test("a key of a fixture has no history but what was counted", async () => {
  const [like] = used;
  const { environment, lastUsedAt } = like ?? {};
  const fixture = {
    apis,
    keys: [
      { apiId: "api_one", id: "key_mine", createdAt: NOW - 90 * DAY, environment, lastUsedAt },
      { apiId: "api_one", createdAt: NOW - 90 * DAY + 900, environment, lastUsedAt },
    ],
  };
  const emulator = await givenWorld({ fixtures: [fixture], generate: undefined });

  expect(emulator.keys.all()[1]?.lastUsedAt).toBe(lastUsedAt);
  expect(emulator.usage({ days: 90 }).total).toBe(0);
});
