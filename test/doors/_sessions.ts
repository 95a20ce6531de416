import { ApiError, type EmulatorOptions, type FaultInit } from "../../src/index.ts";
import { base64url, NOW, openWorld } from "../_emulator.ts";
import { calls, everything } from "../_every-operation.ts";
import { deleteIdentity, doing, getIdentity } from "../_own-operations.ts";

/** A request and the expected status; "error" stands for a network error. */
export interface Step {
  readonly status: number | "error";
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Requests that are sent one after the other to one emulator. */
export interface Session {
  readonly name: string;
  readonly options: EmulatorOptions;
  readonly faults?: readonly FaultInit[];
  readonly steps: readonly Step[];
}

const JSON_TYPE = { "Content-Type": "application/json" };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

type Body = object | string | Uint8Array<ArrayBuffer>;

/** POST of JSON. A string and bytes are sent as they are. */
function post(
  status: Step["status"],
  target: string,
  body: Body,
  headers: Record<string, string> = bearer("any"),
): Step {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  return {
    status,
    method: "POST",
    target,
    // Without it, some doors show the header that Node sends, and it decides the content type in v2.
    headers: { ...JSON_TYPE, Accept: "application/json", ...headers },
    body: isRaw ? body : JSON.stringify(body),
  };
}

/** POST keys.createKey of v1. */
function create(status: Step["status"], body: Body, headers?: Record<string, string>): Step {
  return post(status, "/v1/keys.createKey", body, headers);
}

/** GET apis.listKeys with this query. */
function list(
  status: Step["status"],
  query: string,
  headers: Record<string, string> = bearer("any"),
): Step {
  return { status, method: "GET", target: `/v1/apis.listKeys?${query}`, headers };
}

const cursorAfter = (id: string) => base64url(JSON.stringify({ key: id }));

const everyField = {
  apiId: "api_vault",
  prefix: "live",
  byteLength: 32,
  name: 'ünï🔑 \u0000"\\',
  externalId: "ann b+c",
  meta: { b: 1, a: [null, { goes: 1.5 }], é: "\u2028" },
  roles: ["admin", "editor"],
  permissions: ["read"],
  expires: NOW + 1,
  remaining: 10,
  refill: { interval: "monthly", amount: 100, refillDay: 15 },
  ratelimit: { type: "fast", limit: 5, duration: 1_000 },
  enabled: false,
  recoverable: true,
  environment: "test",
};

const keys = Array.from({ length: 7 }, (_, index) => ({
  id: `key_${index}`,
  apiId: "api_one",
  externalId: index % 2 === 0 ? "ann" : "bob",
}));

const oncePerMinute = { name: "calls", limit: 1, duration: 60_000, autoApply: true };

const use = { namespace: "mail", identifier: "ann", limit: 2, duration: 60_000, cost: 1 };

/** Each operation of each version, called as it should be. */
export const operations: readonly Session[] = calls.map(([target, input]) => {
  const isGet = target.includes("?");
  const step = isGet
    ? { status: 200, method: "GET", target, headers: bearer("any") }
    : post(200, target, input);
  return {
    name: `${step.method} ${target} ${isGet ? "" : JSON.stringify(input)}`.slice(0, 60),
    options: { fixtures: [everything] },
    steps: [step],
  };
});

const UNSERVED = [
  "/v1/keys.frobnicate",
  "/v1/keys.createKey/",
  "/V1/keys.createKey",
  "/v1//keys.createKey",
  "//v1/keys.createKey",
  "/v1/keys%2EcreateKey",
  "/v1/%F0%9F%94%91",
  "/v1/%ff",
  "/v1/a%0Ab",
  "/",
  `/v1/${"a/".repeat(4_000)}`,
  "/v2/keys.createkey",
];

/** Some hundred requests, with every kind of answer and every way to write a request. */
export const sessions: readonly Session[] = [
  {
    name: "keys are created and listed",
    options: {},
    steps: [
      list(200, "apiId=api_one"),
      create(200, { apiId: "api_one" }),
      create(200, everyField),
      create(200, { apiId: "api_vault", externalId: "ann b+c", recoverable: true }),
      create(200, { apiId: "api_one", unknown: 1 }),
      list(200, "apiId=api_vault"),
      list(200, "apiId=api_vault&decrypt=true"),
      list(200, "apiId=api_vault&externalId=ann+b%2Bc"),
      list(200, "&apiId=api%5Fone&&limit=1&nick=1"),
      list(200, "apiId=api_one&revalidateKeysCache=true"),
    ],
  },
  {
    name: "a list is read page by page",
    options: { fixtures: [{ apis: [{ id: "api_one" }], keys }] },
    steps: [
      list(200, "apiId=api_one&limit=3"),
      list(200, `apiId=api_one&limit=3&cursor=${cursorAfter("key_2")}`),
      list(200, `apiId=api_one&limit=3&cursor=${cursorAfter("key_5")}`),
      list(200, `apiId=api_one&cursor=${cursorAfter("key_9")}`),
      list(200, "apiId=api_one&externalId=ann&limit=2"),
      list(200, "apiId=api_one&ownerId=bob"),
      list(400, "apiId=api_one&cursor=key_2"),
    ],
  },
  {
    name: "keys live in both versions",
    options: {
      fixtures: [
        {
          apis: [{ id: "api_one", storeEncryptedKeys: true }],
          roles: [{ name: "reader", permissions: ["docs.read"] }],
          keys: [
            { id: "key_live", apiId: "api_one", key: "pay_live", credits: { remaining: 2 } },
            { id: "key_slow", apiId: "api_one", key: "pay_slow", ratelimits: [oncePerMinute] },
          ],
        },
      ],
    },
    steps: [
      post(200, "/v2/keys.createKey", { apiId: "api_one", name: "<é&\u2028>", recoverable: true }),
      post(404, "/v2/keys.createKey", { apiId: "api_one", roles: ["none"] }),
      post(400, "/v2/keys.createKey", { apiId: "a", ratelimits: [{}], unknown: 1 }),
      post(400, "/v2/keys.createKey", '{"apiId":"api_one","expires":5.5}'),
      post(200, "/v2/apis.listKeys", { apiId: "api_one", limit: 2 }),
      post(200, "/v2/apis.listKeys", { apiId: "api_one", cursor: "key_m", decrypt: true }),
      post(200, "/v2/keys.verifyKey", { key: "pay_live", credits: { cost: 2 } }),
      post(200, "/v1/keys.verifyKey", { key: "pay_live" }),
      post(200, "/v1/keys.verifyKey", { key: "pay_slow" }),
      post(200, "/v1/keys.verifyKey", { key: "pay_slow" }),
      post(400, "/v2/keys.verifyKey", { key: "pay_slow", permissions: "a AND" }),
      post(412, "/v2/keys.verifyKey", { key: "pay_live", ratelimits: [{ name: "none" }] }),
      post(200, "/v2/keys.updateKey", { keyId: "key_live", roles: ["reader"], name: null }),
      post(200, "/v2/keys.rerollKey", { keyId: "key_live", expiration: 60_000 }),
      post(404, "/v2/keys.getKey", { keyId: "key_none" }),
      {
        status: 405,
        method: "PUT",
        target: "/v2/keys.getKey",
        headers: { ...bearer("any"), Accept: "*/*" },
      },
      post(400, "/v2/apis.deleteApi", { apiId: "api_one" }),
      post(404, "/v1/apis.deleteApi", { apiId: "api_one" }),
    ],
  },
  {
    name: "rate limits, identities, roles and migrated keys live in v2",
    options: {
      fixtures: [
        openWorld,
        {
          ratelimitNamespaces: [
            { id: "rlns_gone", name: "gone", deleted: true },
            { id: "rlns_mail", name: "mail" },
          ],
          migrations: [{ id: "mig_one" }],
          identities: [{ id: "id_ann", externalId: "ann", meta: { é: "\u2028" } }],
        },
      ],
    },
    steps: [
      post(200, "/v2/ratelimit.multiLimit", [use, { ...use, namespace: "é" }, use]),
      post(200, "/v2/ratelimit.multiLimit", [use]),
      post(400, "/v2/ratelimit.multiLimit", []),
      post(400, "/v2/ratelimit.multiLimit", use),
      post(410, "/v2/ratelimit.limit", { ...use, namespace: "gone" }),
      post(200, "/v1/ratelimits.limit", use),
      post(200, "/v2/ratelimit.setOverride", { ...use, identifier: "*", cost: undefined }),
      post(200, "/v2/ratelimit.limit", use),
      post(404, "/v2/ratelimit.getOverride", { namespace: "gone", identifier: "*" }),
      post(200, "/v2/identities.listIdentities", { search: "AN" }),
      post(409, "/v2/identities.createIdentity", { externalId: "ann" }),
      post(200, "/v2/permissions.createRole", { name: "ä", permissions: ["docs.read"] }),
      post(200, "/v2/keys.migrateKeys", {
        migrationId: "mig_one",
        apiId: "api_one",
        keys: [{ hash: "ünï" }, { hash: "ünï" }],
      }),
    ],
  },
  {
    name: "invalid requests are refused",
    options: {},
    steps: [
      create(400, {}),
      create(400, ""),
      create(400, "{"),
      create(400, "[]"),
      create(400, new Uint8Array([0x7b, 0xff, 0x7d])),
      create(400, { apiId: "api_one", byteLength: 1, roles: ["", 2], meta: [] }),
      create(400, { apiId: "api_one", name: "🔑".repeat(257) }),
      create(400, { apiId: "api_one" }, { ...bearer("any"), "Content-Type": "text/plain" }),
      create(400, { apiId: "api_one", refill: { interval: "daily", amount: 1 } }),
      create(404, { apiId: "api_none" }),
      create(412, { apiId: "api_one", recoverable: true }),
      create(413, `{"apiId":"api_one","pad":"${"x".repeat(1_048_576)}"}`),
      list(400, ""),
      list(400, "apiId=api_one&limit=0"),
      list(400, "apiId=api_one&apiId=api_one"),
      list(400, "apiId=%zz"),
      list(404, "apiId=api_none"),
      list(200, "apiId=api_one"),
    ],
  },
  {
    name: "tokens and permissions are checked",
    options: {
      fixtures: [
        {
          tokens: [
            { token: "root", permissions: ["*"] },
            { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] },
            { token: "off", permissions: ["*"], enabled: false },
            { token: "old", permissions: ["*"], expires: 1 },
          ],
          apis: [{ id: "api_one" }],
        },
      ],
    },
    steps: [
      create(401, { apiId: "api_one" }, {}),
      create(401, { apiId: "api_one" }, { Authorization: "Basic cm9vdA==" }),
      list(401, "apiId=api_one", bearer("unknown")),
      list(403, "apiId=api_one", bearer("off")),
      list(403, "apiId=api_one", bearer("old")),
      create(403, { apiId: "api_one" }, bearer("reader")),
      create(200, { apiId: "api_one" }, bearer("root")),
      list(200, "apiId=api_one", bearer("reader")),
      list(403, "apiId=api_one&decrypt=true", bearer("reader")),
    ],
  },
  {
    name: "wrong methods are refused, and HEAD and OPTIONS are answered",
    options: {},
    steps: [
      { status: 405, method: "GET", target: "/v1/keys.createKey" },
      { status: 405, method: "DELETE", target: "/v1/apis.listKeys" },
      { status: 405, method: "HEAD", target: "/v1/keys.createKey" },
      { status: 204, method: "OPTIONS", target: "/v1/keys.createKey" },
      ...["GET", "OPTIONS"].map((method) => ({
        status: 405,
        method,
        target: "/v2/keys.createKey",
        headers: { Accept: "*/*" },
      })),
      {
        status: 200,
        method: "HEAD",
        target: "/v1/apis.listKeys?apiId=api_one",
        headers: bearer("any"),
      },
    ],
  },
  {
    name: "paths that no operation has are refused as they were sent",
    options: {},
    steps: UNSERVED.flatMap((target) =>
      ["GET", "POST", "OPTIONS", "DELETE", "HEAD"].map((method) => ({
        status: 404,
        method,
        target,
        headers: { Accept: "application/json" },
      })),
    ),
  },
  {
    name: "strict refuses unknown fields",
    options: { strict: true },
    steps: [create(400, { apiId: "api_one", nmae: "CI" }), list(400, "apiId=api_one&owner=ann")],
  },
  {
    name: "quirks change answers",
    options: { quirks: "all" },
    steps: [
      create(400, {}, {}),
      create(403, { apiId: "api_one" }, {}),
      create(200, { apiId: "api_one", ratelimit: { limit: 1, duration: 1_000 } }),
      list(200, "apiId=api_one"),
      { status: 404, method: "DELETE", target: "/v1/keys.createKey" },
    ],
  },
  {
    name: "faults are applied",
    options: { latency: 1 },
    faults: [
      { status: 429, headers: { "Retry-After": "30", "www-authenticate": "Basic" }, times: 1 },
      { effect: "malformed", times: 1 },
      { operation: "keys.createKey", effect: "drop", when: "after", times: 1 },
      { effect: "truncate", times: 1 },
    ],
    steps: [
      list(429, "apiId=api_one"),
      list(200, "apiId=api_one"),
      create("error", { apiId: "api_one" }),
      list("error", "apiId=api_one"),
      list(200, "apiId=api_one"),
    ],
  },
  {
    name: "with isolation, each token has its own workspace",
    options: { isolate: true },
    steps: [
      create(200, { apiId: "api_one", name: "of one" }, bearer("one")),
      list(200, "apiId=api_one", bearer("one")),
      list(200, "apiId=api_one", bearer("two")),
    ],
  },
  {
    name: "a user's own operations are served",
    options: {
      fixtures: [{ ...openWorld, identities: [{ id: "id_ann", externalId: "ann" }], keys }],
      operations: [
        deleteIdentity,
        getIdentity,
        doing(() => {
          const hint = "first\nécrire → it\u0000";
          throw new ApiError("NOT_FOUND", "gone → elsewhere", { hint });
        }, "tests.refuse"),
        doing(() => {
          throw new Error("a bug");
        }, "tests.break"),
      ],
    },
    steps: [
      {
        status: 200,
        method: "GET",
        target: "/v1/identities.getIdentity?identityId=id_ann",
        headers: bearer("any"),
      },
      {
        status: 200,
        method: "POST",
        target: "/v1/identities.deleteIdentity",
        headers: { ...bearer("any"), ...JSON_TYPE },
        body: '{"identityId":"id_ann"}',
      },
      {
        status: 404,
        method: "GET",
        target: "/v1/identities.getIdentity?identityId=id_ann",
        headers: bearer("any"),
      },
      ...(
        [
          ["tests.refuse", 404],
          ["tests.break", 500],
        ] as const
      ).map(([name, status]) => ({
        status,
        method: "POST",
        target: `/v1/${name}`,
        headers: { ...bearer("any"), ...JSON_TYPE },
        body: "{}",
      })),
    ],
  },
];
