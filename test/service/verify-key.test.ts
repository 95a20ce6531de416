import { describe, expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, NOW, post } from "../_emulator.ts";
import { createKeyV2, listKeysV2 } from "../_v2.ts";
import {
  expectV1,
  expectV2,
  givenKey,
  key,
  VALUE,
  verified,
  verifyV1,
  verifyV2,
  verifying,
  worldWith,
} from "./_verify.ts";
import { stateOf, versions } from "./_keys.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The answer of v1 for the key of the tests, if it is valid. */
const validV1 = {
  keyId: "key_1",
  valid: true,
  code: "VALID",
  enabled: true,
  permissions: [],
  roles: [],
};
const refusedV1 = (code: string) => ({ ...validV1, valid: false, code });
const validV2 = {
  keyId: "key_1",
  keyspaceId: "ks_first",
  valid: true,
  code: "VALID",
  enabled: true,
};
const refusedV2 = (code: string) => ({ ...validV2, valid: false, code });
const NOT_FOUND = { valid: false, code: "NOT_FOUND" };

const limitOf = (name: string, limit: number, duration: number, autoApply = true) => ({
  name,
  limit,
  duration,
  autoApply,
});
const calls = limitOf("calls", 10, MINUTE);
const adHoc = (name: string, limit: number, duration = MINUTE, cost = 1) => ({
  name,
  limit,
  duration,
  cost,
});
const ann = { id: "id_ann", externalId: "ann" };
/** A checked limit as v2 shows it; `calls` at the start of a window. */
const checked = (members: object = {}) => ({
  ...calls,
  exceeded: false,
  id: "rl_",
  remaining: 9,
  reset: NOW + MINUTE,
  ...members,
});

type Setup = readonly [members: object, more?: Fixture];
type Row = readonly [title: string, setup: Setup, body: object, members: object];

/** A key with every member that a verification shows. */
const full = {
  name: "CI",
  meta: { plan: "pro" },
  environment: "live",
  permissions: ["own", "both"],
  roles: ["reader"],
  externalId: "ann",
};
const fullWorld: Fixture = {
  roles: [{ name: "reader", permissions: ["both", "docs.read"] }],
  identities: [{ ...ann, meta: { seats: 3 } }],
};
const shownFull = {
  name: "CI",
  meta: { plan: "pro" },
  permissions: ["own", "both", "docs.read"],
  roles: ["reader"],
};
const annWith = (...ratelimits: object[]): Fixture =>
  ({ identities: [{ ...ann, ratelimits }] }) as Fixture;

const rowsOfV1: readonly Row[] = [
  ["VALID, with empty lists, for a key without settings", [{}], {}, validV1],
  [
    "VALID with all that is set, and each permission once",
    [{ ...full, remaining: 7, expires: NOW + 5, ratelimits: [calls] }, fullWorld],
    {},
    {
      ...validV1,
      ...shownFull,
      ownerId: "ann",
      expires: NOW + 5,
      remaining: 6,
      ratelimit: { remaining: 9, reset: NOW + MINUTE },
      environment: "live",
      identity: { ...ann, meta: { seats: 3 } },
    },
  ],
  ["an empty meta", [{ meta: {} }], {}, { ...validV1, meta: {} }],
  ["no name and no environment if they are empty", [{ name: "", environment: "" }], {}, validV1],
  [
    "an identity without data with an empty meta",
    [{ externalId: "ann" }, { identities: [ann] }],
    {},
    { ...validV1, ownerId: "ann", identity: { ...ann, meta: {} } },
  ],
  [
    "DISABLED for a disabled key of another API",
    [{ enabled: false }],
    { apiId: "api_second" },
    { ...refusedV1("DISABLED"), enabled: false },
  ],
  [
    "FORBIDDEN for a key of another API",
    [{}],
    { apiId: "api_second" },
    { ...refusedV1("FORBIDDEN") },
  ],
  ["VALID for a key of the API", [{}], { apiId: "api_first" }, validV1],
  ["VALID for an empty API id, which means any API", [{}], { apiId: "" }, validV1],
  [
    "EXPIRED without uses and rate limits, and with all else that is set",
    [{ ...full, expires: NOW - 2_500, remaining: 7, ratelimits: [calls] }, fullWorld],
    {},
    {
      ...refusedV1("EXPIRED"),
      ...shownFull,
      ownerId: "ann",
      expires: NOW - 2_500,
      environment: "live",
      identity: { ...ann, meta: { seats: 3 } },
    },
  ],
  [
    "RATE_LIMITED for a limit of 0, with the owner and without uses",
    [{ externalId: "ann", remaining: 7 }, { identities: [ann] }],
    { ratelimits: [adHoc("default", 0)] },
    {
      ...refusedV1("RATE_LIMITED"),
      ownerId: "ann",
      ratelimit: { remaining: 0, limit: 0, reset: NOW + MINUTE },
      identity: { ...ann, meta: {} },
    },
  ],
  [
    "RATE_LIMITED without a limit, if no limit is called default",
    [{}],
    { ratelimits: [adHoc("a", 10, 10_000, 4), adHoc("b", 1, MINUTE, 2)] },
    { ...refusedV1("RATE_LIMITED"), ratelimit: { remaining: 0, reset: NOW + MINUTE } },
  ],
  [
    "the limit called default beside what another one has left",
    [{ ratelimits: [calls, limitOf("default", 4, HOUR)] }],
    {},
    { ...validV1, ratelimit: { remaining: 9, limit: 4, reset: NOW + MINUTE } },
  ],
  [
    "the first limit: those of the identity come before those of the key, and named ones are last",
    [{ externalId: "ann", ratelimits: [calls] }, annWith(limitOf("whole", 20, HOUR))],
    { ratelimits: [adHoc("named", 30)] },
    {
      ...validV1,
      ownerId: "ann",
      ratelimit: { remaining: 19, reset: NOW + HOUR },
      identity: { ...ann, meta: {} },
    },
  ],
  [
    "the limit that refuses, if there is one",
    [{ ratelimits: [limitOf("default", 4, HOUR)] }],
    { ratelimits: [adHoc("named", 1, MINUTE, 2)] },
    {
      ...refusedV1("RATE_LIMITED"),
      ratelimit: { remaining: 0, limit: 4, reset: NOW + MINUTE },
    },
  ],
  [
    "USAGE_EXCEEDED with uses and the rate limit",
    [{ remaining: 0, ratelimits: [limitOf("default", 4, HOUR)] }],
    {},
    {
      ...refusedV1("USAGE_EXCEEDED"),
      remaining: 0,
      ratelimit: { remaining: 3, limit: 4, reset: NOW + HOUR },
    },
  ],
  [
    "INSUFFICIENT_PERMISSIONS without uses and rate limits",
    [{ remaining: 7, ratelimits: [calls] }],
    { authorization: { permissions: "docs.read" } },
    refusedV1("INSUFFICIENT_PERMISSIONS"),
  ],
  [
    "DISABLED for a limit and a permission query that are refused for an enabled key",
    [{ enabled: false }],
    { ratelimits: [{ name: "nope" }], authorization: { permissions: {} } },
    { ...refusedV1("DISABLED"), enabled: false },
  ],
  [
    "VALID whatever the older member ratelimit says",
    [{ ratelimits: [limitOf("default", 4, HOUR)] }],
    { ratelimit: { cost: 99 } },
    { ...validV1, ratelimit: { remaining: 3, limit: 4, reset: NOW + HOUR } },
  ],
];

const rowsOfV2: readonly Row[] = [
  ["VALID, and leaves out what is not set", [{}], {}, validV2],
  [
    "VALID with all that is set, and each permission once",
    [
      { ...full, remaining: 7, expires: NOW + 5, ratelimits: [calls] },
      { ...fullWorld, identities: [{ ...ann, meta: { seats: 3 }, ratelimits: [calls] }] },
    ],
    {},
    {
      ...validV2,
      ...shownFull,
      credits: 6,
      expires: NOW + 5,
      identity: { ...ann, meta: { seats: 3 } },
      ratelimits: [checked()],
    },
  ],
  [
    "nothing for what is set and empty",
    [
      { name: "", meta: {}, environment: "", externalId: "ann" },
      { identities: [{ ...ann, meta: {} }] },
    ],
    {},
    { ...validV2, identity: ann },
  ],
  [
    "the limits of the identity that no limit of the key hides",
    [
      { externalId: "ann", ratelimits: [limitOf("calls", 5, MINUTE, false)] },
      annWith(calls, limitOf("whole", 20, HOUR, false)),
    ],
    {},
    {
      ...validV2,
      identity: { ...ann, ratelimits: [{ ...limitOf("whole", 20, HOUR, false), id: "rl_" }] },
    },
  ],
  [
    "DISABLED with the stored uses, and without rate limits",
    [{ enabled: false, remaining: 7, ratelimits: [calls] }],
    {},
    { ...refusedV2("DISABLED"), enabled: false, credits: 7 },
  ],
  [
    "EXPIRED with the stored uses and all else that is set, and without rate limits",
    [{ ...full, expires: NOW - 2_500, remaining: 7, ratelimits: [calls] }, fullWorld],
    {},
    {
      ...refusedV2("EXPIRED"),
      ...shownFull,
      credits: 7,
      expires: NOW - 2_500,
      identity: { ...ann, meta: { seats: 3 } },
    },
  ],
  [
    "INSUFFICIENT_PERMISSIONS with the stored uses, and without rate limits",
    [{ remaining: 7, ratelimits: [calls] }],
    { permissions: "docs.read" },
    { ...refusedV2("INSUFFICIENT_PERMISSIONS"), credits: 7 },
  ],
  [
    "RATE_LIMITED with the stored uses and all limits that were checked",
    [{ remaining: 7, ratelimits: [calls] }],
    { ratelimits: [adHoc("more", 1, HOUR, 2)] },
    {
      ...refusedV2("RATE_LIMITED"),
      credits: 7,
      ratelimits: [
        checked({ remaining: 10 }),
        {
          ...limitOf("more", 1, HOUR, false),
          exceeded: true,
          id: "",
          remaining: 0,
          reset: NOW + HOUR,
        },
      ],
    },
  ],
  [
    "USAGE_EXCEEDED with the rate limits, which count it",
    [{ remaining: 0, ratelimits: [calls] }],
    {},
    { ...refusedV2("USAGE_EXCEEDED"), credits: 0, ratelimits: [checked()] },
  ],
  [
    "a limit of this call only with an empty id",
    [{}],
    { ratelimits: [adHoc("more", 10, MINUTE, 3)] },
    {
      ...validV2,
      ratelimits: [
        {
          ...limitOf("more", 10, MINUTE, false),
          exceeded: false,
          id: "",
          remaining: 7,
          reset: NOW + MINUTE,
        },
      ],
    },
  ],
  [
    "RATE_LIMITED for a limit of 0 of this call only",
    [{}],
    { ratelimits: [adHoc("more", 0)] },
    {
      ...refusedV2("RATE_LIMITED"),
      ratelimits: [
        {
          ...limitOf("more", 0, MINUTE, false),
          exceeded: true,
          id: "",
          remaining: 0,
          reset: NOW + MINUTE,
        },
      ],
    },
  ],
  ["VALID with the id of a migration that does not exist", [{}], { migrationId: "m" }, validV2],
];

describe("keys.verifyKey of v1 answers", () => {
  test.each(rowsOfV1)("%s", async (_, setup, body, members) => {
    const emulator = await givenKey(...setup);

    expectV1(await verifyV1(emulator, { ...key, ...body }), members);
  });

  test("only valid, code and request id for a value of no key", async () => {
    const answer = await verifyV1(await givenKey(), { key: "unknown" });

    expectV1(answer, NOT_FOUND);
    expect(Object.keys(answer.body)).toEqual(["valid", "code", "requestId"]);
  });

  test("with the name of the limit that refuses in a header, and only then", async () => {
    const emulator = await givenKey();
    const ratelimits = [adHoc("a", 10, 10_000, 4), adHoc("b", 1, MINUTE, 2)];

    const refused = await verifyV1(emulator, { ...key, ratelimits });
    const allowed = await verifyV1(emulator);

    expect(refused.status).toBe(200);
    expect(refused.headers.get("unkey-ratelimit-triggered")).toBe("b");
    expect(refused.headers.get("access-control-expose-headers")).toContain(
      "Unkey-Ratelimit-Triggered",
    );
    expect(allowed.headers.has("unkey-ratelimit-triggered")).toBe(false);
  });

  test.each([
    ["with other letters", "née ☃", "n?e ?"],
    ["with a line break", "a\r\nb: c", "a?b: c"],
    ["of 20,000 characters", "x".repeat(20_000), /^x{1,2000}\W*$/],
  ])("with a header that is short, printable ASCII for a limit %s", async (_, name, shown) => {
    const ratelimits = [adHoc(name, 0)];

    const { body, headers } = await verifyV1(await givenKey(), { ...key, ratelimits });

    expect(body.code).toBe("RATE_LIMITED");
    expect(headers.get("unkey-ratelimit-triggered")).toEqual(
      typeof shown === "string" ? shown : expect.stringMatching(shown),
    );
  });

  test.each([null, "unknown", "reader"])(
    "VALID with the token %s, because the header is not read",
    async (token) => {
      const tokens = [
        { token: "root", permissions: ["*"] },
        { token: "reader", permissions: [] },
      ];
      const emulator = await givenKey({}, { tokens });

      expectV1(await verifyV1(emulator, key, { token }), validV1);
      const headers = { Authorization: "Basic nonsense" };
      expectV1(await verifyV1(emulator, key, { token: null, headers }), validV1);
    },
  );

  test("403 FORBIDDEN for a key of a disabled workspace, whatever else is wrong", async () => {
    const emulator = await givenKey(
      { enabled: false },
      { workspace: { id: "ws_test", enabled: false } },
    );

    const { body, status } = await verifyV1(emulator, { ...key, apiId: "api_second" });
    const unknown = await verifyV1(emulator, { key: "unknown" });

    expect([status, body.error.code]).toEqual([403, "FORBIDDEN"]);
    expect(body.error.message).toContain("workspace");
    expectV1(unknown, NOT_FOUND);
  });
});

describe("keys.verifyKey of v2 answers", () => {
  test.each(rowsOfV2)("%s", async (_, setup, body, members) => {
    const emulator = await givenKey(...setup);

    expectV2(await verifyV2(emulator, { ...key, ...body }), members);
  });

  test("only code and valid for a value of no key", async () => {
    expectV2(await verifyV2(await givenKey(), { key: "unknown" }), NOT_FOUND);
  });

  test("with the ids that a list shows for the limits", async () => {
    const emulator = await givenKey(
      { externalId: "ann", ratelimits: [calls] },
      annWith(limitOf("whole", 20, HOUR)),
    );

    const { identity, ratelimits } = await verified(emulator);
    const { body } = await listKeysV2(emulator, { apiId: "api_first" });

    const [listed] = body.data;
    expect(identity).toEqual(listed.identity);
    expect(ratelimits.map(({ id }: { id: string }) => id)).toEqual([
      listed.identity.ratelimits[0].id,
      listed.ratelimits[0].id,
    ]);
  });
});

describe("a token of v2", () => {
  const tokens = [
    "*",
    "api.*.verify_key",
    "api.api_first.verify_key",
    "api.api_second.verify_key",
    "api.*.read_key",
  ].map((permission) => ({
    token: `with ${permission}`.replaceAll(" ", "_"),
    permissions: [permission],
  }));

  test.each([
    ["with_*", validV2],
    ["with_api.*.verify_key", validV2],
    ["with_api.api_first.verify_key", validV2],
    ["with_api.api_second.verify_key", NOT_FOUND],
    ["with_api.*.read_key", NOT_FOUND],
  ])("%s gets the answer of a key that it may verify, or of none", async (token, members) => {
    const emulator = await givenKey({ remaining: 3 }, { tokens });

    const answer = await verifyV2(emulator, key, { token });

    const isFound = members === validV2;
    expectV2(answer, isFound ? { ...members, credits: 2 } : members);
    expect(emulator.keys.get("key_1")?.remaining).toBe(isFound ? 2 : 3);
    expect(emulator.keys.get("key_1")?.lastUsedAt).toBe(isFound ? NOW : undefined);
  });
});

describe.each(versions)("a key is not found by %s", (version) => {
  const { resultOf, verify } = verifying[version];
  const absent = version === "v1" ? { ...NOT_FOUND, requestId: expect.any(String) } : NOT_FOUND;

  test("by its hash", async () => {
    const hash = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=";
    const emulator = await givenKey({ key: undefined, start: "pay_t", hash });

    expect(resultOf(await verify(emulator, { key: "hello world" })).code).toBe("VALID");
    expect(resultOf(await verify(emulator, { key: hash }))).toEqual(absent);
  });

  test("if a fixture gives only its start", async () => {
    const emulator = await givenKey({ key: undefined, start: "pay_t" });

    expect(resultOf(await verify(emulator, { key: "pay_t" }))).toEqual(absent);
  });
});

test("a key of another workspace is verified by v1 and not found by v2", async () => {
  const emulator = await givenEmulator({
    fixtures: [
      { ...worldWith(), tokens: [{ token: "root", permissions: ["*"] }] },
      {
        workspace: { id: "ws_other" },
        tokens: [{ token: "other", permissions: ["*"] }],
        apis: [{ id: "api_theirs", keyspaceId: "ks_theirs" }],
        keys: [{ apiId: "api_theirs", id: "key_theirs", key: "theirs" }],
      },
    ],
  });

  const theirs = { key: "theirs" };
  expectV1(await verifyV1(emulator, theirs, { token: "root" }), {
    ...validV1,
    keyId: "key_theirs",
  });
  expectV2(await verifyV2(emulator, theirs, { token: "root" }), NOT_FOUND);
  expectV2(await verifyV2(emulator, key, { token: "other" }), NOT_FOUND);
  expectV2(await verifyV2(emulator, theirs, { token: "other" }), {
    ...validV2,
    keyId: "key_theirs",
    keyspaceId: "ks_theirs",
  });
});

describe("the order of the outcomes", () => {
  interface Reason {
    readonly outcome: string;
    readonly members?: object;
    readonly body?: { readonly ratelimits?: readonly object[] };
  }
  const disabled = { outcome: "DISABLED", members: { enabled: false } };
  const expired = { outcome: "EXPIRED", members: { expires: NOW - 1 } };
  const limited = { outcome: "RATE_LIMITED", body: { ratelimits: [adHoc("none", 0)] } };
  const unknown = { ratelimits: [{ name: "nope" }] };
  const usedUp = { outcome: "USAGE_EXCEEDED", members: { remaining: 0 } };
  const reasons: Record<"v1" | "v2", readonly Reason[]> = {
    v1: [
      disabled,
      { outcome: "FORBIDDEN", body: { apiId: "api_second" } as object },
      expired,
      {
        outcome: "INSUFFICIENT_PERMISSIONS",
        body: { authorization: { permissions: "x" } } as object,
      },
      { outcome: "400", body: unknown },
      limited,
      usedUp,
    ],
    v2: [
      { outcome: "NOT_FOUND", body: { keyspaces: ["ks_second"] } as object },
      disabled,
      expired,
      { outcome: "INSUFFICIENT_PERMISSIONS", body: { permissions: "x" } as object },
      { outcome: "412", body: unknown },
      limited,
      usedUp,
    ],
  };

  test.each(versions)("%s reports only the first reason", async (version) => {
    const { resultOf, verify } = verifying[version];
    const ordered = reasons[version];
    for (const [index, first] of ordered.entries()) {
      for (const second of ordered.slice(index)) {
        const emulator = await givenKey({ ...second.members, ...first.members });
        const ratelimits = [...(second.body?.ratelimits ?? []), ...(first.body?.ratelimits ?? [])];
        const answer = await verify(emulator, {
          ...key,
          ...second.body,
          ...first.body,
          ratelimits,
        });
        const outcome = answer.status === 200 ? resultOf(answer).code : String(answer.status);
        expect([outcome, second.outcome]).toEqual([first.outcome, second.outcome]);
      }
    }
  });

  test.each([
    ["a disabled key", { enabled: false }],
    ["an expired key", { expires: NOW - 1 }],
  ])("of v2: a permission query that does not parse is refused for %s", async (_, members) => {
    const emulator = await givenKey({ ...members, remaining: 3 });

    const { status } = await verifyV2(emulator, { ...key, permissions: "(a AND b" });
    const unknown = await verifyV2(emulator, { key: "unknown", permissions: "(a AND b" });

    expect(status).toBe(400);
    expect(emulator.keys.get("key_1")).toMatchObject({ remaining: 3, lastUsedAt: undefined });
    expectV2(unknown, NOT_FOUND);
  });
});

describe.each(versions)("an expiry in %s", (version) => {
  const { resultOf, verify } = verifying[version];
  test("has not passed at its very millisecond, and has passed a millisecond later", async () => {
    const emulator = await givenKey({ expires: NOW });

    const first = resultOf(await verify(emulator));
    emulator.clock.advance(1);
    const second = resultOf(await verify(emulator));

    expect([first.code, first.expires]).toEqual(["VALID", NOW]);
    expect([second.code, second.expires]).toEqual(["EXPIRED", NOW]);
  });

  test("of 0 is none for a key of v1 and of a fixture, and has passed for a key of v2", async () => {
    const emulator = await givenKey({ expires: 0 });
    const api = { apiId: "api_first", expires: 0 };
    const made = (await createKey(emulator, api)).body.key;
    const madeByV2 = (await createKeyV2(emulator, api)).body.data.key;

    const results = [];
    for (const value of [VALUE, made, madeByV2]) {
      const { code, expires } = resultOf(await verify(emulator, { key: value }));
      results.push([code, expires]);
    }

    expect(results).toEqual([
      ["VALID", undefined],
      ["VALID", undefined],
      ["EXPIRED", undefined],
    ]);
  });
});

describe("a permission query of v1", () => {
  const world: readonly [object, Fixture] = [
    { permissions: ["p1", "*"], roles: ["reader"] },
    { roles: [{ name: "reader", permissions: ["p2"] }] },
  ];
  const ask = async (permissions: unknown) => {
    const emulator = await givenKey(...world);
    return verifyV1(emulator, { ...key, authorization: { permissions } });
  };

  test.each([
    ["p1"],
    ["p2"],
    [{ and: ["p1", { or: ["p2", "p6"] }] }],
    [{ or: ["p6", { and: ["p1", "p2"] }] }],
    [{ and: ["p1"], or: ["p6"] }],
    [null],
    [""],
    [0],
    [false],
  ])("%j is satisfied by permissions of the key and its roles", async (permissions) => {
    const { body } = await ask(permissions);

    expect(body).toMatchObject({ code: "VALID", permissions: ["p1", "*", "p2"] });
  });

  test.each([["p6"], [{ and: ["p1", "p6"] }], [{ or: ["p6", "p7"] }], ["p*"]])(
    "%j is not satisfied by them, not even by *",
    async (permissions) => {
      const { body } = await ask(permissions);

      expect(body).toMatchObject({ code: "INSUFFICIENT_PERMISSIONS", valid: false });
    },
  );

  test.each([[{}], [[]], [7], [true], [{ and: [] }], [{ and: [null] }], [{ or: [{}] }]])(
    "%j is refused with 400",
    async (permissions) => {
      const { body, status } = await ask(permissions);

      expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
      expect(body.error.message).toContain("authorization.permissions");
    },
  );
});

test.each([
  ["api.* OR api.edit", "VALID"],
  ["own and (missing OR docs.read)", "VALID"],
  ["api.edit", "INSUFFICIENT_PERMISSIONS"],
  ["missing OR own AND missing", "INSUFFICIENT_PERMISSIONS"],
])("a permission query of v2 like %j is answered with %s", async (permissions, code) => {
  const emulator = await givenKey(
    { permissions: ["api.*", "own"], roles: ["reader"] },
    { roles: [{ name: "reader", permissions: ["docs.read"] }] },
  );

  expect((await verified(emulator, { permissions })).code).toBe(code);
});

// The refusals of v2 are in refusals-v2-texts.test.ts.
test.each([
  ["a key without identity", {}, ["nope", "key_1"]],
  ["a key with an identity", { externalId: "ann" }, ["nope", "key_1", "ann"]],
])(
  "v1 refuses a rate limit that %s does not have, and counts nothing",
  async (_, members, named) => {
    const emulator = await givenKey({ ...members, remaining: 3, ratelimits: [calls] });
    const before = stateOf(emulator);

    const ratelimits = [{ name: "nope", limit: 5 }];
    const { body, status } = await verifyV1(emulator, { ...key, ratelimits });

    expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
    for (const name of named) expect(body.error.message).toContain(name);
    expect(stateOf(emulator)).toBe(before);
  },
);

describe.each(versions)("the uses in %s", (version) => {
  const { leftOf, resultOf, spending, verify } = verifying[version];
  test.each<[left: number | undefined, cost: number | undefined, code: string, after?: number]>([
    [undefined, undefined, "VALID"],
    [undefined, 1_000, "VALID"],
    [10, 2, "VALID", 8],
    [5, 5, "VALID", 0],
    [5, 15, "USAGE_EXCEEDED", 5],
    [0, 1, "USAGE_EXCEEDED", 0],
    [0, 0, "VALID", 0],
    [7, 0, "VALID", 7],
    [7, undefined, "VALID", 6],
    [1, 1_000_000_000_000, "USAGE_EXCEEDED", 1],
  ])(
    "%j with a cost of %j are answered with %s, and %j are left",
    async (left, cost, code, after) => {
      const emulator = await givenKey({ remaining: left });
      const body = { ...key, ...(cost === undefined ? {} : spending(cost)) };

      const answer = await verify(emulator, body);

      expect([resultOf(answer).code, leftOf(answer)]).toEqual([code, after]);
      expect(emulator.keys.get("key_1")?.remaining).toBe(after);
    },
  );

  test("below 0, which v1 allows, are shown as 0", async () => {
    const emulator = await givenKey({ remaining: 3 });
    const decrement = { keyId: "key_1", op: "decrement", value: 5 };
    const { body } = await post(emulator, "/v1/keys.updateRemaining", decrement);

    const answer = await verify(emulator);

    expect(body.remaining).toBe(-2);
    expect([resultOf(answer).code, leftOf(answer)]).toEqual(["USAGE_EXCEEDED", 0]);
    expect(emulator.keys.get("key_1")?.remaining).toBe(-2);
  });
});

describe.each(versions)("a verification by %s", (version) => {
  const { verify } = verifying[version];
  test("sets lastUsedAt, also if it is refused, and leaves updatedAt as it is", async () => {
    const emulator = await givenKey({ remaining: 1, updatedAt: 5 });
    for (const minute of [1, 2]) {
      emulator.clock.set(NOW + minute * MINUTE);
      await verify(emulator);

      const { body } = await listKeysV2(emulator, { apiId: "api_first" });
      expect(body.data).toMatchObject([
        { lastUsedAt: NOW + minute * MINUTE, updatedAt: 5, credits: { remaining: 0 } },
      ]);
    }
  });
});
