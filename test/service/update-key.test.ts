import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";
import { testKeyOperation } from "./_key-operation.ts";
import {
  call,
  expectRefusalOfV1,
  expectResult,
  givenKeys,
  shown,
  stateOf,
  versions,
  type RefusalOfV1,
  type Version,
} from "./_keys.ts";

const LATER = NOW + 10;
/** The latest expiry of v2, 2100-01-01. */
const LATEST = 4_102_444_800_000;
const MOST = Number.MAX_SAFE_INTEGER;

describe("keys.updateKey", () => {
  const operation = { name: "updateKey", input: { name: "New" } };
  testKeyOperation({ v1: operation, v2: operation });
});

const update = (emulator: Emulator, version: Version, input: object, keyId = "key_full") =>
  call(emulator, version, "updateKey", { keyId, ...input });

/** A member whose expected value is undefined is absent. */
function expectMembers(record: Record<string, unknown>, members: object): void {
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) expect(record).not.toHaveProperty(name);
    else expect(record[name], name).toEqual(value);
  }
}

/** A change of a key, and the members that a version then shows. All others stay. */
type Change = [input: object, after: object, keyId?: string];

/** Makes a change, and expects exactly these members to differ afterwards. */
async function expectChange(
  version: Version,
  [input, after, keyId = "key_full"]: Change,
  updatedAt: number | undefined,
): Promise<void> {
  const emulator = await givenKeys();
  const before = await shown(emulator, version, keyId);
  const others = JSON.stringify(emulator.keys.all().filter(({ id }) => id !== keyId));
  emulator.clock.advance(10);

  expectResult(await update(emulator, version, input, keyId), version, {});

  const record = await shown(emulator, version, keyId);
  const all = { ...after, updatedAt: updatedAt ?? before.updatedAt };
  expectMembers(record, all);
  const rest = (members: object) =>
    Object.entries(members).filter(([name]) => !Object.hasOwn(all, name));
  expect(rest(record)).toEqual(rest(before));
  expect(JSON.stringify(emulator.keys.all().filter(({ id }) => id !== keyId))).toBe(others);
}

const kept = { interval: "monthly", amount: 100, refillDay: 9, lastRefillAt: 8 };
const limit = (count: number, duration: number) => ({
  async: false,
  limit: count,
  duration,
  refillRate: count,
  refillInterval: duration,
});
const newOwner = (externalId: string) => ({
  ownerId: externalId,
  identity: { id: expect.stringMatching(/^id_/), externalId, meta: {} },
});
const bob = { ownerId: "bob", identity: { id: "id_bob", externalId: "bob", meta: {} } };
const noOwner = { ownerId: undefined, identity: undefined };

describe("v1 changes a key", () => {
  test.each<Change>([
    [{ name: "New" }, { name: "New" }],
    [{ name: "" }, { name: "" }],
    [{ name: "x".repeat(256) }, { name: "x".repeat(256) }],
    [{ name: null }, { name: undefined }],
    [{ externalId: "bob" }, bob],
    [{ externalId: "any | té xt" }, newOwner("any | té xt")],
    [{ externalId: null }, noOwner],
    [{ externalId: null, ownerId: "bob" }, noOwner],
    [{ externalId: "bob", ownerId: "cat" }, bob],
    [{ externalId: "bob", ownerId: null }, bob],
    [{ ownerId: "bob" }, bob],
    [{ ownerId: "cat" }, newOwner("cat")],
    [{ ownerId: null }, noOwner],
    [{ externalId: null }, noOwner, "key_plain"],
    [{ meta: { new: [1, null] } }, { meta: { new: [1, null] } }],
    [{ meta: {} }, { meta: {} }],
    [{ meta: null }, { meta: undefined }],
    [{ expires: 1 }, { expires: 1 }],
    [{ expires: MOST }, { expires: MOST }],
    [{ expires: 0 }, { expires: undefined }],
    [{ expires: null }, { expires: undefined }],
    [{ expires: -5 }, { expires: 0 }],
    [{ remaining: 7 }, { remaining: 7 }],
    [{ remaining: 0 }, { remaining: 0 }],
    [{ remaining: -3 }, { remaining: -3 }],
    [{ remaining: null }, { remaining: undefined, refill: kept }],
    [{ remaining: 7 }, { remaining: 7 }, "key_plain"],
    [
      { refill: { interval: "monthly", amount: 130 } },
      { refill: { ...kept, amount: 130, refillDay: 1 } },
    ],
    [
      { refill: { interval: "monthly", amount: 1, refillDay: 31 } },
      { refill: { ...kept, amount: 1, refillDay: 31 } },
    ],
    // Unlike in the service, where a daily refill becomes a monthly one.
    [
      { refill: { interval: "daily", amount: 100 } },
      { refill: { interval: "daily", amount: 100, refillDay: null, lastRefillAt: 8 } },
    ],
    [
      { refill: { interval: "daily", amount: 5 } },
      { refill: { interval: "daily", amount: 5, refillDay: null } },
      "key_plain",
    ],
    [{ refill: null }, { refill: undefined }],
    [
      { refill: null, remaining: null },
      { refill: undefined, remaining: undefined },
    ],
    [{ enabled: false }, { enabled: false }],
    [{ enabled: true }, { enabled: true }, "key_disabled"],
    [
      { remaining: 0, ratelimit: { limit: 10, refillInterval: 1_000 } },
      { remaining: 0, ratelimit: limit(10, 1_000) },
    ],
  ])("and moves `updatedAt`: row %#", (...change) => expectChange("v1", change, LATER));

  test.each<Change>([
    [{}, {}],
    [{}, {}, "key_plain"],
    [{ environment: "test", prefix: "x", recoverable: false, ratelimits: [], credits: null }, {}],
    [{ ratelimit: { limit: 10, duration: 1 } }, { ratelimit: limit(10, 1) }],
    [{ ratelimit: { limit: 10, refillInterval: 1 } }, { ratelimit: limit(10, 1) }],
    [{ ratelimit: { limit: 10, duration: 5, refillInterval: 6 } }, { ratelimit: limit(10, 5) }],
    [{ ratelimit: { limit: 10, refillRate: 9, duration: 5 } }, { ratelimit: limit(10, 5) }],
    [{ ratelimit: { limit: 10 } }, { ratelimit: limit(10, 4_000) }],
    [{ ratelimit: { limit: 1, duration: 2, async: false } }, { ratelimit: limit(1, 2) }],
    [{ ratelimit: { limit: 1, duration: 2, type: "consistent" } }, { ratelimit: limit(1, 2) }],
    [{ ratelimit: { limit: 1, duration: 2 } }, { ratelimit: limit(1, 2) }, "key_plain"],
    [{ ratelimit: null }, { ratelimit: undefined }],
    [{ ratelimit: null }, {}, "key_plain"],
    [{ roles: [{ name: "guest" }] }, { roles: ["guest"] }],
    [
      {
        roles: [
          { name: "new", create: true },
          { name: "guest", create: true },
        ],
      },
      { roles: ["guest", "new"] },
    ],
    [{ roles: [{ name: "guest" }, { name: "guest" }] }, { roles: ["guest"] }],
    [{ permissions: [{ name: "free" }] }, { permissions: ["free"] }],
    [
      { permissions: [{ name: "x.y", create: true }, { name: "own" }] },
      { permissions: ["own", "x.y"] },
    ],
    // Unlike in the service, where an empty list, or an empty item, means every role.
    [{ roles: [] }, { roles: [] }],
    [{ roles: [{}] }, { roles: [] }],
    [{ roles: [{ create: true }] }, { roles: [] }],
    [{ permissions: [] }, { permissions: [] }],
    [{ permissions: [{}, { name: "free" }] }, { permissions: ["free"] }],
  ])("and leaves `updatedAt`: row %#", (...change) => expectChange("v1", change, undefined));

  test("by the ids of roles and permissions", async () => {
    const emulator = await givenKeys();
    const idOf = (records: { name: string; id: string }[], name: string) => ({
      id: records.find((record) => record.name === name)?.id,
    });
    const roles = [idOf(emulator.roles.all(), "guest")];
    const permissions = [idOf(emulator.permissions.all(), "free")];

    expectResult(await update(emulator, "v1", { roles, permissions }), "v1", {});

    expectMembers(await shown(emulator, "v1", "key_full"), {
      roles: ["guest"],
      permissions: ["free"],
    });
  });

  test("by the name of a permission, not by its slug; an id and a name stand for both", async () => {
    const emulator = await givenKeys();
    const free = emulator.permissions.findFirst({ name: "free" });
    await emulator.permissions.update(
      { name: "free" },
      { data: (permission) => void (permission.name = "Full name") },
    );
    const permissionsAfter = async (item: object) => {
      const answer = await update(emulator, "v1", { permissions: [item] });
      return answer.status === 200 ? emulator.keys.get("key_full")?.permissions : answer.status;
    };

    expect(await permissionsAfter({ name: "free" })).toBe(404);
    expect(await permissionsAfter({ name: "Full name" })).toEqual(["free"]);
    expect(await permissionsAfter({ id: free?.id, name: "own" })).toEqual(["free", "own"]);
    expect(await permissionsAfter({ slug: "read" })).toEqual([]);
    // It exists already, by this slug.
    expect(await permissionsAfter({ name: "free", create: true })).toEqual(["free"]);
  });

  test("and leaves the rate limits that it does not know", async () => {
    const emulator = await givenKeys();
    const limits = async () => {
      const { ratelimits } = await shown(emulator, "v2", "key_full");
      return ratelimits.map((each: typeof calls) => [each.name, each.limit, each.autoApply]);
    };

    await update(emulator, "v1", { ratelimit: { limit: 10 } });
    expect(await limits()).toEqual([
      ["default", 10, true],
      ["calls", 10, false],
    ]);
    await update(emulator, "v1", { ratelimit: null });
    expect(await limits()).toEqual([["calls", 10, false]]);
  });
});

const calls = { name: "calls", limit: 5, duration: 1_000, autoApply: true };
const credits = (remaining: number, refill?: object) => ({
  credits: { ...(refill && { refill }), remaining },
});
const monthly = { amount: 100, interval: "monthly", refillDay: 9 };
const identityOf = (externalId: string) => ({
  identity: { externalId, id: expect.stringMatching(/^id_/) },
});

describe("v2 changes a key", () => {
  test.each<Change>([
    [{}, {}],
    [{ name: "New" }, { name: "New" }],
    [{ name: "x".repeat(255) }, { name: "x".repeat(255) }],
    [{ name: null }, { name: undefined }],
    [{ externalId: "bob" }, { identity: { externalId: "bob", id: "id_bob" } }],
    [{ externalId: "a.b-c_D9" }, identityOf("a.b-c_D9")],
    [{ externalId: null }, { identity: undefined }],
    [{ externalId: null }, {}, "key_plain"],
    [{ meta: { new: [1, null] } }, { meta: { new: [1, null] } }],
    [{ meta: {} }, { meta: undefined }],
    [{ meta: null }, { meta: undefined }],
    [{ expires: 1 }, { expires: 1 }],
    [{ expires: LATEST }, { expires: LATEST }],
    [{ expires: 0 }, { expires: undefined }],
    [{ expires: null }, { expires: undefined }],
    [{ credits: {} }, {}],
    [{ credits: {} }, {}, "key_plain"],
    [{ credits: null }, { credits: undefined }],
    [{ credits: { remaining: null } }, { credits: undefined }],
    [{ credits: { refill: null } }, credits(50)],
    [{ credits: { remaining: 300, refill: null } }, credits(300)],
    [{ credits: { remaining: 0 } }, credits(0, monthly)],
    [{ credits: { remaining: MOST } }, credits(MOST, monthly)],
    [
      { credits: { refill: { interval: "monthly", amount: 150, refillDay: 20 } } },
      credits(50, { amount: 150, interval: "monthly", refillDay: 20 }),
    ],
    [
      { credits: { refill: { interval: "daily", amount: 1 } } },
      credits(50, { amount: 1, interval: "daily" }),
    ],
    [{ credits: { refill: { interval: "daily", amount: 1 } } }, {}, "key_plain"],
    [
      { credits: { remaining: 2, refill: { interval: "daily", amount: 1 } } },
      credits(2, { amount: 1, interval: "daily" }),
      "key_plain",
    ],
    [
      { ratelimits: [calls] },
      {
        ratelimits: [
          { autoApply: true, duration: 1_000, id: expect.any(String), limit: 5, name: "calls" },
        ],
      },
    ],
    [
      { ratelimits: [{ ...calls, name: "abc", more: 1 }] },
      {
        ratelimits: [
          { autoApply: true, duration: 1_000, id: expect.any(String), limit: 5, name: "abc" },
        ],
      },
    ],
    [{ ratelimits: [] }, { ratelimits: undefined }],
    [{ ratelimits: null }, { ratelimits: undefined }],
    [{ enabled: false }, { enabled: false }],
    [{ enabled: true }, { enabled: true }, "key_disabled"],
    [{ roles: ["guest"] }, { roles: ["guest"], permissions: ["own", "read"] }],
    [{ roles: [] }, { roles: undefined, permissions: ["own", "read"] }],
    [{ roles: ["guest", "guest"] }, { roles: ["guest"], permissions: ["own", "read"] }],
    [{ permissions: ["free", "new.one"] }, { permissions: ["free", "new.one", "read", "write"] }],
    [
      { permissions: ["x", "x"], roles: [] },
      { permissions: ["x"], roles: undefined },
    ],
    [{ permissions: [] }, { permissions: ["read", "write"] }],
    [
      { permissions: [], roles: [] },
      { permissions: undefined, roles: undefined },
    ],
  ])("and moves `updatedAt`: row %#", (...change) => expectChange("v2", change, LATER));

  test("whose rate limits keep the id of their name; of two with one name, the last counts", async () => {
    const emulator = await givenKeys();
    const before = await shown(emulator, "v2", "key_full");
    const idOf = (record: typeof before, name: string) =>
      record.ratelimits.find((item: { name: string }) => item.name === name)?.id;

    const ratelimits = [calls, { ...calls, name: "other" }, { ...calls, limit: 99 }];
    expectResult(await update(emulator, "v2", { ratelimits }), "v2", {});

    const after = await shown(emulator, "v2", "key_full");
    expect(after.ratelimits).toMatchObject([{ name: "calls", limit: 99 }, { name: "other" }]);
    expect(idOf(after, "calls")).toBe(idOf(before, "calls"));
    expect([idOf(before, "default"), idOf(before, "calls")]).not.toContain(idOf(after, "other"));
  });

  test("whose refill stays stored if it is set while the uses are not limited", async () => {
    const emulator = await givenKeys();

    const refill = { interval: "daily", amount: 9 };
    await update(emulator, "v2", { credits: { remaining: null, refill } });
    expect(await shown(emulator, "v2", "key_full")).not.toHaveProperty("credits");
    emulator.clock.advance("3d");
    expect(await shown(emulator, "v2", "key_full")).not.toHaveProperty("credits");
    await update(emulator, "v2", { credits: { remaining: 1 } });

    expect((await shown(emulator, "v2", "key_full")).credits).toEqual({ refill, remaining: 1 });
  });

  test("with roles and permissions, for which a token needs no right but `update_key`", async () => {
    const emulator = await givenKeys(["api.api_one.update_key"]);
    const input = { keyId: "key_full", roles: ["guest"], permissions: ["new.one"] };

    const answer = await call(emulator, "v2", "updateKey", input, { token: "limited" });

    expectResult(answer, "v2", {});
    expect(
      emulator.permissions.findFirst((query) => query.where({ name: "new.one" })),
    ).toBeDefined();
  });
});

test.each(versions)("an identity that %s takes from a key stays", async (version) => {
  const emulator = await givenKeys();
  const identities = emulator.snapshot().identities;

  await update(emulator, version, { externalId: null });
  expect(emulator.snapshot().identities).toEqual(identities);
  await update(emulator, version, { externalId: "ann" });

  expect(emulator.snapshot().identities).toEqual(identities);
  expect((await shown(emulator, version, "key_full")).identity.id).toBe("id_ann");
});

test.each([
  ["v1", { refill: { interval: "daily", amount: 100 }, remaining: 1 }],
  ["v2", { credits: { refill: { interval: "daily", amount: 100 }, remaining: 1 } }],
] as const)(
  "a refill that %s sets is due at the next midnight, not at once",
  async (version, input) => {
    const emulator = await givenKeys();
    emulator.clock.advance("1h");

    await update(emulator, version, input, "key_plain");

    expect((await shown(emulator, "v1", "key_plain")).remaining).toBe(1);
    emulator.clock.advance("22h");
    expect((await shown(emulator, "v1", "key_plain")).remaining).toBe(1);
    emulator.clock.advance("1h");
    expect((await shown(emulator, "v1", "key_plain")).remaining).toBe(100);
  },
);

/** Expects that a call to v1 with each of these members is refused, and leaves nothing behind. */
async function expectRefusedByV1(
  rows: readonly (readonly [input: object, refusal: RefusalOfV1])[],
  permissions?: string[],
): Promise<void> {
  const emulator = await givenKeys(permissions);
  const state = stateOf(emulator);
  const token = permissions === undefined ? "any_token" : "limited";
  for (const [input, refusal] of rows) {
    const members = { keyId: "key_full", name: "New", externalId: "new", ...input };
    expectRefusalOfV1(await call(emulator, "v1", "updateKey", members, { token }), refusal);
  }
  expect(stateOf(emulator)).toEqual(state);
}

const missing = (code: string, ...permissions: string[]): RefusalOfV1 => ({
  status: 403,
  code,
  message: `the token needs ${permissions.join(", and ")}`,
});
const noItem = (message: string): RefusalOfV1 => ({ status: 404, code: "NOT_FOUND", message });

describe("v1 refuses", () => {
  test.each(["role", "permission"])("a %s that does not exist", (noun) =>
    expectRefusedByV1(
      [
        [
          { name: "none" },
          `${noun}: there is no ${noun} "none"; send \`create: true\` to create it`,
        ],
        [
          { name: "none", create: false },
          `${noun}: there is no ${noun} "none"; send \`create: true\` to create it`,
        ],
        [{ id: "none" }, `${noun}: there is no ${noun} "none"`],
        [{ id: "none", name: "guest", create: true }, `${noun}: there is no ${noun} "none"`],
      ].map(([item, message]) => [
        { [`${noun}s`]: [{ name: "first", create: true }, item] },
        noItem(String(message)),
      ]),
    ),
  );

  test.each([
    ["role", "admin", "guest"],
    ["permission", "own", "read"],
  ])("a token that may not set a %s, naming what it needs", async (noun, one, two) => {
    const may = "api.*.update_key";
    const [creating, adding, removing] = [
      `rbac.*.create_${noun}`,
      `rbac.*.add_${noun}_to_key`,
      `rbac.*.remove_${noun}_from_key`,
    ];
    const set = (...items: object[]) => ({ [`${noun}s`]: items });
    const both = [{ name: one }, { name: two }];
    const made = { name: "made", create: true };

    await expectRefusedByV1(
      [
        [set(), missing("UNAUTHORIZED", removing)],
        [set({}), missing("UNAUTHORIZED", removing)],
        [set({ name: one }), missing("UNAUTHORIZED", removing)],
        [set(...both, made), missing("INSUFFICIENT_PERMISSIONS", creating, adding)],
      ],
      [may],
    );
    await expectRefusedByV1(
      [[set(...both, made), missing("INSUFFICIENT_PERMISSIONS", adding)]],
      [may, creating, removing],
    );
    await expectRefusedByV1(
      [[set(...both, made), missing("INSUFFICIENT_PERMISSIONS", creating)]],
      [may, adding, removing],
    );
    const emulator = await givenKeys([may]);
    const same = { keyId: "key_full", ...set(...both) };
    const answer = await call(emulator, "v1", "updateKey", same, { token: "limited" });
    expectResult(answer, "v1", {});
  });
});
