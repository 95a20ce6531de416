import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { givenEmulator } from "../_emulator.ts";
import { problemsOf } from "../_fixture-problems.ts";

const api = { id: "api_one" };
const key = { apiId: "api_one" };

/** The fixture and the path that each line names, without the problem itself. */
const placesOf = (lines: readonly string[]) =>
  lines.map((line) => line.split(": ").slice(0, 2).join(": "));

describe("problems of a fixture", () => {
  test.each<[what: string, fixture: unknown, problem: string]>([
    ["not being an object", 5, "fixtures[0]: expected an object, got 5"],
    ["being null", null, "fixtures[0]: expected an object, got null"],
    [
      "an unknown member",
      { kyes: [] },
      'fixtures[0]: kyes: unknown member, did you mean "keys"? (known: $schema, workspace,',
    ],
    ["a null member", { keys: null }, "fixtures[0]: keys: expected an array of keys, got null"],
    ["a wrong type", { apis: {} }, "fixtures[0]: apis: expected an array of APIs, got an object"],
    [
      "a wrong item",
      { keys: ["x"] },
      "fixtures[0]: keys[0]: expected an object, got a string of 1 character",
    ],
    [
      "an item without its id",
      { apis: [{}] },
      "fixtures[0]: apis[0].id: expected an id of 1 to 256 letters, digits, _ or -, got nothing",
    ],
    [
      "an id with other characters",
      { apis: [{ id: "a b" }] },
      'fixtures[0]: apis[0].id: expected an id of 1 to 256 letters, digits, _ or -, got "a b"',
    ],
    [
      "a wrong value deep inside",
      {
        apis: [api],
        keys: [key, key, key, { ...key, remaining: 1, refill: { interval: "daily", amount: 0 } }],
      },
      "fixtures[0]: keys[3].refill.amount: expected an integer of at least 1, got 0",
    ],
    [
      "an unknown member deep inside",
      { apis: [{ ...api, prefx: "x" }] },
      "fixtures[0]: apis[0].prefx: unknown member (known: id, name,",
    ],
    [
      "an unknown API",
      { keys: [key] },
      'fixtures[0]: keys[0].apiId: expected the id of an API of this workspace, got "api_one"',
    ],
    [
      "an API without a keyspace",
      { apis: [{ ...api, keyspace: false }], keys: [key] },
      "fixtures[0]: keys[0].apiId: expected an API with a keyspace",
    ],
    [
      "recoverable where values are not stored",
      { apis: [api], keys: [{ ...key, recoverable: true }] },
      "fixtures[0]: keys[0].recoverable: expected false, because api_one does not have `storeEncryptedKeys: true`",
    ],
    [
      "recoverable without a value",
      {
        apis: [{ ...api, storeEncryptedKeys: true }],
        keys: [{ ...key, start: "abc", recoverable: true }],
      },
      "fixtures[0]: keys[0].recoverable: needs `key`",
    ],
    [
      "a permission that is neither a name nor an object",
      { permissions: ["read", 5] },
      "fixtures[0]: permissions[1]: expected a permission name, or an object with one, got 5",
    ],
    [
      "a wrong member of a permission",
      { permissions: [{ id: "perm_1", name: "" }] },
      "fixtures[0]: permissions[0].name: expected a string of 1 to 512 characters",
    ],
    [
      "an unknown member of a permission",
      { permissions: [{ name: "read", nmae: "x" }] },
      "fixtures[0]: permissions[0].nmae: unknown member",
    ],
    [
      "an identity that is not listed",
      { apis: [api], keys: [{ ...key, identityId: "id_none" }] },
      'fixtures[0]: keys[0].identityId: expected the id of an identity of this workspace, got "id_none"',
    ],
    [
      "a wrong value in a further workspace",
      {
        tokens: [{ token: "one" }],
        workspaces: [
          { workspace: { id: "ws_two" }, tokens: [{ token: "two" }], keys: [{ apiId: 5 }] },
        ],
      },
      "fixtures[0]: workspaces[0].keys[0].apiId: expected an id of 1 to 256 letters",
    ],
    [
      "a further workspace without a name",
      { workspaces: [{}] },
      "fixtures[0]: workspaces[0].workspace: expected an object, got nothing",
    ],
    [
      "a workspace within a further one",
      {
        tokens: [{ token: "one" }],
        workspaces: [{ workspace: { id: "ws_two" }, tokens: [{ token: "two" }], workspaces: [] }],
      },
      "fixtures[0]: workspaces[0].workspaces: unknown member, did you mean",
    ],
    [
      "made-up keys for an unknown API",
      { apis: [api], generate: [{ apiId: "api_two", count: 1 }] },
      'fixtures[0]: generate[0].apiId: expected the id of an API of this workspace, got "api_two"',
    ],
    [
      "more than 1,000,000 made-up keys",
      { apis: [api], generate: [{ count: 1_000_001 }] },
      "fixtures[0]: generate[0].count: expected an integer from 0 to 1000000, got 1000001",
    ],
    [
      "a snapshot without its seed",
      { snapshot: { keyValues: 1, ids: {} } },
      "fixtures[0]: snapshot.randomSeed: expected an integer of at least 0, got nothing",
    ],
    [
      "a last id of another kind in a snapshot",
      { snapshot: { randomSeed: 1, keyValues: 1, ids: { req: { made: 1, last: "key_1" } } } },
      'fixtures[0]: snapshot.ids.req.last: expected an id that begins with req_, and 16 base58 digits, got "key_1"',
    ],
    [
      "refill without remaining",
      { apis: [api], keys: [{ ...key, refill: { interval: "daily", amount: 1 } }] },
      "fixtures[0]: keys[0].remaining: expected a number of uses",
    ],
    [
      "a prefix that the value lacks",
      { apis: [api], keys: [{ ...key, key: "abc_1", prefix: "xyz" }] },
      "fixtures[0]: keys[0].prefix: expected the characters of `key` before an underscore",
    ],
    [
      "a start that the value lacks",
      { apis: [api], keys: [{ ...key, key: "abc_1", start: "xyz" }] },
      "fixtures[0]: keys[0].start: expected the leading characters of `key`",
    ],
    [
      "an API twice",
      { apis: [api, api] },
      'fixtures[0]: apis[1].id: duplicate of fixtures[0]: apis[0].id: "api_one"',
    ],
    [
      "a key id twice",
      {
        apis: [api],
        keys: [
          { ...key, id: "k" },
          { ...key, id: "k" },
        ],
      },
      "fixtures[0]: keys[1].id: duplicate of ",
    ],
    [
      "a key value twice",
      {
        apis: [api],
        keys: [
          { ...key, key: "same" },
          { ...key, key: "same" },
        ],
      },
      "fixtures[0]: keys[1].key: duplicate of ",
    ],
    [
      "a role twice",
      { roles: [{ name: "r" }, { name: "r" }] },
      "fixtures[0]: roles[1].name: duplicate of ",
    ],
    [
      "a role id twice",
      {
        roles: [
          { id: "x", name: "r" },
          { id: "x", name: "s" },
        ],
      },
      "fixtures[0]: roles[1].id: duplicate of ",
    ],
    [
      "an identity twice",
      { identities: [{ externalId: "a" }, { externalId: "a" }] },
      "fixtures[0]: identities[1].externalId: duplicate of ",
    ],
    [
      "a token twice",
      { tokens: [{ token: "t" }, { token: "t" }] },
      "fixtures[0]: tokens[1].token: duplicate of fixtures[0]: tokens[0].token",
    ],
  ])("a fixture is refused for %s", async (_, fixture, problem) => {
    const problems = await problemsOf(fixture);

    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  test.each([
    { apis: [{ id: { toString: 1 } }], keys: [key] },
    { apis: [{ id: JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) }], keys: [key] },
  ])(
    "a fixture with an odd value in place of an API id is refused without a crash (case %#)",
    async (fixture) => {
      expect((await problemsOf(fixture)).length).toBeGreaterThan(0);
    },
  );

  test("a wrong API is reported without further problems for the keys that refer to it", async () => {
    expect(await problemsOf({ apis: { id: "api_one" }, keys: [key] })).toHaveLength(1);
    expect(await problemsOf({ apis: [{ ...api, keyspace: 1 }], keys: [key] })).toHaveLength(1);
  });

  test.each([NaN, Infinity, () => 5, 5n, new Date(), [undefined], { toJSON: () => 5 }])(
    "a fixture is refused for meta that JSON cannot hold: %s",
    async (value) => {
      const problems = await problemsOf({ apis: [api], keys: [{ ...key, meta: { value } }] });

      expect(problems).toEqual([
        "fixtures[0]: keys[0].meta: expected values that JSON can hold, got an object",
      ]);
    },
  );

  test("all problems of format are reported at once, across fixtures", async () => {
    const problems = await problemsOf(
      { apis: [api, { id: "api_two", keyspace: 1 }], tokens: [{ token: "same" }] },
      {
        apis: [api],
        tokens: [{ token: "same" }],
        keys: [
          key,
          { apiId: "api_two" },
          { apiId: "api_none", nam: "x" },
          { ...key, byteLength: 1 },
        ],
      },
    );

    expect(placesOf(problems)).toEqual([
      "fixtures[0]: apis[1].keyspace",
      "fixtures[1]: keys[3].byteLength",
      "fixtures[1]: keys[2].nam",
    ]);
  });

  test("all duplicates and wrong references are reported at once, across fixtures", async () => {
    const problems = await problemsOf(
      { apis: [api, { id: "api_two" }], tokens: [{ token: "same" }] },
      {
        apis: [api],
        tokens: [{ token: "same" }],
        keys: [key, { apiId: "api_two" }, { apiId: "api_none" }],
      },
    );

    expect(placesOf(problems)).toEqual([
      "fixtures[1]: tokens[0].token",
      "fixtures[1]: apis[0].id",
      "fixtures[1]: keys[2].apiId",
    ]);
  });

  test("problems with tokens and key values never show their text", async () => {
    const secret = "sk_very_secret";
    const ofFormat = await problemsOf({
      tokens: [secret, { token: `${secret} x` }, { token: "t", sekret: secret }],
      apis: [api],
      keys: [
        { ...key, key: [secret] },
        { ...key, kee: secret },
      ],
      secret,
    });
    const ofNames = await problemsOf({
      tokens: [{ token: secret }, { token: secret }],
      apis: [api],
      keys: [
        { ...key, key: secret },
        { ...key, key: secret },
        { ...key, key: `${secret}_2`, prefix: "other" },
      ],
    });

    expect(ofFormat).toHaveLength(6);
    expect(ofNames).toHaveLength(3);
    expect([...ofFormat, ...ofNames].join("\n")).not.toContain(secret);
  });
});

test("any JSON as a fixture is accepted, or refused with problems that name the fixture", async () => {
  const name = fc.constantFrom(
    "workspace",
    "tokens",
    "apis",
    "roles",
    "identities",
    "keys",
    "permissions",
    "id",
    "name",
    "apiId",
    "key",
    "__proto__",
    "x",
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.jsonValue({ maxDepth: 1 }),
      tie("object"),
      tie("list"),
    ),
    object: fc.dictionary(name, tie("tree"), { maxKeys: 5 }),
    list: fc.array(tie("tree"), { maxLength: 4 }),
  }));
  await fc.assert(
    fc.asyncProperty(tree, async (fixture) => {
      for (const line of await problemsOf(fixture))
        expect(line).toMatch(/^fixtures\[0\]: .*(?:expected|unknown member)/);
    }),
    { numRuns: 500 },
  );
});

test("a promise in place of a fixture is refused with a hint at a missing await", async () => {
  expect(await problemsOf({ apis: [api] }, Promise.resolve({}))).toEqual([
    "options: fixtures[1]: expected an object, got a promise; is an await missing?",
  ]);
});

test("a problem of format does not hide other problems of format in the same item", async () => {
  const keys = [
    { ...key, name: 3, remaining: "a", refill: { interval: "yearly", amount: 0 }, nam: "x" },
    { apiId: 7, id: "key 1" },
  ];

  const problems = await problemsOf({ keys, roles: [{ name: "", permissions: [""] }] });

  expect(placesOf(problems).toSorted()).toEqual([
    "fixtures[0]: keys[0].nam",
    "fixtures[0]: keys[0].name",
    "fixtures[0]: keys[0].refill.amount",
    "fixtures[0]: keys[0].refill.interval",
    "fixtures[0]: keys[0].remaining",
    "fixtures[0]: keys[1].apiId",
    "fixtures[0]: keys[1].id",
    "fixtures[0]: roles[0].name",
    "fixtures[0]: roles[0].permissions[0]",
  ]);
});

test("a wrong reference does not hide duplicates and other wrong references", async () => {
  const keys = [
    { ...key, id: "key_1", key: "value_1" },
    { ...key, id: "key_1", key: "value_1", prefix: "other" },
    { apiId: "api_on", identityId: "id_none", refill: { interval: "daily", amount: 1 } },
  ];
  const roles = [{ name: "admin" }, { name: "admin" }];

  const problems = await problemsOf({ apis: [api], keys, roles });

  expect(placesOf(problems).toSorted()).toEqual([
    "fixtures[0]: keys[1].id",
    "fixtures[0]: keys[1].key",
    "fixtures[0]: keys[1].prefix",
    "fixtures[0]: keys[2].apiId",
    "fixtures[0]: keys[2].identityId",
    "fixtures[0]: keys[2].remaining",
    "fixtures[0]: roles[1].name",
  ]);
});

test("the limit for made-up keys counts those of all fixtures", async () => {
  const generate = [{ count: 600_000 }];

  expect(await problemsOf({ apis: [api], generate }, { generate }, { generate })).toEqual([
    "fixtures[1]: generate[0].count: expected at most 1000000 keys in all, got 1200000",
  ]);
});

test("the first of several workspaces is ws_local if the fixture does not name it", async () => {
  const further = { workspace: { id: "ws_two" }, tokens: [{ token: "two" }], apis: [api] };
  const fixture = { tokens: [{ token: "one" }], apis: [api], workspaces: [further] };

  const emulator = await givenEmulator({ fixtures: [fixture] });

  expect(emulator.workspaces.all().map(({ id }) => id)).toEqual(["ws_local", "ws_two"]);
});

test("two snapshots of a workspace are refused", async () => {
  const snapshot = { randomSeed: 1, keyValues: 0, ids: {} };

  expect(await problemsOf({ snapshot }, { snapshot })).toEqual([
    "fixtures[1]: snapshot: expected one snapshot of a workspace",
  ]);
});
