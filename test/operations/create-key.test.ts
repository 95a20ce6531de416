import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW, send } from "../_emulator.ts";

const ID = /^key_[1-9A-HJ-NP-Za-km-z]{16}$/;

/** A field and a value: one that it takes, or one that it refuses with this message at this path. */
type Row = [field: string, value: unknown, refusal?: [path: string, expected: string]];

const aString = (field: string, min: number, max: number): Row[] => {
  const range = min > 0 ? `of ${min} to ${max} characters` : `of at most ${max} characters`;
  return [
    [field, "x".repeat(max)],
    [
      field,
      "x".repeat(max + 1),
      [field, `a string ${range}, got a string of ${max + 1} characters`],
    ],
    [field, 7, [field, `a string ${range}, got 7`]],
    [field, null, [field, `a string ${range}, got null`]],
    [field, ["x"], [field, `a string ${range}, got an array of 1 item`]],
  ];
};

const aBoolean = (field: string): Row[] => [
  [field, true],
  [field, false],
  [field, "true", [field, "true or false, got a string of 4 characters"]],
  [field, 1, [field, "true or false, got 1"]],
  [field, null, [field, "true or false, got null"]],
];

const names = (field: string): Row[] => [
  [field, []],
  [field, ["a", "x".repeat(512)]],
  [field, [""], [`${field}.0`, "a string of 1 to 512 characters, got a string of 0 characters"]],
  [field, ["a", "x".repeat(513)], [`${field}.1`, "a string of 1 to 512 characters"]],
  [field, ["a", 1], [`${field}.1`, "a string of 1 to 512 characters, got 1"]],
  [field, "admin", [field, "an array of"]],
  [field, null, [field, "an array of"]],
];

const depth = (levels: number) => {
  let value: object = {};
  for (let level = 1; level < levels; level += 1)
    value = level % 2 ? { value } : { value: [value] };
  return value;
};
/** `{"d":"…"}` of exactly `count` bytes of JSON. */
const bytes = (count: number) => ({ d: "x".repeat(count - '{"d":""}'.length) });
const nested = (levels: number) =>
  JSON.parse('{"a":'.repeat(levels - 1) + "{}" + "}".repeat(levels - 1));

const monthly = { interval: "monthly", amount: 1 };
const limit = { limit: 1, duration: 1000 };
/** As clients up to 0.19 send it; a window may be as short as a millisecond. */
const older = { limit: 1, refillRate: 10, refillInterval: 1 };
const noWindow =
  "an integer of at least 1000, or a `refillInterval` of at least 1 instead, got nothing";

const rows: Row[] = [
  ["apiId", undefined, ["apiId", "a string, got nothing"]],
  ["apiId", 1, ["apiId", "a string, got 1"]],
  ["apiId", null, ["apiId", "a string, got null"]],
  ...aString("prefix", 0, 16),
  ["prefix", "🔑 /\u0000\"'"],
  ...aString("name", 0, 256),
  ["name", ""],
  ["byteLength", 16],
  ["byteLength", 255],
  ["byteLength", 15, ["byteLength", "an integer from 16 to 255, got 15"]],
  ["byteLength", 256, ["byteLength", "an integer from 16 to 255, got 256"]],
  ["byteLength", 16.5, ["byteLength", "an integer from 16 to 255, got 16.5"]],
  ["byteLength", "16", ["byteLength", 'an integer from 16 to 255, got "16"']],
  ["byteLength", null, ["byteLength", "an integer from 16 to 255, got null"]],
  ...aString("ownerId", 0, 256),
  ["ownerId", ""],
  ...aString("externalId", 0, 256),
  ["externalId", ""],
  ["meta", {}],
  ["meta", { any: ["thing", null, { goes: 1.5 }] }],
  ["meta", bytes(65_535)],
  ["meta", bytes(65_536), ["meta", "at most 65535 bytes of JSON"]],
  ["meta", { d: "é".repeat(32_800) }, ["meta", "at most 65535 bytes of JSON"]],
  ["meta", nested(100)],
  ["meta", nested(101), ["meta", "at most 100 levels of nesting"]],
  ["meta", depth(67)],
  ["meta", depth(68), ["meta", "at most 100 levels of nesting"]],
  ["meta", [], ["meta", "an object, got an array of 0 items"]],
  ["meta", "text", ["meta", "an object, got a string of 4 characters"]],
  ["meta", null, ["meta", "an object, got null"]],
  ...names("roles"),
  ...names("permissions"),
  ["expires", 0],
  ["expires", 1],
  ["expires", Number.MAX_SAFE_INTEGER],
  ["expires", -1, ["expires", "an integer of at least 0, got -1"]],
  ["expires", 1.5, ["expires", "an integer of at least 0, got 1.5"]],
  ["expires", "2030-01-01", ["expires", "an integer of at least 0, got a string of 10 characters"]],
  ["expires", null, ["expires", "an integer of at least 0, got null"]],
  ["remaining", 1],
  ["remaining", 0, ["remaining", "an integer of at least 1, got 0"]],
  ["remaining", -1, ["remaining", "an integer of at least 1, got -1"]],
  ["remaining", 1.5, ["remaining", "an integer of at least 1, got 1.5"]],
  ["remaining", 1e300, ["remaining", "an integer of at least 1"]],
  ["remaining", null, ["remaining", "an integer of at least 1, got null"]],
  ["refill", monthly],
  ["refill", { interval: "daily", amount: 1 }],
  ["refill", { ...monthly, refillDay: 1 }],
  ["refill", { ...monthly, refillDay: 31 }],
  ["refill", { ...monthly, refillDay: 0 }, ["refill.refillDay", "an integer from 1 to 31, got 0"]],
  [
    "refill",
    { ...monthly, refillDay: 32 },
    ["refill.refillDay", "an integer from 1 to 31, got 32"],
  ],
  [
    "refill",
    { ...monthly, refillDay: null },
    ["refill.refillDay", "an integer from 1 to 31, got null"],
  ],
  ["refill", { ...monthly, amount: 0 }, ["refill.amount", "an integer of at least 1, got 0"]],
  ["refill", { interval: "monthly" }, ["refill.amount", "an integer of at least 1, got nothing"]],
  ["refill", { amount: 1 }, ["refill.interval", '"daily" or "monthly", got nothing']],
  ["refill", { interval: "weekly", amount: 1 }, ["refill.interval", '"daily" or "monthly"']],
  ["refill", [], ["refill", "an object, got an array of 0 items"]],
  ["refill", null, ["refill", "an object, got null"]],
  ["ratelimit", limit],
  ["ratelimit", { ...limit, type: "fast" }],
  ["ratelimit", { ...limit, type: "consistent" }],
  ["ratelimit", { ...limit, async: true }],
  ["ratelimit", { ...older, type: "fast" }],
  ["ratelimit", older],
  ["ratelimit", { limit: 1, refillInterval: 60_000 }],
  ["ratelimit", { ...limit, ...older }],
  ["ratelimit", { ...limit, type: "slow" }, ["ratelimit.type", '"fast" or "consistent"']],
  ["ratelimit", { ...limit, async: "yes" }, ["ratelimit.async", "true or false"]],
  ["ratelimit", { ...limit, limit: 0 }, ["ratelimit.limit", "an integer of at least 1, got 0"]],
  [
    "ratelimit",
    { ...limit, duration: 999 },
    ["ratelimit.duration", "an integer of at least 1000, got 999"],
  ],
  ["ratelimit", { duration: 1000 }, ["ratelimit.limit", "an integer of at least 1, got nothing"]],
  ["ratelimit", { limit: 1 }, ["ratelimit.duration", noWindow]],
  ["ratelimit", { limit: 1, type: "fast", refillRate: 1 }, ["ratelimit.duration", noWindow]],
  ["ratelimit", { ...older, duration: 1 }, ["ratelimit.duration", "an integer of at least 1000"]],
  [
    "ratelimit",
    { ...older, refillInterval: 0 },
    ["ratelimit.refillInterval", "an integer of at least 1, got 0"],
  ],
  [
    "ratelimit",
    { ...older, refillInterval: "1" },
    ["ratelimit.refillInterval", 'an integer of at least 1, got "1"'],
  ],
  [
    "ratelimit",
    { ...older, refillRate: 0 },
    ["ratelimit.refillRate", "an integer of at least 1, got 0"],
  ],
  ["ratelimit", { ...older, type: 1 }, ["ratelimit.type", '"fast" or "consistent", got 1']],
  ["ratelimit", true, ["ratelimit", "an object, got true"]],
  ["ratelimit", null, ["ratelimit", "an object, got null"]],
  ...aBoolean("enabled"),
  ...aBoolean("recoverable"),
  ...aString("environment", 0, 256),
];

describe("the body field", () => {
  const accepted = rows.filter(([, , refusal]) => refusal === undefined);
  test.each(accepted)("%s takes %j", async (field, value) => {
    const emulator = await givenEmulator();
    const body = { apiId: "api_vault", remaining: 5, [field]: value };

    const { status, body: answer } = await createKey(emulator, body);

    expect(answer).toEqual({ keyId: expect.stringMatching(ID), key: expect.any(String) });
    expect(status).toBe(200);
    expect(emulator.keys.count()).toBe(1);
  });

  const refused = rows.filter(([, , refusal]) => refusal !== undefined);
  test.each(refused)("%s refuses %j", async (field, value, refusal) => {
    const emulator = await givenEmulator();
    const body = { apiId: "api_vault", remaining: 5, [field]: value };

    const { status, body: answer } = await createKey(emulator, body);

    const [path, expected] = refusal ?? [];
    expect(answer.error.code).toBe("BAD_REQUEST");
    expect(answer.error.message).toContain(`${path}: expected ${expected}`);
    expect(answer.error.message).not.toContain(";");
    expect(status).toBe(400);
    expect(emulator.keys.count()).toBe(0);
  });
});

test("one refusal names all problems of a body, in the order of the fields", async () => {
  const emulator = await givenEmulator();

  const { body } = await createKey(emulator, {
    byteLength: 1,
    roles: ["", "a", 2],
    refill: {},
    ratelimit: { type: "slow" },
    enabled: 1,
  });

  expect(body.error.message.split("; ").map((part: string) => part.split(": ")[0])).toEqual([
    "apiId",
    "byteLength",
    "roles.0",
    "roles.2",
    "refill.interval",
    "refill.amount",
    "ratelimit.type",
    "ratelimit.limit",
    "ratelimit.duration",
    "enabled",
  ]);
});

test.each([
  ["empty", "", "got nothing"],
  ["malformed JSON", "{", "got malformed JSON"],
  ["JSON followed by other text", '{"apiId":"api_one"} x', "got malformed JSON"],
  ["an array", "[]", "got an array of 0 items"],
  ["null", "null", "got null"],
  ["a string", '"text"', "got a string of 4 characters"],
  ["bytes that are not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "bytes that are not UTF-8"],
])("a body that is %s is refused", async (_, body, got) => {
  const emulator = await givenEmulator();

  const answer = await createKey(emulator, body);

  expect(answer.status).toBe(400);
  expect(answer.body.error.code).toBe("BAD_REQUEST");
  expect(answer.body.error.message).toMatch(/^body: expected /);
  expect(answer.body.error.message).toContain(got);
});

test.each([
  ["application/json", 200],
  ["application/json; charset=utf-8", 200],
  ["Application/JSON", 200],
  ["application/problem+json", 200],
  ["text/plain", 400],
  ["application/jsonp", 400],
  ["application/x-www-form-urlencoded", 400],
  ["", 400],
])("the content type %j is answered with %d", async (type, status) => {
  const emulator = await givenEmulator();

  const answer = await createKey(
    emulator,
    { apiId: "api_one" },
    { headers: { "Content-Type": type } },
  );

  expect(answer.status).toBe(status);
  if (status === 400)
    expect(answer.body.error.message).toMatch(/^content-type: expected application\/json/);
});

test("a body without a content type is refused", async () => {
  const emulator = await givenEmulator();
  const request = new Request("http://emulator.test/v1/keys.createKey", {
    method: "POST",
    headers: { Authorization: "Bearer any" },
    body: new TextEncoder().encode('{"apiId":"api_one"}'),
  });

  const { status, body } = await send(emulator, request);

  expect(status).toBe(400);
  expect(body.error.message).toBe("content-type: expected application/json, got none");
});

describe("once the API is found", () => {
  const refill = { interval: "daily", amount: 5 };

  test("refill needs remaining", async () => {
    const emulator = await givenEmulator();

    const answer = await createKey(emulator, { apiId: "api_one", refill });
    const unknownApi = await createKey(emulator, { apiId: "api_none", refill });

    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(/^remaining: expected/);
    expect(unknownApi.status).toBe(404);
  });

  test("a daily refill has no day", async () => {
    const emulator = await givenEmulator();
    const body = { apiId: "api_one", remaining: 5, refill: { ...refill, refillDay: 3 } };

    const answer = await createKey(emulator, body);

    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(/^refill\.refillDay: expected no day/);
  });

  test("a monthly refill without a day is due on the first", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one", remaining: 5, refill: monthly });

    const { body } = await listKeys(emulator, { apiId: "api_one" });

    expect(body.keys[0].refill).toEqual({ interval: "monthly", amount: 1, refillDay: 1 });
  });

  test("recoverable needs an API that stores encrypted keys", async () => {
    const emulator = await givenEmulator();

    const answer = await createKey(emulator, { apiId: "api_one", recoverable: true });

    expect(answer.status).toBe(412);
    expect(answer.body.error.code).toBe("PRECONDITION_FAILED");
    expect(answer.body.error.message).toMatch(/^recoverable: /);
    expect(emulator.keys.count()).toBe(0);
  });

  test("an API without a keyspace takes no keys", async () => {
    const emulator = await givenEmulator({
      fixtures: [{ apis: [{ id: "api_bare", keyspace: false }] }],
    });

    const answer = await createKey(emulator, { apiId: "api_bare" });

    expect(answer.status).toBe(412);
    expect(answer.body.error.code).toBe("PRECONDITION_FAILED");
  });
});

test("createKey answers 404 for an unknown API and for an API of another workspace", async () => {
  const emulator = await givenEmulator({
    fixtures: [
      {
        workspace: { id: "ws_a" },
        tokens: [{ token: "a", permissions: ["*"] }],
        apis: [{ id: "api_a" }],
      },
      {
        workspace: { id: "ws_b" },
        tokens: [{ token: "b", permissions: ["*"] }],
        apis: [{ id: "api_b" }],
      },
    ],
  });

  const unknown = await createKey(emulator, { apiId: "api_none" }, { token: "a" });
  const foreign = await createKey(emulator, { apiId: "api_b" }, { token: "a" });

  expect(unknown.status).toBe(404);
  expect(foreign.status).toBe(404);
  expect(unknown.body.error.message).toBe('apiId: this workspace has no API "api_none"');
  expect(foreign.body.error.message).toBe('apiId: this workspace has no API "api_b"');
  expect(foreign.headers.get("x-latchkey-hint")).toBe("the APIs here are api_a");
});

test.each([
  ["", '""'],
  ["api_customer-notifications_of_all", '"api_customer-notifications_of_all"'],
  ["x.".repeat(150), `"${"x.".repeat(30)}…"`],
  ["pay_3ZnJpXcVbNm2LkJhGfDs4uQ9", '"pay_3ZnJp***"'],
  ["line\n\u0000\u001b[31m", '"line\\n\\u0000\\u001b[31m"'],
])("a 404 shows the API id %j escaped, cut and without key values", async (apiId, shown) => {
  const emulator = await givenEmulator();

  const { status, body } = await createKey(emulator, { apiId });

  expect([status, body.error.code]).toEqual([404, "NOT_FOUND"]);
  expect(body.error.message).toBe(`apiId: this workspace has no API ${shown}`);
});

test("a token that is sent as apiId is masked in the log", async () => {
  const messages: unknown[] = [];
  const log = (entry: LogEntry) => void (entry.kind === "request" && messages.push(entry.message));
  const emulator = await givenEmulator({ log });

  await createKey(emulator, { apiId: "root_secret" }, { token: "root_secret" });

  expect(messages).toEqual(['apiId: this workspace has no API "***"']);
});

describe("the key value", () => {
  const api = { id: "api_pay", defaultPrefix: "pay", defaultByteLength: 32 };

  test.each([
    ["the API's default prefix and length", {}, /^pay_.{46}$/, 8],
    ["its own prefix", { prefix: "abc" }, /^abc_.{46}$/, 8],
    ["an empty prefix, which overrides the API's", { prefix: "" }, /^[^_]{46}$/, 5],
    ["its own length", { byteLength: 16 }, /^pay_.{24}$/, 8],
    ["the longest length", { byteLength: 255, prefix: "" }, /^[^_]{350}$/, 5],
  ])("has %s", async (_, members, form, startLength) => {
    const emulator = await givenEmulator({ fixtures: [{ apis: [api] }] });

    const { body } = await createKey(emulator, { apiId: "api_pay", ...members });

    const [listed] = (await listKeys(emulator, { apiId: "api_pay" })).body.keys;
    expect(body.key).toMatch(form);
    expect(listed.start).toBe(body.key.slice(0, startLength));
  });

  test("has 16 random bytes and no prefix when neither request nor API names them", async () => {
    const emulator = await givenEmulator();

    const { body } = await createKey(emulator, { apiId: "api_one" });

    expect(body.key).toMatch(/^[1-9A-HJ-NP-Za-km-z]{24}$/);
  });

  test("differs from key to key", async () => {
    const emulator = await givenEmulator();

    const values: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      values.push((await createKey(emulator, { apiId: "api_one" })).body.key);
    }

    expect(new Set(values).size).toBe(5);
  });

  test("is not kept for a key that is not recoverable", async () => {
    const emulator = await givenEmulator();

    const { body } = await createKey(emulator, { apiId: "api_vault", name: "CI" });

    expect(JSON.stringify(emulator.keys.all())).not.toContain(body.key);
  });
});

describe("references of a key", () => {
  test.each([
    [{ externalId: "ann" }, "ann"],
    [{ ownerId: "bob" }, "bob"],
    [{ externalId: "ann", ownerId: "bob" }, "ann"],
    [{ externalId: "", ownerId: "bob" }, "bob"],
    [{ externalId: "", ownerId: "" }, undefined],
  ])("a key with %j is owned by %s", async (members, owner) => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one", ...members });

    const [listed] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(listed.ownerId).toBe(owner);
    expect(listed.identity?.externalId).toBe(owner);
    expect(emulator.identities.count()).toBe(owner === undefined ? 0 : 1);
  });

  test("an identity is made on first use, with empty meta, and shared afterwards", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one", externalId: "ann" });
    await createKey(emulator, { apiId: "api_vault", ownerId: "ann" });

    const { body: one } = await listKeys(emulator, { apiId: "api_one" });
    const { body: two } = await listKeys(emulator, { apiId: "api_vault" });

    expect(one.keys[0].identity).toEqual({
      id: expect.stringMatching(/^id_[1-9A-HJ-NP-Za-km-z]{16}$/),
      externalId: "ann",
      meta: {},
    });
    expect(two.keys[0].identity).toEqual(one.keys[0].identity);
  });

  test("new roles and permissions are created, each once", async () => {
    const emulator = await givenEmulator();

    await createKey(emulator, {
      apiId: "api_one",
      roles: ["admin", "admin", "viewer"],
      permissions: ["read", "read", "write"],
    });

    const [listed] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;
    expect(listed.roles).toEqual(["admin", "viewer"]);
    expect(listed.permissions).toEqual(["read", "write"]);
    expect(emulator.roles.all()).toEqual([
      { id: expect.stringMatching(/^role_.{16}$/), name: "admin", permissions: [] },
      { id: expect.stringMatching(/^role_.{16}$/), name: "viewer", permissions: [] },
    ]);
    expect(emulator.permissions.all().map(({ id, name }) => [id.slice(0, 5), name])).toEqual([
      ["perm_", "read"],
      ["perm_", "write"],
    ]);
  });

  test("concurrent requests with the same new identity, role and permission create each once", async () => {
    const emulator = await givenEmulator();
    const body = { apiId: "api_one", externalId: "ann", roles: ["admin"], permissions: ["read"] };

    const answers = await Promise.all(Array.from({ length: 20 }, () => createKey(emulator, body)));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(emulator.identities.count()).toBe(1);
    expect(emulator.roles.count()).toBe(1);
    expect(emulator.permissions.count()).toBe(1);
  });
});

test("ids strictly increase in the order of creation while the clock stands still", async () => {
  const emulator = await givenEmulator();
  const ids: string[] = [];
  for (let index = 0; index < 50; index += 1) {
    ids.push((await createKey(emulator, { apiId: "api_one" })).body.keyId);
  }

  const { body } = await listKeys(emulator, { apiId: "api_one" });

  expect(body.keys.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(ids).toEqual(ids.toSorted());
});

test("createdAt is the time of the emulator's clock", async () => {
  const emulator = await givenEmulator();
  await createKey(emulator, { apiId: "api_one" });

  expect(emulator.keys.all()[0]?.createdAt).toBe(NOW);
});

test("unknown fields are ignored, with one warning for each name", async () => {
  const warnings: string[] = [];
  const emulator = await givenEmulator({
    log: (entry) => {
      if (entry.kind === "warning") warnings.push(entry.message);
    },
  });
  const body = { apiId: "api_one", nickname: "x", ratelimit: { ...limit, burst: 5 } };

  await createKey(emulator, body);
  const { status } = await createKey(emulator, body);

  expect(status).toBe(200);
  expect(warnings.map((warning) => warning.split(": ")[1])).toEqual([
    "nickname",
    "ratelimit.burst",
  ]);
});

test("rate limits as older clients send them are accepted without a warning, also in strict mode", async () => {
  const warnings: unknown[] = [];
  const log = (entry: LogEntry) => void (entry.kind === "warning" && warnings.push(entry));
  for (const strict of [false, true]) {
    const emulator = await givenEmulator({ strict, log });
    const ratelimit = { type: "fast", ...older };

    expect((await createKey(emulator, { apiId: "api_one", ratelimit })).status).toBe(200);
  }

  expect(warnings).toEqual([]);
});

test("strict mode refuses unknown fields and says which are known", async () => {
  const emulator = await givenEmulator({ strict: true });

  const { status, body } = await createKey(emulator, { apiId: "api_one", nickname: "x" });

  expect(status).toBe(400);
  expect(body.error.message).toMatch(/^nickname: unknown member \(known: apiId, prefix, name,/);
});
