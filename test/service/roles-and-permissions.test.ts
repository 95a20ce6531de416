import { describe, expect, test } from "vitest";
import { givenEmulator, post } from "../_emulator.ts";
import { expectRefusal, listAllV2, schemaRefusal, type Refusal } from "../_v2.ts";
import { expectResult, stateOf } from "./_keys.ts";
import {
  ADMIN,
  callRoles,
  DOCS_READ,
  DOCS_WRITE,
  FREE,
  givenRoles,
  GUEST,
  missing,
  taken,
  unknown,
} from "./_roles.ts";

const DOCS_NAMED = { ...DOCS_READ, name: "N" };
const DOCS_LOUD = { ...DOCS_READ, slug: "DOCS.READ" };
const { permissions: _, ...ADMIN_ALONE } = ADMIN;
const long = (length: number) => "x".repeat(length);

type Case = readonly [name: string, input: object, data: unknown];

/** Calls that are answered with 200. */
const answered: Case[] = [
  [
    "createPermission",
    { name: "New", slug: "a.b", description: "d" },
    { permissionId: expect.stringMatching(/^perm_[1-9A-HJ-NP-Za-km-z]{16}$/) },
  ],
  ...["a.b", "a-b", "a:b", "a*", "A_1", "*", "x", long(128)].map((slug): Case => [
    "createPermission",
    { name: "New", slug },
    { permissionId: expect.stringMatching(/^perm_/) },
  ]),
  ...["x", long(512), "\u{1f511}".repeat(512), "Docs"].map((name): Case => [
    "createPermission",
    { name, slug: "new", description: long(512) },
    { permissionId: expect.stringMatching(/^perm_/) },
  ]),
  ["createPermission", { name: "Read", slug: "DOCS.READ" }, { permissionId: expect.any(String) }],
  ["getPermission", { permission: "perm_1" }, DOCS_READ],
  ["getPermission", { permission: "docs.read" }, DOCS_READ],
  ["getPermission", { permission: "perm_2" }, DOCS_WRITE],
  ["getPermission", { permission: "free" }, FREE],
  ["deletePermission", { permission: "perm_1" }, {}],
  ["deletePermission", { permission: "docs.read" }, {}],
  [
    "createRole",
    { name: "new" },
    { roleId: expect.stringMatching(/^role_[1-9A-HJ-NP-Za-km-z]{16}$/) },
  ],
  ...["x", long(128), "With blanks, \u{1f511} and 'quotes'", "ADMIN", "*"].map((name): Case => [
    "createRole",
    { name, description: long(512), permissions: [] },
    { roleId: expect.stringMatching(/^role_/) },
  ]),
  ["getRole", { role: "role_1" }, ADMIN],
  ["getRole", { role: "admin" }, ADMIN],
  ["getRole", { role: "role_2" }, GUEST],
  ["updatePermission", { permission: "perm_1" }, DOCS_READ],
  ["updatePermission", { permission: "free", description: "d" }, { ...FREE, description: "d" }],
  ["updatePermission", { permission: "perm_1", slug: "docs.read", name: "N" }, DOCS_NAMED],
  ["updatePermission", { permission: "perm_1", slug: "DOCS.READ" }, DOCS_LOUD],
  ["updateRole", { role: "admin" }, ADMIN_ALONE],
  ["updateRole", { role: "role_2", name: "guest" }, GUEST],
  [
    "updateRole",
    { role: "guest", name: "New", description: "d" },
    { ...GUEST, description: "d", name: "New" },
  ],
  ...[null, ""].map((description): Case => [
    "updateRole",
    { role: "admin", description },
    { id: "role_1", name: "admin" },
  ]),
  ["setRolePermissions", { role: "admin", permissions: [] }, []],
  [
    "setRolePermissions",
    { roleId: "role_2", permissions: ["free", "docs.read"] },
    [DOCS_READ, FREE],
  ],
  ["setRolePermissions", { role: "guest", permissions: ["FREE", "free", "Free"] }, [FREE]],
  [
    "setRolePermissions",
    { role: "guest", permissions: ["new.b", "NEW.B", "a"] },
    ["a", "new.b"].map((slug) => ({ id: expect.stringMatching(/^perm_/), name: slug, slug })),
  ],
  ["deleteRole", { role: "role_1" }, {}],
  ["deleteRole", { role: "admin" }, {}],
];

test.each(answered)("permissions.%s answers 200: row %#", async (name, input, data) => {
  const emulator = await givenRoles();

  const answer = await callRoles(emulator, name, input);

  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body).toEqual({ meta: expect.any(Object), data });
  const { meta, data: received } = answer.body;
  const inOrder = (record: object) => Object.fromEntries(Object.entries(record).toSorted());
  const sorted = Array.isArray(received) ? received.map(inOrder) : inOrder(received);
  expect(JSON.stringify(answer.body)).toBe(JSON.stringify({ data: sorted, meta }));
});

/** Calls that are refused, with the permissions of the token. */
const refused: [name: string, input: object, permissions: string[], Refusal][] = [
  ["createPermission", { name: "New", slug: "docs.read" }, ["*"], taken.permission("docs.read")],
  ["createPermission", { name: "New", slug: "free" }, ["*"], taken.permission("free")],
  ["getPermission", { permission: "docs" }, ["*"], unknown.permission],
  ["getPermission", { permission: "Docs" }, ["*"], unknown.permission],
  ["getPermission", { permission: "DOCS.READ" }, ["*"], unknown.permission],
  ["getPermission", { permission: "perm_other" }, ["*"], unknown.permission],
  ["getPermission", { permission: "other.read" }, ["*"], unknown.permission],
  ["getPermission", { permission: "role_1" }, ["*"], unknown.permission],
  ["deletePermission", { permission: "perm_other" }, ["*"], unknown.permission],
  ["createRole", { name: "admin" }, ["*"], taken.role("admin")],
  ["createRole", { name: "admin", permissions: ["made"] }, ["*"], taken.role("admin")],
  // The name of a permission is not its slug.
  [
    "createRole",
    { name: "new", permissions: ["Docs"] },
    ["rbac.*.create_role", "rbac.*.add_permission_to_role"],
    missing("create_permission", "permissions/*#write"),
  ],
  ["getRole", { role: "ADMIN" }, ["*"], unknown.role],
  ["getRole", { role: "role_other" }, ["*"], unknown.role],
  ["getRole", { role: "other" }, ["*"], unknown.role],
  ["getRole", { role: "perm_1" }, ["*"], unknown.role],
  ["updatePermission", { permission: "none" }, ["*"], unknown.permission],
  ["updatePermission", { permission: "other.read", slug: "x" }, ["*"], unknown.permission],
  [
    "updatePermission",
    { permission: "perm_1", slug: "free" },
    ["*"],
    taken.permission("free", "."),
  ],
  ["updateRole", { role: "none", name: "x" }, ["*"], unknown.role],
  ["updateRole", { role: "role_1", name: "guest" }, ["*"], taken.role("guest", ".")],
  ["updateRole", { role: "role_1", name: "x" }, ["rbac.*.update_role"], unknown.role],
  ["setRolePermissions", { role: "none", permissions: [] }, [], unknown.role],
  ["deleteRole", { role: "role_other" }, ["*"], unknown.role],
];

test.each(refused)(
  "permissions.%s refuses what does not exist, or exists already: row %#",
  async (name, input, permissions, refusal) => {
    const emulator = await givenRoles(permissions);
    const before = stateOf(emulator);

    const answer = await callRoles(emulator, name, input, { token: "limited_0" });

    expectRefusal(answer, refusal);
    expect(stateOf(emulator)).toBe(before);
  },
);

/** The least permissions that a call needs for the permissions that it names. */
const allowed: [name: string, input: object, ...actions: string[]][] = [
  ["createRole", { name: "new", permissions: [] }, "create_role"],
  ["createRole", { name: "new", permissions: ["free"] }, "create_role", "add_permission_to_role"],
];

test.each(allowed)(
  "permissions.%s needs only its permissions: row %#",
  async (name, input, ...actions) => {
    const emulator = await givenRoles(actions.map((action) => `rbac.*.${action}`));

    expect((await callRoles(emulator, name, input, { token: "limited_0" })).status).toBe(200);
  },
);

describe("permissions.createPermission", () => {
  test("creates a permission that can be read and given at once", async () => {
    const emulator = await givenRoles();

    const { body } = await callRoles(emulator, "createPermission", {
      name: "Docs",
      slug: "docs.list",
      description: "",
    });

    const { permissionId: id } = body.data;
    const got = await callRoles(emulator, "getPermission", { permission: "docs.list" });
    expectResult(got, "v2", { id, name: "Docs", slug: "docs.list" });
    expect(emulator.permissions.named("docs.list")?.id).toBe(id);
    expect(emulator.permissions.count()).toBe(4);
  });
});

describe("permissions.createRole", () => {
  test("attaches existing permissions, and creates the others once", async () => {
    const emulator = await givenRoles();

    const { body } = await callRoles(emulator, "createRole", {
      name: "new",
      description: "of tests",
      permissions: ["free", "made", "free", "made"],
    });

    const got = await callRoles(emulator, "getRole", { role: body.data.roleId });
    const made = emulator.permissions.named("made");
    expectResult(got, "v2", {
      description: "of tests",
      id: body.data.roleId,
      name: "new",
      permissions: [FREE, { id: made?.id, name: "made", slug: "made" }],
    });
    expect(emulator.permissions.count()).toBe(4);
  });
});

test.each([
  ["updatePermission", { permission: "docs.read", slug: "docs.new" }, ["docs.write", "docs.new"]],
  ["updateRole", { role: "admin", name: "boss" }, ["docs.write", "docs.read"]],
  ["setRolePermissions", { role: "admin", permissions: ["x"] }, ["x"]],
])("keys follow permissions.%s with %j", async (name, input, ofRole) => {
  const emulator = await givenRoles();
  const list = () => listAllV2(emulator, { apiId: "api_one" });
  const [before] = await list();

  await callRoles(emulator, name, input);

  const own = ["free", name === "updatePermission" ? "docs.new" : "docs.read"];
  const roles = ["guest", name === "updateRole" ? "boss" : "admin"];
  const [after] = await list();
  expect(after).toEqual({ ...before, roles, permissions: [...new Set([...own, ...ofRole])] });
  const { body } = await post(emulator, "/v2/keys.verifyKey", { key: "value_one" });
  expect(body.data).toMatchObject({ roles, permissions: after?.["permissions"] });
});

test("keys verify with a role and a permission while they are renamed, and afterwards", async () => {
  const count = 20_000;
  const keys = Array.from({ length: count }, (_, index) => ({
    id: `key_${index}`,
    apiId: "api_one",
    key: `value_of_${index}`,
    roles: ["admin"],
    permissions: ["own"],
  }));
  const emulator = await givenEmulator({
    fixtures: [
      { apis: [{ id: "api_one" }], roles: [{ name: "admin", permissions: ["of.role"] }], keys },
    ],
  });
  const verify = async (index: number) => {
    const key = `value_of_${index}`;
    const { body } = await post(emulator, "/v2/keys.verifyKey", { key, permissions: "of.role" });
    return body.data;
  };
  await verify(0);
  const changes = [
    callRoles(emulator, "updateRole", { role: "admin", name: "boss" }),
    callRoles(emulator, "updatePermission", { permission: "own", slug: "mine" }),
  ];
  let isDone = false;
  const all = Promise.all(changes).finally(() => (isDone = true));
  let seen = 0;
  for (; !isDone; seen += 1) {
    for (const index of [0, count / 2, count - 1]) {
      const { code, permissions, roles } = await verify(index);
      expect(code).toBe("VALID");
      expect(["admin", "boss"]).toContain(roles.join());
      expect(["own,of.role", "mine,of.role"]).toContain(permissions.join());
    }
    expect((await callRoles(emulator, "createRole", { name: "boss" })).status).toBe(409);
    await new Promise((resolve) => void setTimeout(resolve));
  }

  expect((await all).map(({ status }) => status)).toEqual([200, 200]);
  expect(seen).toBeGreaterThan(1);
  const renamed = emulator.keys.all().map(({ permissions, roles }) => [...roles, ...permissions]);
  expect(new Set(renamed.map(String))).toEqual(new Set(["boss,mine"]));
  expect(emulator.roles.all().map(({ name }) => name)).toEqual(["boss"]);
});

test.each([
  [{ permissions: [] }, "/required", "missing property 'roleId'"],
  [
    { role: "admin", roleId: "role_1", permissions: [] },
    "/oneOf",
    "oneOf failed, subschemas 0, 1 matched",
  ],
])("permissions.setRolePermissions refuses %j", async (input, location, message) => {
  const emulator = await givenRoles();

  const answer = await callRoles(emulator, "setRolePermissions", input);

  const path = "/v2/permissions.setRolePermissions";
  expectRefusal(answer, schemaRefusal(path, [{ location, message }]));
});

describe("lists", () => {
  const searches: [name: string, search: string, found: string[]][] = [
    ["listPermissions", "", ["perm_1", "perm_2", "perm_3"]],
    ["listPermissions", "  ", ["perm_1", "perm_2", "perm_3"]],
    ["listPermissions", "docs", ["perm_1", "perm_2"]],
    ["listPermissions", " DOCS.w ", ["perm_2"]],
    ["listPermissions", "EVERY PAGE", ["perm_1"]],
    ["listPermissions", "erm_3", ["perm_3"]],
    ["listPermissions", "%", []],
    ["listPermissions", "_", ["perm_1", "perm_2", "perm_3"]],
    ["listPermissions", "admin", []],
    ["listRoles", "ADM", ["role_1"]],
    ["listRoles", "100%", ["role_1"]],
    ["listRoles", "role_", ["role_1", "role_2"]],
    // Roles are not searched by their permissions.
    ["listRoles", "docs", []],
    ["listRoles", "other", []],
  ];

  test.each(searches)("permissions.%s finds for %j %j", async (name, search, found) => {
    const emulator = await givenRoles();

    const { body } = await callRoles(emulator, name, { search });

    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(found);
    expect(body.pagination).toEqual({ hasMore: false });
  });

  test.each([
    ["listPermissions", [DOCS_READ, DOCS_WRITE, FREE]],
    ["listRoles", [ADMIN, GUEST]],
  ])("permissions.%s shows whole records", async (name, records) => {
    const emulator = await givenRoles();

    const { body } = await callRoles(emulator, name, {});

    expect(JSON.stringify(body.data)).toBe(JSON.stringify(records));
  });

  test("a cursor may be any text, and begins with the first id from there on", async () => {
    const emulator = await givenRoles();

    const { body } = await callRoles(emulator, "listPermissions", { cursor: "perm_10" });

    expect(body.data).toEqual([DOCS_WRITE, FREE]);
  });
});
