import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, NOW } from "../_emulator.ts";
import {
  createKeyV2,
  expectRefusal,
  listAllV2,
  listKeysV2,
  schemaRefusal,
  type Refusal,
} from "../_v2.ts";

const PATH = "/v2/apis.listKeys";
const api = { apiId: "api_one" };

const keysWorld = (count: number): Fixture => ({
  workspace: { id: "ws_test" },
  apis: [
    { id: "api_one", storeEncryptedKeys: true },
    { id: "api_two" },
    { id: "api_bare", keyspace: false },
  ],
  keys: Array.from({ length: count }, (_, index) => ({
    ...api,
    id: `key_${String(index).padStart(4, "0")}`,
    externalId: index % 3 === 0 ? "ann" : "bob",
  })),
});
const idsOf = ({ data }: { data: { keyId: string }[] }) => data.map(({ keyId }) => keyId);
/** The body of the page that this query gives, without the request id. */
async function pageOf(emulator: Emulator, query: object) {
  const { body, status } = await listKeysV2(emulator, { ...api, ...query });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(["data", "meta", "pagination"]);
  const { data, pagination } = body;
  return { ids: idsOf({ data }), pagination };
}

type Row = [member: string, value: unknown, ...violation: [location: string, message: string][]];
const rows: Row[] = [
  ["apiId", undefined, ["/required", "missing property 'apiId'"]],
  ["apiId", "", ["/properties/apiId/minLength", "minLength: got 0, want 1"]],
  ["apiId", 5, ["/properties/apiId/type", "got number, want string"]],
  ["apiId", null, ["/properties/apiId/type", "got null, want string"]],
  ["limit", 1],
  ["limit", 100],
  ["limit", 0, ["/properties/limit/minimum", "minimum: got 0, want 1"]],
  ["limit", 101, ["/properties/limit/maximum", "maximum: got 101, want 100"]],
  ["limit", 1.5, ["/properties/limit/type", "got number, want integer"]],
  ["limit", "10", ["/properties/limit/type", "got string, want integer"]],
  ["limit", null, ["/properties/limit/type", "got null, want integer"]],
  ["cursor", ""],
  ["cursor", "key_0001"],
  ["cursor", "any <text> 🔑 \u0000"],
  ["cursor", "x".repeat(200)],
  ["cursor", 1, ["/properties/cursor/type", "got number, want string"]],
  ["cursor", null, ["/properties/cursor/type", "got null, want string"]],
  ["externalId", "a"],
  ["externalId", "any@one / else"],
  ["externalId", "x".repeat(260)],
  ["externalId", "", ["/properties/externalId/minLength", "minLength: got 0, want 1"]],
  ["externalId", null, ["/properties/externalId/type", "got null, want string"]],
  ["decrypt", true],
  ["decrypt", false],
  ["decrypt", "true", ["/properties/decrypt/type", "got string, want boolean"]],
  ["decrypt", null, ["/properties/decrypt/type", "got null, want boolean"]],
  ["revalidateKeysCache", true],
  ["revalidateKeysCache", false],
  ["revalidateKeysCache", 1, ["/properties/revalidateKeysCache/type", "got number, want boolean"]],
  ["ownerId", "ann", ["/additionalProperties", "additional properties 'ownerId' not allowed"]],
  ["__proto__", {}, ["/additionalProperties", "additional properties '__proto__' not allowed"]],
];
const bodyOf = (member: string, value: unknown) =>
  JSON.stringify(Object.fromEntries([...Object.entries(api), [member, value]]));

describe("a member of the body", () => {
  test.each(rows)("%s: %j is accepted, or refused with where and why", async (...row) => {
    const [member, value, ...violations] = row;
    const emulator = await givenEmulator({ fixtures: [keysWorld(2)] });

    const answer = await listKeysV2(emulator, bodyOf(member, value));

    if (violations.length === 0) return expect(answer.status).toBe(200);
    const errors = violations.map(([location, message]) => ({ location, message }));
    expectRefusal(answer, schemaRefusal(PATH, errors));
  });

  test.each([
    ["[]", "array"],
    ['""', "string"],
    ["null", "null"],
  ])("is needed: the body %s is refused", async (body, kind) => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(2)] });

    const answer = await listKeysV2(emulator, body);

    const errors = [{ location: "/type", message: `got ${kind}, want object` }];
    expectRefusal(answer, schemaRefusal(PATH, errors));
  });

  test("is needed: an empty body is refused, as is one without a content type", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(2)] });

    const nothing = await listKeysV2(emulator, "");
    const text = await listKeysV2(emulator, "{}", { headers: { "Content-Type": "text/plain" } });

    expect([nothing.status, nothing.body.error.detail]).toEqual([
      400,
      `POST request body is empty for '${PATH}'`,
    ]);
    expect([text.status, text.body.error.detail]).toEqual([
      400,
      "POST operation request content type 'text/plain' does not exist",
    ]);
  });
});

describe("a page", () => {
  test("holds 100 keys unless a limit is given, ascending by id", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(150)] });

    const { ids, pagination } = await pageOf(emulator, {});

    expect(ids).toEqual(
      emulator.keys
        .all()
        .map(({ id }) => id)
        .slice(0, 100),
    );
    expect(pagination).toEqual({ cursor: "key_0100", hasMore: true });
    expect((await pageOf(emulator, { limit: 7 })).ids).toHaveLength(7);
  });

  test("names the first key of the next page, which begins with it", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(5)] });

    expect(await pageOf(emulator, { limit: 2 })).toEqual({
      ids: ["key_0000", "key_0001"],
      pagination: { cursor: "key_0002", hasMore: true },
    });
    expect(await pageOf(emulator, { limit: 2, cursor: "key_0002" })).toEqual({
      ids: ["key_0002", "key_0003"],
      pagination: { cursor: "key_0004", hasMore: true },
    });
    expect(await pageOf(emulator, { limit: 2, cursor: "key_0004" })).toEqual({
      ids: ["key_0004"],
      pagination: { hasMore: false },
    });
  });

  test.each([
    ["exactly as many keys as the limit", { limit: 5 }],
    ["no key at all", { cursor: "z" }],
    ["the last keys of a filter", { externalId: "ann", limit: 2 }],
    ["values", { decrypt: true, limit: 5 }],
  ])("with %s has no cursor, and none that is null", async (_, query) => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(5)] });

    const { pagination } = await pageOf(emulator, query);

    expect(Object.entries(pagination)).toEqual([["hasMore", false]]);
  });

  test("of another limit begins at the same place, also if its first key was deleted", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(6)] });
    const { pagination } = await pageOf(emulator, { limit: 3 });

    emulator.keys.delete((query) => query.where({ id: pagination.cursor }));
    await emulator.keys.create({ ...api, id: "key_0003b" });

    const { ids } = await pageOf(emulator, { limit: 2, cursor: pagination.cursor });
    expect(ids).toEqual(["key_0003b", "key_0004"]);
  });

  test.each([
    ["", 4],
    ["key_", 4],
    ["key_0001", 3],
    ["key_0001 ", 2],
    ["anything", 4],
    ["zzz", 0],
    ["🔑", 0],
  ])(
    "at the cursor %j, which names no position of a page, has the %i keys behind it",
    async (cursor, count) => {
      const emulator = await givenEmulator({ fixtures: [keysWorld(4)] });

      expect((await pageOf(emulator, { cursor })).ids).toHaveLength(count);
      expect((await pageOf(emulator, { cursor, decrypt: true })).ids).toHaveLength(count);
    },
  );

  test("holds the keys of one external id, by its exact text", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(7)] });

    expect(await pageOf(emulator, { externalId: "ann", limit: 2 })).toEqual({
      ids: ["key_0000", "key_0003"],
      pagination: { cursor: "key_0006", hasMore: true },
    });
    for (const externalId of ["Ann", "ann ", "an", "nobody"]) {
      expect(await pageOf(emulator, { externalId })).toEqual({
        ids: [],
        pagination: { hasMore: false },
      });
    }
  });

  test("lists disabled and expired keys too", async () => {
    const keys = [{ ...api, enabled: false }, { ...api, expires: 1 }, api];
    const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: "api_one" }], keys }] });

    const { body } = await listKeysV2(emulator, api);

    expect(body.data).toMatchObject([
      { enabled: false },
      { enabled: true, expires: 1 },
      { enabled: true },
    ]);
  });

  test("has no keys of other APIs, and no total", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(3)] });

    const { body } = await listKeysV2(emulator, { apiId: "api_two" });

    expect(body).toEqual({
      data: [],
      meta: { requestId: expect.stringMatching(/^req_/) },
      pagination: { hasMore: false },
    });
  });

  test("has its request id in the body, and in no header", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(1)] });

    const { body, headers } = await listKeysV2(emulator, api);

    const [entry] = emulator.requests.list();
    expect(body.meta).toEqual({ requestId: entry?.requestId });
    expect(headers.get("unkey-request-id")).toBeNull();
    expect(headers.get("content-type")).toBe("application/json");
  });
});

describe("a listed key", () => {
  const limit = { limit: 10, duration: 60_000, autoApply: true };
  const full: Fixture = {
    apis: [{ id: "api_one", storeEncryptedKeys: true }],
    roles: [{ id: "role_1", name: "admin", permissions: ["docs.read", "docs.write"] }],
    identities: [
      {
        id: "id_1",
        externalId: "user_1",
        meta: { plan: "<pro> & more" },
        ratelimits: [{ ...limit, name: "shared" }],
      },
      { id: "id_2", externalId: "user_2" },
    ],
    keys: [
      {
        ...api,
        id: "key_1",
        key: "pay_abcdefgh",
        prefix: "pay",
        recoverable: true,
        name: "CI > & \u2028 é",
        externalId: "user_1",
        meta: { "a<b": [1, "x"] },
        roles: ["admin"],
        permissions: ["docs.write", "own"],
        expires: NOW + 1,
        credits: { remaining: 0, refill: { interval: "monthly", amount: 9, refillDay: 31 } },
        ratelimits: [
          { ...limit, name: "calls" },
          { ...limit, name: "<default>", autoApply: false },
        ],
        enabled: false,
        createdAt: NOW - 5,
        updatedAt: NOW,
      },
      {
        ...api,
        id: "key_2",
        start: "abcde",
        externalId: "user_2",
        createdAt: NOW,
        meta: {},
        name: "",
        updatedAt: 0,
        expires: 0,
        roles: [],
        permissions: [],
        ratelimits: [],
      },
    ],
  };
  const textOf = async (emulator: Emulator, body: object) => {
    const request = new Request(`http://emulator.test${PATH}`, {
      method: "POST",
      headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
      body: JSON.stringify({ ...api, ...body }),
    });
    return (await emulator.fetch(request)).text();
  };
  const expected = (plaintext: string) =>
    String.raw`{"data":[{"createdAt":${NOW - 5},"credits":{"refill":{"amount":9,"interval":"monthly","refillDay":31},"remaining":0},"enabled":false,"expires":${NOW + 1},"identity":{"externalId":"user_1","id":"id_1","meta":{"plan":"\u003cpro\u003e \u0026 more"},"ratelimits":[{"autoApply":true,"duration":60000,"id":"rl_1","limit":10,"name":"shared"}]},"keyId":"key_1","meta":{"a\u003cb":[1,"x"]},"name":"CI \u003e \u0026 \u2028 é","permissions":["docs.write","own","docs.read"]${plaintext},"ratelimits":[{"autoApply":true,"duration":60000,"id":"rl_2","limit":10,"name":"calls"},{"autoApply":false,"duration":60000,"id":"rl_3","limit":10,"name":"\u003cdefault\u003e"}],"roles":["admin"],"start":"pay_abcd","updatedAt":${NOW}},{"createdAt":${NOW},"enabled":true,"identity":{"externalId":"user_2","id":"id_2"},"keyId":"key_2","start":"abcde"}],"meta":{"requestId":"req_"},"pagination":{"hasMore":false}}`;
  /** The text with its request id shortened, and its ids of rate limits numbered. */
  const numbered = (text: string) => {
    const limits = [...new Set(text.match(/rl_\w+/g))];
    return text
      .replace(/req_\w+/, "req_")
      .replaceAll(/rl_\w+/g, (id) => `rl_${limits.indexOf(id) + 1}`);
  };

  test("is sent with its members in alphabetical order, without those that are empty, and escaped as Go does", async () => {
    const emulator = await givenEmulator({ fixtures: [full] });

    expect(numbered(await textOf(emulator, {}))).toBe(expected(""));
  });

  test("has its value if decrypt asks for it and it is recoverable, each time", async () => {
    const emulator = await givenEmulator({ fixtures: [full] });
    const withValue = expected(',"plaintext":"pay_abcdefgh"');

    expect(numbered(await textOf(emulator, { decrypt: true }))).toBe(withValue);
    expect(numbered(await textOf(emulator, { decrypt: false }))).toBe(expected(""));
    expect(numbered(await textOf(emulator, { decrypt: true }))).toBe(withValue);
  });

  test("changes in the list when its identity, its role or the key itself changes", async () => {
    const emulator = await givenEmulator({ fixtures: [full] });
    await listKeysV2(emulator, api);

    await emulator.identities.update((query) => query.where({ id: "id_2" }), {
      data: (identity) => void (identity.meta = { seen: 1 }),
    });
    await emulator.roles.update((query) => query.where({ id: "role_1" }), {
      data: (role) => void (role.permissions = []),
    });
    await emulator.keys.update((query) => query.where({ id: "key_2" }), {
      data: (key) => void (key.remaining = 0),
    });

    const [first, second] = await listAllV2(emulator, api);
    expect(first?.["permissions"]).toEqual(["docs.write", "own"]);
    expect(second).toMatchObject({
      credits: { remaining: 0 },
      identity: { meta: { seen: 1 } },
      updatedAt: NOW,
    });
  });

  test("has no member that is null, and none that only v1 knows", async () => {
    const emulator = await givenEmulator({ generate: 200, fixtures: [full] });

    const text = JSON.stringify(await listAllV2(emulator, api));

    expect(text).not.toContain("null");
    expect(text).not.toMatch(/:(?:""|\[\]|\{\})/);
    expect(text).not.toMatch(/"(?:apiId|workspaceId|ownerId|environment|ratelimit)":/);
  });
});

const NOT_FOUND: Refusal = {
  status: 404,
  type: "unkey/data/api_not_found",
  detail: "The requested API does not exist or has been deleted.",
};
const reader = ["api.*.read_key", "api.*.read_api"];

describe("a call that fits the schema", () => {
  test.each<
    [name: string, permissions: string[], body: object, refusal?: Refusal, hint?: string | null]
  >([
    ["may read all APIs", reader, api],
    ["may read this API", ["api.api_one.read_key", "api.api_one.read_api"], api],
    ["may read the keys of all APIs and this API", ["api.*.read_key", "api.api_one.read_api"], api],
    ["may do everything", ["*"], { ...api, decrypt: true }],
    ["names an unknown API", reader, { apiId: "api_none" }, NOT_FOUND, "the APIs here are api_one"],
    [
      "names an API in other capitals",
      reader,
      { apiId: "API_ONE" },
      NOT_FOUND,
      "the APIs here are api_one",
    ],
    [
      "names an API of another workspace",
      reader,
      { apiId: "api_theirs" },
      NOT_FOUND,
      "the APIs here are api_one",
    ],
    [
      "names an unknown API, and may read none",
      [],
      { apiId: "api_none" },
      NOT_FOUND,
      "the token needs api.*.read_key or api.api_none.read_key, and api.*.read_api or api.api_none.read_api",
    ],
    [
      "may not read keys",
      ["api.*.read_api"],
      api,
      NOT_FOUND,
      "the token needs api.*.read_key or api.api_one.read_key",
    ],
    [
      "may not read the API",
      ["api.*.read_key"],
      api,
      NOT_FOUND,
      "the token needs api.*.read_api or api.api_one.read_api",
    ],
    [
      "may read neither",
      ["api.api_two.read_key", "api.api_two.read_api"],
      api,
      NOT_FOUND,
      "the token needs api.*.read_key or api.api_one.read_key, and api.*.read_api or api.api_one.read_api",
    ],
    [
      "names an API without a keyspace, which the service fails to list",
      [],
      { apiId: "api_bare" },
      {
        status: 500,
        type: "unkey/application/unexpected_error",
        detail: "The API has no keyspace, so it has no keys.",
      },
      "gives api_bare `keyspace: false`",
    ],
    ["needs no right to decrypt", reader, { ...api, decrypt: false }],
    ["may decrypt", [...reader, "api.api_one.decrypt_key"], { ...api, decrypt: true }],
    [
      "may not decrypt",
      reader,
      { ...api, decrypt: true },
      {
        status: 403,
        type: "unkey/authorization/insufficient_permissions",
        detail: "Missing one of these permissions: api.*.decrypt_key or api.api_one.decrypt_key",
      },
    ],
    [
      "asks for values that the API does not store",
      ["*"],
      { apiId: "api_two", decrypt: true },
      {
        status: 412,
        type: "unkey/application/precondition_failed",
        detail: "The requested API does not support key encryption.",
      },
      "api_two stores no values of keys; give it `storeEncryptedKeys: true`",
    ],
  ])("%s", async (_name, permissions, body, refusal, hint = null) => {
    const theirs: Fixture = {
      workspace: { id: "ws_theirs" },
      tokens: [{ token: "theirs" }],
      apis: [{ id: "api_theirs" }],
    };
    const tokens = [{ token: "root", permissions }];
    const emulator = await givenEmulator({ fixtures: [{ ...keysWorld(2), tokens }, theirs] });

    const answer = await listKeysV2(emulator, body, { token: "root" });

    if (refusal === undefined) return expect(answer.status).toBe(200);
    expectRefusal(answer, refusal);
    const given = answer.headers.get("x-latchkey-hint");
    if (hint === null) expect(given).toBeNull();
    else expect(given).toContain(hint);
  });
});

test.each([
  [null, 400, "Authorization header for 'bearer' scheme"],
  [
    "bearer root",
    400,
    "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
  ],
  ["Bearer other", 401, "The provided root key is invalid. We could not find the requested key."],
  ["Bearer  root ", 200, undefined],
])("the Authorization header %j is answered with %i", async (value, wanted, detail) => {
  const tokens = [{ token: "root", permissions: ["*"] }];
  const emulator = await givenEmulator({ fixtures: [{ ...keysWorld(1), tokens }] });
  const headers: Record<string, string> = value === null ? {} : { Authorization: value };

  const { body, status } = await listKeysV2(emulator, api, { token: null, headers });

  expect([status, body.error?.detail]).toEqual([wanted, detail]);
});

test("keys that were just created are all listed, page after page, in the order of creation", async () => {
  const emulator = await givenEmulator({ fixtures: [keysWorld(0)] });
  for (let index = 0; index < 120; index += 1) await createKeyV2(emulator, api);

  const keys = await listAllV2(emulator, { ...api, limit: 50 });

  expect(keys.map(({ keyId }) => keyId)).toEqual(emulator.keys.all().map(({ id }) => id));
});
