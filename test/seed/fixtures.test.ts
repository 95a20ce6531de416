import { describe, expect, test } from "vitest";
import { givenEmulator, listKeys, NOW } from "../_emulator.ts";
import { problemsOf } from "../_fixture-problems.ts";

const api = { id: "api_one" };
const key = { apiId: "api_one" };

describe("one fixture", () => {
  test("a fixture gives a key every member, and listKeys returns them", async () => {
    const refill = { interval: "daily" as const, amount: 9 };
    const uses = { expires: 5, remaining: 0, refill, enabled: false, createdAt: 1, updatedAt: 2 };
    const names = { id: "key_1", apiId: "api_pay", name: "CI", meta: { a: 1 }, roles: ["admin"] };
    const shown = { ...uses, ...names };
    const ratelimit = { type: "consistent" as const, limit: 1, duration: 2000 };
    const given = { key: "pay_live_abc123", externalId: "ann", permissions: ["read"], ratelimit };
    const identity = { id: "id_1", externalId: "ann", meta: { plan: "pro" } };
    const made = { identity, start: "pay_live", workspaceId: "ws_acme", ownerId: "ann" };
    const emulator = await givenEmulator({
      fixtures: [
        {
          workspace: { id: "ws_acme", name: "Acme" },
          apis: [{ id: "api_pay", name: "Pay", defaultPrefix: "pay", storeEncryptedKeys: true }],
          roles: [{ id: "role_1", name: "admin", permissions: ["write"] }],
          permissions: ["unused"],
          identities: [identity],
          keys: [{ ...shown, ...given, recoverable: true, environment: "live" }],
        },
      ],
    });

    const { body } = await listKeys(emulator, { apiId: "api_pay", decrypt: true });

    expect(body.keys).toEqual([
      {
        ...shown,
        ...made,
        permissions: ["read", "write"],
        plaintext: "pay_live_abc123",
        ratelimit: { async: false, limit: 1, duration: 2000 },
      },
    ]);
    const permissions = emulator.permissions.all().map(({ name }) => name);
    expect(permissions.toSorted()).toEqual(["read", "unused", "write"]);
    expect(emulator.workspaces.all()[0]?.name).toBe("Acme");
  });

  test.each([
    [{ key: "pay_live_abc123", prefix: "pay_live" }, "pay_live_abc1"],
    [{ key: "pay_live_abc123" }, "pay_live"],
    [{ key: "other_abc123" }, "other"],
    [{ key: "abc" }, "abc"],
    [{ key: "pay_live_abc123", start: "pay_live_ab" }, "pay_live_ab"],
    [{ start: "gw_9f2" }, "gw_9f2"],
  ])("a fixture with a key %j gives it the start %s", async (members, start) => {
    const emulator = await givenEmulator({
      fixtures: [{ apis: [{ ...api, defaultPrefix: "pay" }], keys: [{ ...key, ...members }] }],
    });

    expect(emulator.keys.all()[0]?.start).toBe(start);
  });

  test("keys of a fixture get ids in the order of createdAt, which are less than those of later keys", async () => {
    const keys = [
      { ...key, name: "third" },
      { ...key, name: "second", createdAt: NOW - 1_000_000 },
      { ...key, name: "first", createdAt: NOW - 90_000_000 },
    ];
    const emulator = await givenEmulator({ fixtures: [{ apis: [api], keys }] });
    const later = await emulator.keys.create({ ...key, name: "fourth" });

    const { body } = await listKeys(emulator, { apiId: "api_one" });

    const names = body.keys.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["first", "second", "third", "fourth"]);
    expect(body.keys.at(-1).id).toBe(later.id);
  });

  test("a fixture without a workspace belongs to ws_local, also beside further ones", async () => {
    const further = { workspace: { id: "ws_two" }, tokens: [{ token: "two" }], apis: [api] };
    for (const more of [{}, { tokens: [{ token: "one" }], workspaces: [further] }]) {
      const emulator = await givenEmulator({ fixtures: [{ apis: [api], ...more }] });

      expect(emulator.workspaces.all()[0]?.id).toBe("ws_local");
    }
  });

  test("an emulator without a fixture has an empty workspace", async () => {
    const emulator = await givenEmulator({ fixtures: [] });

    expect((await listKeys(emulator, { apiId: "api_one" })).status).toBe(404);
  });
});

test("an id that a fixture gives is not generated for another record", async () => {
  const made = await givenEmulator({
    fixtures: [
      { apis: [api], roles: [{ name: "r" }], identities: [{ externalId: "i" }], keys: [key] },
    ],
  });
  const emulator = await givenEmulator({
    fixtures: [
      {
        apis: [api],
        roles: [{ name: "other" }, { name: "r", id: made.roles.all()[0]?.id }],
        identities: [
          { externalId: "other" },
          { externalId: "i", id: made.identities.all()[0]?.id },
        ],
        keys: [key, { ...key, id: made.keys.all()[0]?.id }],
      },
    ],
  });

  for (const collection of [emulator.roles, emulator.identities, emulator.keys]) {
    expect(new Set(collection.all().map(({ id }) => id)).size).toBe(2);
  }
});

describe("several fixtures", () => {
  test("fixtures of one workspace are merged and may refer to each other", async () => {
    const emulator = await givenEmulator({
      fixtures: [{ keys: [key] }, { apis: [api] }, { keys: [key] }],
    });

    expect((await listKeys(emulator, { apiId: "api_one" })).body.total).toBe(2);
  });

  test("fixtures without a workspace belong to the workspace that the others name", async () => {
    const emulator = await givenEmulator({
      fixtures: [{ keys: [key] }, { workspace: { id: "ws_acme" }, apis: [api] }],
    });

    expect(emulator.workspaces.all().map(({ id }) => id)).toEqual(["ws_acme"]);
    expect((await listKeys(emulator, { apiId: "api_one" })).body.total).toBe(1);
  });

  test("fixtures of several workspaces need a token each", async () => {
    const tokens = [{ token: "a" }];
    const problems = await problemsOf(
      { workspace: { id: "ws_a" }, tokens },
      { workspace: { id: "ws_b" }, apis: [api] },
    );

    expect(problems).toEqual([
      "fixtures[1]: tokens: expected a token for ws_b: with several workspaces, the token of a request selects its workspace, got nothing",
    ]);
  });

  test("a fixture cannot refer to another workspace's API", async () => {
    const problems = await problemsOf(
      { workspace: { id: "ws_a" }, tokens: [{ token: "a" }], apis: [api] },
      { workspace: { id: "ws_b" }, tokens: [{ token: "b" }], keys: [key] },
    );

    expect(problems).toEqual([
      'fixtures[1]: keys[0].apiId: expected the id of an API of this workspace, got "api_one"',
    ]);
  });
});

test("a permission that is listed twice is one permission, by its name or as an object", async () => {
  const named = { permissions: ["read", { name: "read" }, { name: "write" }, "write"] };
  const withId = { permissions: [{ id: "perm_read", name: "read" }] };

  const emulator = await givenEmulator({ fixtures: [named, withId] });
  await emulator.seed({ permissions: [{ name: "read" }, "write"] });

  const permissions = emulator.permissions.all().map(({ id, name }) => [name, id]);
  expect(permissions.toSorted()).toEqual([
    ["read", "perm_read"],
    ["write", expect.stringMatching(/^perm_/)],
  ]);
});

const TAKEN = "fixtures[0]: permissions[1]";
const HOLDER = "duplicate of fixtures[0]: permissions[0]";
test.each<[object, object, string[]]>([
  [
    { id: "perm_a", name: "read" },
    { id: "perm_b", name: "read" },
    [`${TAKEN}.name: ${HOLDER}.name: "read"`],
  ],
  [
    { name: "One", slug: "read" },
    { name: "Two", slug: "read" },
    [`${TAKEN}.slug: ${HOLDER}.slug: "read"`],
  ],
  [
    { name: "read", description: "One" },
    { name: "Two", slug: "read" },
    [`${TAKEN}.slug: ${HOLDER}.name: "read"`],
  ],
  [{ name: "Read", slug: "read" }, { name: "Read", slug: "see" }, []],
])(
  "the slugs of permissions are unique, and their names are not: %j and %j",
  async (one, two, lines) => {
    expect(await problemsOf({ permissions: [one, two] })).toEqual(lines);
  },
);

test("a permission of a fixture has a name, a slug and a description, or a name alone", async () => {
  const permissions = [
    "free",
    { id: "perm_1", name: "docs.list" },
    { id: "perm_2", name: "Read docs", slug: "docs.read", description: "d" },
    { id: "perm_3", name: "With <blanks>", description: "" },
  ];
  const roles = [{ id: "role_1", name: "reader", description: "r", permissions: ["docs.read"] }];
  const keys = [{ ...key, roles: ["reader"], permissions: ["With <blanks>", "docs.list"] }];

  const emulator = await givenEmulator({ fixtures: [{ apis: [api], permissions, roles, keys }] });

  const shown = emulator.permissions
    .all()
    .map(({ description, name, slug }) => [name, slug, description]);
  expect(shown).toEqual([
    ["docs.list", "docs.list", undefined],
    ["Read docs", "docs.read", "d"],
    ["With <blanks>", "With <blanks>", undefined],
    ["free", "free", undefined],
  ]);
  expect(emulator.permissions.named("docs.read")?.id).toBe("perm_2");
  expect(emulator.permissions.named("Read docs")).toBeUndefined();
  expect(emulator.roles.named("reader")?.description).toBe("r");
});

test("a list of permissions may name what another fixture describes", async () => {
  const described = { permissions: [{ name: "Read", slug: "read" }] };

  const emulator = await givenEmulator({ fixtures: [{ permissions: ["read"] }, described] });

  expect(emulator.permissions.all()).toMatchObject([{ name: "Read", slug: "read" }]);
});

test.each([
  [{ permissions: [{ slug: "read" }] }, "permissions[0].name: expected"],
  [{ permissions: [{ name: "a", slug: "" }] }, "permissions[0].slug: expected"],
  [{ permissions: [{ name: "a", slug: "x".repeat(513) }] }, "permissions[0].slug: expected"],
  [{ permissions: [{ name: "a", description: 5 }] }, "permissions[0].description: expected"],
  [{ roles: [{ name: "a", description: "x".repeat(513) }] }, "roles[0].description: expected"],
  [{ roles: [{ name: "a", slug: "a" }] }, "roles[0].slug: unknown member"],
])("the fixture %j is refused", async (fixture, line) => {
  expect(await problemsOf(fixture)).toEqual([expect.stringContaining(line)]);
});

test("a snapshot and a fixture beside it create the roles that their complete keys name", async () => {
  const complete = { ...key, start: "abc", createdAt: 1 };
  const snapshot = {
    snapshot: { randomSeed: 1, keyValues: 0, ids: {} },
    apis: [api],
    keys: [{ ...complete, id: "key_1", roles: ["added by hand"] }],
  };
  const beside = { keys: [{ ...complete, id: "key_2", roles: ["created"] }] };

  const emulator = await givenEmulator({ fixtures: [snapshot, beside] });

  expect(emulator.roles.all().map(({ name }) => name)).toEqual(["added by hand", "created"]);
});
