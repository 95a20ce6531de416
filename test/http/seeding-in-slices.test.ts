import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, post } from "../_emulator.ts";
import { API_ONE } from "./_control.ts";

const KEYS = 3_000;
const keys = Array.from({ length: KEYS }, (_, index) => ({ ...API_ONE, name: `key ${index}` }));
const others = { apis: [{ id: "api_one" }], keys };

beforeEach(() => {
  // Each look at the clock is a second later, so every step is a slice of its own.
  let time = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (time += 1_000));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Sends a fixture to a control route, and calls `between` again and again until it is answered. */
async function whileSending(
  emulator: Emulator,
  call: "POST seed" | "PUT snapshot",
  fixture: object,
  between: () => Promise<unknown>,
) {
  const [method = "", path = ""] = call.split(" ");
  let answer: Response | undefined;
  const body = JSON.stringify(fixture);
  const sent = emulator.fetch(`http://x/_latchkey/${path}`, { method, body });
  void sent.then((response) => (answer = response));
  let times = 0;
  for (; answer === undefined; times += 1) {
    await between();
    await new Promise(setImmediate);
  }
  return { status: answer.status, text: await answer.text(), times };
}

const total = async (emulator: Emulator) => (await listKeys(emulator, API_ONE)).body.total;

test.each([
  ["POST seed", { keys }, KEYS + 1],
  ["PUT snapshot", others, KEYS],
] as const)(
  "%s of many keys lets other calls see the old state until it is done",
  async (call, fixture, after) => {
    const emulator = await givenEmulator({
      fixtures: [{ apis: [{ id: "api_one" }], keys: [API_ONE] }],
    });
    const seen: number[] = [];

    const { status, times } = await whileSending(emulator, call, fixture, async () => {
      seen.push(await total(emulator));
    });

    expect(status).toBe(204);
    expect(times).toBeGreaterThan(5);
    expect(new Set(seen.slice(0, -1))).toEqual(new Set([1]));
    expect(await total(emulator)).toBe(after);
  },
);

test.each(["POST seed", "PUT snapshot"] as const)(
  "%s of many keys changes nothing if one of them is wrong, and names it",
  async (call) => {
    const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: "api_one" }] }] });
    const before = emulator.snapshot();
    const wrong = keys.with(2_345, { ...API_ONE, name: 5 as never });

    const { status, text } = await whileSending(
      emulator,
      call,
      { ...others, apis: [], keys: wrong },
      async () => {},
    );

    expect(status).toBe(400);
    expect(JSON.parse(text).error.problems).toEqual([
      expect.stringMatching(/keys\[2345\]\.name: expected a string .*, got 5$/),
    ]);
    expect(emulator.snapshot()).toEqual(before);
  },
);

test("keys that are created while many are seeded stay, and no id occurs twice", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: "api_one" }] }] });
  const made: string[] = [];
  const requestIds: string[] = [];

  await whileSending(emulator, "POST seed", { keys }, async () => {
    const { body, headers } = await createKey(emulator, API_ONE);
    made.push(body.keyId);
    requestIds.push(headers.get("unkey-request-id") ?? "");
  });
  requestIds.push((await createKey(emulator, API_ONE)).headers.get("unkey-request-id") ?? "");

  const ids = emulator.keys.all().map(({ id }) => id);
  expect(made.length).toBeGreaterThan(5);
  expect(ids).toEqual(expect.arrayContaining(made));
  expect(ids).toHaveLength(KEYS + made.length + 1);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(requestIds).size).toBe(requestIds.length);
});

test("what rate limits counted while many keys are seeded is kept, also if the clock stands still", async () => {
  const ratelimit = { limit: 1_000_000, duration: 60_000 };
  const key = "some_value";
  const emulator = await givenEmulator({
    now: "2026-01-01T00:00:00Z",
    fixtures: [{ apis: [{ id: "api_one" }], keys: [{ ...API_ONE, key, ratelimit }] }],
  });
  const verify = () => post(emulator, "/v1/keys.verifyKey", { key });
  await verify();
  let calls = 1;

  await whileSending(emulator, "POST seed", { keys }, async () => {
    await verify();
    calls += 1;
  });

  expect((await verify()).body.ratelimit.remaining).toBe(ratelimit.limit - calls - 1);
});

test("a reset while many keys are seeded comes after them", async () => {
  const emulator = await givenEmulator({
    fixtures: [{ apis: [{ id: "api_one" }], keys: [API_ONE] }],
  });
  let reset: Promise<void> | undefined;

  let times = 0;
  await whileSending(emulator, "POST seed", { keys }, async () => {
    // Once the keys are read, the seed has its turn.
    if ((times += 1) === 10) reset = emulator.reset();
  });
  await reset;

  expect(await total(emulator)).toBe(1);
});

test("many keys can be seeded under fake timers that never run", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: "api_one" }] }] });
  vi.useFakeTimers();

  const body = JSON.stringify({ keys });
  const { status } = await emulator.fetch("http://x/_latchkey/seed", { method: "POST", body });

  expect(status).toBe(204);
  expect(emulator.keys.count()).toBe(KEYS);
});

test("in process, seed() and restore() are done when they return", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: "api_one" }] }] });

  const seeded = emulator.seed({ keys });
  expect(emulator.keys.count()).toBe(KEYS);
  const restored = emulator.restore({ apis: [{ id: "api_one" }] });
  expect(emulator.keys.count()).toBe(0);
  await Promise.all([seeded, restored]);
});
