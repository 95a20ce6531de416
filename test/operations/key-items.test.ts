import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, type CallOptions } from "../_emulator.ts";
import { expectRefusal, schemaRefusal, type Refusal } from "../_v2.ts";
import {
  badRequest,
  call,
  expectRefusalOfV1,
  expectResult,
  stateOf,
  versions,
  type RefusalOfV1,
  type Version,
} from "./_keys.ts";
import {
  expectNothingLeft,
  expectRefused,
  expectTokenNeeded,
  insufficient,
  noKey,
  toErrors,
  wrongIds,
  type Refused,
  type Refusals,
} from "./_refusals.ts";

type Noun = "permission" | "role";
type Verb = "add" | "remove" | "set";
const nouns: readonly Noun[] = ["permission", "role"];
const verbs: readonly Verb[] = ["add", "remove", "set"];

/** What an item of v1 looks like; those of v2 are names. */
type Item = string | { id?: string; name?: string; slug?: string; create?: boolean };

/** An operation, like `keys.addRoles` of v1. */
interface Operation {
  readonly version: Version;
  readonly verb: Verb;
  readonly noun: Noun;
}
const named = ({ noun, verb }: Operation) => `${verb}${noun === "role" ? "Roles" : "Permissions"}`;
const operations = versions.flatMap((version) =>
  nouns.flatMap((noun) =>
    verbs.map((verb): [title: string, operation: Operation] => {
      const operation = { version, verb, noun };
      return [`keys.${named(operation)} of ${version}`, operation];
    }),
  ),
);
const only = (isMeant: (operation: Operation) => boolean) =>
  operations.filter(([, operation]) => isMeant(operation));
const collectionOf = { permission: "permissions", role: "roles" } as const;

interface World {
  /** The roles of `key_0`, `key_1` and so on, and their own permissions: the same names. */
  readonly attached?: string[][];
  /** The permissions of the tokens `limited_0`, `limited_1` and so on. */
  readonly rights?: string[][];
}

/** Roles and permissions with the names a, b, c and d. The role a has the permission `by_role`. */
const world = ({ attached = [[]], rights = [[]] }: World): Fixture[] => [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "any_token", permissions: ["*"] },
      ...rights.map((permissions, index) => ({ token: `limited_${index}`, permissions })),
    ],
    apis: [{ id: "api_one" }],
    permissions: [
      ...["a", "b", "c", "d"].map((name) => ({ id: `perm_${name}`, name })),
      { id: "perm_role", name: "by_role" },
    ],
    roles: ["a", "b", "c", "d"].map((name) => ({
      id: `role_${name}`,
      name,
      ...(name === "a" && { permissions: ["by_role"] }),
    })),
    keys: attached.map((names, index) => ({
      id: `key_${index}`,
      apiId: "api_one",
      key: `value_${index}`,
      createdAt: 5,
      updatedAt: 6,
      roles: names,
      permissions: names,
    })),
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token", permissions: ["*"] }],
    apis: [{ id: "api_other" }],
    permissions: [{ id: "perm_theirs", name: "theirs" }],
    roles: [{ id: "role_theirs", name: "theirs" }],
    keys: [{ id: "key_other", apiId: "api_other" }],
  },
];

const givenWorld = (parts: World = {}) => givenEmulator({ fixtures: world(parts) });

function change(
  emulator: Emulator,
  operation: Operation,
  items: unknown,
  { keyId = "key_0", ...options }: CallOptions & { readonly keyId?: unknown } = {},
) {
  const input = { keyId, [collectionOf[operation.noun]]: items };
  return call(emulator, operation.version, named(operation), input, options);
}

/** Names as a call of this version sends them. */
const asItems = ({ version }: Operation, names: readonly string[]): Item[] =>
  version === "v1" ? names.map((name) => ({ name })) : [...names];

/** The names of the roles or own permissions of a key, whose time of change stays the same. */
function attachedIn(emulator: Emulator, noun: Noun, keyId = "key_0"): string[] {
  const key = emulator.keys.findFirst({ id: keyId });
  expect(key?.updatedAt).toBe(6);
  return [...(key?.[collectionOf[noun]] ?? [])].toSorted();
}

/** The items with these names as an answer shows them. */
function shownAs(emulator: Emulator, { noun, version }: Operation, names: readonly string[]) {
  return names.map((name) => {
    const item = emulator[collectionOf[noun]].findFirst({ name });
    const id = item?.id;
    if (version === "v1") return { id, name };
    if (noun === "permission") return { id, name, slug: name };
    const byRole = { id: "perm_role", name: "by_role", slug: "by_role" };
    return { id, name, ...(name === "a" && { permissions: [byRole] }) };
  });
}

interface Case {
  readonly before: string[];
  readonly items: Item[];
  /** What the key has afterwards, sorted. */
  readonly after: string[];
  /** What the answer shows. */
  readonly answer: string[];
}

/** Changes one key for each case. */
async function expectChanges(operation: Operation, cases: readonly Case[]): Promise<void> {
  const { noun, verb, version } = operation;
  const emulator = await givenWorld({ attached: cases.map(({ before }) => before) });
  for (const [index, { after, answer, before, items }] of cases.entries()) {
    const keyId = `key_${index}`;

    const reply = await change(emulator, operation, items, { keyId });

    const isEmpty = version === "v1" && verb === "remove";
    expectResult(reply, version, isEmpty ? {} : shownAs(emulator, operation, answer));
    expect(attachedIn(emulator, noun, keyId)).toEqual(after);
    const other = noun === "role" ? "permission" : "role";
    expect(attachedIn(emulator, other, keyId)).toEqual(before.toSorted());
  }
}

/** By name, which both versions know. v1 answers with what was named, v2 with what the key has. */
const byName: Readonly<
  Record<Verb, [had: string, names: string, after: string, orderInV2?: string][]>
> = {
  add: [
    ["", "a", "a"],
    ["b", "a", "ab", "ba"],
    ["c a", "d b", "abcd", "acdb"],
    ["a b", "b a", "ab"],
    ["a", "b b b", "ab"],
  ],
  set: [
    ["", "a", "a"],
    ["a", "b c", "bc"],
    ["a b", "c b", "bc", "cb"],
    ["a", "a b a", "ab"],
    ["a b", "b a", "ab", "ba"],
  ],
  remove: [
    ["a", "a", ""],
    ["a b c", "b", "ac"],
    // Not only the first one.
    ["a b c", "a c", "b"],
    ["a b", "c", "ab"],
    ["", "a", ""],
    ["a b", "b b", "a"],
  ],
};
const words = (text: string) => text.split(" ").filter(Boolean);

describe.each(operations)("%s", (_, operation) => {
  const { noun, verb, version } = operation;

  test("takes names, and answers with those that it was given in v1, and with all in v2", async () => {
    const cases = byName[verb].map(([had, names, after, order = after]) => ({
      before: words(had),
      items: asItems(operation, words(names)),
      after: [...after],
      answer: version === "v1" ? [...new Set(words(names))] : [...order],
    }));
    await expectChanges(operation, cases);
  });

  test("is seen by the next verification, and never changes what roles grant", async () => {
    const emulator = await givenWorld({ attached: [["a", "b"]] });
    const verified = async () => {
      const { body } = await call(emulator, "v1", "verifyKey", { key: "value_0" });
      return [body.roles, body.permissions];
    };
    expect(await verified()).toEqual([
      ["a", "b"],
      ["a", "b", "by_role"],
    ]);

    await change(emulator, operation, asItems(operation, ["b"]));
    if (noun === "permission") await change(emulator, operation, asItems(operation, ["by_role"]));

    const [roles, permissions] = await verified();
    const left = { add: ["a", "b"], set: ["b"], remove: ["a"] }[verb];
    if (noun === "role") {
      const granted = left.includes("a") ? ["by_role"] : [];
      expect([roles, permissions]).toEqual([left, ["a", "b", ...granted]]);
    } else {
      expect(roles).toEqual(["a", "b"]);
      expect(permissions).toContain("by_role");
    }
  });

  test("neither shows nor restores what was deleted", async () => {
    const emulator = await givenWorld({ attached: [["a", "b", "c"]] });
    emulator[collectionOf[noun]].delete({ name: "b" });

    await change(emulator, operation, asItems(operation, ["c"]));

    const left = { add: ["a", "c"], set: ["c"], remove: ["a"] }[verb];
    const record = await call(emulator, "v1", "getKey", { keyId: "key_0" });
    expect(record.body[collectionOf[noun]]).toEqual(left);
    const restored = emulator[collectionOf[noun]].findFirst({ name: "b" });
    expect(restored).toBeUndefined();
  });

  test("needs a token that is known, before it looks for the key", async () => {
    const emulator = await givenWorld();

    await expectTokenNeeded(emulator, version, (options) =>
      change(emulator, operation, asItems(operation, ["a"]), { ...options, keyId: "key_none" }),
    );
  });

  test("finds no key that does not exist, was deleted, or is in another workspace", async () => {
    const emulator = await givenWorld();
    const gone = await emulator.keys.create({ apiId: "api_one", id: "key_gone" });
    await call(emulator, version, "deleteKey", { keyId: gone.id });

    for (const keyId of ["key_none", "key_gone", "key_other"]) {
      await expectNothingLeft(emulator, version, noKey(keyId), () =>
        change(emulator, operation, asItems(operation, ["a", "new"]), { keyId }),
      );
    }
  });
});

const ofV1 = only(({ version }) => version === "v1");
const namingInV1 = only(({ verb, version }) => version === "v1" && verb !== "remove");
const removingInV1 = only(({ verb, version }) => version === "v1" && verb === "remove");

describe("in v1, an item", () => {
  const id = (noun: Noun, name: string) => `${noun === "role" ? "role" : "perm"}_${name}`;

  test.each(ofV1)("of %s may be an id", async (_, operation) => {
    const { noun, verb } = operation;
    await expectChanges(operation, [
      {
        before: ["a", "b"],
        items: [{ id: id(noun, "b") }, { id: id(noun, "c") }],
        after: { add: ["a", "b", "c"], set: ["b", "c"], remove: ["a"] }[verb],
        answer: ["b", "c"],
      },
    ]);
  });

  test.each(ofV1)("of %s with an id and a name stands for both", async (_, operation) => {
    const { noun, verb } = operation;
    await expectChanges(operation, [
      {
        before: ["a", "b"],
        items: [{ id: id(noun, "b"), name: "a" }],
        after: { add: ["a", "b"], set: ["a", "b"], remove: [] }[verb],
        answer: ["b", "a"],
      },
    ]);
  });

  test.each(ofV1)("of %s that is empty stands for nothing", async (_, operation) => {
    const { verb } = operation;
    const attached = ["a", "b"];
    const after = verb === "set" ? [] : attached;
    const isSlugKnown = operation.noun === "permission" && verb !== "add";
    const items = [{}, { create: true }, ...(isSlugKnown ? [] : [{ slug: "c" }])];
    await expectChanges(operation, [
      ...items.map((item) => ({ before: attached, items: [item], after, answer: [] })),
      {
        before: attached,
        items: [{}, { name: "b" }],
        after: { add: attached, set: ["b"], remove: ["a"] }[verb],
        answer: ["b"],
      },
    ]);
  });

  test.each(ofV1.filter(([, { noun, verb }]) => noun === "permission" && verb !== "add"))(
    "of %s may be a slug",
    async (_, operation) => {
      await expectChanges(operation, [
        {
          before: ["a", "b"],
          items: [{ slug: "b" }, { slug: "c" }],
          after: operation.verb === "set" ? ["b", "c"] : ["a"],
          answer: ["b", "c"],
        },
      ]);
    },
  );

  test.each(namingInV1)(
    "of %s with `create: true` is made if it does not exist, and shown after the others",
    async (_, operation) => {
      await expectChanges(operation, [
        {
          before: [],
          items: [
            { name: "new.b", create: true },
            { name: "a", create: true },
            { name: "new.a", create: true },
            { name: "new.b", create: true },
          ],
          after: ["a", "new.a", "new.b"],
          answer: ["a", "new.b", "new.a"],
        },
      ]);
    },
  );

  const renamed: [verb: Verb, item: Item, left: string[]][] = [
    ["add", { name: "Full name" }, ["a", "b"]],
    ["add", { id: "perm_b" }, ["a", "b"]],
    ["set", { name: "Full name" }, ["b"]],
    ["set", { slug: "b" }, ["b"]],
    ["set", { slug: "b", name: "a" }, ["b"]],
    ["remove", { name: "Full name" }, ["a"]],
    ["remove", { name: "b" }, ["a", "b"]],
  ];
  test.each(renamed)(
    "of keys.%sPermissions like %j is a permission by its name, and not by its slug",
    async (verb, item, left) => {
      const emulator = await givenWorld({ attached: [verb === "remove" ? ["a", "b"] : ["a"]] });
      await emulator.permissions.update(
        { id: "perm_b" },
        { data: (permission) => void (permission.name = "Full name") },
      );

      const answer = await call(emulator, "v1", `${verb}Permissions`, {
        keyId: "key_0",
        permissions: [item],
      });

      expect(answer.status).toBe(200);
      expect(emulator.keys.get("key_0")?.permissions).toEqual(left);
      if (verb !== "remove") expect(answer.body).toEqual([{ id: "perm_b", name: "Full name" }]);
    },
  );

  test("of keys.addPermissions does not find a permission by a slug that is not its name", async () => {
    const emulator = await givenWorld({});
    await emulator.permissions.update(
      { id: "perm_b" },
      { data: (permission) => void (permission.name = "Full name") },
    );
    const add = (item: Item) =>
      call(emulator, "v1", "addPermissions", { keyId: "key_0", permissions: [item] });

    expect((await add({ name: "b" })).status).toBe(404);
    expect((await add({ name: "b", create: true })).body).toEqual([
      { id: "perm_b", name: "Full name" },
    ]);
  });

  test("of keys.setPermissions with `create: true` may be a slug", async () => {
    const operation: Operation = { version: "v1", verb: "set", noun: "permission" };
    const items = [{ slug: "new", create: true }];
    await expectChanges(operation, [{ before: ["a"], items, after: ["new"], answer: ["new"] }]);
  });

  const missing = (noun: Noun, text: string, note = ""): RefusalOfV1 => ({
    status: 404,
    code: "NOT_FOUND",
    message: `${noun}: there is no ${noun} "${text}"${note}`,
  });
  const NOTE = "; send `create: true` to create it";
  test.each(namingInV1)(
    "of %s that does not exist is refused, and changes nothing",
    async (_, operation) => {
      const { noun } = operation;
      const emulator = await givenWorld({ attached: [["a"]] });
      const rows: [Item[], RefusalOfV1][] = [
        [[{ name: "x" }], missing(noun, "x", NOTE)],
        [[{ name: "x", create: false }], missing(noun, "x", NOTE)],
        [[{ name: "b" }, { name: "x" }, { name: "y" }], missing(noun, "x", NOTE)],
        [[{ name: "new", create: true }, { name: "x" }], missing(noun, "x", NOTE)],
        [[{ id: "any_none" }], missing(noun, "any_none")],
        // Only a name can be made.
        [[{ id: "any_none", create: true }], missing(noun, "any_none")],
        [[{ id: "any_none", name: "b" }], missing(noun, "any_none")],
        [[{ id: id(noun, "b"), name: "x" }], missing(noun, "x", NOTE)],
        // That of another workspace.
        [[{ id: id(noun, "theirs") }], missing(noun, id(noun, "theirs"))],
        [[{ name: "theirs" }], missing(noun, "theirs", NOTE)],
        [[{ name: "A" }], missing(noun, "A", NOTE)],
        [[{ name: id(noun, "a") }], missing(noun, id(noun, "a"), NOTE)],
      ];
      for (const [items, refusal] of rows) {
        const before = stateOf(emulator);
        expectRefusalOfV1(await change(emulator, operation, items), refusal);
        expect(stateOf(emulator)).toEqual(before);
      }
    },
  );

  test.each(removingInV1)("of %s that does not exist counts for nothing", async (_, operation) => {
    await expectChanges(operation, [
      {
        before: ["a", "b"],
        items: [{ name: "x" }, { id: "any_none" }, { name: "theirs" }, { name: "b" }],
        after: ["a"],
        answer: [],
      },
    ]);
  });
});

describe("in v2, an item", () => {
  const adding: Operation = { version: "v2", verb: "add", noun: "permission" };
  const setting: Operation = { version: "v2", verb: "set", noun: "permission" };

  test("is a permission that is made if it does not exist, also if its name is an id", async () => {
    const names = ["perm_a", "new.one", "a"];
    await expectChanges(adding, [
      {
        before: ["b"],
        items: names,
        after: ["a", "b", "new.one", "perm_a"],
        answer: ["b", "perm_a", "new.one", "a"],
      },
    ]);
    await expectChanges(setting, [
      {
        before: ["b"],
        items: names,
        after: ["a", "new.one", "perm_a"],
        // Existing ones come first.
        answer: ["a", "perm_a", "new.one"],
      },
    ]);
  });

  test.each(only(({ verb, version }) => version === "v2" && verb === "set"))(
    "of %s is not needed: an empty list removes all",
    async (_, operation) => {
      await expectChanges(operation, [{ before: ["a", "b"], items: [], after: [], answer: [] }]);
    },
  );

  test("is added twice without a change, and with the same answer", async () => {
    for (const noun of nouns) {
      const emulator = await givenWorld({ attached: [["b"]] });
      const operation = { ...adding, noun };
      const first = await change(emulator, operation, ["a", "b"]);
      const before = stateOf(emulator);

      const second = await change(emulator, operation, ["a", "b"]);

      expect(second.body.data).toEqual(first.body.data.toSorted(byNameOf));
      expect(attachedIn(emulator, noun)).toEqual(["a", "b"]);
      expect(JSON.stringify(stateOf(emulator)).length).toBe(JSON.stringify(before).length);
    }
  });

  const byNameOf = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  const missing = (noun: Noun, name: string): Refusal => ({
    status: 404,
    type: noun === "role" ? "unkey/data/role_not_found" : "unkey/data/permission_not_found",
    detail: `${noun === "role" ? "Role" : "Permission"} '${name}' was not found.`,
  });
  const refusing = only(
    ({ noun, verb, version }) => version === "v2" && (noun === "role" || verb === "remove"),
  );
  test.each(refusing)(
    "of %s that does not exist is refused, and changes nothing",
    async (_, operation) => {
      const emulator = await givenWorld({ attached: [["a"]] });
      const theirId = `${operation.noun === "role" ? "role" : "perm"}_a`;
      for (const [names, unknown] of [
        [["b", "nope", "other"], "nope"],
        [["theirs"], "theirs"],
        [[theirId], theirId],
        [["A"], "A"],
        [["x".repeat(128)], "x".repeat(128)],
      ] as const) {
        const before = stateOf(emulator);
        const answer = await change(emulator, operation, names);
        expectRefusal(answer, missing(operation.noun, unknown));
        expect(stateOf(emulator)).toEqual(before);
      }
    },
  );
});

const update = "api.*.update_key or api.api_one.update_key";
const rbac = (action: string) => `rbac.*.${action}`;
/** The refusal of v1 with the code that it has where a token may not remove, or not create. */
const mayNot = (action: string): RefusalOfV1 => ({
  status: 403,
  code: "UNAUTHORIZED",
  message: `the token needs ${rbac(action)}`,
});

type Right = [rights: string[], items: Item[], refusal?: RefusalOfV1 | Refusal];
const lacking = (...actions: string[]) => insufficient(actions.map(rbac).join(", and ")).v1;
const lackingV2 = (...actions: string[]) =>
  insufficient([update, ...actions.map(rbac)].join(" and ")).v2;

/** What a token needs if the key has `a`. */
function rightsOf({ noun, verb, version }: Operation): readonly Right[] {
  const add = `add_${noun}_to_key`;
  const remove = `remove_${noun}_from_key`;
  const create = "create_permission";
  const all = [add, remove, create, "create_role"];
  const except = (...actions: string[]) =>
    [...all, "add_role_to_key", "remove_role_from_key"]
      .filter((action) => !actions.includes(action))
      .map(rbac);
  if (version === "v1") {
    const ofApi = ["api.*.update_key", "api.*.create_key", "api.*.read_key"];
    const makeNew = [{ name: "new", create: true }];
    const rows: Record<Verb, readonly Right[]> = {
      add: [
        [[rbac(add)], [{ name: "b" }]],
        [[rbac(add), rbac(create)], makeNew],
        [["*"], makeNew],
        [[], [{ name: "b" }], lacking(add)],
        [[...ofApi, ...except(add)], [{ name: "b" }], lacking(add)],
        [except(create), makeNew, mayNot(create)],
        [[rbac(add)], makeNew, mayNot(create)],
      ],
      remove: [
        [[rbac(remove)], [{ name: "a" }]],
        [["*"], [{ name: "a" }]],
        [[], [{ name: "b" }], lacking(remove)],
        [[...ofApi, ...except(remove)], [{ name: "a" }], lacking(remove)],
      ],
      set: [
        // Only what the change needs.
        [[], [{ name: "a" }]],
        [[rbac(add)], [{ name: "a" }, { name: "b" }]],
        [[rbac(remove)], [{}]],
        [[rbac(remove), rbac(add)], [{ name: "b" }]],
        [
          [rbac(add), rbac(`create_${noun}`)],
          [{ name: "a" }, ...makeNew],
        ],
        [["*"], makeNew],
        [except(remove), [{ name: "b" }], mayNot(remove)],
        [except(add), [{ name: "a" }, { name: "b" }], lacking(add)],
        [
          [rbac(add), rbac(`create_${noun === "role" ? "permission" : "role"}`)],
          [{ name: "a" }, ...makeNew],
          lacking(`create_${noun}`),
        ],
        [[], [{ name: "a" }, ...makeNew], lacking(`create_${noun}`, add)],
        [[], makeNew, mayNot(remove)],
        [[...ofApi], [{ name: "b" }], mayNot(remove)],
      ],
    };
    return rows[verb];
  }
  const demanded = {
    permission: { add: [add], remove: [remove], set: [add, remove] },
    role: { add: [add], remove: [], set: [] },
  }[noun][verb];
  const enough = demanded.map(rbac);
  const refusal = lackingV2(...demanded);
  const isMaking = noun === "permission" && verb !== "remove";
  const mayUpdate = ["api.*.update_key", ...enough];
  const makeNew = ["a", "new"];
  const making: Right[] = [
    [[...mayUpdate, rbac(create)], makeNew],
    [[...mayUpdate, rbac("create_role")], makeNew, insufficient(rbac(create)).v2],
  ];
  return [
    [["api.*.update_key", ...enough], ["a"]],
    [["api.api_one.update_key", ...enough], ["a"]],
    [["*"], ["a"]],
    [[], ["a"], refusal],
    // The names of those that it has are told too.
    [except(), ["a"], refusal],
    [["api.api_two.update_key", ...enough], ["a"], refusal],
    [["unkey:v1:ws_test:keyspaces/*/keys/*#update_key", ...enough], ["a"], refusal],
    ...demanded.map((action): Right => [["api.*.update_key", ...except(action)], ["a"], refusal]),
    ...(isMaking ? making : []),
  ];
}

describe.each(operations)("%s", (_, operation) => {
  const { version } = operation;

  test("may be called with exactly the permissions that it needs", async () => {
    // Refusals first: a call that is allowed makes what others may not make.
    const rows = rightsOf(operation).toSorted((a, b) => b.length - a.length);
    const emulator = await givenWorld({
      attached: rows.map(() => ["a"]),
      rights: rows.map(([rights]) => rights),
    });
    for (const [index, [rights, items, refusal]] of rows.entries()) {
      const options = { token: `limited_${index}`, keyId: `key_${index}` };
      const act = () => change(emulator, operation, items, options);
      if (refusal === undefined) {
        expect((await act()).status, JSON.stringify([rights, items])).toBe(200);
      } else {
        const refusals = { [version]: refusal } as unknown as Refusals;
        await expectNothingLeft(emulator, version, refusals, act);
      }
    }
  });

  test("ignores members that it does not know in v1, and refuses them in v2", async () => {
    const emulator = await givenWorld({ attached: [["a"]] });
    const list = collectionOf[operation.noun];
    const items = version === "v1" ? [{ name: "a", more: 1 }] : ["a"];
    const input = { keyId: "key_0", [list]: items, apiId: "x", create: 1 };

    const answer = await call(emulator, version, named(operation), input);

    if (version === "v1") return expect(answer.status).toBe(200);
    const message = "additional properties 'apiId', 'create' not allowed";
    const errors = [{ location: "/additionalProperties", message }];
    expectRefusal(answer, schemaRefusal(`/v2/keys.${named(operation)}`, errors));
  });
});

describe("the first of several mistakes is reported:", () => {
  const act = (emulator: Emulator, operation: Operation, items: Item[], keyId = "key_0") =>
    change(emulator, operation, items, { token: "limited_0", keyId });

  test.each(ofV1.filter(([, { verb }]) => verb !== "set"))(
    "of %s, the permission, the key, the item",
    async (_, operation) => {
      const { noun, verb } = operation;
      const right = `${verb}_${noun}_${verb === "add" ? "to" : "from"}_key`;
      const poor = await givenWorld();
      const able = await givenWorld({ rights: [[rbac(right)]] });

      expectRefusalOfV1(await act(poor, operation, [{ name: "x" }], "key_none"), lacking(right));
      const unknown = await act(able, operation, [{ name: "x" }], "key_none");
      expectRefusalOfV1(unknown, noKey("key_none").v1);
      if (verb === "remove") return;
      const items = [{ name: "new", create: true }, { name: "x" }];
      expect((await act(able, operation, items)).status).toBe(404);
    },
  );

  test.each(ofV1.filter(([, { verb }]) => verb === "set"))(
    "of %s, the key, the right to remove, the item, the rights to create and to add",
    async (_, operation) => {
      const { noun } = operation;
      const remove = `remove_${noun}_from_key`;
      const items = [{ name: "new", create: true }, { name: "x" }];
      const poor = await givenWorld({ attached: [["a"]] });
      const able = await givenWorld({ attached: [["a"]], rights: [[rbac(remove)]] });

      expectRefusalOfV1(await act(poor, operation, items, "key_none"), noKey("key_none").v1);
      expectRefusalOfV1(await act(poor, operation, items), mayNot(remove));
      expect((await act(able, operation, items)).body.error.message).toContain('"x"');
      expectRefusalOfV1(
        await act(able, operation, items.slice(0, 1)),
        lacking(`create_${noun}`, `add_${noun}_to_key`),
      );
    },
  );

  test.each(only(({ version }) => version === "v2"))(
    "of %s, the schema, the token, the key, the permissions",
    async (_, operation) => {
      const emulator = await givenWorld();
      const items = ["new"];
      const at = (token: string, keyId: string) =>
        change(emulator, operation, items, { token, keyId });

      expect((await at("nobody", "x")).status).toBe(400);
      expect((await at("nobody", "key_none")).status).toBe(401);
      expectRefusal(await at("limited_0", "key_none"), noKey("key_none").v2);
      expect((await at("limited_0", "key_0")).status).toBe(403);
    },
  );

  test.each(ofV1)("of %s, the token, the body, the permission", async (_, operation) => {
    const emulator = await givenWorld();

    expect((await change(emulator, operation, [], { token: "nobody" })).status).toBe(401);
    const { body, status } = await act(emulator, operation, []);
    expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
  });
});

/** Values of members that v1 refuses, and the message. */
function refusedByV1({ noun, verb }: Operation): [members: object, message: string][] {
  const list = collectionOf[noun];
  const items = `${list}: expected an array of ${list}, got`;
  const id = `${list}.0.id: expected a string of at least 3 characters, got`;
  const name = `${list}.0.name: expected a string of at least 1 character, got`;
  const rows: [object, string][] = [
    [{ keyId: undefined }, "keyId: expected a string of at least 1 character, got nothing"],
    [
      { keyId: "" },
      "keyId: expected a string of at least 1 character, got a string of 0 characters",
    ],
    [{ keyId: 5 }, "keyId: expected a string of at least 1 character, got 5"],
    [{ [list]: undefined }, `${items} nothing`],
    [{ [list]: [] }, `${list}: expected an array of ${list}, at least 1, got an array of 0 items`],
    [{ [list]: null }, `${items} null`],
    [{ [list]: { name: "a" } }, `${items} an object`],
    [{ [list]: ["a"] }, `${list}.0: expected an object, got a string of 1 character`],
    [{ [list]: [null] }, `${list}.0: expected an object, got null`],
    [{ [list]: [{ id: "ab" }] }, `${id} a string of 2 characters`],
    [{ [list]: [{ id: null }] }, `${id} null`],
    [{ [list]: [{ name: "" }] }, `${name} a string of 0 characters`],
    [{ [list]: [{ name: 1 }] }, `${name} 1`],
  ];
  if (verb !== "remove") {
    const create = `${list}.0.create: expected true or false, got`;
    rows.push([{ [list]: [{ name: "a", create: "true" }] }, `${create} a string of 4 characters`]);
  }
  if (noun === "permission" && verb !== "add") {
    const slug = `${list}.0.slug: expected a string of at least 1 character, got`;
    rows.push([{ [list]: [{ slug: "" }] }, `${slug} a string of 0 characters`]);
    rows.push([{ [list]: [{ slug: 1 }] }, `${slug} 1`]);
  }
  return rows;
}

const PATTERN = "^[a-zA-Z0-9_:\\-\\.\\*]+$";

/** Values of members that v2 refuses. */
function refusedByV2({ noun, verb }: Operation): Refused[] {
  const list = collectionOf[noun];
  const at = `/properties/${list}`;
  const max = noun === "role" ? 100 : 1000;
  const many = Array.from({ length: max + 1 }, (_, index) => `x${index}`);
  const tooMany: Refused = [
    list,
    many,
    [`${at}/maxItems`, `maxItems: got ${max + 1}, want ${max}`],
  ];
  const unlike = (text: string) =>
    [`${at}/items/pattern`, `'${text}' does not match pattern '${PATTERN}'`] as const;
  const short = [`${at}/items/minLength`, "minLength: got 0, want 1"] as const;
  return [
    ...wrongIds("keyId", 3),
    [list, undefined, ["/required", `missing property '${list}'`]],
    ...(verb === "set"
      ? []
      : [[list, [], [`${at}/minItems`, "minItems: got 0, want 1"]] as Refused]),
    ...(verb === "set" && noun === "permission" ? [] : [tooMany]),
    [list, "a", [`${at}/type`, "got string, want array"]],
    [list, null, [`${at}/type`, "got null, want array"]],
    [list, ["a", 5], [`${at}/items/type`, "got number, want string"]],
    [list, [{ name: "a" }], [`${at}/items/type`, "got object, want string"]],
    [list, ["x".repeat(129)], [`${at}/items/maxLength`, "maxLength: got 129, want 128"]],
    noun === "role" ? [list, [""], short] : [list, [""], short, unlike("")],
    ...(noun === "role"
      ? []
      : ["a b", "a/b", "ä", "a,b"].map((text): Refused => [list, [text], unlike(text)])),
  ];
}

describe.each(operations)("the input of %s", (_, operation) => {
  const { noun, verb, version } = operation;
  const list = collectionOf[noun];

  test("is refused with where and why", async () => {
    const emulator = await givenWorld({ attached: [["a"]] });
    const before = stateOf(emulator);
    const valid = { keyId: "key_0", [list]: asItems(operation, ["a"]) };
    const send = (members: object) =>
      call(emulator, version, named(operation), { ...valid, ...members });

    if (version === "v1") {
      for (const [members, message] of refusedByV1(operation)) {
        expectRefusalOfV1(await send(members), badRequest(message));
      }
    } else {
      const path = `/v2/keys.${named(operation)}`;
      for (const [member, value, ...violations] of refusedByV2(operation)) {
        const refusal = schemaRefusal(path, toErrors(violations));
        expectRefusal(await send({ [member]: value }), refusal);
      }
    }
    expect(stateOf(emulator)).toEqual(before);
  });

  test("is accepted at its bounds", async () => {
    const emulator = await givenWorld();
    const many = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`);
    const longest = noun === "role" ? "é".repeat(128) : `${"x".repeat(120)}:-_.*09Z`;
    const most = noun === "role" ? 100 : verb === "set" ? 1_001 : 1_000;
    for (const name of [...many(most), longest]) await emulator[list].create({ name });
    const accepted =
      version === "v1"
        ? [
            many(1_001).map((name) => ({ name, create: true })),
            [{ name: "é <any> text 🔑", create: true }],
          ]
        : [many(most), [longest]];
    for (const items of accepted) {
      if (version === "v1" && verb === "remove") {
        expect((await change(emulator, operation, [{ id: "abc" }])).status).toBe(200);
      }
      expect((await change(emulator, operation, items)).status).toBe(200);
    }
    const shortest = await change(emulator, operation, accepted[1], { keyId: "k_1" });
    expectRefused(shortest, version, noKey("k_1"));
  });
});

test("a role or permission that v1 makes can be used by any other key, and has an id", async () => {
  const emulator = await givenWorld();
  for (const noun of nouns) {
    for (const verb of ["add", "set"] as const) {
      const name = `new_${verb}`;
      const operation: Operation = { version: "v1", verb, noun };
      await change(emulator, operation, [{ name, create: true }]);

      const made = emulator[collectionOf[noun]].findFirst({ name });
      expect(made?.id).toMatch(noun === "role" ? /^role_/ : /^perm_/);
      const adding: Operation = { version: "v2", verb: "add", noun };
      const { keyId = "" } = (await call(emulator, "v1", "createKey", { apiId: "api_one" })).body;
      const answer = await change(emulator, adding, [name], { keyId });
      expect(answer.body.data).toMatchObject([{ id: made?.id, name }]);
    }
  }
});
