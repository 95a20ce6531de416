import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { createKey, givenEmulator, NOW } from "../_emulator.ts";
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
  uses,
} from "./_control.ts";

const documented = givenServer().then(async (served) => {
  const { body } = await control(served, "GET /openapi.json");
  await served.server.close({ grace: 0 });
  return body;
});

test.each(uses)("$call answers as its OpenAPI document says, without CORS headers", async (use) => {
  await using served = await givenServer({ fixtures: [guardedWorld] });
  const host = `localhost:${served.port}`;
  await create(served, { name: 5 }, "good");

  const answer = await control(served, use.call, {
    body: use.body,
    token: "good",
    host,
    origin: `http://${host}`,
  });

  const [method = "", path = ""] = described(use.call).split(" ");
  const document = await documented;
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

    expect([answer.status, answer.body.error.title]).toEqual([404, "Not Found"]);
    expect(answer.body.error.detail).toContain("control routes are not served here");
  }
  expect(emulator.requests.count({ status: 404 })).toBe(routes.length);
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

test("PUT /snapshot takes a body that is too large for operations and for visitors", async () => {
  await using served = await givenServer();
  const keys = Array.from({ length: 5_000 }, () => ({ ...API_ONE, name: "x".repeat(250) }));
  const more = "x".repeat(4 * 1_048_576);
  const body = JSON.stringify({ apis: [{ id: "api_one" }], keys, "x-more": more });

  const { status } = await control(served, "PUT /snapshot", { body });

  expect(status).toBe(204);
  expect(served.emulator.keys.count()).toBe(5_000);
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
  const { "/_latchkey/clock": clock, "/_latchkey/reset": reset } = ours.paths;
  expect(clock.get.responses["200"].content["application/json"].schema.$ref).toMatch(/Clock$/);
  expect(reset.post.responses["204"]).toEqual({ description: "Done." });
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
