import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, type CallOptions } from "../_emulator.ts";
import { expectRefusal, type Refusal } from "../_v2.ts";
import { call, expectResult, stateOf } from "./_keys.ts";
import { noKey } from "./_refusals.ts";

type Noun = "permission" | "role";
type Verb = "add" | "remove" | "set";
const nouns: readonly Noun[] = ["permission", "role"];
const verbs: readonly Verb[] = ["add", "remove", "set"];

/** An operation, like `keys.addRoles`. */
interface Operation {
  readonly verb: Verb;
  readonly noun: Noun;
}
const nameOf = ({ noun, verb }: Operation) => `${verb}${noun === "role" ? "Roles" : "Permissions"}`;
const operations = nouns.flatMap((noun) =>
  verbs.map((verb): [title: string, operation: Operation] => {
    const operation = { verb, noun };
    return [`keys.${nameOf(operation)}`, operation];
  }),
);
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
  return call(emulator, "v2", nameOf(operation), input, options);
}

/** The names of the roles or own permissions of a key, whose time of change stays the same. */
function attachedIn(emulator: Emulator, noun: Noun, keyId = "key_0"): string[] {
  const key = emulator.keys.findFirst({ id: keyId });
  expect(key?.updatedAt).toBe(6);
  return [...(key?.[collectionOf[noun]] ?? [])].toSorted();
}

/** The items with these names as an answer shows them. */
function shownAs(emulator: Emulator, { noun }: Operation, names: readonly string[]) {
  return names.map((name) => {
    const id = emulator[collectionOf[noun]].findFirst({ name })?.id;
    if (noun === "permission") return { id, name, slug: name };
    const byRole = { id: "perm_role", name: "by_role", slug: "by_role" };
    return { id, name, ...(name === "a" && { permissions: [byRole] }) };
  });
}

interface Case {
  readonly before: string[];
  readonly items: string[];
  /** What the key has afterwards, sorted. */
  readonly after: string[];
  /** What the answer shows. */
  readonly answer: string[];
}

/** Changes one key for each case. */
async function expectChanges(operation: Operation, cases: readonly Case[]): Promise<void> {
  const { noun } = operation;
  const emulator = await givenWorld({ attached: cases.map(({ before }) => before) });
  for (const [index, { after, answer, before, items }] of cases.entries()) {
    const keyId = `key_${index}`;

    const reply = await change(emulator, operation, items, { keyId });

    expectResult(reply, "v2", shownAs(emulator, operation, answer));
    expect(attachedIn(emulator, noun, keyId)).toEqual(after);
    const other = noun === "role" ? "permission" : "role";
    expect(attachedIn(emulator, other, keyId)).toEqual(before.toSorted());
  }
}

const byName: Readonly<
  Record<Verb, [had: string, names: string, after: string, order?: string][]>
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
    ["a b", "", ""],
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
  const { noun, verb } = operation;

  test("takes names, and answers with all that the key then has", async () => {
    const cases = byName[verb].map(([had, names, after, order = after]) => ({
      before: words(had),
      items: words(names),
      after: [...after],
      answer: [...order],
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

    await change(emulator, operation, ["b"]);
    if (noun === "permission") await change(emulator, operation, ["by_role"]);

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

    await change(emulator, operation, ["c"]);

    const left = { add: ["a", "c"], set: ["c"], remove: ["a"] }[verb];
    const record = await call(emulator, "v1", "getKey", { keyId: "key_0" });
    expect(record.body[collectionOf[noun]]).toEqual(left);
    expect(emulator[collectionOf[noun]].findFirst({ name: "b" })).toBeUndefined();
  });

  test("reports the schema before the token, the key and the permissions", async () => {
    const emulator = await givenWorld();
    const at = (token: string, keyId: string) =>
      change(emulator, operation, ["new"], { token, keyId });

    expect((await at("nobody", "x")).status).toBe(400);
    expect((await at("nobody", "key_none")).status).toBe(401);
    expectRefusal(await at("limited_0", "key_none"), noKey());
    expect((await at("limited_0", "key_0")).status).toBe(403);
  });
});

test("a permission is created if it does not exist, also if its name is an id", async () => {
  const names = ["perm_a", "new.one", "a"];
  await expectChanges({ verb: "add", noun: "permission" }, [
    {
      before: ["b"],
      items: names,
      after: ["a", "b", "new.one", "perm_a"],
      answer: ["b", "perm_a", "new.one", "a"],
    },
  ]);
  await expectChanges({ verb: "set", noun: "permission" }, [
    {
      before: ["b"],
      items: names,
      after: ["a", "new.one", "perm_a"],
      // Existing ones come first.
      answer: ["a", "perm_a", "new.one"],
    },
  ]);
});

test.each(nouns)("a %s is added twice without a change, and with the same answer", async (noun) => {
  const emulator = await givenWorld({ attached: [["b"]] });
  const operation: Operation = { verb: "add", noun };
  const first = await change(emulator, operation, ["a", "b"]);
  const before = stateOf(emulator);

  const second = await change(emulator, operation, ["a", "b"]);

  const byNameOf = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect(second.body.data).toEqual(first.body.data.toSorted(byNameOf));
  expect(attachedIn(emulator, noun)).toEqual(["a", "b"]);
  expect(JSON.stringify(stateOf(emulator)).length).toBe(JSON.stringify(before).length);
});

const missing = (noun: Noun, name: string): Refusal => ({
  status: 404,
  type: noun === "role" ? "unkey/data/role_not_found" : "unkey/data/permission_not_found",
  detail: `${noun === "role" ? "Role" : "Permission"} '${name}' was not found.`,
});

test.each(operations.filter(([, { noun, verb }]) => noun === "role" || verb === "remove"))(
  "%s refuses an item that does not exist, and changes nothing",
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
