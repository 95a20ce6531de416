import { expect, test } from "vitest";
import { givenServer } from "../_server.ts";
import {
  control,
  expectUnshared,
  guardedWorld,
  stateOf,
  routes,
  type ControlOptions,
} from "./_control.ts";

test.each(routes.filter(({ isOpen }) => !isOpen))(
  "$call refuses unknown parameters, foreign hosts and origins, and unknown tokens",
  async (use) => {
    await using served = await givenServer({ fixtures: [guardedWorld] });
    const before = stateOf(served.emulator);

    for (const [from, expected, message] of [
      [{ query: "?nope=1" }, 400, /^query: nope: (?:unknown parameter|expected no parameters)/],
      [{ query: "?status=500&status=500" }, 400, /^query: status: expected once/],
      [{ query: "?status=%ff" }, 400, /^query: status: expected percent-encoding/],
      [
        { origin: "https://evil.example" },
        403,
        /^origin: expected http:\/\/127\.0\.0\.1:\d+, .*, got "https:\/\/evil.example"; /,
      ],
      [{ origin: "http://localhost:1" }, 403, /^origin: /],
      [{ origin: "null" }, 403, /^origin: /],
      [{ headers: { "Sec-Fetch-Site": "cross-site" } }, 403, /^sec-fetch-site: .*"cross-site"; /],
      [{ headers: { "Sec-Fetch-Site": "same-site" } }, 403, /^sec-fetch-site: .*"same-site"; /],
      [{ host: "evil.example" }, 403, /^host: expected localhost or .*, got "evil.example"/],
      [{ host: null }, 403, /^host: .*, got none/],
      [{ token: null }, 401, /^authorization: .*found none/],
      [{ token: "nobody" }, 401, /^authorization: the token is not known/],
      [
        { token: "nobody good" },
        401,
        /^authorization: expected `Bearer <token>`, got a token that contains a space/,
      ],
    ] as const) {
      const { query = "", ...options } = { query: "", ...from };
      const sent = { token: "good", body: use.body, ...options };
      const refused = await control(served, use.call + query, sent);

      expect(refused.status).toBe(expected);
      expect(refused.body.error.message).toMatch(message);
      expect(refused.body.error.message).not.toMatch(/nobody|good/);
      expect(refused.headers.get("www-authenticate")).toBe(expected === 401 ? "Bearer" : null);
      expectUnshared(refused);
    }

    expect(stateOf(served.emulator)).toEqual(before);
  },
);

test.each([...new Set(routes.map(({ call }) => call.slice(call.indexOf("/"))))])(
  "%s refuses other methods with 405",
  async (path) => {
    await using served = await givenServer({ fixtures: [guardedWorld] });
    const all = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"];
    const known = all.filter((method) => routes.some(({ call }) => call === `${method} ${path}`));
    const before = stateOf(served.emulator);

    for (const method of all.filter((each) => !known.includes(each))) {
      const refused = await control(served, `${method} ${path}`, { token: "good" });

      const allowed = refused.headers.get("allow")?.split(", ");
      expect(refused.status).toBe(405);
      expect(allowed).toEqual(expect.arrayContaining(known));
      expect(allowed).not.toContain(method);
      expectUnshared(refused);
    }

    expect(stateOf(served.emulator)).toEqual(before);
  },
);

const noObjects = [
  ["", "body: expected a JSON object, got nothing"],
  ['{"now": 1', "body: expected a JSON object, got malformed JSON"],
  [Buffer.from([0x22, 0xff, 0x22]), "body: expected a JSON object, got bytes that are not UTF-8"],
  ["[]", ": expected an object, got an array of 0 items"],
  ["null", ": expected an object, got null"],
  ["5", ": expected an object, got 5"],
  ['"x"', ": expected an object, got a string of 1 character"],
] as const;
const noFixtures = [
  [{ keyz: [] }, 'keyz: unknown member, did you mean "keys"?'],
  [{ keys: [{ refill: { amount: 0 } }] }, "keys[0].refill.amount: expected an integer of at"],
  [{ faults: [{ status: 200 }] }, "faults[0].status: expected an integer from 400 to 599"],
] as const;

test.each([
  ["PUT /clock", {}, "clock: expected one of now, advance and frozen"],
  ["PUT /clock", { now: null }, "clock: now: expected a time"],
  ["PUT /clock", { advance: -1 }, "clock: advance: expected a duration of 0 or more"],
  ["PUT /clock", { now: 1, forzen: true }, 'clock: forzen: unknown member, did you mean "frozen"?'],
  ["POST /keys/find", {}, "keys/find: value: expected a string of at least 1 character"],
  ["POST /faults", { status: "500" }, "fault: status: expected an integer from 400 to 599"],
  ["POST /faults", { status: 500, id: "mine" }, "fault: id: unknown member"],
  ["POST /faults", { operation: "keys.creatKey" }, 'did you mean "keys.createKey"?'],
  ["POST /seed", { apis: [{ id: "api_one" }] }, "seed: apis[0].id: duplicate of "],
  ["PUT /snapshot", { snapshot: {} }, "snapshot: snapshot.randomSeed: expected an integer"],
  ...noFixtures.map(([body, line]) => ["POST /seed", body, `seed: ${line}`] as const),
  ...noFixtures.map(([body, line]) => ["PUT /snapshot", body, `snapshot: ${line}`] as const),
  ...noObjects.map(([body, line]) => ["POST /seed", body, line] as const),
] as const)("%s with %j is refused, and changes nothing", async (call, body, line) => {
  await using served = await givenServer();
  const before = stateOf(served.emulator);

  const refused = await control(served, call, { body });

  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toContain(line);
  expect(refused.body.error.problems.join("; ")).toBe(refused.body.error.message);
  expect(stateOf(served.emulator)).toEqual(before);
});

test.each([
  ["GET /requests?status=9", "query: status: expected an integer from 100 to 599"],
  ["GET /requests?stauts=200", 'query: stauts: unknown parameter, did you mean "status"?'],
  ["GET /requests?status=600", "query: status: expected an integer from 100 to 599"],
  ["GET /requests?match=CI", "query: match: expected a JSON object"],
  ["GET /requests?match=[1]", "query: match: expected a JSON object"],
  ["GET /requests?wait=soon", "query: wait: expected a duration of 0 or more"],
  ["GET /requests?wait=61s", "query: wait: expected at most a minute"],
  ["GET /requests?count=2", "query: count: expected wait as well"],
  ["GET /requests?wait=5s&count=0", "query: count: expected an integer from 1 to 1000"],
  ["GET /requests?wait=5s&count=1001", "query: count: expected an integer from 1 to 1000"],
  ["GET /keys?apiId=api_none", "query: apiId: expected the id of an API"],
  ["GET /keys?state=good", 'query: state: expected "valid" or "disabled" or "expired" or "usedUp"'],
  ["GET /keys?sort=plaintext", 'query: sort: expected "id" or "name" or '],
  ["GET /keys?limit=0", "query: limit: expected an integer from 1 to 1000"],
  ["GET /keys?limit=1001", "query: limit: expected an integer from 1 to 1000"],
  ["GET /keys?externalId=", "query: externalId: expected a string of at least 1 character"],
  ["GET /keys?cursor=x", "query: cursor: expected the cursor of a page with the same sort"],
  [
    `GET /keys?sort=name&cursor=${btoa(encodeURIComponent('["id","key_1","key_1"]'))}`,
    "query: cursor: expected the cursor of a page with the same sort",
  ],
  ["GET /roles?apiId=api_one", "query: apiId: unknown parameter"],
  ["GET /roles?state=valid", "query: state: unknown parameter"],
  ["GET /requests?code=NOT_FOUND", "query: code: unknown parameter"],
  ["GET /requests?operation=", "query: operation: expected a string of at least 1 character"],
  ["GET /requests?operation=keys.creatKey", 'did you mean "keys.createKey"?'],
  ["GET /needed-permissions?anyApi=yes", "query: anyApi: expected true or false"],
  ["GET /faults?pending=1", "query: pending: expected true or false"],
  ["POST /reset?freshIds=1", "query: freshIds: expected true or false"],
  ["POST /reset?freshids=true", 'query: freshids: unknown parameter, did you mean "freshIds"?'],
  ["GET /faults?pendign=true", 'query: pendign: unknown parameter, did you mean "pending"?'],
])("%s is refused with 400 and a message that names the parameter", async (call, message) => {
  await using served = await givenServer();

  const { status, body } = await control(served, call);

  expect(status).toBe(400);
  expect(body.error.message).toContain(message);
});

test.each(["off", "old"])("control routes take a disabled or expired token: %s", async (token) => {
  await using served = await givenServer({ fixtures: [guardedWorld] });

  expect((await control(served, "PUT /clock", { token, body: { now: 1 } })).status).toBe(200);
});

test("control routes refuse a deleted token with 401", async () => {
  await using served = await givenServer({ fixtures: [guardedWorld] });
  served.emulator.tokens.delete((q) => q.where({ token: "good" }));

  expect((await control(served, "GET /clock", { token: "good" })).status).toBe(401);
  expect((await control(served, "GET /clock", { token: "off" })).status).toBe(200);
});

test("the log of control routes contains no listed token, percent-encoded or not", async () => {
  const lines: string[] = [];
  const token = "listed_token_1";
  await using served = await givenServer({
    fixtures: [{ tokens: [{ token }] }],
    log: (entry) => void lines.push(JSON.stringify(entry)),
  });

  await control(served, `GET /${token}`);
  await control(served, "GET /%6cisted%5Ftoken_1");

  expect(lines).toHaveLength(2);
  expect(lines.join()).not.toContain(token);
});

test("control routes refuse a body of more than 200 levels of nesting", async () => {
  await using served = await givenServer();

  for (const call of ["PUT /snapshot", "POST /seed", "POST /faults", "PUT /clock"]) {
    const body = `{"x":"]]\\"[[","meta":${"[".repeat(400)}${"]".repeat(400)}}`;
    const { status, body: refusal } = await control(served, call, { body });

    expect([call, status]).toEqual([call, 400]);
    expect(refusal.error.message).toBe("body: expected at most 200 levels of nesting");
  }
});

test("unknown faults and unknown control routes are answered with 404", async () => {
  await using served = await givenServer({ fixtures: [guardedWorld] });

  for (const [call, message] of [
    ["DELETE /faults/fault_9", "there is no fault_9"],
    ...["/", "/fault%5F1", "/fault_1/"].map((id) => [`DELETE /faults${id}`, "control route"]),
    ...["/nope", "/Health", "/health/", "/", ""].map((path) => [
      `GET ${path}`,
      "(known: health, ready, ",
    ]),
  ] as [string, string][]) {
    const refused = await control(served, call, { token: "good" });

    expect([call, refused.status]).toEqual([call, 404]);
    expect(refused.body.error.message).toContain(message);
    expectUnshared(refused);
  }
  expect(served.emulator.faults.list()).toHaveLength(1);
});

test("if no token is listed, control routes accept any well-formed token and none", async () => {
  await using served = await givenServer();

  expect((await control(served, "GET /clock")).status).toBe(200);
  expect((await control(served, "GET /clock", { token: "any" })).status).toBe(200);
  expect((await control(served, "GET /clock", { token: "two words" })).status).toBe(401);
});

test("control routes accept host names of this machine and pages of their own origin alone", async () => {
  await using served = await givenServer();
  const own = `localhost:${served.port}`;

  const statusOf = async (options: ControlOptions) =>
    (await control(served, "GET /clock", options)).status;

  for (const host of ["localhost", "LocalHost:4010", "127.0.0.1:80", "[::1]:4010"]) {
    expect(await statusOf({ host }), host).toBe(200);
  }
  for (const host of [
    "localhost.evil.example",
    "evil@localhost",
    "localhost:x",
    "0.0.0.0",
    "::1",
  ]) {
    expect(await statusOf({ host }), host).toBe(403);
  }
  expect(await statusOf({ host: own, origin: `http://${own}` })).toBe(200);
  for (const origin of [`https://${own}`, `http://127.0.0.1:${served.port}`, "http://localhost"]) {
    expect(await statusOf({ host: own, origin }), origin).toBe(403);
  }
  expect(await statusOf({ host: "evil.example", origin: "http://evil.example" })).toBe(403);
  for (const site of ["same-origin", "none"]) {
    expect(await statusOf({ headers: { "Sec-Fetch-Site": site } }), site).toBe(200);
  }
});
