import { inspect } from "node:util";
import { EnvHttpProxyAgent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { describe, expect, expectTypeOf, test } from "vitest";
import { connect } from "../../../src/control/client/connect.ts";
import type { RecordedRequest } from "../../../src/index.ts";
import { NOW } from "../../_emulator.ts";
import { givenServer, type Served } from "../../_server.ts";
import { create, guardedWorld, list } from "../_control.ts";

async function givenConnection(...options: Parameters<typeof givenServer>) {
  const served = await givenServer(...options);
  return { served, client: connect(served.url), [Symbol.asyncDispose]: () => end(served) };
}

const end = (served: Served) => served[Symbol.asyncDispose]();

describe("connect()", () => {
  test("only calls to another machine go through the proxy of the environment", async () => {
    await using given = await givenConnection();
    const before = getGlobalDispatcher();
    // As Node does with NODE_USE_ENV_PROXY=1.
    setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: "http://127.0.0.1:1" }));
    try {
      expect(await given.client.keys.all()).toEqual([]);
      const refusal = await connect("http://latchkey.test").keys.all().catch(inspect);
      expect(refusal).toContain("connect ECONNREFUSED 127.0.0.1:1");
    } finally {
      setGlobalDispatcher(before);
    }
  });

  test("a client seeds, takes snapshots, restores them and resets", async () => {
    await using given = await givenConnection();
    const { client, served } = given;
    await client.seed({ keys: [{ apiId: "api_one", name: "seeded" }] });
    const snapshot = await client.snapshot();

    await client.reset();
    const afterReset = await list(served);
    await client.restore(snapshot);

    expect(snapshot).toEqual(JSON.parse(JSON.stringify(served.emulator.snapshot())));
    expect(afterReset).toEqual([]);
    expect(await list(served)).toMatchObject([{ name: "seeded" }]);
  });

  test("a client resets with fresh ids", async () => {
    await using given = await givenConnection();
    const first = await create(given.served);

    await given.client.reset({ freshIds: true });

    expect((await create(given.served)).body.keyId).not.toBe(first.body.keyId);
  });

  test("a client reads and changes the clock", async () => {
    await using given = await givenConnection();
    const { clock } = given.client;

    expect(await clock.get()).toEqual({ now: NOW, frozen: true });
    expect(await clock.set(new Date(NOW + 1_000))).toEqual({ now: NOW + 1_000, frozen: true });
    expect(await clock.set("2030-01-01")).toEqual({ now: Date.UTC(2030, 0, 1), frozen: true });
    expect((await clock.advance("1h")).now).toBe(Date.UTC(2030, 0, 1, 1));
    expect((await clock.resume()).frozen).toBe(false);
    expect((await clock.freeze()).frozen).toBe(true);
    expect((await clock.set("real")).frozen).toBe(false);
  });

  test("a client adds, lists and removes faults", async () => {
    await using given = await givenConnection();
    const { client, served } = given;

    const retry = { "Retry-After": "1" };
    const { id } = await client.faults.add({ status: 429, headers: retry, times: 1 });
    const { headers, status } = await create(served);
    const ever = await client.faults.add({ operation: "apis.listKeys", latency: 1 });

    expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await client.faults.list()).toMatchObject([
      { id, hits: 1 },
      { id: ever.id, hits: 0 },
    ]);
    expect(await client.faults.pending()).toMatchObject([{ id: ever.id }]);
    await client.faults.remove(ever);
    expect(await client.faults.list()).toHaveLength(1);
    await client.faults.clear();
    expect(await client.faults.list()).toEqual([]);
    await expect(client.faults.remove(ever)).rejects.toThrow(`there is no ${ever.id}`);
  });

  test("a client reads and empties the journal", async () => {
    await using given = await givenConnection();
    const { client, served } = given;
    for (const name of ["a", "b"]) await create(served, { name });

    const match = { name: "b" };
    expect(await client.requests.list()).toHaveLength(2);
    expect(await client.requests.find({ match })).toMatchObject({ input: match });
    expect(await client.requests.find({ status: 500 })).toBeUndefined();
    expect(await client.requests.count({ operation: "keys.createKey", version: "v1" })).toBe(2);
    await client.requests.clear();
    expect(await client.requests.count()).toBe(0);
  });

  test("requests.waitFor of a client resolves as soon as enough requests match", async () => {
    await using given = await givenConnection();
    const { client, served } = given;
    const waiting = client.requests.waitFor({ match: { name: "b" }, count: 2 }, "1m");

    for (const name of ["a", "b", "b"]) await create(served, { name });

    const found = await waiting;
    expectTypeOf(found).toEqualTypeOf<[RecordedRequest, ...RecordedRequest[]]>();
    expect(found.map(({ input }) => input)).toMatchObject([{ name: "b" }, { name: "b" }]);
  });

  test("with isolation, each client has the workspace of its token", async () => {
    await using given = await givenConnection({ isolate: true });
    const { client, served } = given;
    const mine = client.workspace("mine");
    await mine.seed({ keys: [{ apiId: "api_one" }] });
    await client.workspace("other").reset();

    expect(await list(served, "mine")).toHaveLength(1);
    expect(await list(served, "other")).toEqual([]);
    await expect(client.reset({ all: true })).rejects.toThrow("query: all: expected");
    await mine.reset();
    expect(await list(served, "mine")).toEqual([]);
  });

  test("a client sends its control token instead of its token", async () => {
    await using served = await givenServer({ fixtures: [guardedWorld], controlToken: "ctl" });
    const { url } = served;

    await connect(url, { token: "good" }).clock.get();
    await connect(url, { token: "no such token", controlToken: "ctl" }).clock.get();

    await expect(connect(url).clock.get()).rejects.toThrow(
      "authorization: expected the control token",
    );
    await expect(connect(url, { token: "bad" }).clock.get()).rejects.toThrow(
      "authorization: the token is not known",
    );
  });
});

describe("an Error of a client", () => {
  test("has the message of the control route, and the line of the caller", async () => {
    await using given = await givenConnection();
    const { client } = given;
    async function theCaller() {
      await client.faults.add({ status: 200 });
    }

    const { message, stack } = (await theCaller().catch((error: Error) => error)) as Error;

    expect(message).toBe("fault: status: expected an integer from 400 to 599, got 200");
    expect(stack?.startsWith(`Error: ${message}\n`)).toBe(true);
    expect(stack).toMatch(/theCaller.*connect\.test\.ts/);
  });

  test("says that nothing answers at the URL", async () => {
    const served = await givenServer();
    await end(served);

    const refused = connect(served.url).reset();

    await expect(refused).rejects.toThrow(
      `no answer from latchkey at ${served.url}: is it running there?`,
    );
    await expect(refused).rejects.toHaveProperty("cause");
  });

  test("says that no control routes answer below the URL", async () => {
    await using given = await givenConnection();
    const url = `${given.served.url}/v1`;

    await expect(connect(url).reset()).rejects.toThrow("path");
  });

  describe.each([
    ["a function", () => true],
    ["an object with a function", { name: () => true }],
    ["an object with undefined", { meta: { plan: undefined } }],
  ])("says that JSON cannot hold a match that is %s", (_, value) => {
    test.each(["faults.add", "seed", "restore", "requests.list", "requests.waitFor"])(
      "in %s",
      async (method) => {
        await using given = await givenConnection();
        const { faults, requests, restore, seed } = given.client;
        const match = value as never;
        const calls = {
          "faults.add": () => faults.add({ status: 500, match }),
          seed: () => seed({ faults: [{ status: 500, match }] }),
          restore: () => restore({ faults: [{ status: 500, match }] }),
          "requests.list": () => requests.list({ match }),
          "requests.waitFor": () => requests.waitFor({ match }),
        };

        await expect(calls[method as keyof typeof calls]()).rejects.toThrow(
          "match: expected an object of values that JSON can hold; a function works only in the process of the emulator",
        );
        expect(await faults.list()).toEqual([]);
      },
    );
  });

  test.each(["localhost:4010", "ftp://localhost", "nonsense"])(
    "connect refuses the URL %s",
    (url) => {
      expect(() => connect(url)).toThrow(
        new TypeError(
          `connect: expected the URL of a running latchkey, like http://localhost:4010, got ${url}`,
        ),
      );
    },
  );

  test.each(["to\nken", "tökén", "to ken", " "])(
    "says that the token %j cannot be sent, and does not show it",
    (token) => {
      const expected = new TypeError("connect: token: expected visible ASCII characters");

      expect(() => connect("http://localhost:1", { token })).toThrow(expected);
      expect(() => connect("http://localhost:1").workspace(token)).toThrow(expected);
    },
  );
});

test.each(["/", "//", "/?query", "/#token=secret"])(
  "connect takes a URL that ends in %s",
  async (ending) => {
    await using given = await givenConnection();
    const { url } = given.served;

    const client = connect(new URL(url + ending));

    expect(client.url).toBe(url);
    expect((await client.clock.get()).now).toBe(NOW);
  },
);

test("seed of a client takes a promise of a fixture", async () => {
  await using given = await givenConnection();
  const fixture = Promise.resolve({ keys: [{ apiId: "api_one" }] });

  await given.client.seed(fixture as never);

  expect(await list(given.served)).toHaveLength(1);
});
