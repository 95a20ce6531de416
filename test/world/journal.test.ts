import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { defineOperation, type Emulator } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW, post, send } from "../_emulator.ts";
import { createKeyV2 } from "../_v2.ts";

const key = { apiId: "api_one" };
const bearer = { headers: { Authorization: "Bearer any" } };

test("the journal records a request as it was sent, with its answer, status and code", async () => {
  const emulator = await givenEmulator();
  const body = { ...key, name: "CI", remaining: 5, unknown: [1, { a: null }] };

  const created = await createKey(emulator, body);
  const refused = await listKeys(emulator, "apiId=api_none&limit=2&cursor=");

  expect(emulator.requests.list()).toEqual([
    {
      version: "v1",
      operation: "keys.createKey",
      method: "POST",
      path: "/v1/keys.createKey",
      time: NOW,
      input: body,
      answer: { keyId: created.body.keyId, key: "***" },
      status: 200,
      code: undefined,
      type: undefined,
      duration: expect.any(Number),
      requestId: created.headers.get("unkey-request-id"),
      token: "unlisted[0]",
      faults: [],
    },
    {
      version: "v1",
      operation: "apis.listKeys",
      method: "GET",
      path: "/v1/apis.listKeys",
      time: NOW,
      input: { apiId: "api_none", limit: "2", cursor: "" },
      answer: refused.body,
      status: 404,
      code: "NOT_FOUND",
      type: undefined,
      hint: refused.headers.get("x-latchkey-hint"),
      duration: expect.any(Number),
      requestId: refused.body.error.requestId,
      token: "unlisted[0]",
      faults: [],
    },
  ]);
});

test("the journal records a page of keys as its number of keys, its cursor and the total", async () => {
  const emulator = await givenEmulator();
  for (const name of ["a", "b", "c"]) await createKey(emulator, { ...key, name });

  const { body } = await listKeys(emulator, { ...key, limit: 2 });
  await listKeys(emulator, { ...key, externalId: "nobody" });

  const answers = emulator.requests.list({ operation: "apis.listKeys" });
  expect(answers.map(({ answer }) => answer)).toEqual([
    { keys: 2, cursor: body.cursor, total: 3 },
    { keys: 0, total: 3 },
  ]);
});

test("the journal masks key values in answers, and keeps only the size of a long answer", async () => {
  const long = defineOperation({
    contract: {
      name: "keys.tell",
      method: "GET",
      path: "/v1/keys.tell",
      input: z.object({ size: z.coerce.number() }),
      output: z.object({ text: z.string(), key: z.string() }),
    },
    run: ({ input }) => ({ text: "x".repeat(input.size), key: "something" }),
  });
  const emulator = await givenEmulator({ operations: [long] });
  const vault = { apiId: "api_vault" };
  const { body } = await createKey(emulator, { ...vault, recoverable: true });
  await listKeys(emulator, { ...vault, decrypt: true });
  for (const size of [10, 5_000]) {
    await send(emulator, new Request(`http://emulator.test/v1/keys.tell?size=${size}`, bearer));
  }

  const answers = emulator.requests.list().map(({ answer, shortened }) => [answer, shortened]);

  expect(answers).toEqual([
    [{ keyId: body.keyId, key: "***" }, undefined],
    [{ keys: 1, total: 1 }, ["answer"]],
    [{ text: "xxxxxxxxxx", key: "***" }, undefined],
    ["(a body of 5029 bytes, which is not kept)", ["answer"]],
  ]);
});

test("the journal has the undistorted answer of a malformed reply", async () => {
  const emulator = await givenEmulator();
  emulator.faults.add({ effect: "malformed", times: 1 });

  await emulator.fetch(new Request("http://emulator.test/v1/apis.listKeys?apiId=api_one", bearer));

  expect(emulator.requests.list().map(({ answer }) => answer)).toEqual([{ keys: 0, total: 0 }]);
});

test("the journal records requests that are refused before the operation runs, but no preflights", async () => {
  const emulator = await givenEmulator();
  await createKey(emulator, "{ broken", {});
  await createKey(emulator, key, { token: null });
  await createKey(emulator, "x".repeat(1_048_577));
  for (const method of ["OPTIONS", "DELETE"]) {
    await send(emulator, new Request("http://emulator.test/v1/keys.createKey", { method }));
  }
  await send(
    emulator,
    new Request("http://emulator.test/v1/identities.createIdentity", { method: "POST" }),
  );

  const seen = emulator.requests.list().map(({ operation, code, status, input }) => {
    return [operation, code, status, input];
  });

  expect(seen).toEqual([
    ["keys.createKey", "BAD_REQUEST", 400, "{ broken"],
    ["keys.createKey", "UNAUTHORIZED", 401, key],
    ["keys.createKey", "BAD_REQUEST", 413, "(a body of 1048577 bytes, which is not kept)"],
    ["keys.createKey", "METHOD_NOT_ALLOWED", 405, undefined],
    [undefined, "NOT_FOUND", 404, undefined],
  ]);
});

test("requests.find, count and list take the same filter", async () => {
  const emulator = await givenEmulator();
  await createKey(emulator, { ...key, name: "first", meta: { a: 1, b: 2 } });
  await createKey(emulator, { ...key, name: "second" });
  await createKey(emulator, {});
  await listKeys(emulator, key);
  const { requests } = emulator;

  expect(requests.count()).toBe(4);
  expect(requests.count({ operation: "keys.createKey" })).toBe(3);
  expect(requests.count({ operation: "keys.createKey", status: 200 })).toBe(2);
  expect(requests.count({ status: 400 })).toBe(1);
  expect(requests.list({ match: { meta: { a: 1 } } })).toHaveLength(1);
  expect(requests.find({ match: { name: "second" } })?.input).toEqual({ ...key, name: "second" });
  expect(requests.find({ match: ({ status }) => status === 400 })?.input).toEqual({});
  expect(requests.find({ match: { name: "third" } })).toBeUndefined();
  requests.clear();
  expect(requests.list()).toEqual([]);
});

test.each([
  ["keys.create", "keys.createKey"],
  ["keys.creatKey", "keys.createKey"],
  ["keys.listKeys", "apis.listKeys"],
])("a journal filter with the operation %s is refused, which suggests %s", async (sent, meant) => {
  const { requests } = await givenEmulator();

  const start = `operation "${sent}", did you mean "${meant}"? (known: keys.createKey, apis.listKeys,`;
  expect(() => requests.list({ operation: sent })).toThrow(start);
});

test("a journal filter with an operation that its version does not have is refused like such a fault", async () => {
  const { faults, requests } = await givenEmulator();
  const filter = { operation: "keys.updateRemaining", version: "v2" } as const;

  const expected =
    'version: expected v1, because nothing else is served for keys.updateRemaining, got "v2"';
  expect(() => faults.add({ ...filter, status: 500 })).toThrow(`fault: ${expected}`);
  for (const method of ["list", "find", "count"] as const) {
    expect(() => requests[method](filter)).toThrow(`requests: ${expected}`);
  }
  await expect(requests.waitFor(filter)).rejects.toThrow(`requests: ${expected}`);
});

test("a journal filter with a version alone finds calls that no operation answers", async () => {
  const emulator = await givenEmulator();
  await listKeys(emulator, key);
  await emulator.fetch("http://emulator.test/v2/keys.unknown", { method: "POST" });

  expect(emulator.requests.count({ version: "v2" })).toBe(1);
});

test.each([
  [{ operaton: "keys.createKey" }, /^requests: operaton: unknown member, did you mean "operation"/],
  [{ status: "200" }, /^requests: status: expected an integer from 100 to 599/],
  [{ match: "CI" }, /^requests: match: expected an object with/],
  [{ version: "v3" }, /^requests: version: expected "v1" or "v2"/],
  ["keys.createKey", /^requests: expected an object/],
])("the journal filter %j is refused", async (filter, message) => {
  const { requests } = await givenEmulator();

  for (const method of ["list", "find", "count"] as const) {
    expect(() => requests[method](filter as never)).toThrow(message);
  }
  await expect(requests.waitFor(filter as never)).rejects.toThrow(message);
});

test("a journal match finds a query parameter as it was sent and as it was parsed", async () => {
  const emulator = await givenEmulator();
  await listKeys(emulator, { ...key, limit: 10, decrypt: true });

  for (const match of [{ limit: 10 }, { limit: "10" }, { decrypt: true }]) {
    expect(emulator.requests.count({ match })).toBe(1);
  }
  expect(emulator.requests.count({ match: { limit: 1 } })).toBe(0);
});

test("the journal keeps the last 1,000 requests", async () => {
  const emulator = await givenEmulator();
  for (let call = 0; call < 1_003; call += 1) await listKeys(emulator, { apiId: `api_${call}` });

  const all = emulator.requests.list();

  expect(all).toHaveLength(1_000);
  expect([all[0]?.input, all.at(-1)?.input]).toEqual([{ apiId: "api_3" }, { apiId: "api_1002" }]);
});

describe("waitFor", () => {
  test("requests.waitFor resolves once enough requests match, including earlier ones", async () => {
    const emulator = await givenEmulator();
    const waiting = emulator.requests.waitFor({ operation: "keys.createKey", count: 2 });
    await listKeys(emulator, key);
    await createKey(emulator, { ...key, name: "a" });
    await createKey(emulator, { ...key, name: "b" });

    const found = await waiting;
    const again = await emulator.requests.waitFor({ match: { name: "b" } }, 0);

    expect(found.map(({ input }) => input)).toEqual([
      { ...key, name: "a" },
      { ...key, name: "b" },
    ]);
    expect(again).toHaveLength(1);
  });

  test("requests.waitFor rejects after its timeout, and names the requests that came", async () => {
    const emulator = await givenEmulator();
    await listKeys(emulator, key);

    const waiting = emulator.requests.waitFor({ operation: "keys.createKey" }, 10);

    await expect(emulator.requests.waitFor({}, Infinity)).rejects.toThrow(/^requests: timeout:/);
    await expect(emulator.requests.waitFor({ count: 0 })).rejects.toThrow(/^requests: count:/);
    await expect(waiting).rejects.toThrow(
      'requests.waitFor: expected 1 of keys.createKey within 10 ms, got 0; nearest: apis.listKeys 200, where operation is "apis.listKeys"; seen: apis.listKeys 200',
    );
  });

  const name = "ci";
  test.each([
    [
      { status: 500 },
      "1 of any operation with status 500 within 0 ms, got 0; nearest: keys.verifyKey 200, where status is 200",
    ],
    [
      { operation: "keys.createKey", match: { name: "CI", apiId: "api_one" } },
      '1 of keys.createKey with match {"name":"CI","apiId":"api_one"} within 0 ms, got 0; nearest: keys.createKey 200, where match.name is "ci"',
    ],
    [
      { operation: "keys.createKey", version: "v2", match: { meta: { plan: "pro" } } } as const,
      '1 of keys.createKey with version v2, match {"meta":{"plan":"pro"}} within 0 ms, got 0; nearest: keys.createKey 200, where version is "v1" and match.meta is missing',
    ],
    [{ match: { roles: ["a", "c"] } }, 'nearest: keys.createKey 200, where match.roles.1 is "b"'],
    [{ match: { roles: ["a"] } }, 'where match.roles is ["a","b"]'],
    [{ match: { a: 1, b: 1, c: 1, d: 1, e: 1 } }, "match.c is missing and 2 more differ;"],
    [
      { count: 2, match: { name } },
      "got 1; nearest: keys.verifyKey 200, where match.name is missing",
    ],
    [
      { match: { key: "a_secret_value" } },
      '1 of any operation with match {"key":"***"} within 0 ms, got 0; nearest: keys.verifyKey 200, where match.key is another',
    ],
    [
      { match: () => false },
      "1 of any operation with match (a function) within 0 ms, got 0; nearest: keys.verifyKey 200, where match is false",
    ],
  ])(
    "requests.waitFor for %j names the filter, and where the nearest request differs",
    async (filter, text) => {
      const emulator = await givenEmulator();
      await createKey(emulator, { ...key, name, roles: ["a", "b"] });
      await post(emulator, "/v1/keys.verifyKey", { key: "another_secret_value" });

      const waiting = emulator.requests.waitFor(filter, 0);

      const error = await waiting.catch((thrown: Error) => thrown.message);
      expect(error).toContain(text);
      expect(error).not.toContain("secret");
    },
  );

  test("requests.waitFor shows no key value of the nearest request", async () => {
    const emulator = await givenEmulator();
    const { body } = await createKey(emulator, key);
    await createKey(emulator, { ...key, name: body.key, meta: { deep: body.key } });

    const match = { name: "other", meta: { deep: 1 } };

    await expect(emulator.requests.waitFor({ match }, 0)).rejects.toThrow(
      'match.name is "***" and match.meta.deep is "***"',
    );
  });

  test("the Error of requests.waitFor has a stack that begins at its caller", async () => {
    const { requests } = await givenEmulator();
    async function theCaller() {
      await requests.waitFor({}, 0);
    }

    const { message, stack } = (await theCaller().catch((error: Error) => error)) as Error;

    expect(stack?.startsWith(`Error: ${message}\n`)).toBe(true);
    expect(stack?.split("\n")[1]).toMatch(/theCaller.*journal\.test\.ts/);
  });

  test("requests.waitFor says that the input of the nearest request was not kept", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, { ...key, meta: { long: "x".repeat(100_001) } });

    await expect(emulator.requests.waitFor({ match: { name } }, 0)).rejects.toThrow(
      'nearest: keys.createKey 400, where match is "(not kept)"',
    );
  });

  test("requests.waitFor rejects if its match throws or is asynchronous, and requests are answered", async () => {
    const emulator = await givenEmulator();
    const waiting = emulator.requests.waitFor({
      match() {
        throw new Error("mine");
      },
    });
    const promising = emulator.requests.waitFor({ match: (async () => false) as never });
    const alsoEnding = expect(promising).rejects.toThrow(
      /expected a synchronous function, got a promise/,
    );
    const ending = expect(waiting).rejects.toThrow("mine");

    expect((await listKeys(emulator, key)).status).toBe(200);
    await ending;
    await alsoEnding;
  });

  test("requests.waitFor does not count cleared requests, and refuses a count above 1,000", async () => {
    const emulator = await givenEmulator();
    const waiting = emulator.requests.waitFor({ count: 2 }, 300);
    const ending = expect(waiting).rejects.toThrow(
      "expected 2 of any operation within 300 ms, got 1",
    );
    await listKeys(emulator, key);
    emulator.requests.clear();
    await listKeys(emulator, key);

    await ending;
    await expect(emulator.requests.waitFor({ count: 1_001 })).rejects.toThrow(/^requests: count:/);
  });

  test("requests.waitFor times out in real time while fake timers are in use", async () => {
    const emulator = await givenEmulator();
    vi.useFakeTimers();
    try {
      await expect(emulator.requests.waitFor({}, 5)).rejects.toThrow(/got 0; seen: nothing/);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("a request that is under way while the journal is cleared is recorded when it ends", async () => {
  const emulator = await givenEmulator();
  emulator.faults.add({ latency: 50 });
  const answer = listKeys(emulator, key);
  await emulator.requests.waitFor({});

  emulator.requests.clear();
  await answer;

  expect(emulator.requests.list()).toHaveLength(1);
});

test("the journal keeps a megabyte of inputs in all, and drops the oldest first", async () => {
  const emulator = await givenEmulator();
  const meta = { text: "x".repeat(60_000) };
  for (let call = 0; call < 30; call += 1) await createKey(emulator, { ...key, meta });

  const inputs = emulator.requests.list().map(({ input }) => typeof input);

  expect(inputs.filter((type) => type === "object")).toHaveLength(17);
  expect(inputs.at(-1)).toBe("object");
});

test("the journal keeps deeply nested bodies, but none of more than 100,000 bytes", async () => {
  const emulator = await givenEmulator();
  await createKey(emulator, { ...key, roles: Array.from({ length: 400 }, () => "r".repeat(300)) });
  await createKey(emulator, `${"[".repeat(40_000)}${"]".repeat(40_000)}`);

  await createKey(emulator, `{"x":${"[".repeat(5_000)}${"]".repeat(5_000)}}`);
  const requests = emulator.requests.list();
  const [large, deep, deeper] = requests.map(({ input }) => input);

  expect(requests.map(({ shortened }) => shortened)).toEqual([["input"], undefined, undefined]);
  expect(large).toMatch(/^\(a body of \d+ bytes, which is not kept\)$/);
  expect(deep).toBeDefined();
  expect(JSON.stringify(deeper)).toContain("(nested too deeply)");
});

describe("after more calls than the journal keeps", () => {
  const verify = (emulator: Emulator, name: string) =>
    post(emulator, "/v2/keys.verifyKey", { key: name });
  /** One create, 1,000 verifications and 20 refused ones. The first 21 calls are forgotten. */
  async function givenManyCalls() {
    const emulator = await givenEmulator();
    await createKeyV2(emulator, { ...key, name: "first" });
    for (let index = 0; index < 1_020; index += 1) await verify(emulator, index < 20 ? "" : "key");
    return emulator;
  }

  test("counts by operation, version and status are exact", async () => {
    const { requests } = await givenManyCalls();

    expect(requests.count()).toBe(1_021);
    expect(requests.count({ operation: "keys.createKey" })).toBe(1);
    expect(requests.count({ operation: "keys.verifyKey", status: 200 })).toBe(1_000);
    expect(requests.count({ version: "v2", status: 400 })).toBe(20);
    expect(requests.list()).toHaveLength(1_000);
    requests.clear();
    expect(requests.count()).toBe(0);
  });

  test("a filter that a forgotten call may match is refused", async () => {
    const { requests } = await givenManyCalls();
    const create = { operation: "keys.createKey" } as const;
    const forgotten = /^requests: 1 call that may match is forgotten, because the journal keeps/;

    expect(() => requests.list(create)).toThrow(forgotten);
    expect(() => requests.find(create)).toThrow(forgotten);
    expect(() => requests.count({ ...create, match: { name: "first" } })).toThrow(forgotten);
    expect(() => requests.find()).toThrow("21 calls that may match are forgotten");
    await expect(requests.waitFor(create, 0)).rejects.toThrow(/got 0.*; 1 call that may match/);
    expect(requests.find({ operation: "keys.verifyKey", status: 200 })).toBeDefined();
    expect(requests.list({ status: 404 })).toEqual([]);
  });

  test("a delayed call that the journal forgets is counted once, with its end", async () => {
    const emulator = await givenEmulator();
    const { faults, requests } = emulator;
    faults.add({ operation: "keys.createKey", latency: 3_600_000, times: 1 });
    const delayed = createKeyV2(emulator, key);
    await requests.waitFor({ operation: "keys.createKey" });
    for (let index = 0; index < 1_001; index += 1) await verify(emulator, "key");
    expect(requests.count({ operation: "keys.createKey" })).toBe(1);

    await emulator.restore(emulator.snapshot());
    const { status } = await delayed;

    expect(requests.count({ operation: "keys.createKey", status })).toBe(1);
    expect(requests.count({ operation: "keys.createKey" })).toBe(1);
    expect(requests.count()).toBe(1_002);
  });

  test("a call that two faults delay is counted once", async () => {
    const emulator = await givenEmulator();
    const operation = "keys.createKey";
    for (const when of ["before", "after"] as const)
      emulator.faults.add({ operation, latency: 1, when });

    await createKeyV2(emulator, key);

    const counts = [{}, { status: 200 }].map((filter) => emulator.requests.count(filter));
    expect(counts).toEqual([1, 1]);
  });

  test("a filter on an input that is not kept is refused", async () => {
    const { requests } = await (async () => {
      const emulator = await givenEmulator();
      await createKeyV2(emulator, { ...key, name: "x".repeat(100_001) });
      return emulator;
    })();

    expect(requests.count({ operation: "keys.createKey" })).toBe(1);
    expect(() => requests.count({ match: { name: "a" } })).toThrow("1 call that may match");
  });
});

test("the journal shows whose call it was without the token, and the headers that the option names", async () => {
  const fixtures = [
    { apis: [{ id: "api_one" }], tokens: [{ token: "token_a" }, { token: "token_b" }] },
  ];
  const emulator = await givenEmulator({ fixtures, recordHeaders: ["X-Trace", "user-agent"] });
  const ask = (token: string | undefined, trace = {}) => {
    const headers = {
      "Content-Type": "application/json",
      ...trace,
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const init = { method: "POST", headers, body: JSON.stringify(key) };
    return emulator.fetch(new Request("http://emulator.test/v2/apis.listKeys", init));
  };

  await ask("token_b", { "X-Trace": "1 token_a" });
  for (const token of ["other_1", "other_2", "other_1", undefined]) await ask(token);

  expect(emulator.requests.list().map(({ headers, token }) => [token, headers])).toEqual([
    ["tokens[1]", { "x-trace": "1 ***" }],
    ["unlisted[0]", {}],
    ["unlisted[1]", {}],
    ["unlisted[0]", {}],
    [undefined, {}],
  ]);
  expect(emulator.requests.count({ match: ({ token }) => token === "tokens[1]" })).toBe(1);
  for (const name of ["Authorization", "Cookie", "x-auth", "x-api-key", "a b"]) {
    await expect(givenEmulator({ recordHeaders: [name] })).rejects.toThrow(
      "recordHeaders[0]: expected names of headers",
    );
  }
});
