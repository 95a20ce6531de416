import { afterEach, describe, expect, test, vi } from "vitest";
import { createEmulator, UsageError, type Emulator } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW } from "../_emulator.ts";

const key = { apiId: "api_one" };
const HOUR = 3_600_000;

/** Creates a key, and returns its createdAt in unix milliseconds. */
async function createdAt(emulator: Emulator): Promise<number | undefined> {
  const { body } = await createKey(emulator, key);
  return emulator.keys.get(body.keyId)?.createdAt;
}

afterEach(() => {
  vi.useRealTimers();
});

test("a clock with a start time is frozen at that time", async () => {
  const emulator = await givenEmulator();

  expect(emulator.clock.isFrozen).toBe(true);
  expect([emulator.clock.now(), await createdAt(emulator)]).toEqual([NOW, NOW]);
});

test.each([
  ["1h", HOUR],
  ["90s", 90_000],
  ["2d", 48 * HOUR],
  ["1.5m", 90_000],
  ["250", 250],
  [250.9, 250],
  [0, 0],
])("clock.advance(%j) moves a frozen clock on by %i ms", async (duration, by) => {
  const emulator = await givenEmulator();

  emulator.clock.advance(duration);

  expect(await createdAt(emulator)).toBe(NOW + by);
});

test("clock.set moves forward or back, and new keys are still listed after older ones", async () => {
  const emulator = await givenEmulator();
  const times = [];
  for (const time of ["2031-05-05", NOW - HOUR, new Date(NOW), String(NOW + 5)]) {
    emulator.clock.set(time);
    times.push(await createdAt(emulator));
  }

  const { body } = await listKeys(emulator, key);

  expect(times).toEqual([Date.UTC(2031, 4, 5), NOW - HOUR, NOW, NOW + 5]);
  expect(body.keys.map((each: { createdAt: number }) => each.createdAt)).toEqual(times);
});

test("updatedAt and the expiry of tokens follow the emulator's clock", async () => {
  const emulator = await givenEmulator({
    fixtures: [
      { apis: [{ id: "api_one" }], tokens: [{ token: "t", permissions: ["*"], expires: NOW + 1 }] },
    ],
  });
  await createKey(emulator, key, { token: "t" });

  emulator.clock.advance(1);
  await emulator.keys.update((q) => q.where(key), { data: (draft) => void (draft.name = "n") });
  const { status, body } = await listKeys(emulator, key, { token: "t" });

  expect([status, body.error.code]).toEqual([403, "EXPIRED"]);
  expect(emulator.keys.all()[0]?.updatedAt).toBe(NOW + 1);
});

describe("fake timers", () => {
  test("a clock without a start time follows the time of fake timers", async () => {
    vi.useFakeTimers({ now: NOW });
    const emulator = await createEmulator({ fixtures: [{ apis: [{ id: "api_one" }] }] });

    const first = await createdAt(emulator);
    vi.advanceTimersByTime(HOUR);
    const second = await createdAt(emulator);
    vi.setSystemTime(NOW - HOUR);

    expect([first, second, await createdAt(emulator)]).toEqual([NOW, NOW + HOUR, NOW - HOUR]);
  });

  test("a clock can be set, advanced, frozen and resumed with fake timers", async () => {
    vi.useFakeTimers({ now: NOW });
    const { clock } = await createEmulator();
    const times: number[] = [];
    for (const change of [
      () => clock.set(1_000),
      () => clock.advance("1s"),
      () => clock.freeze(),
      () => clock.advance(5),
      () => clock.resume(),
      () => clock.resume(),
    ]) {
      change();
      vi.advanceTimersByTime(100);
      times.push(clock.now());
    }

    expect(times).toEqual([1_100, 2_200, 2_200, 2_205, 2_305, 2_405]);
  });

  test.each([
    ["with a start time", NOW],
    ["that was set and frozen", undefined],
  ])('clock.set("real") makes a clock %s follow the real time', async (_, now) => {
    vi.useFakeTimers({ now: NOW + HOUR });
    const { clock } = await createEmulator({ now });
    clock.set(NOW);
    clock.freeze();

    clock.set("real");
    vi.advanceTimersByTime(1_000);

    expect([clock.isFrozen, clock.now()]).toEqual([false, NOW + HOUR + 1_000]);
  });

  test("a latency ends when the time of fake timers has passed it", async () => {
    vi.useFakeTimers();
    const emulator = await givenEmulator({ latency: 60_000 });

    const answer = listKeys(emulator, key);
    await vi.advanceTimersByTimeAsync(60_000);

    expect((await answer).status).toBe(200);
  });
});

test.each([
  ["2026", NOW],
  ["2026-01", NOW],
  ["2026-01-01T00:00", NOW],
  ["2026-01-01t00:00:00.000z", NOW],
  ["2026-01-01 02:00:00+02", NOW],
  ["2025-12-31T22:30:00-0130", NOW],
  ["2026-01-01T00:00:00.1234567891Z", NOW + 123],
  ["+002026-01-01T00:00:00Z", NOW],
  [String(NOW), NOW],
  [new Date(NOW), NOW],
])("the option now reads %s as the same time on every machine", async (text, time) => {
  const emulator = await givenEmulator({ now: text });

  expect(emulator.clock.now()).toBe(time);
});

test.each([
  ["set", "yesterday", /^clock: expected a time in unix milliseconds, .*, got "yesterday"$/],
  ["set", "2026-02-30", /got "2026-02-30"$/],
  ["set", "2026-13-01", /got "2026-13-01"$/],
  ["set", "1", /got "1"$/],
  ["set", "1767225600", /got "1767225600"$/],
  ["set", "01/02/2026", /got "01\/02\/2026"$/],
  ["set", -1, /got -1$/],
  ["set", undefined, /got nothing$/],
  ["advance", "1 fortnight", /^clock: expected a duration of 0 or more, .*, got "1 fortnight"$/],
  ["advance", -5, /got -5$/],
  ["advance", "-1h", /got "-1h"$/],
  ["advance", "x".repeat(200), /^clock: expected a duration/],
  ["advance", Infinity, /got Infinity$/],
  [
    "advance",
    9e15,
    "clock: expected a duration that ends before the year 275760, got 9000000000000000",
  ],
] as const)("clock.%s(%j) is refused, and changes nothing", async (method, value, message) => {
  const { clock } = await givenEmulator();

  expect(() => clock[method](value as never)).toThrow(UsageError);
  expect(() => clock[method](value as never)).toThrow(message);
  expect(clock.now()).toBe(NOW);
});
