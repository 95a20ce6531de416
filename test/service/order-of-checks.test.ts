import { describe, expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { givenEmulator, NOW, send } from "../_emulator.ts";
import { stateOf } from "./_keys.ts";

// Which of two mistakes in one call is reported. Each table has the mistakes of an operation in the
// order of its checks. A test makes two neighbours in one call, and expects the refusal of the first.

/** One mistake: how a right call, or the state that it meets, has to differ. */
interface Wrong {
  readonly method?: string;
  readonly path?: string;
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of the body, or parameters of the query. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** What is added to the query, as it is sent. */
  readonly query?: string;
  /** The body that is sent in place of this text. */
  readonly body?: (text: string) => string;
  /** The permission that the token lacks. */
  readonly lacks?: string;
  readonly token?: { readonly enabled?: boolean; readonly expires?: number };
  readonly workspace?: { readonly enabled: boolean };
  readonly api?: { readonly keyspace?: boolean; readonly storeEncryptedKeys?: boolean };
}

/** A mistake, and the refusal: its status, the code of v1 or type of v2, and a part of its text. */
type Line = readonly [what: string, wrong: Wrong, status: number, label: string, text: string];

interface RightCall {
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly permissions: readonly string[];
}

const fixturesOf = (permissions: readonly string[], wrongs: readonly Wrong[]): Fixture[] => {
  const all = <Name extends keyof Wrong>(name: Name): Wrong[Name] =>
    Object.assign({}, ...wrongs.map((wrong) => wrong[name]));
  const api = { storeEncryptedKeys: true, ...all("api") };
  const key = { id: "key_one", apiId: "api_one", start: "one", remaining: 5 };
  return [
    {
      workspace: { id: "ws_one", ...all("workspace") },
      tokens: [
        {
          token: "root_token",
          permissions: permissions.filter((each) => wrongs.every(({ lacks }) => lacks !== each)),
          ...all("token"),
        },
      ],
      apis: [{ id: "api_one", ...api }],
      roles: [{ name: "known_role" }],
      permissions: ["known_permission"],
      migrations: [{ id: "mig_one" }],
      ratelimitNamespaces: [
        {
          id: "rlns_one",
          name: "one",
          overrides: [{ id: "rlor_one", identifier: "known", limit: 5, duration: 60_000 }],
        },
        { id: "rlns_gone", name: "gone", deleted: true },
      ],
      // A key of an API without a keyspace is refused in a fixture.
      keys:
        api.keyspace === false
          ? []
          : [{ ...key, roles: ["old_role"], permissions: ["old_permission"] }],
    },
    {
      workspace: { id: "ws_two" },
      tokens: [{ token: "other_token" }],
      apis: [{ id: "api_two" }],
      ratelimitNamespaces: [{ id: "rlns_two", name: "two" }],
      keys: [{ id: "key_other", apiId: "api_two", start: "other" }],
    },
  ];
};

function requestOf({ input, path }: RightCall, wrongs: readonly Wrong[]): Request {
  const isQuery = path === "/v1/keys.getKey" || path === "/v1/apis.listKeys";
  const wrong: Wrong = Object.assign({}, ...wrongs);
  const members = Object.assign({}, input, ...wrongs.map((each) => each.input));
  const { authorization = "Bearer root_token" } = wrong;
  const headers: Record<string, string> = Object.assign(
    { "Content-Type": "application/json", Accept: "*/*" },
    authorization === null ? {} : { Authorization: authorization },
    ...wrongs.map((each) => each.headers),
  );
  if (!isQuery) {
    const { body = (text) => text, method = "POST" } = wrong;
    const url = `http://emulator.test${wrong.path ?? path}`;
    return new Request(url, { method, headers, body: body(JSON.stringify(members)) });
  }
  const parameters = [
    ...Object.entries(members).map(([name, value]) => `${name}=${String(value)}`),
    ...wrongs.flatMap(({ query }) => query ?? []),
  ];
  return new Request(`http://emulator.test${wrong.path ?? path}?${parameters.join("&")}`, {
    method: wrong.method ?? "GET",
    headers,
  });
}

/** Sends a call with these mistakes, and checks that a refusal changes nothing. */
async function refusalOf(right: RightCall, wrongs: readonly Wrong[]) {
  const emulator = await givenEmulator({ fixtures: fixturesOf(right.permissions, wrongs) });
  const before = stateOf(emulator);
  const { body, headers, status } = await send(emulator, requestOf(right, wrongs));
  if (wrongs.length > 0) expect(stateOf(emulator)).toBe(before);
  const { code, type = "", ...rest } = body.error ?? {};
  const label = code ?? type.replace("https://unkey.com/docs/errors/", "");
  const text = `${JSON.stringify(rest).replaceAll('\\"', '"')} ${headers.get("x-latchkey-hint") ?? ""}`;
  return { status, label, text };
}

/** Whether both mistakes cannot be made in one call, because they differ in the same place. */
function excludeEachOther(one: Wrong, other: Wrong): boolean {
  const parts = ({ api, input, token, ...rest }: Wrong) => [
    ...Object.keys(rest).filter((name) => name !== "lacks" && name !== "headers"),
    ...[input, api, token].flatMap((members) => Object.keys(members ?? {})),
  ];
  return parts(one).some((part) => parts(other).includes(part));
}

function testOrder(
  path: string,
  input: RightCall["input"],
  permissions: readonly string[],
  lines: readonly Line[],
): void {
  const right = { path, input, permissions };
  describe(path, () => {
    test("a call without a mistake is answered with 200", async () => {
      expect(await refusalOf(right, [])).toMatchObject({ status: 200 });
    });

    test.each(
      lines.map((line, index) => {
        const next = lines.slice(index + 1).find(([, wrong]) => !excludeEachOther(line[1], wrong));
        return [line[0], next?.[0] ?? "nothing else", line, next] as const;
      }),
    )("%s is reported before %s", async (_, __, [, wrong, status, label, text], next) => {
      const found = await refusalOf(right, next === undefined ? [wrong] : [wrong, next[1]]);

      expect(found).toEqual({ status, label, text: expect.stringContaining(text) });
    });
  });
}

const cutOff = (text: string) => text.slice(0, -1);
const longerBy = (count: number) => (text: string) => text + " ".repeat(count);

// The mistakes that every operation finds before it reads its input.

const accessOfV1: readonly Line[] = [
  ["an unknown path", { path: "/v1/keys.none" }, 404, "NOT_FOUND", "does not serve"],
  ["a wrong method", { method: "PUT" }, 405, "METHOD_NOT_ALLOWED", "is called with"],
  ["no token", { authorization: null }, 401, "UNAUTHORIZED", "expected the header"],
  ["a token with a space", { authorization: "Bearer a b" }, 401, "UNAUTHORIZED", "a space"],
  ["an unknown token", { authorization: "Bearer x" }, 401, "UNAUTHORIZED", "is not known"],
  [
    "a disabled workspace",
    { workspace: { enabled: false } },
    403,
    "FORBIDDEN",
    "the workspace of the token is disabled",
  ],
  ["a disabled token", { token: { enabled: false } }, 403, "DISABLED", "token is disabled"],
  ["an expired token", { token: { expires: NOW - 1 } }, 403, "EXPIRED", "token has expired"],
];
const GZIP = { "Content-Encoding": "gzip" };
const TEXT = { "Content-Type": "text/plain" };
const tooLongForV1: Line = [
  "too long a body",
  { body: longerBy(1_048_576) },
  413,
  "BAD_REQUEST",
  "body: expected at most 1048576 bytes",
];
const bodyOfV1: readonly Line[] = [
  ["a compressed body", { headers: GZIP }, 415, "BAD_REQUEST", "content-encoding: expected"],
  ["another content type", { headers: TEXT }, 400, "BAD_REQUEST", "content-type: expected"],
  ["a body that is cut off", { body: cutOff }, 400, "BAD_REQUEST", "got malformed JSON"],
];
const queryOfV1: readonly Line[] = [
  ["broken encoding", { query: "ownerId=%zz" }, 400, "BAD_REQUEST", "expected percent-encoding"],
  ["a doubled parameter", { query: "decrypt=true" }, 400, "BAD_REQUEST", "decrypt: expected"],
];

const INVALID = "unkey/application/invalid_input";
const routeOfV2: readonly Line[] = [
  ["an unknown path", { path: "/v2/keys.none" }, 404, "about:blank", "does not serve"],
  ["a wrong method", { method: "PUT" }, 405, "about:blank", "is called with POST"],
  ["no token", { authorization: null }, 400, INVALID, "Authorization header for 'bearer' scheme"],
];
const tooLongForV2: Line = [
  "too long a body",
  { body: longerBy(10_485_761) },
  413,
  "user/bad_request/request_body_too_large",
  "The request body is larger than 10485760 bytes.",
];
const bodyOfV2: readonly Line[] = [
  ["another content type", { headers: TEXT }, 400, INVALID, "'text/plain' does not exist"],
  ["a compressed body", { headers: GZIP }, 400, INVALID, "it is compressed (gzip)"],
  ["an empty body", { body: () => "" }, 400, INVALID, "POST request body is empty"],
  ["a body that is cut off", { body: cutOff }, 400, INVALID, "it is not valid JSON"],
];
const accessOfV2: readonly Line[] = [
  [
    "an unknown member",
    { input: { ownerId: "ann" } },
    400,
    INVALID,
    "additional properties 'ownerId' not allowed",
  ],
  [
    "bearer in lower case",
    { authorization: "bearer root_token" },
    400,
    "unkey/authentication/malformed",
    "missing the 'Bearer ' prefix",
  ],
  [
    "an unknown token",
    { authorization: "Bearer stranger" },
    401,
    "unkey/authentication/key_not_found",
    "We could not find the requested key.",
  ],
  [
    "a disabled workspace",
    { workspace: { enabled: false } },
    403,
    "unkey/authorization/workspace_disabled",
    "The workspace is disabled.",
  ],
  [
    "a disabled token",
    { token: { enabled: false } },
    403,
    "unkey/authorization/key_disabled",
    "The key is disabled.",
  ],
  [
    "an expired token",
    { token: { expires: NOW - 1 } },
    403,
    "unkey/authorization/forbidden",
    "the key has expired on",
  ],
];

const beforePostOfV1 = [...accessOfV1, ...bodyOfV1];
const beforeGetOfV1 = [...accessOfV1, ...queryOfV1];
/** The schema of the operation finds its mistakes together with unknown members. */
const beforeV2 = (...ofSchema: readonly Line[]) => [
  ...routeOfV2,
  ...bodyOfV2,
  ...ofSchema,
  ...accessOfV2,
];

const FORBIDDEN = "INSUFFICIENT_PERMISSIONS";
const INSUFFICIENT = "unkey/authorization/insufficient_permissions";
const NO_API = "unkey/data/api_not_found";
const UNFIT = "unkey/application/precondition_failed";

const noRight = (action: string, status: number, label: string, text = action): Line => [
  `no right ${action}`,
  { lacks: action },
  status,
  label,
  text,
];
const wrongMember = (input: Wrong["input"] & object, label: string, text: string): Line => [
  `a wrong ${Object.keys(input).join(" and ")}`,
  { input },
  400,
  label,
  text,
];

describe("keys.createKey", () => {
  const refill = { interval: "monthly", amount: 5 };
  const members = { apiId: "api_one", byteLength: 20, externalId: "user_1", recoverable: true };
  const rights = ["api.*.create_key", "api.*.encrypt_key"];
  const toCreate = (noun: string) =>
    noRight(
      `rbac.*.create_${noun}`,
      403,
      FORBIDDEN,
      `rbac.*.create_${noun} (because the ${noun} "new_${noun}" does not exist yet)`,
    );

  testOrder(
    "/v1/keys.createKey",
    { ...members, permissions: ["new_permission"], roles: ["new_role"], remaining: 5, refill },
    [...rights, "rbac.*.create_permission", "rbac.*.create_role"],
    [
      ...accessOfV1,
      tooLongForV1,
      ...bodyOfV1,
      wrongMember({ prefix: "x".repeat(17) }, "BAD_REQUEST", "prefix: expected"),
      wrongMember({ byteLength: 1 }, "BAD_REQUEST", "byteLength: expected"),
      wrongMember({ ratelimit: { limit: 1 } }, "BAD_REQUEST", "ratelimit.duration: expected"),
      noRight("api.*.create_key", 403, FORBIDDEN),
      ["an unknown API", { input: { apiId: "api_none" } }, 404, "NOT_FOUND", '"api_none"'],
      [
        "an API without a keyspace",
        { api: { keyspace: false } },
        412,
        "PRECONDITION_FAILED",
        "apiId: the API has no keyspace",
      ],
      [
        "an API without encryption",
        { api: { storeEncryptedKeys: false } },
        412,
        "PRECONDITION_FAILED",
        "recoverable: the API does not store encrypted keys",
      ],
      wrongMember({ remaining: 0 }, "BAD_REQUEST", "an integer of at least 1, got 0"),
      wrongMember({ remaining: undefined }, "BAD_REQUEST", "expected a number of uses"),
      wrongMember(
        { refill: { interval: "daily", amount: 5, refillDay: 3 } },
        "BAD_REQUEST",
        "refill.refillDay: expected no day",
      ),
      toCreate("permission"),
      toCreate("role"),
      noRight("api.*.encrypt_key", 403, FORBIDDEN),
    ],
  );

  testOrder(
    "/v2/keys.createKey",
    {
      ...members,
      permissions: ["new_permission"],
      roles: ["known_role"],
      credits: { remaining: 5, refill: { ...refill, refillDay: 1 } },
    },
    rights,
    [
      ...routeOfV2,
      tooLongForV2,
      ...bodyOfV2,
      wrongMember({ prefix: "x".repeat(17) }, INVALID, "/properties/prefix/maxLength"),
      wrongMember({ byteLength: 1 }, INVALID, "/properties/byteLength/minimum"),
      wrongMember(
        { ratelimits: [{ name: "calls", limit: 1, autoApply: true }] },
        INVALID,
        "/properties/ratelimits/items/required",
      ),
      ...accessOfV2,
      noRight("api.*.create_key", 404, NO_API),
      [
        "an API without a keyspace",
        { api: { keyspace: false } },
        412,
        UNFIT,
        "The requested API is not set up to handle keys.",
      ],
      noRight("api.*.encrypt_key", 404, NO_API),
      ["an unknown API", { input: { apiId: "api_none" } }, 404, NO_API, 'no API "api_none"'],
      [
        "an API without encryption",
        { api: { storeEncryptedKeys: false } },
        412,
        UNFIT,
        "does not support key encryption.",
      ],
      wrongMember(
        { credits: { remaining: null, refill: { ...refill, refillDay: 1 } } },
        INVALID,
        "`credits.remaining` must be provided",
      ),
      wrongMember({ credits: { remaining: 5, refill } }, INVALID, "`refillDay` must be provided"),
      [
        "a role that does not exist",
        { input: { roles: ["known_role", "other_role"] } },
        404,
        "unkey/data/role_not_found",
        "Role 'other_role' was not found.",
      ],
    ],
  );
});

describe("apis.listKeys", () => {
  const input = { apiId: "api_one", decrypt: true };
  const rights = ["api.*.read_key", "api.*.read_api", "api.*.decrypt_key"];

  testOrder("/v1/apis.listKeys", input, rights, [
    ...beforeGetOfV1,
    ["too large a limit", { query: "limit=101" }, 400, "BAD_REQUEST", "limit: expected"],
    ["a cursor of no page", { query: "cursor=x" }, 400, "BAD_REQUEST", "cursor: expected"],
    noRight("api.*.read_key", 403, FORBIDDEN),
    noRight("api.*.read_api", 403, FORBIDDEN),
    ["an unknown API", { input: { apiId: "api_none" } }, 404, "NOT_FOUND", '"api_none"'],
    [
      "an API without a keyspace",
      { api: { keyspace: false } },
      412,
      "PRECONDITION_FAILED",
      "apiId: the API has no keyspace",
    ],
    noRight("api.*.decrypt_key", 403, "UNAUTHORIZED"),
  ]);

  testOrder("/v2/apis.listKeys", { ...input, limit: 10 }, rights, [
    ...beforeV2(wrongMember({ externalId: "" }, INVALID, "/properties/externalId/minLength")),
    [
      "an API without a keyspace",
      { api: { keyspace: false } },
      500,
      "unkey/application/unexpected_error",
      "The API has no keyspace",
    ],
    noRight("api.*.read_key", 404, NO_API),
    noRight("api.*.read_api", 404, NO_API),
    ["an unknown API", { input: { apiId: "api_none" } }, 404, NO_API, 'no API "api_none"'],
    noRight("api.*.decrypt_key", 403, INSUFFICIENT),
    [
      "an API without encryption",
      { api: { storeEncryptedKeys: false } },
      412,
      UNFIT,
      "does not support key encryption.",
    ],
  ]);
});

const monthly = { interval: "monthly", amount: 5, refillDay: 1 };
const owned = { hash: "some_hash", externalId: "user_1", roles: ["new_role"] };
const migrated = (last: object) => ({
  keys: [{ hash: "first_hash" }, { ...owned, credits: { remaining: 5, refill: monthly }, ...last }],
});

describe("keys.migrateKeys", () => {
  testOrder(
    "/v2/keys.migrateKeys",
    { migrationId: "mig_one", apiId: "api_one", ...migrated({}) },
    ["api.*.create_key"],
    [
      ...beforeV2(wrongMember(migrated({ name: "" }), INVALID, "/properties/name/minLength")),
      noRight("api.*.create_key", 403, INSUFFICIENT),
      ["an unknown API", { input: { apiId: "api_none" } }, 404, NO_API, 'no API "api_none"'],
      [
        "an API without a keyspace",
        { api: { keyspace: false } },
        412,
        UNFIT,
        "The requested API is not set up to handle keys.",
      ],
      [
        "an unknown migration",
        { input: { migrationId: "mig_none" } },
        404,
        "unkey/data/migration_not_found",
        '"mig_none"',
      ],
      wrongMember(
        migrated({ credits: { remaining: 5, refill: { interval: "monthly", amount: 5 } } }),
        INVALID,
        "`refillDay`",
      ),
    ],
  );
});

describe("operations on one key", () => {
  const keyOfV1 = (action: string): readonly Line[] => [
    ["an unknown key", { input: { keyId: "key_none" } }, 404, "NOT_FOUND", '"key_none"'],
    ["a foreign key", { input: { keyId: "key_other" } }, 404, "NOT_FOUND", '"key_other"'],
    noRight(action, 403, FORBIDDEN),
  ];
  const NO_KEY = "unkey/data/key_not_found";
  const keyOfV2 = (action: string): readonly Line[] => [
    ["an unknown key", { input: { keyId: "key_none" } }, 404, NO_KEY, '"key_none"'],
    ["a foreign key", { input: { keyId: "key_other" } }, 404, NO_KEY, '"key_other"'],
    noRight(action, 403, INSUFFICIENT),
  ];

  const deletion = { keyId: "key_one", permanent: false };
  testOrder(
    "/v1/keys.deleteKey",
    deletion,
    ["api.*.delete_key"],
    [
      ...beforePostOfV1,
      wrongMember({ permanent: 0 }, "BAD_REQUEST", "permanent: expected true or false"),
      ["an unknown key", { input: { keyId: "key_none" } }, 404, "NOT_FOUND", '"key_none"'],
      [
        "a foreign key",
        { input: { keyId: "key_other" } },
        403,
        "UNAUTHORIZED",
        "keyId: the key belongs to another workspace",
      ],
      noRight("api.*.delete_key", 403, FORBIDDEN),
    ],
  );
  testOrder(
    "/v2/keys.deleteKey",
    deletion,
    ["api.*.delete_key"],
    [
      ...beforeV2(wrongMember({ permanent: 0 }, INVALID, "/properties/permanent/type")),
      ...keyOfV2("api.*.delete_key"),
    ],
  );

  const reading = { keyId: "key_one", decrypt: true };
  const rights = ["api.*.read_key", "api.*.decrypt_key"];
  testOrder("/v1/keys.getKey", reading, rights, [
    ...beforeGetOfV1,
    wrongMember({ decrypt: "maybe" }, "BAD_REQUEST", "decrypt: expected true"),
    ...keyOfV1("api.*.read_key"),
    noRight("api.*.decrypt_key", 403, "UNAUTHORIZED"),
  ]);
  testOrder("/v2/keys.getKey", reading, rights, [
    ...beforeV2(wrongMember({ decrypt: "true" }, INVALID, "/properties/decrypt/type")),
    ...keyOfV2("api.*.read_key"),
    noRight("api.*.decrypt_key", 403, INSUFFICIENT),
    [
      "an API without encryption",
      { api: { storeEncryptedKeys: false } },
      412,
      UNFIT,
      "The API for this key does not support key encryption.",
    ],
  ]);

  const remaining = { keyId: "key_one", op: "increment", value: 1 };
  testOrder(
    "/v1/keys.updateRemaining",
    remaining,
    ["api.*.update_key"],
    [
      ...beforePostOfV1,
      wrongMember({ op: "XXX" }, "BAD_REQUEST", "op: expected"),
      ...keyOfV1("api.*.update_key"),
      wrongMember({ value: null }, "BAD_REQUEST", "value: expected a number"),
    ],
  );
  const credits = { keyId: "key_one", operation: "increment", value: 1 };
  testOrder(
    "/v2/keys.updateCredits",
    credits,
    ["api.*.update_key"],
    [
      ...beforeV2(wrongMember({ operation: "XXX" }, INVALID, "/properties/operation/enum")),
      ...keyOfV2("api.*.update_key"),
      wrongMember({ value: null }, INVALID, "value: expected a number"),
    ],
  );

  const refill = { interval: "monthly", amount: 5, refillDay: 3 };
  const members = { keyId: "key_one", name: "New", externalId: "new_owner" };
  const itemsOfV1 = (noun: "role" | "permission"): readonly Line[] => [
    noRight(`rbac.*.remove_${noun}_from_key`, 403, "UNAUTHORIZED"),
    [
      `an unknown ${noun}`,
      // It keeps the one that the key has, and creates none.
      { input: { [`${noun}s`]: [{ name: `old_${noun}` }, { name: "none" }] } },
      404,
      "NOT_FOUND",
      `there is no ${noun} "none"`,
    ],
    noRight(`rbac.*.create_${noun}`, 403, FORBIDDEN),
    noRight(`rbac.*.add_${noun}_to_key`, 403, FORBIDDEN),
  ];
  const [roleRights, permissionRights] = ["role", "permission"].map((noun) => [
    `rbac.*.create_${noun}`,
    `rbac.*.add_${noun}_to_key`,
    `rbac.*.remove_${noun}_from_key`,
  ]) as [string[], string[]];
  const update = {
    ...members,
    remaining: 5,
    refill,
    ratelimit: { limit: 1, duration: 1 },
    roles: [{ name: "new_role", create: true }],
    permissions: [{ name: "new_permission", create: true }],
  };
  const updateRights = ["api.*.update_key", ...roleRights, ...permissionRights];
  testOrder("/v1/keys.updateKey", update, updateRights, [
    ...beforePostOfV1,
    wrongMember({ enabled: null }, "BAD_REQUEST", "enabled: expected"),
    ...keyOfV1("api.*.update_key"),
    wrongMember({ remaining: null }, "BAD_REQUEST", "refill: expected none"),
    wrongMember(
      { refill: { interval: "daily", amount: 5, refillDay: 3 } },
      "BAD_REQUEST",
      "refill.refillDay: expected no day",
    ),
    wrongMember({ ratelimit: { limit: 1 } }, "BAD_REQUEST", "ratelimit.duration: expected"),
    ...itemsOfV1("role").filter(([what]) => !what.includes("unknown")),
    ...itemsOfV1("permission").filter(([what]) => !what.includes("unknown")),
  ]);
  // A call that names an unknown role or permission creates none.
  testOrder("/v1/keys.updateKey", update, updateRights, [
    ...itemsOfV1("role").filter(([what]) => what.includes("unknown")),
    ...itemsOfV1("permission").filter(([what]) => what.includes("unknown")),
  ]);
  testOrder(
    "/v2/keys.updateKey",
    {
      ...members,
      credits: { remaining: 5, refill },
      ratelimits: [{ name: "calls", limit: 1, duration: 1_000, autoApply: true }],
      roles: ["known_role"],
      permissions: ["new_permission"],
    },
    ["api.*.update_key"],
    [
      ...beforeV2(wrongMember({ enabled: null }, INVALID, "/properties/enabled/type")),
      ...keyOfV2("api.*.update_key"),
      wrongMember(
        { credits: { refill: { interval: "monthly", amount: 5 } } },
        INVALID,
        "`refillDay` must be provided",
      ),
      wrongMember(
        { credits: { refill: { ...refill, interval: "daily" } } },
        INVALID,
        "`refillDay` must not be provided",
      ),
      [
        "a role that does not exist",
        { input: { roles: ["known_role", "none"] } },
        404,
        "unkey/data/role_not_found",
        "Role 'none' was not found.",
      ],
    ],
  );
});

describe("rate limits", () => {
  const NAMESPACE = "unkey/data/ratelimit_namespace_not_found";
  const identified = { namespace: "one", identifier: "known" };
  const use = { ...identified, limit: 5, duration: 60_000 };
  const wrongIdentifier = wrongMember({ identifier: 7 }, INVALID, "/properties/identifier/type");
  const namespace = (
    what: string,
    name: string,
    status: number,
    label: string,
    text: string,
  ): Line => [what, { input: { namespace: name } }, status, label, text];

  testOrder(
    "/v2/ratelimit.limit",
    use,
    ["ratelimit.*.limit"],
    [
      ...beforeV2(wrongIdentifier),
      namespace("an unknown namespace", "nope", 403, INSUFFICIENT, "ratelimit.*.create_namespace"),
      namespace(
        "a foreign namespace",
        "rlns_two",
        403,
        INSUFFICIENT,
        "ratelimit.*.create_namespace",
      ),
      namespace(
        "a deleted namespace",
        "gone",
        410,
        "unkey/data/ratelimit_namespace_gone",
        "This namespace has been deleted",
      ),
      noRight("ratelimit.*.limit", 403, INSUFFICIENT),
    ],
  );

  const namespaceOfOverride = [
    namespace("an unknown namespace", "nope", 404, NAMESPACE, '"nope"'),
    namespace("a foreign namespace", "rlns_two", 404, NAMESPACE, '"rlns_two"'),
    namespace("a deleted namespace", "gone", 404, NAMESPACE, "rlns_gone `deleted: true`"),
  ];
  testOrder(
    "/v2/ratelimit.setOverride",
    use,
    ["ratelimit.*.set_override"],
    [
      ...beforeV2(wrongIdentifier),
      ...namespaceOfOverride,
      noRight("ratelimit.*.set_override", 403, INSUFFICIENT),
    ],
  );
  const NO_OVERRIDE = "unkey/data/ratelimit_override_not_found";
  testOrder(
    "/v2/ratelimit.getOverride",
    identified,
    ["ratelimit.*.read_override"],
    [
      ...beforeV2(wrongIdentifier),
      ...namespaceOfOverride,
      noRight("ratelimit.*.read_override", 404, NO_OVERRIDE),
    ],
  );
  testOrder(
    "/v2/ratelimit.deleteOverride",
    identified,
    ["ratelimit.*.delete_override"],
    [
      ...beforeV2(wrongIdentifier),
      ...namespaceOfOverride,
      noRight("ratelimit.*.delete_override", 403, INSUFFICIENT),
      [
        "an unknown override",
        { input: { identifier: "none" } },
        404,
        NO_OVERRIDE,
        "This override does not exist.",
      ],
    ],
  );
  testOrder(
    "/v2/ratelimit.listOverrides",
    { namespace: "one" },
    ["ratelimit.*.read_override"],
    [
      ...beforeV2(wrongMember({ limit: "7" }, INVALID, "/properties/limit/type")),
      ...namespaceOfOverride.filter(([what]) => what !== "a deleted namespace"),
      noRight("ratelimit.*.read_override", 403, INSUFFICIENT),
    ],
  );

  testOrder(
    "/v1/ratelimits.limit",
    use,
    ["ratelimit.*.limit"],
    [
      ...beforePostOfV1,
      wrongMember({ identifier: 7 }, "BAD_REQUEST", "identifier: expected a string"),
      namespace("an unknown namespace", "nope", 404, "NOT_FOUND", "namespace nope not found"),
      namespace(
        "a foreign namespace",
        "rlns_two",
        404,
        "NOT_FOUND",
        "namespace rlns_two not found",
      ),
      namespace("a deleted namespace", "gone", 404, "NOT_FOUND", "namespace gone not found"),
      noRight("ratelimit.*.limit", 403, FORBIDDEN),
    ],
  );
});

describe("roles and permissions", () => {
  const unknown = (noun: string): Line => [
    `an unknown ${noun}`,
    { input: { [noun]: "none" } },
    404,
    `unkey/data/${noun}_not_found`,
    `The requested ${noun} does not exist.`,
  ];
  const hidden = (action: string, noun: string) =>
    noRight(action, 404, `unkey/data/${noun}_not_found`, "does not exist.");

  testOrder(
    "/v2/permissions.getRole",
    { role: "known_role" },
    ["rbac.*.read_role"],
    [...beforeV2(), unknown("role"), noRight("rbac.*.read_role", 403, INSUFFICIENT)],
  );
  testOrder(
    "/v2/permissions.deleteRole",
    { role: "known_role" },
    ["rbac.*.delete_role"],
    [...beforeV2(), hidden("rbac.*.delete_role", "role"), unknown("role")],
  );
  const permission = { permission: "known_permission" };
  testOrder(
    "/v2/permissions.getPermission",
    permission,
    ["rbac.*.read_permission"],
    [...beforeV2(), hidden("rbac.*.read_permission", "permission"), unknown("permission")],
  );
  testOrder(
    "/v2/permissions.deletePermission",
    permission,
    ["rbac.*.delete_permission"],
    [...beforeV2(), hidden("rbac.*.delete_permission", "permission"), unknown("permission")],
  );

  const noDescription = wrongMember({ description: null }, INVALID, "/properties/description/type");
  testOrder(
    "/v2/permissions.createPermission",
    { name: "new", slug: "new" },
    ["rbac.*.create_permission"],
    [
      ...beforeV2(noDescription),
      noRight("rbac.*.create_permission", 403, INSUFFICIENT),
      [
        "a permission that exists",
        { input: { slug: "old_permission" } },
        409,
        "unkey/data/permission_already_exists",
        "already exists in this workspace",
      ],
    ],
  );
  testOrder(
    "/v2/permissions.createRole",
    { name: "new", permissions: ["new_permission"] },
    ["rbac.*.create_role", "rbac.*.add_permission_to_role", "rbac.*.create_permission"],
    [
      ...beforeV2(noDescription),
      noRight("rbac.*.create_role", 403, INSUFFICIENT),
      noRight("rbac.*.add_permission_to_role", 403, INSUFFICIENT),
      noRight("rbac.*.create_permission", 403, INSUFFICIENT),
      [
        "a role that exists",
        { input: { name: "known_role" } },
        409,
        "unkey/data/role_already_exists",
        "already exists in this workspace",
      ],
    ],
  );
});
