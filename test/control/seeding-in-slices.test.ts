import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, post } from "../_emulator.ts";
import { API_ONE } from "./_control.ts";

const KEYS = 1_500;
const keys = Array.from({ length: KEYS }, (_, index) => ({ ...API_ONE, name: `key ${index}` }));
const others = { apis: [{ id: "api_one" }], keys };

/** How much later each look at the clock is (ms): ten steps are a slice, or every step is one. */
const [TEN_STEPS, ONE_STEP] = [1, 10];
let lookTime: number;

beforeEach(() => {
  let time = 0;
  lookTime = TEN_STEPS;
  vi.spyOn(performance, "now").mockImplementation(() => (time += lookTime));
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
    const wrong = keys.with(1_234, { ...API_ONE, name: 5 as never });

    const { status, text } = await whileSending(
      emulator,
      call,
      { ...others, apis: [], keys: wrong },
      async () => {},
    );

    expect(status).toBe(400);
    expect(JSON.parse(text).error.problems).toEqual([
      expect.stringMatching(/keys\[1234\]\.name: expected a string .*, got 5$/),
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

test("changes and deletions of keys while many are seeded stay", async () => {
  const emulator = await givenEmulator({
    fixtures: [{ apis: [{ id: "api_one" }], generate: [{ count: 500 }] }],
  });
  const [first, second, ...others] = emulator.keys.all();
  const deleted: string[] = [];

  await whileSending(emulator, "POST seed", { keys }, async () => {
    await post(emulator, "/v2/keys.updateKey", { keyId: first?.id, name: `${deleted.length}` });
    const key = others.pop();
    if (key === undefined) return;
    deleted.push(key.id);
    await post(emulator, "/v2/keys.deleteKey", { keyId: key.id });
  });

  expect(deleted.length).toBeGreaterThan(5);
  expect(emulator.keys.get(first?.id)?.name).toMatch(/^\d+$/);
  expect(emulator.keys.get(second?.id)).toEqual(second);
  expect(deleted.filter((id) => emulator.keys.get(id) !== undefined)).toEqual([]);
  const found = await listKeys(emulator, { ...API_ONE, limit: 100 });
  expect([found.body.total, emulator.keys.count()]).toEqual([
    emulator.keys.count(),
    found.body.total,
  ]);
});

test("a role that is deleted while keys with it are seeded is created again for them", async () => {
  const emulator = await givenEmulator({
    fixtures: [{ apis: [{ id: "api_one" }], roles: [{ name: "admin" }] }],
  });
  const withRole = keys.map((key) => ({ ...key, roles: ["admin"] }));
  let times = 0;

  const { status } = await whileSending(emulator, "POST seed", { keys: withRole }, async () => {
    if ((times += 1) !== 12) return;
    await post(emulator, "/v2/permissions.deleteRole", { role: "admin" });
  });

  expect(status).toBe(204);
  expect(emulator.roles.named("admin")).toBeDefined();
  expect(emulator.keys.count({ roles: ["admin"] })).toBe(KEYS);
});

test("a snapshot of many keys shows one moment, while other calls are answered", async () => {
  lookTime = ONE_STEP;
  const emulator = await givenEmulator({
    fixtures: [{ apis: [{ id: "api_one" }], generate: [{ count: KEYS }] }],
  });
  let answer: Response | undefined;
  const sent = emulator.fetch("http://x/_latchkey/snapshot").then((got) => (answer = got));
  let times = 0;
  for (; answer === undefined; times += 1) {
    await createKey(emulator, API_ONE);
    await new Promise(setImmediate);
  }

  expect(times).toBeGreaterThan(5);
  const taken = (await (await sent).json()) as { keys: unknown[] };
  expect(taken.keys.length).toBeLessThan(KEYS + 3);
  expect(emulator.keys.count()).toBe(KEYS + times);
});

test("a long page that is written in slices equals one that is written at once", async () => {
  lookTime = ONE_STEP;
  const permissions = Array.from({ length: 600 }, (_, index) => `permission.${index}`);
  const roles = Array.from({ length: 10 }, (_, index) => ({ name: `role_${index}`, permissions }));
  const emulator = await givenEmulator({
    fixtures: [
      {
        apis: [{ id: "api_one" }],
        roles,
        keys: keys.slice(0, 100).map((key) => ({ ...key, roles: ["role_1"] })),
      },
    ],
  });
  for (const [path, body] of [
    ["/v2/permissions.listRoles", {}],
    ["/v2/apis.listKeys", API_ONE],
  ] as const) {
    let isDone = false;
    const page = post(emulator, path, body).finally(() => (isDone = true));
    let times = 0;
    for (; !isDone; times += 1) {
      await post(emulator, "/v2/permissions.getRole", { role: "role_2" });
      await new Promise(setImmediate);
    }
    const { data } = (await page).body;

    expect(times).toBeGreaterThan(5);
    expect(data.map((each: { permissions: unknown[] }) => each.permissions.length)).toEqual(
      Array.from(data, () => 600),
    );
  }
});

test("a call takes no effect if a reset comes between two slices", async () => {
  lookTime = ONE_STEP;
  const emulator = await givenEmulator({
    fixtures: [
      { apis: [{ id: "api_one" }], migrations: [{ id: "mig_one" }], generate: [{ count: KEYS }] },
    ],
  });
  const hash = "mCjaY8o73Ro0EBNN8uHmTkmqBmHqXBfCdPfqKZ6AAPE=";
  const body = { migrationId: "mig_one", ...API_ONE, keys: [{ hash }] };
  const call = post(emulator, "/v2/keys.migrateKeys", body);
  await new Promise(setImmediate);

  await emulator.reset();

  expect((await call).status).toBe(500);
  expect(emulator.keys.count()).toBe(KEYS);
  expect((await post(emulator, "/v2/keys.migrateKeys", body)).status).toBe(200);
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

test.each([
  ["generated keys", JSON.stringify({ generate: [{ count: 10_001 }] }), 400],
  ["bytes", `{"x-more":"${"x".repeat(4 * 1_048_576)}"}`, 413],
])("a visitor of an isolated workspace may seed only so many %s", async (_, body, status) => {
  const emulator = await givenEmulator({ isolate: true, controlToken: "control_me" });
  const seed = (token: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    return emulator.fetch("http://x/_latchkey/seed", { method: "POST", headers, body });
  };

  const refused = await seed("visitor");
  const { error } = (await refused.json()) as { error: { message: string } };

  expect(refused.status).toBe(status);
  expect(error.message).toMatch(/expected at most (10000 keys|4194304 bytes).* isolated workspace/);
  expect((await seed("control_me")).status).toBe(204);
});

test("in process, seed() and restore() are done when they return", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: "api_one" }] }] });

  const seeded = emulator.seed({ keys });
  expect(emulator.keys.count()).toBe(KEYS);
  const restored = emulator.restore({ apis: [{ id: "api_one" }] });
  expect(emulator.keys.count()).toBe(0);
  await Promise.all([seeded, restored]);
});

const API_MAIN = { apiId: "api_main" };
const all = { apis: [{ id: "api_main" }], permissions: ["read"], roles: [{ name: "admin" }] };
const granted = keys.slice(0, 750).map((key) => ({
  ...key,
  ...API_MAIN,
  permissions: ["read"],
  roles: ["admin"],
}));
const moved = { migrationId: "mig_one", ...API_MAIN };

test.each<[string, object, (emulator: Emulator) => unknown]>([
  [
    "permissions.deletePermission",
    { permission: "read" },
    ({ keys: left, permissions }) => [
      permissions.named("read"),
      left.count({ permissions: ["read"] }),
    ],
  ],
  [
    "permissions.deleteRole",
    { role: "admin" },
    ({ keys: left, roles }) => [roles.named("admin"), left.count({ roles: ["admin"] })],
  ],
  ["apis.deleteApi", API_MAIN, ({ apis, keys: left }) => [apis.get("api_main"), left.count()]],
  [
    "keys.migrateKeys",
    { ...moved, keys: granted.map(({ name }) => ({ hash: name })) },
    ({ keys: left }) => [undefined, granted.length - left.count({ migrationId: "mig_one" })],
  ],
])("%s of many keys lets other calls in, and misses no key", async (path, body, left) => {
  lookTime = ONE_STEP;
  const emulator = await givenEmulator({
    fixtures: [{ ...all, keys: granted, migrations: [{ id: "mig_one" }] }],
  });
  let isDone = false;
  const done = post(emulator, `/v2/${path}`, body).finally(() => (isDone = true));
  let created = 0;
  for (; !isDone; created += 1) {
    const key = { ...API_MAIN, permissions: ["read"], roles: ["admin"] };
    await post(emulator, "/v2/keys.createKey", key);
    await new Promise(setImmediate);
  }

  expect(created).toBeGreaterThan(5);
  expect((await done).status).toBe(200);
  expect(left(emulator)).toEqual([undefined, 0]);
});

test.each([
  ["permissions.deletePermission", { permission: "read" }],
  ["permissions.deleteRole", { role: "admin" }],
  ["apis.deleteApi", API_MAIN],
])("of two %s of many keys at once, one finds nothing to delete", async (path, body) => {
  const emulator = await givenEmulator({ fixtures: [{ ...all, keys: granted }] });
  const both = await Promise.all([1, 2].map(() => post(emulator, `/v2/${path}`, body)));

  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
});
