import { describe, expect, test } from "vitest";
import { refusedAnswers } from "../../src/api/outcomes.ts";
import type { FaultInit } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, post } from "../_emulator.ts";
import { doing } from "../_own-operations.ts";
import { createKeyV2 } from "../_v2.ts";

const key = { apiId: "api_one" };
const total = async (emulator: Parameters<typeof listKeys>[0]) =>
  (await listKeys(emulator, key)).body.total;

describe("a fault with a status or code", () => {
  const [APP, DATA, AUTH] = ["unkey/application", "unkey/data", "unkey/authorization"] as const;
  const SERVER = "INTERNAL_SERVER_ERROR";
  const LIMITED = "user/too_many_requests/workspace_rate_limited";
  const CLOSED = "user/bad_request/client_closed_request";
  const PROTECTED = `${APP}/protected_resource` as const;
  const UNAVAILABLE = `${APP}/service_unavailable` as const;
  test.each<[init: FaultInit, status: number, code: string, title: string, type: string]>([
    [{ status: 500 }, 500, SERVER, "Internal Server Error", `${APP}/unexpected_error`],
    [{ type: `${DATA}/role_not_found` }, 404, "NOT_FOUND", "Not Found", `${DATA}/role_not_found`],
    [
      { type: `${AUTH}/key_disabled` },
      403,
      "INSUFFICIENT_PERMISSIONS",
      "Key is disabled",
      `${AUTH}/key_disabled`,
    ],
    [{ type: PROTECTED }, 412, "PRECONDITION_FAILED", "Resource is protected", PROTECTED],
    [{ type: CLOSED }, 499, "BAD_REQUEST", "Client Closed Request", CLOSED],
    [{ type: UNAVAILABLE }, 503, SERVER, "Service Unavailable", UNAVAILABLE],
    [{ status: 503 }, 503, SERVER, "Service Unavailable", `${APP}/service_unavailable`],
    [{ status: 429 }, 429, "RATE_LIMITED", "Too Many Requests", LIMITED],
    [{ code: "RATE_LIMITED" }, 429, "RATE_LIMITED", "Too Many Requests", LIMITED],
    [{ status: 404 }, 404, "NOT_FOUND", "Not Found", `${DATA}/api_not_found`],
    [{ status: 409 }, 409, "CONFLICT", "Conflicting Resource", `${APP}/precondition_failed`],
    [{ status: 410 }, 410, "NOT_FOUND", "Resource Gone", `${APP}/precondition_failed`],
    [{ status: 418 }, 418, "BAD_REQUEST", "Bad Request", `${APP}/invalid_input`],
    [{ code: "DISABLED" }, 403, "DISABLED", "Key is disabled", `${AUTH}/key_disabled`],
    [
      { type: "unkey/data/tenant_off", code: "DISABLED" },
      ...([403, "DISABLED", "Forbidden", `${DATA}/tenant_off`] as const),
    ],
    [
      { type: "unkey/data/tenant_gone", status: 410 },
      ...([410, "NOT_FOUND", "Resource Gone", `${DATA}/tenant_gone`] as const),
    ],
  ])(
    "as %j is answered in the error envelope of each version",
    async (init, status, code, title, type) => {
      const emulator = await givenEmulator();
      emulator.faults.add(init);

      const v1 = await createKey(emulator, key);
      const v2 = await createKeyV2(emulator, key);

      expect([v1.status, v2.status]).toEqual([status, status]);
      expect(Object.keys(v1.body.error)).toEqual(["code", "docs", "message", "requestId"]);
      expect(v1.body.error.code).toEqual(code);
      expect(v1.body.error.requestId).toBe(v1.headers.get("unkey-request-id"));
      expect(v2.body.error).toEqual({
        detail: "an injected fault",
        ...(status === 499 && { errors: [] }),
        status,
        title,
        type: `https://unkey.com/docs/errors/${type}`,
      });
      for (const { headers } of [v1, v2]) {
        expect(headers.get("access-control-allow-origin")).toBe("*");
        expect(headers.get("x-latchkey-hint")).toContain("hit by fault_1");
      }
    },
  );

  test.each(["v1", "v2"] as const)(
    "sends its headers in %s, which pages may read",
    async (version) => {
      const emulator = await givenEmulator();
      const init = { "Retry-After": "30", "RateLimit-Remaining": "0" };
      emulator.faults.add({ status: 429, headers: init });

      const { headers, status } = await post(emulator, `/${version}/keys.createKey`, key);

      expect(status).toBe(429);
      expect(headers.get("retry-after")).toBe("30");
      expect(headers.get("ratelimit-remaining")).toBe("0");
      const exposed = headers.get("access-control-expose-headers")?.split(", ");
      expect(exposed).toEqual(expect.arrayContaining(Object.keys(init)));
    },
  );

  test("replaces a header of the reply that it names in another case", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ status: 401, headers: { "www-authenticate": "Basic" } });

    const { headers } = await listKeys(emulator, key);

    expect(headers.get("www-authenticate")).toBe("Basic");
  });

  test("of 401 is answered with a challenge", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ status: 401 });

    const { headers } = await listKeys(emulator, key);

    expect(headers.get("www-authenticate")).toBe("Bearer");
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("that is applied %s the operation leaves %i keys", async (when, count) => {
    const emulator = await givenEmulator();
    emulator.faults.add({ operation: "keys.createKey", status: 500, when });

    const { status } = await createKey(emulator, { ...key, externalId: "ann", roles: ["r"] });

    expect(status).toBe(500);
    expect(await total(emulator)).toBe(count);
    expect(emulator.identities.count()).toBe(count);
    expect(emulator.roles.count()).toBe(count);
  });
});

describe("a fault is applied", () => {
  test("to calls of its operation only, and no more often than its times", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ operation: "keys.createKey", status: 500, times: 2 });

    const list = await listKeys(emulator, key);
    const statuses = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await createKey(emulator, key)).status);

    expect(list.status).toBe(200);
    expect(statuses).toEqual([500, 500, 200, 200]);
  });

  test("to calls whose input contains its match", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ status: 500, match: { meta: { plan: "pro" }, roles: ["a", "b"] } });
    const meta = { plan: "pro", seats: 3 };

    const statuses = [];
    for (const body of [
      { ...key, meta, roles: ["a", "b"], name: "more" },
      { ...key, meta, roles: ["a"] },
      { ...key, meta: { plan: "free" }, roles: ["a", "b"] },
      { ...key, roles: ["a", "b"] },
    ]) {
      statuses.push((await createKey(emulator, body)).status);
    }

    expect(statuses).toEqual([500, 200, 200, 200]);
  });

  test("to calls whose parsed query parameters match, with the cursor compared as sent", async () => {
    const emulator = await givenEmulator({
      fixtures: [{ apis: [{ id: "api_one" }], keys: [key, key, key] }],
    });
    const { body } = await listKeys(emulator, { ...key, limit: 1 });
    emulator.faults.add({ status: 500, match: { limit: 2, decrypt: false } });
    emulator.faults.add({ status: 502, match: { cursor: body.cursor } });

    const statuses = [];
    for (const query of [
      { limit: 2, decrypt: "0" },
      { limit: 2 },
      { limit: 3, decrypt: false },
      { cursor: body.cursor },
    ]) {
      statuses.push((await listKeys(emulator, { ...key, ...query })).status);
    }

    expect(statuses).toEqual([500, 200, 200, 502]);
  });

  test("to calls for which its match function returns true", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ status: 500, match: ({ name }) => String(name).startsWith("bad") });

    expect((await createKey(emulator, { ...key, name: "bad one" })).status).toBe(500);
    expect((await createKey(emulator, { ...key, name: "good one" })).status).toBe(200);
  });

  test("only after authentication, validation and permissions", async () => {
    const fixtures = [
      {
        tokens: [{ token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] }],
        apis: [{ id: "api_one" }],
      },
    ];
    const emulator = await givenEmulator({ fixtures });
    emulator.faults.add({ status: 500, times: 1 });

    const statuses = [
      (await createKey(emulator, key, { token: null })).status,
      (await createKey(emulator, {}, { token: "reader" })).status,
      (await createKey(emulator, key, { token: "reader" })).status,
      (await listKeys(emulator, { apiId: "api_none" }, { token: "reader" })).status,
    ];

    expect(statuses).toEqual([401, 400, 403, 500]);
  });

  test("after the operation only if the operation succeeded", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ effect: "drop", when: "after", times: 1 });

    expect((await createKey(emulator, { apiId: "api_none" })).status).toBe(404);
    expect(emulator.faults.pending()).toHaveLength(1);
  });

  test("after skipping as many matching calls as skip says, and then to as many as times says", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ status: 500, skip: 2, times: 1, match: { name: "x" } });

    const statuses = [];
    for (const name of ["x", "y", "x", "x", "x"]) {
      statuses.push((await createKey(emulator, { ...key, name })).status);
    }

    expect(statuses).toEqual([200, 200, 200, 500, 200]);
  });

  test("with a probability, to the same calls for the same random seed", async () => {
    const runs = [];
    for (const randomSeed of [1, 1, 2]) {
      const emulator = await givenEmulator({ randomSeed });
      emulator.faults.add({ status: 500, probability: 0.5 });
      const statuses = [];
      for (let call = 0; call < 40; call += 1)
        statuses.push((await listKeys(emulator, key)).status);
      runs.push(statuses.join(" "));
    }

    const [first, again, other] = runs;
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(first?.match(/500/g)?.length).toBeGreaterThan(8);
    expect(first?.match(/200/g)?.length).toBeGreaterThan(8);
  });

  test("to a user's operation too", async () => {
    const emulator = await givenEmulator({ operations: [doing(() => ({ done: true }))] });
    emulator.faults.add({ operation: "tests.run", status: 418, times: 1 });

    const answers = [
      await post(emulator, "/v1/tests.run", {}),
      await post(emulator, "/v1/tests.run", {}),
    ];

    expect(answers.map(({ status }) => status)).toEqual([418, 200]);
  });
});

describe("several faults", () => {
  test("the first that is not used up decides the reply", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ status: 500, times: 1 });
    emulator.faults.add({ status: 503, times: 1 });

    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await listKeys(emulator, key)).status);

    expect(statuses).toEqual([500, 503, 200]);
  });

  test("a call that another fault decides counts among the skipped ones", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ status: 500, times: 1 });
    emulator.faults.add({ status: 503, skip: 2, times: 1 });

    const statuses = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await listKeys(emulator, key)).status);

    expect(statuses).toEqual([500, 200, 503, 200]);
  });

  test("all add their headers to the reply, and the last of one name stays", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ headers: { "X-First": "1", "retry-after": "1" } });
    emulator.faults.add({ status: 429, headers: { "Retry-After": "2" } });

    const { headers, status } = await listKeys(emulator, key);

    expect(status).toBe(429);
    expect([headers.get("x-first"), headers.get("retry-after")]).toEqual(["1", "2"]);
  });

  test("the hint of a refusal comes before the hint of a fault", async () => {
    const emulator = await givenEmulator({ latency: 1 });

    const { headers } = await listKeys(emulator, { apiId: "api_none" });

    expect(headers.get("x-latchkey-hint")).toMatch(
      /^the APIs here are .*; hit by fault_1 \(1 ms before\)$/,
    );
  });

  test("with only a latency are all applied to a call", async () => {
    const emulator = await givenEmulator({ latency: 1 });
    emulator.faults.add({ status: 500, times: 1 });
    emulator.faults.add({ latency: [1, 2] });

    await listKeys(emulator, key);

    expect(emulator.requests.list()[0]?.faults).toEqual(["fault_1", "fault_2", "fault_3"]);
  });
});

describe("latency", () => {
  test("with `after` delays the reply while the new key is already there", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ operation: "keys.createKey", latency: 200, when: "after" });

    const answer = createKey(emulator, key);
    await expect.poll(() => emulator.keys.count()).toBe(1);
    const durationOf = () => emulator.requests.list()[0]?.duration ?? Infinity;
    const meanwhile = durationOf();

    expect((await answer).status).toBe(200);
    expect(durationOf()).toBeGreaterThan(150);
    expect(durationOf()).toBeGreaterThan(meanwhile);
  });

  test("a call that is still delayed when the emulator is reset takes no effect", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ operation: "keys.createKey", latency: 3_600_000 });

    const answer = createKey(emulator, key);
    await emulator.requests.waitFor({ operation: "keys.createKey" });
    await emulator.reset();

    expect((await answer).body.error.message).toContain("reset");
    expect(await total(emulator)).toBe(0);
    expect(emulator.requests.count({ operation: "keys.createKey" })).toBe(0);
  });
});

test("a fault with headers alone adds them to the usual reply", async () => {
  const emulator = await givenEmulator();
  emulator.faults.add({ headers: { "RateLimit-Remaining": "0" }, times: 1 });

  const answers = [await createKey(emulator, key), await createKey(emulator, key)];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map(({ headers }) => headers.get("ratelimit-remaining"))).toEqual(["0", null]);
});

test("pages of other origins may read the headers of an operation and of a fault, each named once", async () => {
  const operation = doing(({ setHeader }) => {
    setHeader("X-Own", "1");
    return {};
  });
  const emulator = await givenEmulator({ latency: 1, operations: [operation] });
  emulator.faults.add({ headers: { "x-own": "2" } });

  const { headers } = await post(emulator, "/v1/tests.run", {});

  expect(headers.get("access-control-expose-headers")?.split(", ").toSorted()).toEqual([
    "Unkey-Request-Id",
    "X-Latchkey-Hint",
    "x-own",
  ]);
});

describe("the answer", () => {
  const limits = [{ name: "calls", limit: 5, duration: 60_000, autoApply: true }];
  const owner = {
    externalId: "user_1",
    name: "Main",
    credits: { remaining: 7 },
    ratelimits: limits,
  };
  const given = async () => {
    const emulator = await givenEmulator();
    const { body } = await post(emulator, "/v2/keys.createKey", { ...key, ...owner });
    const verify = async (input: object = { key: body.data.key }, version = "v2") =>
      (await post(emulator, `/${version}/keys.verifyKey`, input)).body;
    return { emulator, verify, secret: body.data.key };
  };

  test.each(refusedAnswers)("%s is that of one verification, which counts no use", async (code) => {
    const { emulator, verify } = await given();
    emulator.faults.add({ operation: "keys.verifyKey", answer: code, times: 2 });

    const { data } = await verify();
    const before = await verify(undefined, "v1");
    const after = await verify();

    expect([data.code, data.valid, before.code, before.valid]).toEqual([code, false, code, false]);
    const name = code === "NOT_FOUND" ? undefined : "Main";
    expect([data.name, before.name]).toEqual([name, name]);
    expect(after.data).toMatchObject({ code: "VALID", credits: 6, ratelimits: [{ remaining: 4 }] });
  });

  test("of a verification shows the limits or the credits that refused", async () => {
    const { emulator, secret, verify } = await given();
    const operation = "keys.verifyKey";
    const named = [{ name: "heavy", limit: 2, duration: 60_000 }];
    for (const answer of ["RATE_LIMITED", "USAGE_EXCEEDED"] as const) {
      emulator.faults.add({ operation, answer, times: 1 });
    }

    const limited = await verify({ key: secret, ratelimits: named });
    const used = await verify();

    expect(limited.data.ratelimits).toMatchObject([
      { name: "calls", exceeded: true, remaining: 0 },
      { name: "heavy", exceeded: true, remaining: 0 },
    ]);
    expect(used.data).toMatchObject({ code: "USAGE_EXCEEDED", credits: 0 });
  });

  test("changes no refusal, and no answer to an unknown key", async () => {
    const { emulator, verify } = await given();
    emulator.faults.add({ operation: "keys.verifyKey", answer: "EXPIRED" });

    expect((await verify({ key: "unknown" })).data.code).toBe("NOT_FOUND");
    expect((await verify({})).error.status).toBe(400);
  });

  test("of rate limits says that every use is over the limit, and counts none", async () => {
    const { emulator } = await given();
    const use = { namespace: "mail", identifier: "a", limit: 3, duration: 60_000 };
    const calls = [
      ["/v2/ratelimit.limit", use],
      ["/v2/ratelimit.multiLimit", [use, { ...use, identifier: "b" }]],
      ["/v1/ratelimits.limit", use],
    ] as const;
    for (const [path] of calls) {
      emulator.faults.add({ operation: path.slice(4), answer: "RATE_LIMITED", times: 1 });
    }
    const ask = async () => {
      const answers = [];
      for (const [path, input] of calls) answers.push((await post(emulator, path, input)).body);
      return answers;
    };

    const [one, several, former] = await ask();
    const next = await ask();

    expect(one.data).toMatchObject({ success: false, remaining: 0 });
    expect(several.data).toMatchObject({
      passed: false,
      limits: [{ passed: false }, { passed: false, remaining: 0 }],
    });
    expect(former).toMatchObject({ success: false, remaining: 0 });
    expect(next.map(({ data, remaining }) => data?.remaining ?? remaining)).toEqual([
      2,
      undefined,
      2,
    ]);
    expect(next[1].data.limits).toMatchObject([{ remaining: 1 }, { remaining: 2 }]);
  });

  test("reaches a user's operation that replaces verifyKey", async () => {
    const operation = doing(({ answer }) => ({ answer }), "keys.verifyKey");
    const emulator = await givenEmulator({ operations: [operation] });
    emulator.faults.add({ operation: "keys.verifyKey", answer: "EXPIRED" });

    expect((await post(emulator, "/v1/keys.verifyKey", {})).body).toEqual({ answer: "EXPIRED" });
  });
});

test.each(["drop", "hang", "truncate"] as const)(
  "the journal has no status and no answer of a call whose reply a fault loses (%s)",
  async (effect) => {
    const emulator = await givenEmulator();
    emulator.faults.add({ operation: "keys.createKey", effect, when: "after", times: 1 });

    const call = createKey(emulator, key).catch(() => {});
    const [entry] = await emulator.requests.waitFor({ operation: "keys.createKey" });
    if (effect !== "hang") await call;

    expect(entry).toMatchObject({ faults: ["fault_1"], operation: "keys.createKey" });
    expect([entry.status, entry.answer]).toEqual([undefined, undefined]);
    expect(emulator.keys.count()).toBe(1);
  },
);

describe("the effect", () => {
  test.each([
    ["drop", "before", 0],
    ["drop", "after", 1],
    ["truncate", "after", 1],
  ] as const)(
    "%s %s the operation is a network error for the client, and leaves %i keys",
    async (effect, when, count) => {
      const emulator = await givenEmulator();
      emulator.faults.add({ operation: "keys.createKey", effect, when, times: 1 });

      await expect(createKey(emulator, key)).rejects.toThrow(TypeError);
      expect(await total(emulator)).toBe(count);
      expect((await createKey(emulator, key)).status).toBe(200);
    },
  );

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("hang %s the operation never answers; the client aborts", async (when, count) => {
    const emulator = await givenEmulator();
    emulator.faults.add({ operation: "keys.createKey", effect: "hang", when, times: 1 });
    const controller = new AbortController();
    const request = new Request("http://emulator.test/v1/keys.createKey", {
      method: "POST",
      headers: { Authorization: "Bearer any_token", "Content-Type": "application/json" },
      body: JSON.stringify(key),
      signal: controller.signal,
    });

    const answer = emulator.fetch(request);
    const ending = expect(answer).rejects.toThrow("abort");
    await emulator.requests.waitFor({ operation: "keys.createKey" });
    controller.abort();

    await ending;
    expect(await total(emulator)).toBe(count);
  });

  test("malformed is an answer that is not JSON, with a header that names the fault", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ effect: "malformed" });
    const url = "http://emulator.test/v1/apis.listKeys?apiId=api_one";

    const answer = await emulator.fetch(
      new Request(url, { headers: { Authorization: "Bearer any" } }),
    );

    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-latchkey-hint")).toBe("hit by fault_1 (malformed after)");
    await expect(answer.json()).rejects.toThrow(SyntaxError);
  });

  test("malformed or truncate can be combined with an error status", async () => {
    const emulator = await givenEmulator();
    emulator.faults.add({ effect: "malformed", status: 502, times: 1 });
    emulator.faults.add({ effect: "truncate", status: 502, times: 1 });
    const url = "http://emulator.test/v1/apis.listKeys?apiId=api_one";
    const headers = { Authorization: "Bearer any" };

    const malformed = await emulator.fetch(new Request(url, { headers }));

    expect([malformed.status, (await malformed.text()).slice(0, 9)]).toEqual([502, '}{"error"']);
    await expect(listKeys(emulator, key)).rejects.toThrow(TypeError);
  });
});
