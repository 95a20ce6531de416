import { describe, expect, test } from "vitest";
import type { Emulator, Fixture, LogEntry } from "../../src/index.ts";
import { givenEmulator, NOW, post, type CallOptions } from "../_emulator.ts";
import {
  createKeyV2,
  expectRefusal,
  listAllV2,
  schemaRefusal,
  type Refusal,
  missingHeader,
} from "../_v2.ts";

const PATH = "/v2/keys.createKey";
const LONGEST_EXPIRY = 4_102_444_800_000;

const roleNames = [
  "x".repeat(128),
  "é 🔑 <any> text",
  ...Array.from({ length: 100 }, (_, index) => `role_${index}`),
];
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
const worldWithRoles: Fixture = { ...world, roles: roleNames.map((name) => ({ name })) };

type Violation = readonly [location: string, message: string];
/** A member and a value that is accepted, or that is refused with these violations. */
type Row = [member: string, value: unknown, ...violations: Violation[]];

const wrongTypes = (want: string, at: string, ...got: unknown[]): [unknown, Violation][] =>
  got.map((value) => {
    const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    return [value, [`${at}/type`, `got ${kind}, want ${want}`]];
  });

const texts = (member: string, min: number, max: number): Row[] => {
  const at = `/properties/${member}`;
  return [
    [member, "x".repeat(min)],
    [member, "x".repeat(max)],
    [member, "x".repeat(max + 1), [`${at}/maxLength`, `maxLength: got ${max + 1}, want ${max}`]],
    ...wrongTypes("string", at, 7, true, null, ["x"], {}).map(([value, violation]): Row => [
      member,
      value,
      violation,
    ]),
  ];
};

const integers = (member: string, min: number, max: number): Row[] => {
  const at = `/properties/${member}`;
  return [
    [member, min],
    [member, max],
    [member, min - 1, [`${at}/minimum`, `minimum: got ${min - 1}, want ${min}`]],
    [member, max + 1, [`${at}/maximum`, `maximum: got ${max + 1}, want ${max}`]],
    ...wrongTypes("integer", at, min + 0.5, "20", false, null, []).map(
      ([value, violation]): Row => [member, value, violation],
    ),
  ];
};

const flags = (member: string): Row[] => [
  [member, true],
  [member, false],
  ...wrongTypes("boolean", `/properties/${member}`, "true", 1, null).map(
    ([value, violation]): Row => [member, value, violation],
  ),
];

const unfit = (member: string, values: readonly string[], pattern: string): Row[] =>
  values.map((value) => [
    member,
    value,
    [`/properties/${member}/pattern`, `'${value}' does not match pattern '${pattern}'`],
  ]);

const empty = (at: string, pattern: string): Violation[] => [
  [`${at}/minLength`, "minLength: got 0, want 1"],
  [`${at}/pattern`, `'' does not match pattern '${pattern}'`],
];

const WORD = "^[a-zA-Z0-9_]+$";
const EXTERNAL_ID = "^[a-zA-Z0-9_.-]+$";

const credits = "/properties/credits";
const refillAt = `${credits}/properties/refill`;
const daily = { interval: "daily", amount: 1 };
const refilled = (refill: unknown) => ({ remaining: 1, refill });

const limitAt = "/properties/ratelimits/items";
const calls = { name: "calls", limit: 1, duration: 1000, autoApply: false };
const { autoApply: _, ...withoutAutoApply } = calls;

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_item, index) => [`m${index}`, index]));
const list = (count: number, prefix: string) =>
  Array.from({ length: count }, (_item, index) => `${prefix}${index}`);

const rows: Row[] = [
  ["apiId", "ab", ["/properties/apiId/minLength", "minLength: got 2, want 3"]],
  ["apiId", "x".repeat(256), ["/properties/apiId/maxLength", "maxLength: got 256, want 255"]],
  ...unfit("apiId", ["api-one", "api one", "api.one", "äpi"], WORD),
  ["apiId", 1, ["/properties/apiId/type", "got number, want string"]],
  ["apiId", null, ["/properties/apiId/type", "got null, want string"]],
  ["apiId", undefined, ["/required", "missing property 'apiId'"]],
  ...texts("prefix", 1, 16),
  ["prefix", "aZ_09"],
  ["prefix", "", ...empty("/properties/prefix", WORD)],
  ...unfit("prefix", ["a-b", "a b", "a.b", "é", "a\n"], WORD),
  ...texts("name", 1, 255),
  ["name", "🔑".repeat(255)],
  ["name", "🔑".repeat(256), ["/properties/name/maxLength", "maxLength: got 256, want 255"]],
  ["name", "", ["/properties/name/minLength", "minLength: got 0, want 1"]],
  ...integers("byteLength", 16, 255),
  ...texts("externalId", 1, 255),
  ["externalId", "a.b-c_D9"],
  ["externalId", "", ...empty("/properties/externalId", EXTERNAL_ID)],
  ...unfit("externalId", ["a@b.c", "auth0|1", "a:b", "a/b", "a b", "é"], EXTERNAL_ID),
  ["meta", {}],
  ["meta", many(100)],
  ["meta", many(101), ["/properties/meta/maxProperties", "maxProperties: got 101, want 100"]],
  ["meta", { deep: { of: [many(101), null, 1.5, 5.0] } }],
  ...wrongTypes("object", "/properties/meta", [], "text", 1, null).map(
    ([value, violation]): Row => ["meta", value, violation],
  ),
  ["roles", []],
  ["roles", roleNames.slice(0, 2)],
  ["roles", list(100, "role_")],
  ["roles", ["role_1", "role_1"]],
  ["roles", list(101, "role_"), ["/properties/roles/maxItems", "maxItems: got 101, want 100"]],
  ["roles", [""], ["/properties/roles/items/minLength", "minLength: got 0, want 1"]],
  [
    "roles",
    ["role_1", "x".repeat(129)],
    ["/properties/roles/items/maxLength", "maxLength: got 129, want 128"],
  ],
  ["roles", ["role_1", 5], ["/properties/roles/items/type", "got number, want string"]],
  ["roles", [null], ["/properties/roles/items/type", "got null, want string"]],
  ["roles", "role_1", ["/properties/roles/type", "got string, want array"]],
  ["roles", null, ["/properties/roles/type", "got null, want array"]],
  // Only a list has a length.
  ["roles", "x".repeat(101), ["/properties/roles/type", "got string, want array"]],
  ["roles", { length: 101 }, ["/properties/roles/type", "got object, want array"]],
  [
    "roles",
    { length: { valueOf: 1, toString: 1 } },
    ["/properties/roles/type", "got object, want array"],
  ],
  ["permissions", []],
  ["permissions", ["x".repeat(128), "aZ09_:-.*"]],
  ["permissions", list(1000, "p")],
  [
    "permissions",
    list(1001, "p"),
    ["/properties/permissions/maxItems", "maxItems: got 1001, want 1000"],
  ],
  [
    "permissions",
    ["x".repeat(129)],
    ["/properties/permissions/items/maxLength", "maxLength: got 129, want 128"],
  ],
  ["permissions", [7], ["/properties/permissions/items/type", "got number, want string"]],
  ["permissions", {}, ["/properties/permissions/type", "got object, want array"]],
  ["permissions", null, ["/properties/permissions/type", "got null, want array"]],
  ...integers("expires", 0, LONGEST_EXPIRY),
  ["credits", { remaining: 0 }],
  ["credits", { remaining: null }],
  ["credits", { remaining: Number.MAX_SAFE_INTEGER }],
  ["credits", refilled(daily)],
  ["credits", refilled({ ...daily, refillDay: 31 })],
  ["credits", refilled({ interval: "monthly", amount: 1, refillDay: 1 })],
  ["credits", {}, [`${credits}/required`, "missing property 'remaining'"]],
  ["credits", { refill: daily }, [`${credits}/required`, "missing property 'remaining'"]],
  [
    "credits",
    { remaining: -1 },
    [`${credits}/properties/remaining/minimum`, "minimum: got -1, want 0"],
  ],
  ...wrongTypes("object", credits, null, [], 5, "5").map(([value, violation]): Row => [
    "credits",
    value,
    violation,
  ]),
  [
    "credits",
    { remaining: 1, more: 1 },
    [`${credits}/additionalProperties`, "additional properties 'more' not allowed"],
  ],
  [
    "credits",
    refilled({ ...daily, lastRefillAt: 1 }),
    [`${refillAt}/additionalProperties`, "additional properties 'lastRefillAt' not allowed"],
  ],
  ["credits", refilled({}), [`${refillAt}/required`, "missing properties 'interval', 'amount'"]],
  ["credits", refilled({ amount: 1 }), [`${refillAt}/required`, "missing property 'interval'"]],
  [
    "credits",
    refilled({ ...daily, interval: "weekly" }),
    [`${refillAt}/properties/interval/enum`, "value must be one of 'daily', 'monthly'"],
  ],
  [
    "credits",
    refilled({ ...daily, amount: 0 }),
    [`${refillAt}/properties/amount/minimum`, "minimum: got 0, want 1"],
  ],
  [
    "credits",
    refilled({ ...daily, refillDay: 0 }),
    [`${refillAt}/properties/refillDay/minimum`, "minimum: got 0, want 1"],
  ],
  [
    "credits",
    refilled({ ...daily, refillDay: 32 }),
    [`${refillAt}/properties/refillDay/maximum`, "maximum: got 32, want 31"],
  ],
  [
    "credits",
    refilled({ ...daily, refillDay: null }),
    [`${refillAt}/properties/refillDay/type`, "got null, want integer"],
  ],
  ["credits", refilled(null), [`${refillAt}/type`, "got null, want object"]],
  ["ratelimits", []],
  ["ratelimits", [calls, { ...calls, name: "x".repeat(128), autoApply: true }]],
  ["ratelimits", [{ ...calls, name: "abc", more: 1, async: true }]],
  ["ratelimits", list(50, "limit_").map((name) => ({ ...calls, name }))],
  [
    "ratelimits",
    list(51, "limit_").map((name) => ({ ...calls, name })),
    ["/properties/ratelimits/maxItems", "maxItems: got 51, want 50"],
  ],
  [
    "ratelimits",
    [{ ...calls, name: "ab" }],
    [`${limitAt}/properties/name/minLength`, "minLength: got 2, want 3"],
  ],
  [
    "ratelimits",
    [{ ...calls, name: "x".repeat(129) }],
    [`${limitAt}/properties/name/maxLength`, "maxLength: got 129, want 128"],
  ],
  [
    "ratelimits",
    [{ ...calls, limit: 0 }],
    [`${limitAt}/properties/limit/minimum`, "minimum: got 0, want 1"],
  ],
  [
    "ratelimits",
    [{ ...calls, duration: 999 }],
    [`${limitAt}/properties/duration/minimum`, "minimum: got 999, want 1000"],
  ],
  [
    "ratelimits",
    [{ ...calls, autoApply: "yes" }],
    [`${limitAt}/properties/autoApply/type`, "got string, want boolean"],
  ],
  ["ratelimits", [withoutAutoApply], [`${limitAt}/required`, "missing property 'autoApply'"]],
  [
    "ratelimits",
    [{}],
    [`${limitAt}/required`, "missing properties 'name', 'limit', 'duration', 'autoApply'"],
  ],
  ["ratelimits", ["calls"], [`${limitAt}/type`, "got string, want object"]],
  ["ratelimits", calls, ["/properties/ratelimits/type", "got object, want array"]],
  ["ratelimits", null, ["/properties/ratelimits/type", "got null, want array"]],
  ...flags("enabled"),
  ...flags("recoverable"),
  ...["ownerId", "environment", "ratelimit", "remaining", "refill", "keyId", "__proto__"].map(
    (member): Row => [
      member,
      "x",
      ["/additionalProperties", `additional properties '${member}' not allowed`],
    ],
  ),
];

/** The same members in JSON, also `__proto__`, which an object literal does not create. */
const bodyOf = (member: string, value: unknown) =>
  JSON.stringify(
    Object.fromEntries([
      ["apiId", "api_vault"],
      [member, value],
    ]),
  );

/** Rows with a title that is short enough for a line. */
const titled = (those: readonly Row[]) =>
  those.map(([member, value, ...violations]) => {
    const text = JSON.stringify(value) ?? "nothing";
    const shown = text.length > 60 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
    return { title: `${member}: ${shown}`, member, value, violations };
  });

describe("a member of the body", () => {
  test.each(titled(rows.filter((row) => row.length === 2)))(
    "is accepted as $title",
    async ({ member, value }) => {
      const fixture = member === "roles" ? worldWithRoles : world;
      const emulator = await givenEmulator({ fixtures: [fixture] });

      const { body, headers, status } = await createKeyV2(emulator, bodyOf(member, value));

      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("application/json");
      expect(Object.keys(body)).toEqual(["data", "meta"]);
      expect(Object.keys(body.data)).toEqual(["key", "keyId"]);
    },
  );

  test.each(titled(rows.filter((row) => row.length > 2)))(
    "is refused as $title, with where and why",
    async ({ member, value, violations }) => {
      const emulator = await givenEmulator({ fixtures: [world] });

      const answer = await createKeyV2(emulator, bodyOf(member, value));

      const errors = violations.map(([location, message]) => ({ location, message }));
      expectRefusal(answer, schemaRefusal(PATH, errors));
      expect(emulator.keys.count()).toBe(0);
    },
  );

  test.each([
    [3, "abc"],
    [255, "x".repeat(255)],
  ])("is an apiId of %i characters, so the API is looked up", async (_, apiId) => {
    const emulator = await givenEmulator({ fixtures: [world] });

    expect((await createKeyV2(emulator, { apiId })).status).toBe(404);
  });

  test("of each kind is checked: one reply lists all violations", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    const body = { prefix: "a-b", byteLength: 1, credits: { remaining: -1, a: 1, b: 2 }, owner: 1 };

    const answer = await createKeyV2(emulator, body);

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

  test("that is wrong in an item is named with its index in the hint alone", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    const { body, headers } = await createKeyV2(emulator, { apiId: "api_one", roles: ["a", ""] });

    expect(JSON.stringify(body.error)).not.toContain("roles.1");
    expect(headers.get("x-latchkey-hint")).toContain("roles.1: expected a string of 1 to 128");
  });

  test("that is sent twice counts as it was sent last", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    await createKeyV2(emulator, '{"apiId":"api_none","name":"a","name":"b","apiId":"api_one"}');

    expect(emulator.keys.all()).toMatchObject([{ apiId: "api_one", name: "b" }]);
  });
});

describe("an integer", () => {
  test("that is written like 5.0 or 1e3 is read as one", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    const members =
      '"expires":1e12,"credits":{"remaining":5.0},"ratelimits":[{"name":"abc","limit":1.0,"duration":1E3,"autoApply":true}]';

    const { status } = await createKeyV2(emulator, `{"apiId":"api_one",${members}}`);

    expect(status).toBe(200);
    expect(emulator.keys.all()).toMatchObject([
      { expires: 1_000_000_000_000, remaining: 5, ratelimits: [{ limit: 1, duration: 1_000 }] },
    ]);
  });

  test("beyond what a double holds is refused once", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    const answer = await createKeyV2(
      emulator,
      '{"apiId":"api_one","expires":100000000000000000000}',
    );

    expect(answer.body.error.errors).toMatchObject([{ location: "/properties/expires/maximum" }]);
  });
});

describe("a pattern", () => {
  test("of permission names refuses other characters", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    for (const name of ["a b", "a/b", "é", ""]) {
      const { body, status } = await createKeyV2(emulator, {
        apiId: "api_one",
        permissions: ["fine", name],
      });
      expect(status).toBe(400);
      expect(body.error.errors.at(-1)).toEqual({
        location: "/properties/permissions/items/pattern",
        message: expect.stringContaining(`'${name}' does not match pattern '^[a-zA-Z0-9_:`),
      });
    }
  });

  test("of permission names is named as the service writes it", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    const { body } = await createKeyV2(emulator, { apiId: "api_one", permissions: ["a b"] });

    expect(body.error.errors[0].message).toBe(
      String.raw`'a b' does not match pattern '^[a-zA-Z0-9_:\-\.\*]+$'`,
    );
  });
});

const FIX = "Ensure that the object being submitted, matches the schema correctly";
const undecodable = (reason: string): Refusal =>
  schemaRefusal(PATH, [
    {
      location: "requestBody",
      message: `The request body cannot be decoded: ${reason}`,
      fix: FIX,
    },
  ]);
const emptyBody: Refusal = {
  status: 400,
  type: "unkey/application/invalid_input",
  detail: `POST request body is empty for '${PATH}'`,
  errors: [
    {
      location: "requestBody",
      message: "The request body is empty but there is a schema defined",
      fix: FIX,
    },
  ],
};
const wrongContent = (type: string): Refusal => ({
  status: 400,
  type: "unkey/application/invalid_input",
  detail: `POST operation request content type '${type}' does not exist`,
  errors: [
    {
      location: "requestBody",
      message: `The content type '${type}' of the POST request submitted has not been defined, it's an unknown type`,
      fix: "The content type is invalid, Use one of the 1 supported types for this operation: application/json",
    },
  ],
});
const notAnObject = (kind: string) =>
  schemaRefusal(PATH, [{ location: "/type", message: `got ${kind}, want object` }]);
const tooLarge: Refusal = {
  status: 413,
  type: "user/bad_request/request_body_too_large",
  detail: "The request body is larger than 10485760 bytes.",
};

const valid = '{"apiId":"api_one"}';
const padded = (bytes: number) => valid + " ".repeat(bytes - valid.length);
const typed = (type: string) => ({ "Content-Type": type });

describe("a body", () => {
  test.each<[name: string, body: string | Uint8Array, headers: Record<string, string>, Refusal]>([
    ["that is empty", "", {}, emptyBody],
    ["that is an array", "[]", {}, notAnObject("array")],
    ["that is text", '"{}"', {}, notAnObject("string")],
    ["that is a number", "5", {}, notAnObject("number")],
    ["that is true", "true", {}, notAnObject("boolean")],
    ["that is null", "null", {}, notAnObject("null")],
    ["that is not JSON", "{", {}, undecodable("it is not valid JSON")],
    ["of blanks", "  ", {}, undecodable("it is not valid JSON")],
    ["that is not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), {}, undecodable("it is not UTF-8")],
    ["of text/plain", valid, typed("text/plain"), wrongContent("text/plain")],
    [
      "of a form",
      valid,
      typed("application/x-www-form-urlencoded; charset=utf-8"),
      wrongContent("application/x-www-form-urlencoded"),
    ],
    [
      "of problem+json",
      valid,
      typed("application/problem+json"),
      wrongContent("application/problem+json"),
    ],
    [
      "that is compressed",
      valid,
      { "Content-Encoding": "gzip" },
      undecodable("it is compressed (gzip)"),
    ],
    ["of 10 MiB and a byte", padded(10_485_761), {}, tooLarge],
  ])("%s is refused", async (_name, body, headers, refusal) => {
    const emulator = await givenEmulator({ fixtures: [world] });

    const answer = await createKeyV2(emulator, body, { headers });

    expectRefusal(answer, refusal);
    expect(emulator.keys.count()).toBe(0);
  });

  test("without a content type is refused", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    const request = new Request(`http://emulator.test${PATH}`, {
      method: "POST",
      headers: { Authorization: "Bearer any", Accept: "*/*" },
      body: new TextEncoder().encode(valid),
    });

    const response = await emulator.fetch(request);
    const { headers, status } = response;

    expectRefusal({ status, headers, body: await response.json() }, wrongContent(""));
  });

  test.each([
    ["of exactly 10 MiB", padded(10_485_760), {}],
    ["with a charset", valid, typed("application/json; charset=utf-8")],
    ["with its content type in capitals", valid, typed("Application/JSON")],
    ["that is not compressed and says so", valid, { "Content-Encoding": "identity" }],
  ])("%s is accepted", async (_name, body, headers) => {
    const emulator = await givenEmulator({ fixtures: [world] });

    expect((await createKeyV2(emulator, body, { headers })).status).toBe(200);
  });
});

test.each([
  ["application/json", "application/json"],
  ["text/html", "application/json"],
  ["*/*", "application/problem+json"],
  ["application/*", "application/problem+json"],
  ["application/problem+json", "application/problem+json"],
  ["text/html, application/problem+json;q=0.1", "application/problem+json"],
])("a request that accepts %s is refused as %s, except by the schema", async (Accept, type) => {
  const emulator = await givenEmulator({ fixtures: [world] });
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

const NOT_FOUND: Refusal = {
  status: 404,
  type: "unkey/data/api_not_found",
  detail: "The specified API was not found.",
};
const precondition = (detail: string): Refusal => ({
  status: 412,
  type: "unkey/application/precondition_failed",
  detail,
});
const badRule = (detail: string): Refusal => ({
  status: 400,
  type: "unkey/application/invalid_input",
  detail,
});

describe("the Authorization header", () => {
  const locked: Fixture = {
    ...world,
    tokens: [
      { token: "root", permissions: ["*"] },
      { token: "off", permissions: ["*"], enabled: false },
      { token: "old", permissions: ["*"], expires: NOW - 999 },
      { token: "now", permissions: ["*"], expires: NOW },
      { token: "later", permissions: ["*"], expires: NOW + 1 },
    ],
  };
  const closed: Fixture = {
    workspace: { id: "ws_off", enabled: false },
    tokens: [{ token: "closed", permissions: ["*"] }],
    apis: [{ id: "api_one" }],
  };
  const calling = async (authorization: string | null) => {
    const emulator = await givenEmulator({ fixtures: [locked, closed] });
    const headers: Record<string, string> =
      authorization === null ? {} : { Authorization: authorization };
    return createKeyV2(emulator, { apiId: "api_one" }, { token: null, headers });
  };
  const rejected = "The provided root key is invalid.";
  const malformed: Refusal = {
    status: 400,
    type: "unkey/authentication/malformed",
    detail:
      "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
  };
  const unknown: Refusal = {
    status: 401,
    type: "unkey/authentication/key_not_found",
    detail: `${rejected} We could not find the requested key.`,
  };
  const expired: Refusal = {
    status: 403,
    type: "unkey/authorization/forbidden",
    detail: `${rejected} the key has expired on 2025-12-31T23:59:59Z`,
  };

  test.each<[name: string, value: string | null, refusal: Refusal]>([
    ["missing", null, missingHeader],
    ["without Bearer", "root", malformed],
    ["of another scheme", "Basic root", malformed],
    ["with Bearer in lower case", "bearer root", malformed],
    ["with Bearer alone", "Bearer", malformed],
    ["with blanks in place of a token", "Bearer   ", malformed],
    ["with an unknown token", "Bearer nobody", unknown],
    ["with two tokens", "Bearer root root", unknown],
    ["with a token in other capitals", "Bearer ROOT", unknown],
    [
      "with a disabled token",
      "Bearer off",
      {
        status: 403,
        type: "unkey/authorization/key_disabled",
        detail: `${rejected} The key is disabled.`,
      },
    ],
    ["with an expired token", "Bearer old", expired],
    [
      "with a token that expires at this moment",
      "Bearer now",
      { ...expired, detail: `${rejected} the key has expired on 2026-01-01T00:00:00Z` },
    ],
    [
      "with a token of a disabled workspace",
      "Bearer closed",
      {
        status: 403,
        type: "unkey/authorization/workspace_disabled",
        detail: `${rejected} The workspace is disabled.`,
      },
    ],
  ])("%s is refused", async (_name, value, refusal) => {
    expectRefusal(await calling(value), refusal);
  });

  test.each(["Bearer root", " Bearer   root  ", "Bearer \troot", "Bearer later"])(
    "%j is accepted",
    async (value) => {
      expect((await calling(value)).status).toBe(200);
    },
  );
});

/** Everything but the request ids, which every call uses up. */
const stateOf = (emulator: Emulator) => {
  const { snapshot, ...records } = emulator.snapshot();
  const { ids: { req: _req, ...ids } = {}, keyValues } = snapshot ?? {};
  return { ...records, ids, keyValues };
};

describe("a call that fits the schema", () => {
  const all = ["api.*.create_key", "api.*.encrypt_key"];
  const monthly = { interval: "monthly", amount: 1 };
  const secret = { apiId: "api_vault", recoverable: true };
  test.each<
    [
      name: string,
      permissions: string[],
      body: object,
      refusal: Refusal | undefined,
      hint?: string | null,
    ]
  >([
    ["is allowed for every API", all, { apiId: "api_one" }, undefined],
    ["is allowed for this API", ["api.api_one.create_key"], { apiId: "api_one" }, undefined],
    ["is allowed by *", ["*"], secret, undefined],
    [
      "names an unknown API",
      all,
      { apiId: "api_none" },
      NOT_FOUND,
      'there is no API "api_none"; the APIs here are api_one, ',
    ],
    [
      "names an API of another workspace",
      all,
      { apiId: "api_theirs" },
      NOT_FOUND,
      "the APIs here are api_one, ",
    ],
    [
      "names an unknown API, and is not permitted either",
      [],
      { apiId: "api_none" },
      NOT_FOUND,
      "the token needs api.*.create_key or api.api_none.create_key",
    ],
    [
      "names an unknown API, and may not encrypt",
      ["api.*.create_key"],
      { apiId: "api_none", recoverable: true },
      NOT_FOUND,
      "the token needs api.*.encrypt_key or api.api_none.encrypt_key",
    ],
    [
      "is not permitted",
      [],
      { apiId: "api_one" },
      NOT_FOUND,
      "the token needs api.*.create_key or api.api_one.create_key",
    ],
    [
      "is permitted for another API",
      ["api.api_vault.create_key"],
      { apiId: "api_one" },
      NOT_FOUND,
      "the token needs api.*.create_key or api.api_one.create_key",
    ],
    [
      "names an API without a keyspace",
      all,
      { apiId: "api_bare" },
      precondition("The requested API is not set up to handle keys."),
      "gives api_bare `keyspace: false`",
    ],
    ["may encrypt", all, secret, undefined],
    [
      "may not encrypt",
      ["api.*.create_key"],
      secret,
      NOT_FOUND,
      "the token needs api.*.encrypt_key or api.api_vault.encrypt_key",
    ],
    [
      "needs no right to encrypt",
      ["api.*.create_key"],
      { ...secret, recoverable: false },
      undefined,
    ],
    [
      "asks for encryption that the API does not have",
      all,
      { apiId: "api_one", recoverable: true },
      precondition("This API does not support key encryption."),
      "api_one stores no values of keys; give it `storeEncryptedKeys: true`",
    ],
    [
      "refills an unlimited key",
      all,
      { apiId: "api_one", credits: { remaining: null, refill: monthly } },
      badRule("`credits.remaining` must be provided when `credits.refill` is set."),
    ],
    [
      "refills every month without a day",
      all,
      { apiId: "api_one", credits: { remaining: 1, refill: monthly } },
      badRule("`refillDay` must be provided when the refill interval is `monthly`."),
    ],
    [
      "names a role that does not exist",
      ["*"],
      { apiId: "api_one", roles: ["role_1", "a <b>", "c"] },
      { status: 404, type: "unkey/data/role_not_found", detail: "Role 'a <b>' was not found." },
      "the roles here are role_1, role_2",
    ],
    [
      "names a role that does not exist, and may not list them",
      all,
      { apiId: "api_one", roles: ["none"] },
      { status: 404, type: "unkey/data/role_not_found", detail: "Role 'none' was not found." },
    ],
    ["makes permissions", all, { apiId: "api_one", permissions: ["new.one"] }, undefined],
  ])("%s", async (_name, permissions, body, refusal, hint = null) => {
    const theirs: Fixture = {
      workspace: { id: "ws_theirs" },
      tokens: [{ token: "theirs" }],
      apis: [{ id: "api_theirs" }],
    };
    const tokens = [{ token: "root", permissions }];
    const emulator = await givenEmulator({ fixtures: [{ ...world, tokens }, theirs] });
    const before = stateOf(emulator);
    const members = { externalId: "new_user", permissions: ["new.permission"], ...body };

    const answer = await createKeyV2(emulator, members, { token: "root" });

    if (refusal === undefined) return expect(answer.status).toBe(200);
    expectRefusal(answer, refusal);
    const given = answer.headers.get("x-latchkey-hint");
    if (hint === null) expect(given).toBeNull();
    else expect(given).toContain(hint);
    expect(stateOf(emulator)).toEqual(before);
  });
});

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** The number of bytes that base58 digits stand for. */
const bytesOf = (digits: string) => {
  let number = 0n;
  for (const digit of digits) number = number * 58n + BigInt(DIGITS.indexOf(digit));
  return Math.ceil(number.toString(16).length / 2);
};

describe("a new key", () => {
  test.each([
    ["by default of 16 bytes", { apiId: "api_one" }, "", 16],
    ["with its prefix", { apiId: "api_one", prefix: "pay_live" }, "pay_live_", 16],
    ["of 255 bytes", { apiId: "api_one", prefix: "p", byteLength: 255 }, "p_", 255],
    ["with the defaults of its API", { apiId: "api_own" }, "own_", 32],
    ["with its own in place of these", { apiId: "api_own", prefix: "a", byteLength: 20 }, "a_", 20],
  ])("has a value %s, and shows its prefix and four digits", async (_name, body, prefix, bytes) => {
    const emulator = await givenEmulator({ fixtures: [world] });

    const [first, second] = [await createKeyV2(emulator, body), await createKeyV2(emulator, body)];
    const [shown] = await listAllV2(emulator, { apiId: body.apiId });

    const { key, keyId } = first.body.data;
    expect(keyId).toMatch(/^key_[1-9A-HJ-NP-Za-km-z]{16}$/);
    expect(key.startsWith(prefix)).toBe(true);
    const digits = key.slice(prefix.length);
    expect(digits).toMatch(/^[1-9A-HJ-NP-Za-km-z]+$/);
    // No byte for a version, and none for the length, unlike in v1.
    expect(bytesOf(digits)).toBe(bytes);
    expect(shown).toMatchObject({ keyId, start: prefix + digits.slice(0, 4) });
    expect(second.body.data.key).not.toBe(key);
    expect(second.body.data.keyId > keyId).toBe(true);
    expect(first.headers.get("unkey-request-id")).toBeNull();
    expect(first.body.meta.requestId).not.toBe(second.body.meta.requestId);
  });

  test("is made of every member", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    const ratelimits = [
      { name: "calls", limit: 10, duration: 60_000, autoApply: true },
      { name: "bytes", limit: 5, duration: 1_000, autoApply: false },
    ];
    const refill = { interval: "monthly", amount: 100, refillDay: 31 };
    const { body } = await createKeyV2(emulator, {
      apiId: "api_vault",
      prefix: "p",
      name: "CI",
      byteLength: 20,
      externalId: "user_1",
      meta: { plan: "pro", nested: [1.5, null, {}] },
      roles: ["role_1", "role_1", "role_2"],
      permissions: ["b", "a", "b"],
      expires: LONGEST_EXPIRY,
      credits: { remaining: 7, refill },
      ratelimits: ratelimits.map((limit) => ({ ...limit, unknown: true })),
      enabled: false,
      recoverable: true,
    });

    const [shown] = await listAllV2(emulator, { apiId: "api_vault", decrypt: true });

    expect(shown).toEqual({
      createdAt: NOW,
      credits: { refill, remaining: 7 },
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

  test("loses the day of a daily refill, and has no credits if its uses are not limited", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });
    const daily = { interval: "daily", amount: 3 };

    for (const one of [
      { remaining: 0, refill: { ...daily, refillDay: 5 } },
      { remaining: 0 },
      { remaining: null },
    ]) {
      await createKeyV2(emulator, { apiId: "api_one", credits: one });
    }

    const keys = await listAllV2(emulator, { apiId: "api_one" });
    expect(keys.map((key) => key["credits"])).toEqual([
      { refill: daily, remaining: 0 },
      { remaining: 0 },
      undefined,
    ]);
  });

  test("with an expiry of 0 has expired, though lists do not show it", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    await createKeyV2(emulator, { apiId: "api_one", expires: 0 });
    await createKeyV2(emulator, { apiId: "api_one", expires: 1 });

    const keys = await listAllV2(emulator, { apiId: "api_one" });
    expect(keys.map((key) => key["expires"])).toEqual([undefined, 1]);
    expect(emulator.keys.all().map(({ expires }) => expires)).toEqual([0, 1]);
  });

  test("links with the identity of its external id, which stays as it is", async () => {
    const identities = [{ externalId: "user_1", meta: { plan: "pro" } }];
    const emulator = await givenEmulator({ fixtures: [{ ...world, identities }] });

    for (const externalId of ["user_1", "user_2", "user_2"]) {
      await createKeyV2(emulator, { apiId: "api_one", externalId, meta: { of: "the key" } });
    }

    expect(emulator.identities.all()).toMatchObject([
      { externalId: "user_1", meta: { plan: "pro" } },
      { externalId: "user_2", meta: {} },
    ]);
  });

  test("is made by each of two equal calls", async () => {
    const emulator = await givenEmulator({ fixtures: [world] });

    for (const name of ["same", "same"]) await createKeyV2(emulator, { apiId: "api_one", name });

    expect(emulator.keys.count()).toBe(2);
  });
});

test("strict refuses unknown members of rate limits, which are ignored with a warning without it", async () => {
  const warnings: string[] = [];
  const log = (entry: LogEntry) => void (entry.kind === "warning" && warnings.push(entry.message));
  const strict = await givenEmulator({ fixtures: [world], strict: true });
  const lenient = await givenEmulator({ fixtures: [world], log });
  const body = { apiId: "api_one", ratelimits: [{ ...calls, async: true }] };

  const refused = await createKeyV2(strict, body);
  const accepted = await createKeyV2(lenient, body);

  const message = "additional properties 'async' not allowed";
  const errors = [{ location: `${limitAt}/additionalProperties`, message }];
  expectRefusal(refused, schemaRefusal(PATH, errors));
  expect(accepted.status).toBe(200);
  expect(warnings).toEqual([expect.stringContaining("keys.createKey: ratelimits.0.async")]);
});

test("the characters <, >, & and line separators are escaped in a refusal as Go escapes them", async () => {
  const emulator = await givenEmulator({ fixtures: [world] });
  const request = new Request(`http://emulator.test${PATH}`, {
    method: "POST",
    headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
    body: JSON.stringify({ apiId: "api_one", roles: ['<a>&"é\u2028'] }),
  });

  const text = await (await emulator.fetch(request)).text();

  expect(text).toContain(String.raw`"detail":"Role '\u003ca\u003e\u0026\"é\u2028' was not found."`);
});

test("a wrong method is answered with 405, in the envelope of v2", async () => {
  const emulator = await givenEmulator({ fixtures: [world] });
  const request = new Request(`http://emulator.test${PATH}`, { method: "GET" });

  const response = await emulator.fetch(request);

  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await response.json()).error).toMatchObject({ status: 405, title: "Method Not Allowed" });
});

test("the path with a slash at its end, or in other capitals, is not served", async () => {
  const emulator = await givenEmulator({ fixtures: [world] });

  for (const path of [`${PATH}/`, "/v2/keys.createkey"]) {
    expect((await post(emulator, path, { apiId: "api_one" })).status).toBe(404);
  }
});
