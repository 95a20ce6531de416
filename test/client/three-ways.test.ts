import { describe, expect, test } from "vitest";
import * as z from "zod";
import { connect } from "../../src/client/connect.ts";
import { defineOperation, type Fixture } from "../../src/index.ts";
import { NOW, post } from "../_emulator.ts";
import { givenServer, type Served } from "../_server.ts";
import { control, create } from "../http/_control.ts";

type Init = Readonly<Record<string, unknown>>;

/** What a test controls, in one of three ways. Each method throws the refusal. */
interface Controls {
  addFault(init: Init): Promise<unknown>;
  seed(fixture: Init): Promise<unknown>;
  setClock(time: unknown): Promise<unknown>;
  advance(duration: unknown): Promise<unknown>;
  reset(): Promise<unknown>;
  restore(fixture: Init): Promise<unknown>;
  waitFor(filter: Init, timeout?: string): Promise<readonly { readonly input?: unknown }[]>;
}

function inProcess({ emulator }: Served): Controls {
  return {
    addFault: async (init) => emulator.faults.add(init),
    seed: (fixture) => emulator.seed(fixture as Fixture),
    setClock: async (time) => emulator.clock.set(time as string),
    advance: async (duration) => emulator.clock.advance(duration as string),
    reset: () => emulator.reset(),
    restore: (fixture) => emulator.restore(fixture as Fixture),
    waitFor: (filter, timeout) => emulator.requests.waitFor(filter, timeout),
  };
}

function overHttp(served: Served): Controls {
  const call = async (route: string, body?: object) => {
    const answer = await control(served, route, { body });
    if (answer.status >= 300) throw new Error(answer.body.error.message);
    return answer.body;
  };
  return {
    addFault: (init) => call("POST /faults", init),
    seed: (fixture) => call("POST /seed", fixture),
    setClock: (now) => call("PUT /clock", { now }),
    advance: (duration) => call("PUT /clock", { advance: duration }),
    reset: () => call("POST /reset"),
    restore: (fixture) => call("PUT /snapshot", fixture),
    async waitFor({ match, ...filter }, timeout = "5s") {
      const query = new URLSearchParams({ ...filter, wait: timeout });
      if (match !== undefined) query.set("match", JSON.stringify(match));
      return (await call(`GET /requests?${query}`)).requests;
    },
  };
}

function byTheClient({ url }: Served): Controls {
  const client = connect(url);
  return {
    addFault: (init) => client.faults.add(init),
    seed: (fixture) => client.seed(fixture as Fixture),
    setClock: (time) => client.clock.set(time as string),
    advance: (duration) => client.clock.advance(duration as string),
    reset: () => client.reset(),
    restore: (fixture) => client.restore(fixture as Fixture),
    waitFor: (filter, timeout) => client.requests.waitFor(filter, timeout),
  };
}

const counting = defineOperation({
  contract: {
    name: "tests.count",
    method: "POST",
    path: "/v2/tests.count",
    input: z.strictObject({}),
    output: z.object({ data: z.object({ calls: z.int() }) }),
  },
  state: () => ({ calls: 0 }),
  run({ state }) {
    state.calls += 1;
    return { data: { calls: state.calls } };
  },
});

const apis = [{ id: "api_one" }];
const roles = [{ name: "reader", permissions: ["docs.read"] }];
const given = () =>
  givenServer({ fixtures: [{ apis, roles }], operations: [counting], randomSeed: 1 });
const DAY = 86_400_000;

describe.each([
  ["in process", inProcess],
  ["over HTTP", overHttp],
  ["by the client", byTheClient],
])("%s", (_, controlOf) => {
  test("a fault spares the calls that skip says, and sends its headers", async () => {
    await using served = await given();
    const headers = { "Retry-After": "30" };

    await controlOf(served).addFault({ status: 429, headers, skip: 1, times: 1 });

    const answers = [await create(served), await create(served), await create(served)];
    expect(answers.map((answer) => [answer.status, answer.headers.get("retry-after")])).toEqual([
      [200, null],
      [429, "30"],
      [200, null],
    ]);
  });

  test.each([
    [{ headers: { "Content-Length": "1" } }, "fault: headers.Content-Length: is set by"],
    [{ headers: { "Retry-After": 30 } }, "fault: headers.Retry-After: expected a string, got 30"],
    [{ skip: -1 }, "fault: skip: expected an integer of at least 0, got -1"],
  ])("the fault %j is refused, and none is added", async (init, message) => {
    await using served = await given();

    await expect(controlOf(served).addFault({ status: 429, ...init })).rejects.toThrow(message);

    expect(served.emulator.faults.list()).toEqual([]);
  });

  test("times and durations of a seed may count from the clock", async () => {
    await using served = await given();
    const ratelimit = { limit: 1, duration: "1m" };
    const key = { id: "key_1", apiId: "api_one", expires: "in 30d", createdAt: "90d ago" };

    await controlOf(served).advance("1d");
    await controlOf(served).seed({ keys: [{ ...key, ratelimit }] });

    const now = NOW + DAY;
    expect(served.emulator.keys.get("key_1")).toMatchObject({
      expires: now + 30 * DAY,
      createdAt: now - 90 * DAY,
      ratelimits: [{ duration: 60_000 }],
    });
  });

  test("a time that is spelt in another way is refused with the right one, and changes nothing", async () => {
    await using served = await given();
    const keys = [{ apiId: "api_one", expires: "+30d" }];
    const expected = 'expected "in 30d", got "+30d"';

    const { restore, seed, setClock } = controlOf(served);
    await expect(seed({ keys })).rejects.toThrow(`seed: keys[0].expires: ${expected}`);
    await expect(restore({ apis, keys })).rejects.toThrow(`keys[0].expires: ${expected}`);
    await expect(setClock("+30d")).rejects.toThrow(expected);

    expect(served.emulator.keys.count()).toBe(0);
    expect(served.emulator.clock.now()).toBe(NOW);
  });

  test("a seed orders made-up keys", async () => {
    await using served = await given();
    const order = {
      apiId: "api_one",
      count: 60,
      customers: [{ externalId: "acme", name: "Acme" }],
      like: { remaining: 1_000, expires: "in 30d" },
      shares: { disabled: 0.5 },
    };

    await controlOf(served).seed({ generate: [{ ...order, roles: ["reader"] }] });

    const keys = served.emulator.keys.all();
    expect(keys).toHaveLength(60);
    for (const key of keys) {
      expect(key).toMatchObject({ ownerId: "acme", remaining: 1_000, roles: ["reader"] });
      expect(key.expires).toBe(NOW + 30 * DAY);
    }
    const disabled = keys.filter(({ enabled }) => !enabled).length;
    expect(Math.abs(disabled - 30)).toBeLessThan(4);
  });

  test.each([
    [{ shares: { expired: 2 } }, "generate[0].shares.expired: expected a fraction from 0 to 1"],
    [{ roles: ["raeder"] }, 'generate[0].roles[0]: unknown role "raeder", did you mean "reader"?'],
    [{ like: { apiId: "api_one" } }, "generate[0].like.apiId: expected `apiId` beside `like`"],
  ])("the order %j is refused, and makes no key", async (order, message) => {
    await using served = await given();
    const generate = [{ apiId: "api_one", count: 5, ...order }];

    await expect(controlOf(served).seed({ generate })).rejects.toThrow(message);

    expect(served.emulator.keys.count()).toBe(0);
  });

  test("waitFor resolves when the call has come", async () => {
    await using served = await given();

    const waiting = controlOf(served).waitFor({
      operation: "keys.createKey",
      match: { name: "b" },
    });
    for (const name of ["a", "b"]) await create(served, { name });

    expect(await waiting).toMatchObject([{ input: { name: "b" } }]);
  });

  test("waitFor is refused when the time is up, and names the nearest call", async () => {
    await using served = await given();
    await create(served, { name: "ci" });

    const waiting = controlOf(served).waitFor({ match: { name: "CI" } }, "1ms");

    await expect(waiting).rejects.toThrow('nearest: keys.createKey 200, where match.name is "ci"');
  });

  test("requests of an operation of a user are found, and reset forgets its state", async () => {
    await using served = await given();
    const count = async () =>
      (await post(served.emulator, "/v2/tests.count", {})).body.data.calls as number;
    const before = [await count(), await count()];
    const { reset, waitFor } = controlOf(served);

    const found = await waitFor({ operation: "tests.count", count: 2 });
    await reset();

    expect(found).toHaveLength(2);
    expect([...before, await count()]).toEqual([1, 2, 1]);
  });
});
