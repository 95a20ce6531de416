import { expect, test, vi } from "vitest";
import { NOW } from "../_emulator.ts";
import { givenServer } from "../_server.ts";
import { CONTROL } from "./_access.ts";
import { API_ONE, control, create, idsOf, list, stateOf } from "./_control.ts";

const apis = [{ id: "api_one" }];
const nightly = { apis, keys: [{ ...API_ONE, name: "nightly" }], faults: [{ latency: 0 }] };
const admin = { token: "admin", permissions: ["*"] };
const INITIAL = "PUT /snapshot?initial=true";

test("PUT /snapshot?initial=true is what reset goes back to, with a new clock, journal and faults", async () => {
  await using served = await givenServer({ latency: 0 });
  const names = async () => (await list(served)).map((key) => (key as { name?: string }).name);
  await create(served, { name: "of a visitor" });
  await control(served, "PUT /clock", { body: { advance: "1h", frozen: false } });
  await control(served, "POST /faults", { body: { status: 500, times: 1 } });

  const { status } = await control(served, INITIAL, { body: nightly });

  expect(status).toBe(204);
  const { clock, faults, requests } = served.emulator;
  expect([clock.now(), clock.isFrozen, requests.count()]).toEqual([NOW, true, 0]);
  // The fault of the option `latency` comes before the snapshot's fault.
  expect(faults.list().map(({ hits, latency }) => [hits, latency])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  const start = stateOf(served.emulator);
  const first = idsOf(await create(served));
  await control(served, "POST /reset");
  expect(stateOf(served.emulator)).toEqual(start);
  expect(idsOf(await create(served))).toEqual(first);
  await control(served, "POST /reset");
  expect(await names()).toEqual(["nightly"]);
});

test("PUT /snapshot?initial=false leaves the initial state, the clock and the journal", async () => {
  await using served = await givenServer();
  await create(served);
  await control(served, "PUT /clock", { body: { advance: "1h" } });

  await control(served, "PUT /snapshot?initial=false", { body: nightly });

  expect(served.emulator.requests.count()).toBe(1);
  expect(served.emulator.clock.now()).toBe(NOW + 3_600_000);
  await control(served, "POST /reset");
  expect(await list(served)).toEqual([]);
});

test("PUT /snapshot?initial=true counts relative times from the start of the clock", async () => {
  await using served = await givenServer();
  await control(served, "PUT /clock", { body: { advance: "5d" } });
  const keys = [{ ...API_ONE, id: "key_1", expires: "in 1d" }];

  await control(served, INITIAL, { body: { apis, keys } });

  expect(served.emulator.keys.get("key_1")?.expires).toBe(NOW + 86_400_000);
});

test("generated keys of a fixture that is sent each night count back from the day on which it is sent", async () => {
  const day = 86_400_000;
  const customers = [{ externalId: "acme" }];
  const generate = [{ apiId: "api_one", count: 200, customers }];
  vi.useFakeTimers({ now: NOW + day / 2, toFake: ["Date"] });
  try {
    await using served = await givenServer({ now: undefined, randomSeed: 7 });
    const latest = async () => {
      await control(served, INITIAL, { body: { apis, generate } });
      return Math.max(...served.emulator.keys.all().map(({ createdAt }) => createdAt));
    };
    const first = await latest();
    vi.setSystemTime(NOW + 5.2 * day);
    await control(served, "PUT /clock", { body: { advance: "40d" } });
    const later = await latest();
    const again = await latest();

    expect(first).toBeLessThan(NOW);
    expect(first).toBeGreaterThan(NOW - 20 * day);
    expect(later).toBe(first + 5 * day);
    expect(again).toBe(later);
  } finally {
    vi.useRealTimers();
  }
});

test("PUT /snapshot?initial=true with a mistake changes nothing", async () => {
  await using served = await givenServer();
  await create(served);
  await control(served, "PUT /clock", { body: { advance: "1h" } });
  const before = stateOf(served.emulator);

  const { body, status } = await control(served, INITIAL, { body: { keys: [{ apiId: "none" }] } });

  expect(status).toBe(400);
  expect(body.error.message).toContain("snapshot: keys[0].apiId");
  expect(stateOf(served.emulator)).toEqual(before);
});

test("with isolation, PUT /snapshot?initial=true of the control token starts every workspace over", async () => {
  await using served = await givenServer({ isolate: true, controlToken: CONTROL });
  await create(served, {}, "mine");
  await control(served, "PUT /clock", { token: "mine", body: { advance: "1h" } });

  const { status } = await control(served, INITIAL, { token: CONTROL, body: nightly });

  expect(status).toBe(204);
  for (const token of ["mine", "new"]) {
    expect(await list(served, token)).toMatchObject([{ name: "nightly" }]);
    expect((await control(served, "GET /clock", { token })).body.now).toBe(NOW);
  }
});

test("with isolation, PUT /snapshot?initial=true of a token is the initial state of its workspace alone", async () => {
  await using served = await givenServer({ isolate: true });

  await control(served, INITIAL, { token: "mine", body: nightly });
  await control(served, "POST /reset", { token: "mine" });

  expect(await list(served, "mine")).toMatchObject([{ name: "nightly" }]);
  expect(await list(served, "other")).toEqual([]);
});

test("with isolation, PUT /snapshot?initial=true without a token is refused: it reaches all workspaces", async () => {
  await using served = await givenServer({ isolate: true });

  const { body, status } = await control(served, INITIAL, { body: nightly });

  expect(status).toBe(403);
  expect(body.error.message).toMatch(/^query: initial: expected .*control token/);
  expect(await list(served, "mine")).toEqual([]);
});

test.each([
  ["without isolation", { fixtures: [{ apis, tokens: [admin] }] }],
  ["with isolation", { fixtures: [{ apis, tokens: [admin] }], isolate: true }],
  [
    "with isolation and the option `tokens`",
    { fixtures: [{ apis, tokens: [admin] }], tokens: [admin, { token: "mine" }], isolate: true },
  ],
])(
  "%s, PUT /snapshot?initial=true refuses tokens of which none may use control routes",
  async (_, options) => {
    await using served = await givenServer(options);
    const send = async (tokens: readonly object[]) =>
      control(served, INITIAL, { token: "admin", body: { apis, tokens } });

    const refused = await send([{ token: "late", permissions: ["api.*.read_key"] }]);
    const accepted = await send([{ token: "late", permissions: ["latchkey.control"] }]);

    expect([refused.status, accepted.status]).toEqual([400, 204]);
    expect(refused.body.error.message).toContain(
      "tokens: expected one with the permission latchkey.control or *",
    );
    expect((await control(served, "GET /clock", { token: "late" })).status).toBe(200);
  },
);
