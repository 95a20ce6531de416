import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { base64url, createKey, givenEmulator, givenLogged, listKeys, NOW } from "../_emulator.ts";
import { listAllV2, listKeysV2 } from "../_v2.ts";
import { list, listed, versions, type Version } from "./_keys.ts";
import { expectNothingLeft } from "./_refusals.ts";

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
const given = (count: number) => givenEmulator({ fixtures: [keysWorld(count)] });

/** The ids of a page, and its cursor. */
async function pageOf(
  emulator: Emulator,
  version: Version,
  query: Record<string, string | number | boolean> = {},
) {
  const { body, status } = await list(emulator, version, { ...api, ...query });
  expect(status).toBe(200);
  if (version === "v1") {
    const { cursor, keys, total } = body;
    const whole = cursor === undefined ? { keys, total } : { keys, cursor, total };
    expect(JSON.stringify(body)).toBe(JSON.stringify(whole));
    return { ids: keys.map(({ id }: { id: string }) => id), cursor };
  }
  const { data, pagination } = body;
  const { cursor } = pagination;
  expect(Object.keys(body)).toEqual(["data", "meta", "pagination"]);
  const whole = cursor === undefined ? { hasMore: false } : { cursor, hasMore: true };
  expect(JSON.stringify(pagination)).toBe(JSON.stringify(whole));
  return { ids: data.map(({ keyId }: { keyId: string }) => keyId), cursor };
}

/** The cursor of v1 names the last key of its page; the cursor of v2 names the first key of the next page. */
const cursorOf = (version: Version, last: string, next: string) =>
  version === "v1" ? base64url(JSON.stringify({ key: last })) : next;

describe("queries of v1", () => {
  test("the query of apis.listKeys of v1 is answered with any form of a flag, and of an API id", async () => {
    const emulator = await given(3);
    const flags = ["true", "false", "True", "FALSE", "1", "0", "null", "Null", ""].flatMap(
      (value) => [`&decrypt=${value}`, `&revalidateKeysCache=${value}`],
    );
    const members = ["&limit=1", "&limit=100", "&cursor=", "&externalId=ann", "&ownerId=ann"];
    for (const more of ["", ...members, ...flags, "&decrypt"]) {
      expect((await listKeys(emulator, `apiId=api_one${more}`)).status, more).toBe(200);
    }
    expect((await listKeys(emulator, "&apiId=api%5Fone&&")).status).toBe(200);
  });

  const text = "expected a string of at least 1 character";
  const flag = "expected true, false, 1, 0 or null";
  const twice = "expected once, got it more than once";
  const encoding = "expected percent-encoding that decodes";
  test.each<[problem: string, ...queries: string[]]>([
    [`apiId: ${text}, got nothing`, ""],
    [`apiId: ${text}`, "apiId="],
    [
      "limit: expected an integer from 1 to 100",
      ...["0", "101", "-1", "1.5", "1e1", "ten", "", "%2010"].map((limit) => `&limit=${limit}`),
    ],
    [`externalId: ${text}`, "&externalId="],
    [`ownerId: ${text}`, "&ownerId="],
    [`decrypt: ${flag}`, "&decrypt=yes", "&decrypt=True%20"],
    [`revalidateKeysCache: ${flag}`, "&revalidateKeysCache=2"],
    [
      "cursor: expected the cursor of a page of this list",
      ...["key_0001", "eyJrZXkiOjF9", "e30", "eyJrZXkiOiJhIn0%3D", "eyAia2V5IjoiYSJ9"].map(
        (cursor) => `&cursor=${cursor}`,
      ),
      // The unused low bits of the last digit are not zero.
      "&cursor=eyJrZXkiOiJhIn1",
      `&cursor=${btoa('{"key":""}')}`,
      `&cursor=${btoa('{"key":"no id!"}')}`,
    ],
    [`apiId: ${twice}`, "&apiId=api_one"],
    [`limit: ${twice}`, "&limit=5&limit=6"],
    [`nick: ${twice}`, "&nick=1&nick=1"],
    [`apiId: ${encoding}`, "apiId=%zz"],
    [`externalId: ${encoding}`, "&externalId=%ff"],
    [`query: ${encoding}`, "&%=1"],
    [`apiId: ${text}, got a string of 0 characters; limit: expected`, "apiId=&limit=0"],
  ])(
    "a wrong query of apis.listKeys of v1 is refused with its problem: row %#",
    async (problem, ...queries) => {
      const emulator = await given(3);
      for (const query of queries) {
        const whole = query.startsWith("&") ? `apiId=api_one${query}` : query;
        const { body, status } = await listKeys(emulator, whole);

        expect([status, body.error.code], query).toEqual([400, "BAD_REQUEST"]);
        expect(body.error.message, query).toContain(problem);
      }
    },
  );

  test("the query of apis.listKeys of v1 has + for a space and %2B for a plus", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, { ...api, externalId: "a b+c" });

    expect(await listed(emulator, "v1", { ...api, externalId: "a b+c" })).toHaveLength(1);
    const { body } = await listKeys(emulator, "apiId=api_one&externalId=a+b%2Bc");
    expect(body.keys).toHaveLength(1);
  });

  test("v1 ignores unknown parameters of a list with a warning, and strict refuses them", async () => {
    const { emulator: lenient, warnings } = await givenLogged();
    const strict = await givenEmulator({ strict: true });

    const ignored = await listKeys(lenient, "apiId=api_one&owner=ann&__proto__=1");
    const refusal = await listKeys(strict, "apiId=api_one&owner=ann");

    expect(ignored.status).toBe(200);
    expect(warnings).toEqual([
      expect.stringContaining("apis.listKeys: owner: "),
      expect.stringContaining("apis.listKeys: __proto__: "),
    ]);
    expect(refusal.status).toBe(400);
    expect(refusal.body.error.message).toMatch(
      /^owner: unknown member, did you mean "ownerId"\? \(known: apiId, limit,/,
    );
  });
});

test("apis.listKeys of v2 accepts any text as a cursor, and long external ids of any letters", async () => {
  const emulator = await given(2);
  for (const members of [
    ...["", "any <text> 🔑 \u0000"].map((cursor) => ({ cursor })),
    ...["any@one / else", "x".repeat(260)].map((externalId) => ({ externalId })),
  ]) {
    expect((await listKeysV2(emulator, { ...api, ...members })).status).toBe(200);
  }
});

describe.each(versions)("pages of %s", (version) => {
  test(`a page of apis.listKeys of ${version} has 100 keys unless a limit is given, ascending by id`, async () => {
    const emulator = await given(150);
    const all = emulator.keys.all().map(({ id }) => id);

    expect(await pageOf(emulator, version)).toEqual({
      ids: all.slice(0, 100),
      cursor: cursorOf(version, "key_0099", "key_0100"),
    });
    expect((await pageOf(emulator, version, { limit: 7 })).ids).toHaveLength(7);
  });

  test(`a page of apis.listKeys of ${version} has the keys of one external id, also when that changes`, async () => {
    const emulator = await given(7);

    expect(await pageOf(emulator, version, { externalId: "ann", limit: 2 })).toEqual({
      ids: ["key_0000", "key_0003"],
      cursor: cursorOf(version, "key_0003", "key_0006"),
    });
    for (const externalId of ["Ann", "ann ", "an", "nobody"]) {
      expect((await pageOf(emulator, version, { externalId })).ids).toEqual([]);
    }
    await emulator.identities.update((query) => query.where({ externalId: "ann" }), {
      data: (draft) => void (draft.externalId = "anna"),
    });
    expect((await pageOf(emulator, version, { externalId: "ann" })).ids).toEqual([]);
    expect((await pageOf(emulator, version, { externalId: "anna" })).ids).toHaveLength(3);
  });

  test(`a page of apis.listKeys of ${version} has no keys of other APIs`, async () => {
    const emulator = await given(3);

    const { body } = await list(emulator, version, { apiId: "api_two" });

    const { meta } = body;
    const ofV2 = { data: [], meta, pagination: { hasMore: false } };
    expect(body).toEqual(version === "v1" ? { keys: [], total: 0 } : ofV2);
  });
});

test("a page of v2 has its request id in the body, and in no header", async () => {
  const emulator = await given(1);

  const { body, headers } = await listKeysV2(emulator, api);

  const [entry] = emulator.requests.list();
  expect(body.meta).toEqual({ requestId: entry?.requestId });
  expect(headers.get("unkey-request-id")).toBeNull();
  expect(headers.get("content-type")).toBe("application/json");
});

describe("filters of v1", () => {
  test("the filters of v1 compare externalId with the linked identity, ownerId with the stored owner", async () => {
    const emulator = await given(6);
    await emulator.keys.update((query) => query.where({ id: "key_0000" }), {
      data: (draft) => void (draft.ownerId = "carl"),
    });

    const idsOf = async (query: Record<string, string>) =>
      (await pageOf(emulator, "v1", query)).ids;
    expect(await idsOf({ externalId: "ann" })).toEqual(["key_0000", "key_0003"]);
    expect(await idsOf({ ownerId: "ann" })).toEqual(["key_0003"]);
    expect(await idsOf({ ownerId: "carl" })).toEqual(["key_0000"]);
    expect(await idsOf({ ownerId: "nobody" })).toEqual([]);
  });

  test("the filters of v1 are externalId alone when both are given", async () => {
    const { ids } = await pageOf(await given(6), "v1", { externalId: "ann", ownerId: "bob" });

    expect(ids).toEqual(["key_0000", "key_0003"]);
  });
});

describe("keys of v2", () => {
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
        lastUsedAt: NOW + 2,
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
    String.raw`{"data":[{"createdAt":${NOW - 5},"credits":{"refill":{"amount":9,"interval":"monthly","refillDay":31},"remaining":0},"enabled":false,"expires":${NOW + 1},"identity":{"externalId":"user_1","id":"id_1","meta":{"plan":"\u003cpro\u003e \u0026 more"},"ratelimits":[{"autoApply":true,"duration":60000,"id":"rl_1","limit":10,"name":"shared"}]},"keyId":"key_1","lastUsedAt":${NOW + 2},"meta":{"a\u003cb":[1,"x"]},"name":"CI \u003e \u0026 \u2028 é","permissions":["docs.write","own","docs.read"]${plaintext},"ratelimits":[{"autoApply":true,"duration":60000,"id":"rl_2","limit":10,"name":"calls"},{"autoApply":false,"duration":60000,"id":"rl_3","limit":10,"name":"\u003cdefault\u003e"}],"roles":["admin"],"start":"pay_abcd","updatedAt":${NOW}},{"createdAt":${NOW},"enabled":true,"identity":{"externalId":"user_2","id":"id_2"},"keyId":"key_2","start":"abcde"}],"meta":{"requestId":"req_"},"pagination":{"hasMore":false}}`;
  /** The text with its request id shortened, and its ids of rate limits numbered. */
  const numbered = (text: string) => {
    const limits = [...new Set(text.match(/rl_\w+/g))];
    return text
      .replace(/req_\w+/, "req_")
      .replaceAll(/rl_\w+/g, (id) => `rl_${limits.indexOf(id) + 1}`);
  };

  test("v2 lists a key with its members in alphabetical order, without empty ones, escaped as Go does", async () => {
    const emulator = await givenEmulator({ fixtures: [full] });

    expect(numbered(await textOf(emulator, {}))).toBe(expected(""));
  });

  test("a key that v2 lists has its value if decrypt asks for it and it is recoverable, each time", async () => {
    const emulator = await givenEmulator({ fixtures: [full] });
    const withValue = expected(',"plaintext":"pay_abcdefgh"');

    expect(numbered(await textOf(emulator, { decrypt: true }))).toBe(withValue);
    expect(numbered(await textOf(emulator, { decrypt: false }))).toBe(expected(""));
    expect(numbered(await textOf(emulator, { decrypt: true }))).toBe(withValue);
  });

  test("a key that v2 lists changes in the list when its identity, its role or the key itself changes", async () => {
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

  test("a key that v2 lists has no member that is null, and none that only v1 knows", async () => {
    const emulator = await givenEmulator({ generate: 200, fixtures: [full] });

    const text = JSON.stringify(await listAllV2(emulator, api));

    expect(text).not.toContain("null");
    expect(text).not.toMatch(/:(?:""|\[\]|\{\})/);
    expect(text).not.toMatch(/"(?:apiId|workspaceId|ownerId|environment|ratelimit)":/);
  });
});

describe("keys of v1", () => {
  test("a key that v1 lists has its eight required members alone with nothing set", async () => {
    const emulator = await givenEmulator();
    const { body: created } = await createKey(emulator, { apiId: "api_one" });

    const { body } = await listKeys(emulator, { apiId: "api_one" });

    expect(JSON.stringify(body.keys)).toBe(
      JSON.stringify([
        {
          id: created.keyId,
          start: created.key.slice(0, 5),
          workspaceId: "ws_test",
          apiId: "api_one",
          createdAt: NOW,
          roles: [],
          permissions: [],
          enabled: true,
        },
      ]),
    );
  });

  test("a key that v1 lists has every member in the order of the interface with everything set", async () => {
    const emulator = await givenEmulator();
    const { body: created } = await createKey(emulator, {
      apiId: "api_vault",
      prefix: "live",
      name: "CI",
      externalId: "ann",
      meta: { b: 1, a: [] },
      roles: ["admin"],
      permissions: ["read"],
      expires: NOW + 1,
      remaining: 10,
      refill: { interval: "monthly", amount: 100, refillDay: 15 },
      ratelimit: { type: "fast", limit: 5, duration: 1000 },
      enabled: false,
      recoverable: true,
      environment: "live",
    });
    await emulator.keys.update((query) => query.where({ id: created.keyId }), {
      data: (draft) => void (draft.name = "CI deploy"),
    });

    const { body } = await listKeys(emulator, { apiId: "api_vault", decrypt: true });

    expect(JSON.stringify(body.keys)).toBe(
      JSON.stringify([
        {
          id: created.keyId,
          start: created.key.slice(0, 9),
          workspaceId: "ws_test",
          apiId: "api_vault",
          name: "CI deploy",
          ownerId: "ann",
          meta: { b: 1, a: [] },
          createdAt: NOW,
          updatedAt: NOW,
          expires: NOW + 1,
          remaining: 10,
          refill: { interval: "monthly", amount: 100, refillDay: 15 },
          ratelimit: { async: true, limit: 5, duration: 1000 },
          roles: ["admin"],
          permissions: ["read"],
          enabled: false,
          plaintext: created.key,
          identity: { id: emulator.identities.all()[0]?.id, externalId: "ann", meta: {} },
        },
      ]),
    );
  });

  test.each([
    [{ type: "fast" }, true],
    [{ type: "consistent" }, false],
    [{}, true],
    [{ async: false }, false],
    [{ async: true, type: "consistent" }, true],
    [{ async: false, type: "fast" }, false],
  ])("v1 lists the mode of a ratelimit sent with %j: async is %s", async (members, async) => {
    const emulator = await givenEmulator();
    const ratelimit = { limit: 5, duration: 1000, ...members };
    await createKey(emulator, { apiId: "api_one", ratelimit });

    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key.ratelimit).toEqual({ async, limit: 5, duration: 1000 });
  });
});

describe.each(versions)("keys of %s", (version) => {
  test(`a key that ${version} lists has its own permissions, then those of its roles, each once`, async () => {
    const emulator = await givenEmulator({
      fixtures: [
        {
          apis: [{ id: "api_one" }],
          roles: [
            { name: "writer", permissions: ["write", "read"] },
            { name: "owner", permissions: ["delete", "write"] },
          ],
          keys: [{ ...api, permissions: ["read", "list"], roles: ["owner", "writer"] }],
        },
      ],
    });

    const [key] = await listed(emulator, version, api);

    expect(key.permissions).toEqual(["read", "list", "delete", "write"]);
    expect(key.roles).toEqual(["owner", "writer"]);
  });

  test(`a key that ${version} lists has its value if decrypt asks for it and it is recoverable`, async () => {
    const emulator = await givenEmulator();
    const inVault = { apiId: "api_vault" };
    const { key } = (await createKey(emulator, { ...inVault, recoverable: true })).body;
    await createKey(emulator, inVault);

    const valuesFor = async (query: Record<string, string | boolean>) =>
      (await listed(emulator, version, { ...inVault, ...query })).map(({ plaintext }) => plaintext);
    expect(await valuesFor({ decrypt: true })).toEqual([key, undefined]);
    expect(await valuesFor({ decrypt: false })).toEqual([undefined, undefined]);
    for (const decrypt of version === "v1" ? ["True", "1"] : []) {
      expect(await valuesFor({ decrypt })).toEqual([key, undefined]);
    }
    for (const decrypt of version === "v1" ? ["False", "0", "null", "NULL", ""] : []) {
      expect(await valuesFor({ decrypt })).toEqual([undefined, undefined]);
    }
  });
});

// The refusals of v2 are in refusals-v2-texts.test.ts.
test.each(["api_none", "API_ONE", "api_theirs"])(
  "apis.listKeys of v1 refuses the id %s, which no API of the workspace has",
  async (apiId) => {
    const of = { workspace: { id: "ws_theirs" }, tokens: [{ token: "theirs" }] };
    const theirs = { ...of, apis: [{ id: "api_theirs" }] };
    const tokens = [{ token: "root", permissions: ["api.*.read_key", "api.*.read_api"] }];
    const emulator = await givenEmulator({ fixtures: [{ ...keysWorld(2), tokens }, theirs] });
    const message = `apiId: this workspace has no API "${apiId}"`;

    const { headers } = await expectNothingLeft(
      emulator,
      { status: 404, code: "NOT_FOUND", message },
      () => list(emulator, "v1", { apiId }, { token: "root" }),
    );

    expect(headers.get("x-latchkey-hint")).toContain("the APIs here are api_one");
  },
);
