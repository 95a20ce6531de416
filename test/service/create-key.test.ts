import { beforeEach, describe, expect, test } from "vitest";
import type { Emulator, Fixture, LogEntry } from "../../src/index.ts";
import { givenEmulator, NOW, post, send, type CallOptions } from "../_emulator.ts";
import { createKeyV2, expectRefusal, listAllV2, schemaRefusal, type Refusal } from "../_v2.ts";
import {
  badRequest,
  call,
  expectRefusalOfV1,
  expectResult,
  invalidInput,
  listed,
  resultOf,
  versions,
  type RefusalOfV1,
  type Version,
} from "./_keys.ts";
import { expectNothingLeft, expectRefused, type Refusals } from "./_refusals.ts";

const PATH = "/v2/keys.createKey";
const LONGEST_EXPIRY = 4_102_444_800_000;

const world: Fixture = {
  workspace: { id: "ws_test" },
  apis: [
    { id: "api_one" },
    { id: "api_vault", storeEncryptedKeys: true },
    { id: "api_bare", keyspace: false },
    { id: "api_own", defaultPrefix: "own", defaultByteLength: 32 },
  ],
  roles: [{ name: "role_1" }, { name: "role_2" }],
};
const given = (fixture = world) => givenEmulator({ fixtures: [fixture] });

const create = (
  emulator: Emulator,
  version: Version,
  body: object | string,
  options?: CallOptions,
) => call(emulator, version, "createKey", body, options);

/** `{"d":"…"}` of exactly `count` bytes of JSON. */
const bytes = (count: number) => ({ d: "x".repeat(count - '{"d":""}'.length) });
const nested = (levels: number) =>
  JSON.parse('{"a":'.repeat(levels - 1) + "{}" + "}".repeat(levels - 1));
/** Objects and lists in turn. */
const mixed = (levels: number) => {
  let value: object = {};
  for (let level = 1; level < levels; level += 1)
    value = level % 2 ? { value } : { value: [value] };
  return value;
};

const daily = { interval: "daily", amount: 1 };
const monthly = { interval: "monthly", amount: 1 };
const window = { limit: 1, duration: 1000 };
/** As clients up to 0.19 send it; a window may be as short as a millisecond. */
const older = { limit: 1, refillRate: 10, refillInterval: 1 };
const limitAt = "/properties/ratelimits/items";
const calls = { name: "calls", limit: 1, duration: 1000, autoApply: false };

const large = "meta: expected at most 65535 bytes of JSON, got an object";
const deep = "meta: expected at most 100 levels of nesting, got an object";
const noWindow =
  "ratelimit.duration: expected an integer of at least 1000, or a `refillInterval` of at least 1 instead, got nothing";

test.each<[what: string, members: object, problem?: string]>([
  ["meta of 65,535 bytes", { meta: bytes(65_535) }],
  ["meta of 65,536 bytes", { meta: bytes(65_536) }, large],
  ["meta of more bytes than letters", { meta: { d: "é".repeat(32_800) } }, large],
  ["objects on 100 levels", { meta: nested(100) }],
  ["objects on 101 levels", { meta: nested(101) }, deep],
  ["objects and lists on 67 levels of objects", { meta: mixed(67) }],
  ["objects and lists on 68 levels of objects", { meta: mixed(68) }, deep],
  ["the window of older clients", { ratelimit: { ...older, type: "fast" } }],
  ["the window of older clients alone", { ratelimit: { limit: 1, refillInterval: 60_000 } }],
  ["both windows", { ratelimit: { ...window, ...older } }],
  ["no window", { ratelimit: { limit: 1 } }, noWindow],
  ["a rate without a window", { ratelimit: { limit: 1, type: "fast", refillRate: 1 } }, noWindow],
  [
    "a window that is too short beside that of older clients",
    { ratelimit: { ...older, duration: 1 } },
    "ratelimit.duration: expected an integer of at least 1000, got 1",
  ],
  [
    "uses that no double holds",
    { remaining: 1e300 },
    "remaining: expected an integer of at least 1, got 1e+300",
  ],
])("keys.createKey of v1 accepts or refuses %s", async (_, members, problem) => {
  const emulator = await given();
  const answer = await create(emulator, "v1", { apiId: "api_one", ...members });

  if (problem === undefined) expect(answer.status).toBe(200);
  else expectRefusalOfV1(answer, badRequest(problem));
  expect(emulator.keys.count()).toBe(problem === undefined ? 1 : 0);
});

describe("single members of a body", () => {
  test.each(versions)(
    "a member of the body of %s that is sent twice counts as it was sent last",
    async (version) => {
      const emulator = await given();

      await create(
        emulator,
        version,
        '{"apiId":"api_none","name":"a","name":"b","apiId":"api_one"}',
      );

      expect(emulator.keys.all()).toMatchObject([{ apiId: "api_one", name: "b" }]);
    },
  );

  test.each([
    ["v1", '"remaining":5.0,"ratelimit":{"limit":1.0,"duration":1E3}'],
    [
      "v2",
      '"credits":{"remaining":5.0},"ratelimits":[{"name":"abc","limit":1.0,"duration":1E3,"autoApply":true}]',
    ],
  ] as const)(
    "a member of the body of %s that is an integer may be written like 5.0 or 1e3",
    async (version, text) => {
      const emulator = await given();

      const members = `"apiId":"api_one","expires":1e12,${text}`;
      const { status } = await create(emulator, version, `{${members}}`);

      expect(status).toBe(200);
      expect(emulator.keys.all()).toMatchObject([
        { expires: 1_000_000_000_000, remaining: 5, ratelimits: [{ limit: 1, duration: 1_000 }] },
      ]);
    },
  );

  test("a member of the body of v2 that is an integer beyond what a double holds is refused once", async () => {
    const emulator = await given();

    const body = '{"apiId":"api_one","expires":100000000000000000000}';
    const answer = await create(emulator, "v2", body);

    expect(answer.body.error.errors).toMatchObject([{ location: "/properties/expires/maximum" }]);
  });

  test("a member of the body of v2 that is wrong in an item is named with its index in the hint alone", async () => {
    const { body, headers } = await create(await given(), "v2", {
      apiId: "api_one",
      roles: ["a", ""],
    });

    expect(JSON.stringify(body.error)).not.toContain("roles.1");
    expect(headers.get("x-latchkey-hint")).toContain("roles.1: expected a string of 1 to 128");
  });
});

test("one refusal of keys.createKey of v1 names all problems of a body, in the order of the members", async () => {
  const { body } = await create(await given(), "v1", {
    byteLength: 1,
    roles: ["", "a", 2],
    refill: {},
    ratelimit: { type: "slow" },
    enabled: 1,
  });

  const places = body.error.message.split("; ").map((part: string) => part.split(": ")[0]);
  expect(places.join(" ")).toBe(
    "apiId byteLength roles.0 roles.2 refill.interval refill.amount ratelimit.type ratelimit.limit ratelimit.duration enabled",
  );
});

test("one refusal of keys.createKey of v2 lists all violations of a body", async () => {
  const answer = await create(await given(), "v2", {
    prefix: "a-b",
    byteLength: 1,
    credits: { remaining: -1, a: 1, b: 2 },
    owner: 1,
  });

  const { errors, ...rest } = answer.body.error;
  expect(rest).toMatchObject({ detail: schemaRefusal(PATH, []).detail, status: 400 });
  expect(errors).toHaveLength(6);
  expect(errors).toEqual(
    expect.arrayContaining([
      { location: "/required", message: "missing property 'apiId'" },
      { location: "/additionalProperties", message: "additional properties 'owner' not allowed" },
      {
        location: "/properties/credits/additionalProperties",
        message: "additional properties 'a', 'b' not allowed",
      },
      { location: "/properties/byteLength/minimum", message: "minimum: got 1, want 16" },
    ]),
  );
});

const fix = "Ensure that the object being submitted, matches the schema correctly";
const location = "requestBody";
const undecodable = (reason: string): Refusal => {
  const message = `The request body cannot be decoded: ${reason}`;
  return schemaRefusal(PATH, [{ location, message, fix }]);
};
const emptyBody: Refusal = {
  ...invalidInput(`POST request body is empty for '${PATH}'`),
  errors: [{ location, message: "The request body is empty but there is a schema defined", fix }],
};
const wrongContent = (type: string): Refusal => ({
  ...invalidInput(`POST operation request content type '${type}' does not exist`),
  errors: [
    {
      location,
      message: `The content type '${type}' of the POST request submitted has not been defined, it's an unknown type`,
      fix: "The content type is invalid, Use one of the 1 supported types for this operation: application/json",
    },
  ],
});
const notAnObject = (kind: string) =>
  schemaRefusal(PATH, [{ location: "/type", message: `got ${kind}, want object` }]);
const valid = '{"apiId":"api_one"}';
const typed = (type: string) => ({ "Content-Type": type });
const FORM = "application/x-www-form-urlencoded";
const MALFORMED = "a JSON object, got malformed JSON";
const ANY_PROBLEM = "application/problem+json";

describe("whole bodies", () => {
  test.each<[name: string, body: string | Uint8Array, v1: string, v2: Refusal]>([
    ["is empty", "", "a JSON object, got nothing", emptyBody],
    ["is an array", "[]", "an object, got an array of 0 items", notAnObject("array")],
    ["is text", '"text"', "an object, got a string of 4 characters", notAnObject("string")],
    ["is a number", "5", "an object, got 5", notAnObject("number")],
    ["is true", "true", "an object, got true", notAnObject("boolean")],
    ["is null", "null", "an object, got null", notAnObject("null")],
    ["is not JSON", "{", MALFORMED, undecodable("it is not valid JSON")],
    ["goes on after its JSON", `${valid} x`, MALFORMED, undecodable("it is not valid JSON")],
    ["has only blanks", "  ", MALFORMED, undecodable("it is not valid JSON")],
    [
      "is not UTF-8",
      Uint8Array.of(0x7b, 0xff, 0x7d),
      "a JSON object, got bytes that are not UTF-8",
      undecodable("it is not UTF-8"),
    ],
  ])("a body of keys.createKey that %s is refused", async (_name, body, expected, refusal) => {
    for (const version of versions) {
      const emulator = await given();

      const answer = await post(emulator, `/${version}/keys.createKey`, body, {
        headers: { Accept: "*/*" },
      });

      expectRefused(answer, version === "v1" ? badRequest(`body: expected ${expected}`) : refusal);
      expect(emulator.keys.count()).toBe(0);
    }
  });

  test.each<[type: string, v1: boolean, v2: boolean]>([
    ["application/json", true, true],
    ["application/json; charset=utf-8", true, true],
    ["Application/JSON", true, true],
    [ANY_PROBLEM, true, false],
    ["text/plain", false, false],
    ["application/jsonp", false, false],
    [`${FORM}; charset=utf-8`, false, false],
    [FORM, false, false],
    ["", false, false],
  ])("content type %j: accepted by v1: %s, v2: %s", async (type, v1, v2) => {
    for (const [version, isAccepted] of Object.entries({ v1, v2 } as const)) {
      const emulator = await given();

      const answer = await create(emulator, version as Version, valid, { headers: typed(type) });

      expect(emulator.keys.count()).toBe(isAccepted ? 1 : 0);
      if (isAccepted) expect(answer.status).toBe(200);
      else expectRefused(answer, wrongType(type)[version as Version]);
    }
  });

  test.each(versions)(
    "a body of keys.createKey without a content type is refused by %s",
    async (version) => {
      const request = new Request(`http://emulator.test/${version}/keys.createKey`, {
        method: "POST",
        headers: { Authorization: "Bearer any", Accept: "*/*" },
        body: new TextEncoder().encode(valid),
      });

      expectRefused(await send(await given(), request), wrongType()[version]);
    },
  );

  test("a body of keys.createKey that is not compressed and says so is accepted by v2", async () => {
    const options = { headers: { "Content-Encoding": "identity" } };

    expect((await createKeyV2(await given(), valid, options)).status).toBe(200);
  });
});

function wrongType(type?: string): Refusals {
  const [bare = ""] = type?.split(";") ?? [];
  return {
    v1: badRequest(
      `content-type: expected application/json, got ${type === undefined ? "none" : bare}`,
    ),
    v2: wrongContent(bare),
  };
}

test.each([
  ["application/json", "application/json"],
  ["text/html", "application/json"],
  ["*/*", ANY_PROBLEM],
  ["application/*", ANY_PROBLEM],
  [ANY_PROBLEM, ANY_PROBLEM],
  ["text/html, application/problem+json;q=0.1", ANY_PROBLEM],
])("v2 refuses what accepts %s as %s", async (Accept, type) => {
  const emulator = await given();
  const typeOf = async (body: object, token?: string | null) => {
    const options: CallOptions = { headers: { Accept }, ...(token === undefined ? {} : { token }) };
    return (await createKeyV2(emulator, body, options)).headers.get("content-type");
  };

  expect(await typeOf({ apiId: "api_none" })).toBe(type);
  expect(await typeOf({ apiId: "api_bare" })).toBe(type);
  expect(await typeOf({ apiId: 1 })).toBe("application/json");
  expect(await typeOf({ apiId: "api_one" }, null)).toBe("application/json");
  expect(await typeOf({ apiId: "api_one" })).toBe("application/json");
});

const NO_API: Refusal = {
  status: 404,
  type: "unkey/data/api_not_found",
  detail: "The specified API was not found.",
};
const noApi = (shown: string): Refusals => ({
  v1: { status: 404, code: "NOT_FOUND", message: `apiId: this workspace has no API ${shown}` },
  v2: NO_API,
});
const theirs: Fixture = {
  workspace: { id: "ws_theirs" },
  tokens: [{ token: "theirs" }],
  apis: [{ id: "api_theirs" }],
};
/** A world with a token that has these permissions, and another workspace. */
const givenToken = (permissions: string[]) =>
  givenEmulator({
    fixtures: [
      { ...world, tokens: [{ token: "root", permissions }], permissions: ["known"] },
      theirs,
    ],
  });

// The refusals of v2 are in refusals-v2-texts.test.ts.
describe("refusals of v1", () => {
  const one = { apiId: "api_one" };
  const unfit = (message: string): RefusalOfV1 => ({
    status: 412,
    code: "PRECONDITION_FAILED",
    message,
  });
  const dayOfDaily = "refill.refillDay: expected no day, because the interval is daily, got 3";

  test.each<[what: string, body: object, refusal: RefusalOfV1]>([
    ["an unknown API", { apiId: "api_none" }, noApi('"api_none"').v1],
    ["an API of another workspace", { apiId: "api_theirs" }, noApi('"api_theirs"').v1],
    [
      "an API without a keyspace",
      { apiId: "api_bare" },
      unfit("apiId: the API has no keyspace, so it has no keys"),
    ],
    [
      "encryption that the API does not have",
      { ...one, recoverable: true },
      unfit(
        "recoverable: the API does not store encrypted keys, so their values cannot be recovered",
      ),
    ],
    [
      "a refill of an unlimited key",
      { ...one, refill: daily },
      badRequest("remaining: expected a number of uses, because there is a `refill`, got nothing"),
    ],
    [
      "a daily refill with a day",
      { ...one, remaining: 5, refill: { ...daily, refillDay: 3 } },
      badRequest(dayOfDaily),
    ],
  ])("keys.createKey refuses %s", async (_what, body, refusal) => {
    const emulator = await givenToken(["api.*.create_key", "api.*.encrypt_key"]);
    const members = { externalId: "new_user", permissions: ["new.permission"], ...body };

    const { headers } = await expectNothingLeft(emulator, refusal, () =>
      create(emulator, "v1", members, { token: "root" }),
    );

    const hint = headers.get("x-latchkey-hint");
    if (refusal.status === 404) expect(hint).toContain("the APIs here are api_one, ");
    else expect(hint).toBeNull();
  });

  test.each([
    ["", '""'],
    ["api_customer-notifications_of_all", '"api_customer-notifications_of_all"'],
    ["x.".repeat(150), "(300 characters)"],
    ["pay_3ZnJpXcVbNm2LkJhGfDs4uQ9", '"pay_3ZnJpXcVbNm2LkJhGfDs4uQ9"'],
    ["line\n\u0000\u001b[31m", "(11 characters)"],
  ])(
    "v1 refuses an unknown API id, and names it as it was sent, or its length: row %#",
    async (apiId, shown) => {
      expectRefusalOfV1(await create(await given(), "v1", { apiId }), noApi(shown).v1);
    },
  );
});

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** The number of bytes that base58 digits stand for. */
const bytesOf = (digits: string) => {
  let number = 0n;
  for (const digit of digits) number = number * 58n + BigInt(DIGITS.indexOf(digit));
  return Math.ceil(number.toString(16).length / 2);
};
/** The digits of a value of v1, which has a byte for a version and one for its length besides. */
const digitsOfV1: Readonly<Record<number, number>> = { 16: 24, 20: 29, 32: 46, 255: 350 };

describe("new keys", () => {
  interface Body {
    readonly apiId: string;
    readonly prefix?: string;
    readonly byteLength?: number;
  }
  test.each<[name: string, body: Body, prefix: string, bytes: number]>([
    ["by default of 16 bytes", { apiId: "api_one" }, "", 16],
    ["with its prefix", { apiId: "api_one", prefix: "pay_live" }, "pay_live_", 16],
    ["of 255 bytes", { apiId: "api_one", prefix: "p", byteLength: 255 }, "p_", 255],
    ["with the defaults of its API", { apiId: "api_own" }, "own_", 32],
    [
      "with its own prefix in place of that of its API",
      { apiId: "api_own", prefix: "abc" },
      "abc_",
      32,
    ],
    [
      "with its own length in place of that of its API",
      { apiId: "api_own", byteLength: 16 },
      "own_",
      16,
    ],
    ["with its own in place of both", { apiId: "api_own", prefix: "a", byteLength: 20 }, "a_", 20],
    ["with no prefix in place of that of its API", { apiId: "api_own", prefix: "" }, "", 32],
    ["with no prefix and of 255 bytes", { apiId: "api_own", prefix: "", byteLength: 255 }, "", 255],
  ])("a new key has a value %s", async (_name, body, prefix, size) => {
    for (const version of versions) {
      // v2 refuses an empty prefix.
      if (version === "v2" && body.prefix === "") continue;
      const emulator = await given();

      const [first, second] = [
        await create(emulator, version, body),
        await create(emulator, version, body),
      ];

      const { key, keyId } = resultOf(version, first);
      const [shown] = await listed(emulator, version, { apiId: body.apiId });
      const digits = key.slice(prefix.length);
      expectResult(first, version, version === "v1" ? { keyId, key } : { key, keyId });
      expect(keyId).toMatch(/^key_[1-9A-HJ-NP-Za-km-z]{16}$/);
      expect(key.slice(0, prefix.length)).toBe(prefix);
      expect(digits).toMatch(/^[1-9A-HJ-NP-Za-km-z]+$/);
      if (version === "v1") expect(digits).toHaveLength(digitsOfV1[size] ?? 0);
      // No byte for a version, and none for the length, unlike in v1.
      else expect(bytesOf(digits)).toBe(size);
      const start = prefix + digits.slice(0, version === "v1" && prefix === "" ? 5 : 4);
      expect(shown).toMatchObject({ [version === "v1" ? "id" : "keyId"]: keyId, start });
      expect(resultOf(version, second).key).not.toBe(key);
    }
  });

  test("a new key of v2 is created from every member", async () => {
    const emulator = await given();
    const ratelimits = [
      { name: "calls", limit: 10, duration: 60_000, autoApply: true },
      { name: "bytes", limit: 5, duration: 1_000, autoApply: false },
    ];
    const refillOf31 = { interval: "monthly", amount: 100, refillDay: 31 };
    const { body } = await create(emulator, "v2", {
      apiId: "api_vault",
      prefix: "p",
      name: "CI",
      byteLength: 20,
      externalId: "user_1",
      meta: { plan: "pro", nested: [1.5, null, {}] },
      roles: ["role_1", "role_1", "role_2"],
      permissions: ["b", "a", "b"],
      expires: LONGEST_EXPIRY,
      credits: { remaining: 7, refill: refillOf31 },
      ratelimits: ratelimits.map((limit) => ({ ...limit, unknown: true })),
      enabled: false,
      recoverable: true,
    });

    const [shown] = await listed(emulator, "v2", { apiId: "api_vault", decrypt: true });

    expect(shown).toEqual({
      createdAt: NOW,
      credits: { refill: refillOf31, remaining: 7 },
      enabled: false,
      expires: LONGEST_EXPIRY,
      identity: { externalId: "user_1", id: expect.stringMatching(/^id_/) },
      keyId: body.data.keyId,
      meta: { plan: "pro", nested: [1.5, null, {}] },
      name: "CI",
      permissions: ["b", "a"],
      plaintext: body.data.key,
      ratelimits: ratelimits.map((limit) => ({ ...limit, id: expect.stringMatching(/^rl_/) })),
      roles: ["role_1", "role_2"],
      start: body.data.key.slice(0, 6),
    });
    expect(emulator.permissions.count()).toBe(2);
    expect(emulator.roles.count()).toBe(2);
  });

  test("a new key of v2 loses the day of a daily refill, and has no credits if its uses are not limited", async () => {
    const emulator = await given();
    const days = { interval: "daily", amount: 3 };

    for (const credits of [
      { remaining: 0, refill: { ...days, refillDay: 5 } },
      { remaining: 0 },
      { remaining: null },
    ]) {
      await create(emulator, "v2", { apiId: "api_one", credits });
    }

    const keys = await listAllV2(emulator, { apiId: "api_one" });
    expect(keys.map((key) => key["credits"])).toEqual([
      { refill: days, remaining: 0 },
      { remaining: 0 },
      undefined,
    ]);
  });

  test("a new key of v1 with a monthly refill without a day is refilled on the first", async () => {
    const emulator = await given();
    await create(emulator, "v1", { apiId: "api_one", remaining: 5, refill: monthly });

    const [shown] = await listed(emulator, "v1", { apiId: "api_one" });

    expect(shown.refill).toEqual({ interval: "monthly", amount: 1, refillDay: 1 });
  });

  test("a new key that has expired already is made, and the hint says what the clock says", async () => {
    const emulator = await given();
    const made = (expires: number) =>
      post(emulator, "/v2/keys.createKey", { apiId: "api_one", expires });

    const { headers, status } = await made(NOW - 1);

    expect([status, headers.get("X-Latchkey-Hint")]).toEqual([
      200,
      `the key has expired already: the clock says ${new Date(NOW).toISOString()}`,
    ]);
    expect((await made(NOW)).headers.has("X-Latchkey-Hint")).toBe(false);
  });

  test("a new key with an expiry of 0 has none in v1 and has expired in v2, and lists show none", async () => {
    for (const version of versions) {
      const emulator = await given();

      for (const expires of [0, 1]) await create(emulator, version, { apiId: "api_one", expires });

      const keys = await listed(emulator, version, { apiId: "api_one" });
      expect(keys.map(({ expires }) => expires)).toEqual([undefined, 1]);
      if (version === "v1") continue;
      expect(emulator.keys.all().map(({ expires }) => expires)).toEqual([0, 1]);
    }
  });

  test.each(versions)(
    "a new key of %s that is not recoverable leaves no value behind",
    async (version) => {
      const emulator = await given();

      const answer = await create(emulator, version, { apiId: "api_vault", name: "CI" });

      expect(JSON.stringify(emulator.keys.all())).not.toContain(resultOf(version, answer).key);
    },
  );
});

describe("references", () => {
  test.each([
    [{ externalId: "ann" }, "ann"],
    [{ ownerId: "bob" }, "bob"],
    [{ externalId: "ann", ownerId: "bob" }, "ann"],
    [{ externalId: "", ownerId: "bob" }, "bob"],
    [{ externalId: "", ownerId: "" }, undefined],
  ])("a new key of v1 with %j refers to the owner %s", async (members, owner) => {
    const emulator = await given();
    await create(emulator, "v1", { apiId: "api_one", ...members });

    const [shown] = await listed(emulator, "v1", { apiId: "api_one" });

    expect(shown.ownerId).toBe(owner);
    expect(shown.identity?.externalId).toBe(owner);
    expect(emulator.identities.count()).toBe(owner === undefined ? 0 : 1);
  });

  test.each(versions)(
    "a new key of %s refers to the identity of its external id, which is made once and stays as it is",
    async (version) => {
      const identities = [{ externalId: "user_1", meta: { plan: "pro" } }];
      const emulator = await given({ ...world, identities });

      const meta = { of: "the key" };
      for (const externalId of ["user_1", "user_2"]) {
        await create(emulator, version, { apiId: "api_one", externalId, meta });
      }
      const owner = version === "v1" ? "ownerId" : "externalId";
      await create(emulator, version, { apiId: "api_vault", [owner]: "user_2", meta });

      expect(emulator.identities.all()).toMatchObject([
        { externalId: "user_1", meta: { plan: "pro" } },
        { externalId: "user_2", meta: {} },
      ]);
      const [, second] = await listed(emulator, version, { apiId: "api_one" });
      const [third] = await listed(emulator, version, { apiId: "api_vault" });
      expect(second.identity).toEqual({
        id: expect.stringMatching(/^id_[1-9A-HJ-NP-Za-km-z]{16}$/),
        externalId: "user_2",
        ...(version === "v1" ? { meta: {} } : {}),
      });
      expect(third.identity).toEqual(second.identity);
    },
  );

  test("a new key of v1 refers to roles and permissions that are created, each once", async () => {
    const emulator = await givenEmulator();

    await create(emulator, "v1", {
      apiId: "api_one",
      roles: ["admin", "admin", "viewer"],
      permissions: ["read", "read", "write"],
    });

    const [shown] = await listed(emulator, "v1", { apiId: "api_one" });
    expect(shown.roles).toEqual(["admin", "viewer"]);
    expect(shown.permissions).toEqual(["read", "write"]);
    expect(emulator.roles.all()).toEqual([
      { id: expect.stringMatching(/^role_.{16}$/), name: "admin", permissions: [] },
      { id: expect.stringMatching(/^role_.{16}$/), name: "viewer", permissions: [] },
    ]);
    expect(emulator.permissions.all().map(({ id, name }) => [id.slice(0, 5), name])).toEqual([
      ["perm_", "read"],
      ["perm_", "write"],
    ]);
  });

  test.each(versions)(
    "concurrent calls of %s create each record that new keys refer to once",
    async (version) => {
      const emulator = await given();
      const roles = [version === "v1" ? "admin" : "role_1"];
      const body = { apiId: "api_one", externalId: "ann", roles, permissions: ["read"] };

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => create(emulator, version, body)),
      );

      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      expect(emulator.identities.count()).toBe(1);
      expect(emulator.roles.count()).toBe(version === "v1" ? 3 : 2);
      expect(emulator.permissions.count()).toBe(1);
    },
  );
});

describe("unknown members", () => {
  const warnings: string[] = [];
  const log = (entry: LogEntry) => void (entry.kind === "warning" && warnings.push(entry.message));
  beforeEach(() => void warnings.splice(0));
  const givenWith = (strict: boolean) => givenEmulator({ fixtures: [world], log, strict });

  test("v1 ignores unknown members with one warning for each name, and strict refuses them", async () => {
    const ratelimit = { ...window, burst: 5 };
    const body = { apiId: "api_one", nickname: "x", ratelimit };
    const emulator = await givenWith(false);

    await create(emulator, "v1", body);
    const ignored = await create(emulator, "v1", body);
    const refusal = await create(await givenWith(true), "v1", { apiId: "api_one", nickname: "x" });

    expect(ignored.status).toBe(200);
    expect(warnings.map((warning) => warning.split(": ")[1])).toEqual([
      "nickname",
      "ratelimit.burst",
    ]);
    expect(refusal.status).toBe(400);
    expect(refusal.body.error.message).toMatch(
      /^nickname: unknown member \(known: apiId, prefix, name,/,
    );
  });

  test("v2 ignores unknown members of rate limits with a warning, and strict refuses them", async () => {
    const body = { apiId: "api_one", ratelimits: [{ ...calls, async: true }] };

    const ignored = await create(await givenWith(false), "v2", body);
    const refusal = await create(await givenWith(true), "v2", body);

    expect(ignored.status).toBe(200);
    expect(warnings).toEqual([expect.stringContaining("keys.createKey: ratelimits.0.async")]);
    const message = "additional properties 'async' not allowed";
    const errors = [{ location: `${limitAt}/additionalProperties`, message }];
    expectRefusal(refusal, schemaRefusal(PATH, errors));
  });

  test("strict takes rate limits as older clients of v1 send them, without a warning", async () => {
    const ratelimit = { type: "fast", ...older };
    for (const strict of [false, true]) {
      const { status } = await create(await givenWith(strict), "v1", {
        apiId: "api_one",
        ratelimit,
      });
      expect(status).toBe(200);
    }

    expect(warnings).toEqual([]);
  });
});

test("v2 escapes the characters <, >, & and line separators in a refusal as Go does", async () => {
  const emulator = await given();
  const request = new Request(`http://emulator.test${PATH}`, {
    method: "POST",
    headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
    body: JSON.stringify({ apiId: "api_one", roles: ['<a>&"é\u2028'] }),
  });

  const text = await (await emulator.fetch(request)).text();

  expect(text).toContain(String.raw`"detail":"Role '\u003ca\u003e\u0026\"é\u2028' was not found."`);
});
