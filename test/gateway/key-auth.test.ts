import { expect, test } from "vitest";
import type { Policy } from "../../src/gateway.ts";
import { defineOperation } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";
import { givenGateway } from "./_gateway.ts";
import * as z from "zod";

/** A gateway that gets this answer for every verification. */
async function givenAnswer(data: Record<string, unknown>) {
  const operation = defineOperation({
    contract: {
      name: "keys.verifyKey",
      version: "v2",
      method: "POST",
      path: "/v2/keys.verifyKey",
      summary: "Verify badly",
      input: z.object({}),
      output: z.object({ data: z.looseObject({}) }),
    },
    run: () => ({ data }),
  });
  return givenGateway({
    policies: authorize({ keySpaceIds: ["ks_orders"] }),
    emulator: { operations: [operation] },
  });
}

const authorize = (keyauth: Policy["keyauth"] = {}): Policy[] => [{ keyauth }];

test.each<[string, Policy["keyauth"], Record<string, string>, string]>([
  ["a bearer token", {}, { Authorization: "Bearer ord_good" }, "/"],
  ["a bearer token in any case", {}, { Authorization: "bearer ord_good" }, "/"],
  ["bearer", { locations: [{ bearer: {} }] }, { Authorization: "Bearer ord_good" }, "/"],
  [
    "a header",
    { locations: [{ header: { name: "X-API-Key" } }] },
    { "x-api-key": "ord_good" },
    "/",
  ],
  [
    "a header with a prefix",
    { locations: [{ header: { name: "Authorization", stripPrefix: "ApiKey " } }] },
    { Authorization: "apikey ord_good" },
    "/",
  ],
  [
    "a query parameter",
    { locations: [{ queryParam: { name: "api_key" } }] },
    {},
    "/?api_key=ord_good",
  ],
  [
    "the second location, if the first is empty",
    { locations: [{ header: { name: "X-API-Key" } }, { queryParam: { name: "token" } }] },
    {},
    "/?token=ord_good",
  ],
  [
    "the first of two locations",
    { locations: [{ header: { name: "X-API-Key" } }, { queryParam: { name: "token" } }] },
    { "X-API-Key": "ord_good" },
    "/?token=ord_disabled",
  ],
])("the key is found in %s, and is passed on", async (_, keyauth, headers, path) => {
  const { ask, seen } = await givenGateway({ policies: authorize(keyauth) });

  expect((await ask(path, headers)).principal?.subject).toBe("key_good");
  expect(seen[0]?.url).toBe(`http://localhost${path}`);
  for (const [name, value] of Object.entries(headers))
    expect(seen[0]?.headers.get(name)).toBe(value);
});

test.each<[string, Policy["keyauth"], Record<string, string>]>([
  ["no header", {}, {}],
  ["nothing after Bearer", {}, { Authorization: "Bearer " }],
  ["another scheme", {}, { Authorization: "Basic ord_good" }],
  [
    "another prefix",
    { locations: [{ header: { name: "Authorization", stripPrefix: "ApiKey " } }] },
    { Authorization: "Bearer ord_good" },
  ],
  [
    "nothing after the prefix",
    { locations: [{ header: { name: "X-Key", stripPrefix: "Key" } }] },
    { "X-Key": "Key" },
  ],
])("a request with %s has no key: 401, without a verification", async (_, keyauth, headers) => {
  const { ask, emulator } = await givenGateway({ policies: authorize(keyauth) });

  const { code, hint, status } = await ask("/", headers);
  expect([status, code]).toEqual([401, "err:frontline:client:missing_credentials"]);
  expect(hint).toBe("policy_1: the request has no key");
  expect(emulator.requests.list()).toEqual([]);
});

test("a space before a key is part of it", async () => {
  const { askWith, emulator } = await givenGateway({ policies: authorize() });

  expect((await askWith(" ord_good")).status).toBe(401);
  expect(emulator.requests.list()[0]).toMatchObject({
    answer: { data: { code: "NOT_FOUND" } },
  });
});

test.each<[string, string, Policy["keyauth"], number, string, string]>([
  ["unknown", "ord_none", {}, 401, "invalid_key", "no key of this workspace has"],
  ["disabled", "ord_disabled", {}, 401, "invalid_key", "the key is disabled"],
  ["expired", "ord_expired", {}, 401, "invalid_key", "expired just now"],
  [
    "of another keyspace",
    "ord_other",
    { keySpaceIds: ["ks_orders"] },
    401,
    "invalid_key",
    "the key is of the keyspace ks_other",
  ],
  ["of no allowed keyspace", "ord_good", { keySpaceIds: [] }, 401, "invalid_key", "no keyspace"],
  [
    "without a permission",
    "ord_good",
    { permissionQuery: "orders.read AND orders.write" },
    403,
    "insufficient_permissions",
    "the key lacks orders.write",
  ],
  ["used up", "ord_used_up", {}, 429, "usage_exceeded", "no uses left"],
  [
    "without the limit that the policy names",
    "ord_good",
    { ratelimits: [{ name: "nope" }] },
    500,
    "internal_server_error",
    "keys.verifyKey was answered 412",
  ],
])("a key that is %s is refused", async (_, key, keyauth, status, end, hint) => {
  const { askWith, seen } = await givenGateway({ policies: authorize(keyauth) });

  const answer = await askWith(key);
  expect(answer.status).toBe(status);
  expect(answer.code).toMatch(new RegExp(`^err:frontline:(?:client|platform):${end}$`));
  expect(answer.hint).toContain(`policy_1: `);
  expect(answer.hint).toContain(hint);
  expect(seen).toEqual([]);
});

test("a gateway makes one verification, as the service's local gateway does", async () => {
  const { askWith, emulator } = await givenGateway({
    policies: authorize({
      keySpaceIds: ["ks_orders"],
      permissionQuery: "orders.read",
      credits: 0,
      ratelimits: [{ name: "own", limit: 5, duration: 60_000, cost: 2 }],
    }),
  });

  expect((await askWith("ord_good")).status).toBe(200);
  const [request, ...others] = emulator.requests.list();
  expect(others).toEqual([]);
  expect(request).toMatchObject({ operation: "keys.verifyKey", status: 200 });
  expect(request?.input).toEqual({
    key: "***",
    keyspaces: ["ks_orders"],
    credits: { cost: 0 },
    permissions: "orders.read",
    ratelimits: [{ name: "own", limit: 5, duration: 60_000, cost: 2 }],
  });
});

test("a request takes one credit or the policy's `credits`, and the principal has the rest", async () => {
  const { askWith, emulator } = await givenGateway({ policies: authorize() });
  const two = await givenGateway({ policies: authorize({ credits: 2 }) });

  expect((await askWith("ord_few")).principal?.source.key.credits).toBe(2);
  expect(emulator.keys.get("key_few")?.remaining).toBe(2);
  expect((await two.askWith("ord_few")).principal?.source.key.credits).toBe(1);
  expect((await two.askWith("ord_few")).status).toBe(429);
});

test("responses and refusals have the headers of the strictest limit", async () => {
  const limits = [{ name: "wide", limit: 10, duration: 60_000 }];
  const { askWith } = await givenGateway({ policies: authorize({ ratelimits: limits }) });
  const limitsOf = ({ headers }: { headers: Headers }) =>
    ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"].map((name) =>
      headers.get(name),
    );
  const reset = String(NOW / 1_000 + 60);

  const [first, second] = [await askWith("ord_limited"), await askWith("ord_limited")];
  expect([first.status, ...limitsOf(first)]).toEqual([200, "1", "0", reset, null]);
  expect([second.status, ...limitsOf(second)]).toEqual([429, "1", "0", reset, "60"]);
  expect(second.code).toBe("err:frontline:client:rate_limited");
  expect(second.hint).toMatch(/^policy_1: 2nd use of 1 per 1 min \(requests/);
  expect(limitsOf(await askWith("ord_good"))).toEqual(["10", "9", reset, null]);
});

test("a response without a limit has no headers of limits", async () => {
  const { askWith } = await givenGateway({ policies: authorize() });

  expect((await askWith("ord_good")).headers.get("X-RateLimit-Limit")).toBeNull();
});

test.each(["drop", "truncate", "malformed", "hang"] as const)(
  "a verification with the fault `%s` is answered 500",
  async (effect) => {
    const { askWith, emulator, seen } = await givenGateway({ policies: authorize() });
    emulator.faults.add({ operation: "keys.verifyKey", effect });
    const spoilt = new AbortController();
    if (effect === "hang") setTimeout(() => spoilt.abort(new Error("too late")), 20);
    const timeout = AbortSignal.timeout;
    AbortSignal.timeout = () => spoilt.signal;
    try {
      const { code, status } = await askWith("ord_good");
      expect([status, code]).toEqual([500, "err:frontline:platform:internal_server_error"]);
      expect(seen).toEqual([]);
    } finally {
      AbortSignal.timeout = timeout;
    }
  },
);

test("a verification that is answered 503 is a 500 of the gateway", async () => {
  const { askWith, emulator } = await givenGateway({ policies: authorize() });
  emulator.faults.add({ operation: "keys.verifyKey", status: 503, times: 1 });

  expect((await askWith("ord_good")).status).toBe(500);
  expect((await askWith("ord_good")).status).toBe(200);
});

const invalid = ["invalid_key", "Authentication failed. The provided API key is invalid."] as const;
test.each([
  ["NOT_FOUND", 401, ...invalid],
  ["DISABLED", 401, ...invalid],
  ["EXPIRED", 401, ...invalid],
  [
    "INSUFFICIENT_PERMISSIONS",
    403,
    "insufficient_permissions",
    "Access denied. The API key does not have the required permissions.",
  ],
  ["RATE_LIMITED", 429, "rate_limited", "Rate limit exceeded. Please try again later."],
  [
    "USAGE_EXCEEDED",
    429,
    "usage_exceeded",
    "Usage limit exceeded. This API key has no remaining credits.",
  ],
] as const)("a verification with %s is answered %i %s", async (answer, status, end, message) => {
  const { askWith, emulator } = await givenGateway({ policies: authorize() });
  emulator.faults.add({ operation: "keys.verifyKey", answer });

  const reply = await askWith("ord_good");
  expect(reply.status).toBe(status);
  expect(JSON.parse(reply.text).error).toEqual({ code: `err:frontline:client:${end}`, message });
});

test("a verification with FORBIDDEN is answered 401", async () => {
  const { askWith } = await givenAnswer({ code: "FORBIDDEN", valid: false });

  expect((await askWith("ord_good")).code).toBe("err:frontline:client:invalid_key");
});

test("a key that is refused for its keyspace keeps its credits", async () => {
  const { askWith, emulator } = await givenGateway({
    policies: authorize({ keySpaceIds: ["ks_other"] }),
  });

  expect((await askWith("ord_few")).status).toBe(401);
  expect(emulator.keys.get("key_few")?.remaining).toBe(3);
});

test.each([
  { valid: true, code: "VALID", keyId: "key_1" },
  { valid: true, code: "VALID", keyspaceId: "ks_orders" },
  { valid: true, code: "NOT_FOUND", keyId: "key_1", keyspaceId: "ks_orders" },
  { valid: false, code: "VALID", keyId: "key_1", keyspaceId: "ks_orders" },
  { valid: false, code: "UNKNOWN", keyId: "key_1", keyspaceId: "ks_orders" },
  { valid: true, code: "VALID", keyId: "key_1", keyspaceId: "ks_other" },
  {
    valid: true,
    code: "VALID",
    keyId: "key_1",
    keyspaceId: "ks_orders",
    identity: { externalId: "" },
  },
])("a verification with an impossible answer is answered 500: %j", async (data) => {
  const { askWith } = await givenAnswer(data);

  const { status, text } = await askWith("ord_good");
  expect([status, JSON.parse(text).error]).toEqual([
    500,
    {
      code: "err:frontline:platform:internal_server_error",
      message: "An unexpected error occurred. Please try again later.",
    },
  ]);
});

test("the first keyauth that applies decides, and later ones are skipped", async () => {
  const { ask, askWith, emulator } = await givenGateway({
    policies: [
      { match: [{ header: { name: "Authorization" } }], keyauth: {} },
      { keyauth: { permissionQuery: "orders.write" } },
    ],
  });

  expect((await askWith("ord_good")).status).toBe(200);
  expect(emulator.requests.count()).toBe(1);
  expect((await ask("/")).status).toBe(401);
});

test("the program gets no principal if no keyauth applies", async () => {
  const { askWith, seen } = await givenGateway({
    policies: [{ match: [{ path: { path: { prefix: "/private" } } }], keyauth: {} }],
  });

  await askWith("ord_good", "/public");
  expect(seen[0]?.headers.has("X-Unkey-Principal")).toBe(false);
});

test("the token is the first that may verify keys, or the option `token`", async () => {
  const fixtures = [
    {
      tokens: [
        { token: "only_reads", permissions: ["api.*.read_api"] },
        { token: "may_verify", permissions: ["api.*.verify_key"] },
      ],
      apis: [{ id: "api_orders", keyspaceId: "ks_orders" }],
      keys: [{ apiId: "api_orders", key: "ord_good" }],
    },
  ];
  const emulator = { fixtures };
  const { askWith } = await givenGateway({ policies: authorize(), emulator });
  const other = await givenGateway({
    policies: authorize(),
    options: { token: "only_reads" },
    emulator,
  });
  const unknown = await givenGateway({
    policies: authorize(),
    options: { token: "unknown" },
    emulator,
  });

  expect((await askWith("ord_good")).status).toBe(200);
  const refused = await other.askWith("ord_good");
  expect([refused.status, refused.hint]).toEqual([401, expect.stringContaining("verify_key")]);
  expect((await unknown.askWith("ord_good")).status).toBe(500);
});

test("a listed token that may verify keys is used before there is an API", async () => {
  const tokens = [{ token: "may_verify", permissions: ["api.*.verify_key"] }];
  const { askWith } = await givenGateway({
    policies: authorize(),
    emulator: { fixtures: [{ tokens }] },
  });

  expect((await askWith("unknown")).status).toBe(401);
});

test("with isolation, the token picks the workspace", async () => {
  const { askWith, emulator } = await givenGateway({
    policies: authorize(),
    options: { token: "mine" },
    emulator: { isolate: true },
  });
  await emulator.workspace("mine").keys.update((q) => q.where({ id: "key_good" }), {
    data: (key) => void (key.enabled = false),
  });

  expect((await askWith("ord_good")).status).toBe(401);
  expect(emulator.workspace("mine").requests.count()).toBe(1);
  expect(emulator.requests.count()).toBe(0);
});
