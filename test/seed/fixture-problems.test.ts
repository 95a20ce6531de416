import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemsOf } from "../_fixture-problems.ts";

const api = { id: "api_one" };
const key = { apiId: "api_one" };

/** The fixture and the path that each line names, without the problem itself. */
const placesOf = (lines: readonly string[]) =>
  lines.map((line) => line.split(": ").slice(0, 2).join(": "));

/** A further workspace with these members, beside a first one. */
const further = (members: object) => ({
  tokens: [{ token: "one" }],
  workspaces: [{ workspace: { id: "ws_two" }, tokens: [{ token: "two" }], ...members }],
});
const ofApi = (...keys: object[]) => ({
  apis: [api],
  keys: keys.map((each) => ({ ...key, ...each })),
});
const twice = (name: string, one: object, two: object = one) => ({ [name]: [one, two] });
const ids = { req: { made: 1, last: "key_1" } };

describe("problems of a fixture", () => {
  test.each<[problem: string, fixture: unknown]>([
    ["expected an object, got 5", 5],
    ["expected an object, got null", null],
    ['kyes: unknown member, did you mean "keys"? (known: $schema, workspace,', { kyes: [] }],
    ["keys: expected an array of keys, got null", { keys: null }],
    ["apis: expected an array of APIs, got an object", { apis: {} }],
    ["keys[0]: expected an object, got a string of 1 character", { keys: ["x"] }],
    ["apis[0].id: expected an id of 1 to 256 letters, digits, _ or -, got nothing", { apis: [{}] }],
    [
      'apis[0].id: expected an id of 1 to 256 letters, digits, _ or -, got "a b"',
      { apis: [{ id: "a b" }] },
    ],
    [
      "keys[3].refill.amount: expected an integer of at least 1, got 0",
      ofApi({}, {}, {}, { remaining: 1, refill: { interval: "daily", amount: 0 } }),
    ],
    ["apis[0].prefx: unknown member (known: id, name,", { apis: [{ ...api, prefx: "x" }] }],
    ['keys[0].apiId: expected the id of an API of this workspace, got "api_one"', { keys: [key] }],
    [
      "keys[0].apiId: expected an API with a keyspace",
      { apis: [{ ...api, keyspace: false }], keys: [key] },
    ],
    [
      "keys[0].recoverable: expected false, because api_one does not have `storeEncryptedKeys: true`",
      ofApi({ recoverable: true }),
    ],
    [
      "keys[0].recoverable: needs `key`",
      {
        apis: [{ ...api, storeEncryptedKeys: true }],
        keys: [{ ...key, start: "abc", recoverable: true }],
      },
    ],
    [
      "permissions[1]: expected a permission name, or an object with one, got 5",
      { permissions: ["read", 5] },
    ],
    [
      "permissions[0].name: expected a string of 1 to 512 characters",
      { permissions: [{ id: "perm_1", name: "" }] },
    ],
    ["permissions[0].nmae: unknown member", { permissions: [{ name: "read", nmae: "x" }] }],
    [
      'keys[0].identityId: expected the id of an identity of this workspace, got "id_none"',
      ofApi({ identityId: "id_none" }),
    ],
    [
      "workspaces[0].keys[0].apiId: expected an id of 1 to 256 letters",
      further({ keys: [{ apiId: 5 }] }),
    ],
    ["workspaces[0].workspace: expected an object, got nothing", { workspaces: [{}] }],
    ["workspaces[0].workspaces: unknown member, did you mean", further({ workspaces: [] })],
    [
      "snapshot.randomSeed: expected an integer of at least 0, got nothing",
      { snapshot: { keyValues: 1, ids: {} } },
    ],
    [
      'snapshot.ids.req.last: expected an id that begins with req_, and 16 base58 digits, got "key_1"',
      { snapshot: { randomSeed: 1, keyValues: 1, ids } },
    ],
    [
      "keys[0].remaining: expected a number of uses",
      ofApi({ refill: { interval: "daily", amount: 1 } }),
    ],
    [
      "keys[0].prefix: expected the characters of `key` before an underscore",
      ofApi({ key: "abc_1", prefix: "xyz" }),
    ],
    [
      "keys[0].start: expected the leading characters of `key`",
      ofApi({ key: "abc_1", start: "xyz" }),
    ],
    ['apis[1].id: duplicate of fixtures[0]: apis[0].id: "api_one"', twice("apis", api)],
    ["keys[1].id: duplicate of ", ofApi({ id: "k" }, { id: "k" })],
    ["roles[1].name: duplicate of ", twice("roles", { name: "r" })],
    ["roles[1].id: duplicate of ", twice("roles", { id: "x", name: "r" }, { id: "x", name: "s" })],
    ["identities[1].externalId: duplicate of ", twice("identities", { externalId: "a" })],
    ["tokens[1].token: duplicate of fixtures[0]: tokens[0].token", twice("tokens", { token: "t" })],
  ])("%s", async (problem, fixture) => {
    expect(await problemsOf(fixture)).toEqual([expect.stringContaining(`fixtures[0]: ${problem}`)]);
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
        expect.stringMatching(
          /^fixtures\[0\]: keys\[0\]\.meta\.value(?:\[0\])?: expected values that JSON can hold, got /,
        ),
      ]);
    },
  );

  test("all problems of format, and then all duplicates and references, are reported at once", async () => {
    const first = (more: object) => ({ apis: [api, { id: "api_two", ...more }], tokens });
    const tokens = [{ token: "same" }];
    const keys = [key, { apiId: "api_two" }, { apiId: "api_none" }];
    const wrong = [key, { apiId: "api_none", nam: "x" }, { ...key, byteLength: 1 }];

    const ofFormat = await problemsOf(first({ keyspace: 1 }), { apis: [api], tokens, keys: wrong });
    const others = await problemsOf(first({}), { apis: [api], tokens, keys });

    expect(placesOf(ofFormat)).toEqual([
      "fixtures[0]: apis[1].keyspace",
      "fixtures[1]: keys[2].byteLength",
      "fixtures[1]: keys[1].nam",
    ]);
    expect(placesOf(others)).toEqual([
      "fixtures[1]: tokens[0].token",
      "fixtures[1]: apis[0].id",
      "fixtures[1]: keys[2].apiId",
    ]);
  });

  test("problems with tokens and key values never show their text", async () => {
    const secret = "sk_very_secret";
    const ofFormat = await problemsOf({
      tokens: [secret, { token: `${secret} x` }, { token: "t", sekret: secret }],
      ...ofApi({ key: [secret] }, { kee: secret }),
      secret,
    });
    const ofNames = await problemsOf({
      tokens: [{ token: secret }, { token: secret }],
      ...ofApi({ key: secret }, { key: secret }, { key: `${secret}_2`, prefix: "other" }),
    });

    expect(ofFormat).toHaveLength(6);
    expect(ofNames).toHaveLength(3);
    expect([...ofFormat, ...ofNames].join("\n")).not.toContain(secret);
  });
});

test("any JSON as a fixture is accepted, or refused with problems that name the fixture", async () => {
  const name = fc.constantFrom(
    ..."workspace tokens apis roles identities keys permissions id name apiId key __proto__ x".split(
      " ",
    ),
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
    "fixtures[1]: expected an object, got a promise; is an await missing?",
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

test("the limit for generated keys counts those of all fixtures", async () => {
  const generate = [{ count: 600_000 }];

  expect(await problemsOf({ apis: [api], generate }, { generate }, { generate })).toEqual([
    "fixtures[1]: generate[0].count: expected at most 1000000 keys in all, got 1200000",
  ]);
});

test("two snapshots of a workspace are refused", async () => {
  const snapshot = { randomSeed: 1, keyValues: 0, ids: {} };

  expect(await problemsOf({ snapshot }, { snapshot })).toEqual([
    "fixtures[1]: snapshot: expected one snapshot of a workspace",
  ]);
});
