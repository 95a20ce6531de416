import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { createKey, givenEmulator, NOW, openWorld } from "../_emulator.ts";
import { givenServer } from "../_server.ts";
import {
  API_ONE,
  control,
  create,
  described,
  expectUnshared,
  guardedWorld,
  idsOf,
  list,
  reads,
  records,
  routes,
  serving,
  stateOf,
  uses,
} from "./_control.ts";

test.each(uses)("$call answers as its OpenAPI document says, without CORS headers", async (use) => {
  await using served = await givenServer({ fixtures: [guardedWorld] });
  const host = `localhost:${served.port}`;
  const { body: document } = await control(served, "GET /openapi.json");
  await create(served, { name: 5 }, "good");

  const answer = await control(served, use.call, {
    body: use.body,
    token: "good",
    host,
    origin: `http://${host}`,
  });

  const [method = "", path = ""] = described(use.call).split(" ");
  const { content } = document.paths[path][method.toLowerCase()].responses[use.status];
  expect(answer.status).toBe(use.status);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expectUnshared(answer);
  expect(content === undefined).toBe(answer.body === undefined);
  if (content === undefined) return;
  const schema = { ...content["application/json"].schema, components: document.components };
  const fits = new Ajv2020({ strict: false }).compile(schema);
  expect(fits(answer.body), JSON.stringify(fits.errors)).toBe(true);
});

test.each(uses.filter(({ isOpen }) => isOpen))("$call answers every client", async ({ call }) => {
  await using served = await givenServer({ fixtures: [guardedWorld] });
  const page = { host: "evil.example", origin: "https://evil.example" };
  const image = { headers: { "Sec-Fetch-Site": "cross-site" } };

  for (const from of [{}, { token: "nobody" }, { token: "off" }, page, image, { host: null }]) {
    const answer = await control(served, call, from);

    expect(answer.status).toBe(200);
    expectUnshared(answer);
  }
});

test("allowHosts adds host names that control routes accept", async () => {
  const emulator = await givenEmulator();
  await using server = await serving(emulator, { allowHosts: ["Latchkey.internal", "fd00::1"] });
  const statusOf = async (host: string) => (await control(server, "GET /clock", { host })).status;

  expect(await statusOf("latchkey.internal:4010")).toBe(200);
  expect(await statusOf("[fd00::1]:4010")).toBe(200);
  expect(await statusOf("localhost")).toBe(200);
  expect(await statusOf("other.internal")).toBe(403);
});

test("with control: false, control routes are answered with the service's 404", async () => {
  const emulator = await givenEmulator();
  await using server = await serving(emulator, { control: false });

  for (const { body, call } of routes) {
    const answer = await control(server, call, { body });

    expect([answer.status, answer.body.error.code]).toEqual([404, "NOT_FOUND"]);
    expect(Object.keys(answer.body.error)).toEqual(["code", "docs", "message", "requestId"]);
  }
  expect(emulator.requests.count({ code: "NOT_FOUND" })).toBe(routes.length);
  expect(emulator.faults.list()).toEqual([]);
  expect(emulator.clock.now()).toBe(NOW);
});

test("a control route answers HEAD with the headers of GET and no body", async () => {
  await using served = await givenServer({ fixtures: [guardedWorld] });
  const token = "good";

  for (const call of reads) {
    const get = await control(served, call, { token });
    const head = await control(served, call.replace("GET", "HEAD"), { token });

    expect([head.status, head.body]).toEqual([200, undefined]);
    for (const name of ["content-type", "content-length", "cache-control"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  }
  expect((await control(served, "HEAD /clock")).status).toBe(401);
  expect((await control(served, "HEAD /reset", { token })).status).toBe(405);
});

test("GET /health returns the version, and GET /ready that requests are answered", async () => {
  await using served = await givenServer();

  const [health, ready] = [
    await control(served, "GET /health"),
    await control(served, "GET /ready"),
  ];

  expect(health.body).toEqual({ status: "ok", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect([health.status, ready.status]).toEqual([200, 200]);
  expect(ready.body).toEqual({ status: "ready" });
});

test("POST /reset restores records, clock, faults and journal, and repeats the same ids", async () => {
  const fixtures = [{ ...openWorld, keys: [API_ONE], faults: [{ latency: 0 }] }];
  await using served = await givenServer({ fixtures });
  const start = stateOf(served.emulator);
  const first = idsOf(await create(served));
  await control(served, "PUT /clock", { body: { now: 5, frozen: false } });
  await control(served, "DELETE /faults");
  await control(served, "POST /faults", { body: { status: 500 } });
  await control(served, "POST /seed", { body: { apis: [{ id: "api_more" }] } });
  expect(served.emulator.keys.count()).toBe(2);

  const { status } = await control(served, "POST /reset");

  expect(status).toBe(204);
  expect(stateOf(served.emulator)).toEqual(start);
  expect(idsOf(await create(served))).toEqual(first);
});

test("PUT /snapshot restores a snapshot, and the next ids with it", async () => {
  await using served = await givenServer();
  await create(served, { name: "kept" });
  const { body } = await control(served, "GET /snapshot");
  const next = idsOf(await create(served));

  const { status } = await control(served, "PUT /snapshot", { body });

  expect(status).toBe(204);
  expect((await control(served, "GET /snapshot")).body).toEqual(body);
  expect(idsOf(await create(served))).toEqual(next);
  await control(served, "PUT /snapshot", { body });
  expect(await list(served)).toEqual([expect.objectContaining({ name: "kept" })]);
});

test("POST /reset?freshIds=true leads to ids and key values that were not used before", async () => {
  await using served = await givenServer();
  const made: string[] = [];
  for (const query of ["", "?freshIds=true", "?freshIds=true"]) {
    expect((await control(served, `POST /reset${query}`)).status).toBe(204);
    const { body } = await createKey(served, API_ONE, { origin: served.url });
    made.push(body.keyId, body.key);
  }
  await control(served, "POST /reset?freshIds=false");
  const { body } = await createKey(served, API_ONE, { origin: served.url });

  expect(new Set(made).size).toBe(6);
  expect([body.keyId, body.key]).toEqual(made.slice(0, 2));
});

test("PUT /snapshot replaces everything by a fixture, and POST /reset still restores the start", async () => {
  await using served = await givenServer();
  await create(served);
  const body = { apis: [{ id: "api_new" }], keys: [{ apiId: "api_new", name: "only" }] };

  await control(served, "PUT /snapshot", { body });

  expect(await list(served, "any", "api_new")).toEqual([expect.objectContaining({ name: "only" })]);
  expect(served.emulator.apis.count()).toBe(1);
  await control(served, "POST /reset");
  expect(await list(served)).toEqual([]);
});

test("PUT /snapshot takes a body that is too large for operations", async () => {
  await using served = await givenServer();
  const keys = Array.from({ length: 5_000 }, () => ({ ...API_ONE, name: "x".repeat(250) }));
  const body = JSON.stringify({ apis: [{ id: "api_one" }], keys });

  const { status } = await control(served, "PUT /snapshot", { body });

  expect(body.length).toBeGreaterThan(1_048_576);
  expect(status).toBe(204);
  expect(served.emulator.keys.count()).toBe(5_000);
});

test("POST /seed adds keys, faults and listed tokens to the existing records", async () => {
  await using served = await givenServer();
  await create(served, { name: "first" });
  const keys = [{ ...API_ONE, name: "second" }];
  const faults = [{ operation: "keys.createKey", status: 503 }];
  const tokens = [{ token: "root", permissions: ["*"] }];

  const { status } = await control(served, "POST /seed", { body: { keys, faults, tokens } });

  expect(status).toBe(204);
  expect(await list(served, "root")).toEqual([
    expect.objectContaining({ name: "first" }),
    expect.objectContaining({ name: "second" }),
  ]);
  expect((await create(served, {}, "root")).status).toBe(503);
  expect((await control(served, "GET /clock")).status).toBe(401);
  expect((await control(served, "GET /clock", { token: "root" })).status).toBe(200);
});

test("POST /seed counts relative times from the clock, and PUT /clock does too", async () => {
  await using served = await givenServer();
  await control(served, "PUT /clock", { body: { now: "in 1d", frozen: true } });
  const { now } = (await control(served, "GET /clock")).body;
  const keys = [{ ...API_ONE, id: "key_1", createdAt: "2026-01-01", expires: "in 30d" }];

  const { status } = await control(served, "POST /seed", { body: { keys } });
  const refused = await control(served, "POST /seed", {
    body: { keys: [{ ...API_ONE, expires: "+30d" }] },
  });

  const key = served.emulator.keys.get("key_1");
  expect([status, key?.createdAt, key?.expires]).toEqual([
    204,
    Date.UTC(2026, 0, 1),
    now + 30 * 86_400_000,
  ]);
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    'seed: keys[0].expires: expected "in 30d", got "+30d"',
  ]);
});

test("GET /requests filters the journal, and DELETE /requests empties it", async () => {
  await using served = await givenServer();
  const { body, headers } = await create(served, { name: "a" });
  await create(served, { name: 5 });
  await list(served);
  const told = async (query = "") =>
    (await control(served, `GET /requests${query}`)).body.requests as { status: number }[];

  expect(await told("?status=200&operation=keys.createKey")).toEqual([
    {
      version: "v1",
      operation: "keys.createKey",
      method: "POST",
      path: "/v1/keys.createKey",
      time: NOW,
      input: { ...API_ONE, name: "a" },
      status: 200,
      duration: expect.any(Number),
      requestId: headers.get("unkey-request-id"),
      answer: { keyId: body.keyId, key: "***" },
      faults: [],
    },
  ]);
  expect((await told()).map(({ status }) => status)).toEqual([200, 400, 200]);
  expect((await told("?code=BAD_REQUEST")).map(({ status }) => status)).toEqual([400]);
  expect((await control(served, "DELETE /requests")).status).toBe(204);
  expect(await told()).toEqual([]);
});

test("POST /faults adds a fault that hits matching calls `times` times, and GET /faults lists it", async () => {
  await using served = await givenServer();
  const body = { operation: "keys.createKey", match: { name: "doomed" }, status: 503, times: 1 };
  const made = { id: "fault_1", code: "INTERNAL_SERVER_ERROR", when: "before" };
  const fault = { ...body, ...made, hits: 0, isPending: true };
  const told = async (query: string) => (await control(served, `GET /faults${query}`)).body.faults;

  expect((await control(served, "POST /faults", { body })).body).toEqual(fault);
  expect(await told("?pending=true")).toEqual([fault]);
  expect((await create(served, { name: "spared" })).status).toBe(200);
  expect((await create(served, { name: "doomed" })).status).toBe(503);
  expect((await create(served, { name: "doomed" })).status).toBe(200);
  expect(await told("?pending=true")).toEqual([]);
  expect(await told("?pending=false")).toEqual([{ ...fault, hits: 1, isPending: false }]);
  expect(await told("")).toHaveLength(1);
  expect(served.emulator.requests.find({ status: 503 })?.faults).toEqual(["fault_1"]);
});

test("DELETE /faults/{id} removes one fault, and DELETE /faults removes all", async () => {
  await using served = await givenServer();
  for (const operation of ["keys.createKey", "apis.listKeys", "keys.createKey"]) {
    await control(served, "POST /faults", { body: { operation, status: 500 } });
  }
  const ids = () => served.emulator.faults.list().map(({ id }) => id);

  expect((await control(served, "DELETE /faults/fault_1")).status).toBe(204);
  expect((await control(served, "DELETE /faults/fault_1")).status).toBe(404);
  expect(ids()).toEqual(["fault_2", "fault_3"]);
  expect((await create(served)).status).toBe(500);
  expect((await control(served, "DELETE /faults/fault_3")).status).toBe(204);
  expect((await create(served)).status).toBe(200);
  expect((await control(served, "DELETE /faults")).status).toBe(204);
  expect(ids()).toEqual([]);
});

test("PUT /clock goes back to the real time, which it can also freeze or pass in the same call", async () => {
  await using served = await givenServer();
  const put = async (body: object) => (await control(served, "PUT /clock", { body })).body;
  const [before, hour] = [Date.now(), 3_600_000];

  const real = await put({ now: "real" });
  const later = await put({ now: "real", advance: hour });
  const frozen = await put({ now: "real", frozen: true });

  const after = Date.now();
  expect([real.frozen, later.frozen, frozen.frozen]).toEqual([false, false, true]);
  for (const now of [real.now, later.now - hour, frozen.now]) {
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(after);
  }
});

test("PUT /clock sets, advances and freezes the clock that dates new keys", async () => {
  await using served = await givenServer();
  const put = async (body: object) => (await control(served, "PUT /clock", { body })).body;
  const [hour, then] = [3_600_000, Date.UTC(2020, 0, 1)];

  expect((await control(served, "GET /clock")).body).toEqual({ now: NOW, frozen: true });
  expect(await put({ advance: "1h" })).toEqual({ now: NOW + hour, frozen: true });
  expect(await put({ advance: hour })).toEqual({ now: NOW + 2 * hour, frozen: true });
  expect(await put({ now: "2020-01-01T00:00:00Z" })).toEqual({ now: then, frozen: true });
  expect(await put({ frozen: false })).toEqual({ now: expect.any(Number), frozen: false });
  expect(await put({ now: NOW, advance: 5, frozen: true })).toEqual({ now: NOW + 5, frozen: true });
  await create(served);
  expect(await list(served)).toEqual([expect.objectContaining({ createdAt: NOW + 5 })]);
});

test("control routes are hit by no fault, recorded in no journal and draw no id", async () => {
  await using served = await givenServer({ fixtures: [records] });
  const fresh = await givenEmulator({ fixtures: [records] });
  await control(served, "POST /faults", { body: { status: 500 } });

  for (const call of reads) {
    expect((await control(served, call)).status).toBe(200);
    expect((await control(served, call.replace("GET", "PATCH"))).status).toBe(405);
  }
  expect((await control(served, "PUT /clock", { body: { now: "soon" } })).status).toBe(400);
  expect((await control(served, "PUT /clock", { body: { now: NOW } })).status).toBe(200);
  expect((await control(served, "POST /seed", { body: {} })).status).toBe(204);
  expect((await control(served, "GET /clock", { token: "two words" })).status).toBe(401);

  expect(served.emulator.faults.list()).toEqual([expect.objectContaining({ hits: 0 })]);
  expect((await control(served, "GET /requests")).body).toEqual({ requests: [] });
  expect((await control(served, "DELETE /faults/fault_1")).status).toBe(204);
  expect(idsOf(await create(served))).toEqual(idsOf(await createKey(fresh, API_ONE)));
});

test("both OpenAPI documents are valid and name every route", async () => {
  await using served = await givenServer();

  const { body: ours } = await control(served, "GET /openapi.json");
  const { body: operations } = await control(served, "GET /operations.json");

  for (const document of [ours, operations]) {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  }
  const named = Object.entries<object>(ours.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(named.toSorted()).toEqual(routes.map(({ call }) => described(call)).toSorted());
  expect(operations).toEqual(JSON.parse(JSON.stringify(await served.emulator.openapi())));
});

test("with isolation, control routes act on the workspace of the token", async () => {
  await using served = await givenServer({ isolate: true });
  const [a, b] = [{ token: "a" }, { token: "b" }];
  for (const { token } of [a, b]) await create(served, {}, token);

  await control(served, "PUT /clock", { ...a, body: { now: 5 } });
  await control(served, "POST /seed", { ...a, body: { keys: [API_ONE] } });
  await control(served, "POST /faults", {
    ...a,
    body: { operation: "keys.createKey", status: 500 },
  });
  await control(served, "DELETE /requests", b);

  expect((await create(served, {}, "a")).status).toBe(500);
  expect((await create(served, {}, "b")).status).toBe(200);
  expect((await control(served, "GET /clock", a)).body.now).toBe(5);
  expect((await control(served, "GET /clock", b)).body.now).toBe(NOW);
  expect((await control(served, "GET /requests", a)).body.requests).toHaveLength(2);
  expect((await control(served, "GET /requests", b)).body.requests).toHaveLength(1);
  expect((await control(served, "GET /faults", b)).body).toEqual({ faults: [] });
  expect((await control(served, "DELETE /faults/fault_1", b)).status).toBe(404);
  expect(await list(served, "a")).toHaveLength(2);

  await control(served, "POST /reset", a);

  expect(await list(served, "a")).toEqual([]);
  expect(await list(served, "b")).toHaveLength(2);
  expect((await create(served, {}, "a")).status).toBe(200);
});

test("with isolation and without a token, control routes act on the default workspace", async () => {
  await using served = await givenServer({ isolate: true });
  await create(served, {}, "a");

  await control(served, "PUT /clock", { body: { now: 5 } });
  await control(served, "POST /seed", { body: { keys: [API_ONE, API_ONE] } });

  const { headers } = await control(served, "GET /clock");
  expect(headers.get("x-latchkey-hint")).toContain("each token has a separate workspace");
  expect(served.emulator.clock.now()).toBe(5);
  expect(served.emulator.keys.count()).toBe(2);
  expect((await control(served, "GET /requests")).body).toEqual({ requests: [] });
  expect((await control(served, "GET /clock", { token: "a" })).body.now).toBe(NOW);

  await control(served, "POST /reset");

  expect(served.emulator.keys.count()).toBe(0);
  expect(await list(served, "a")).toHaveLength(1);
});
