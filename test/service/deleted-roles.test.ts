import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listAll } from "../_emulator.ts";
import { createKeyV2, listAllV2 } from "../_v2.ts";
import { call } from "./_keys.ts";
import { callRoles, givenRoles } from "./_roles.ts";

// What keys show after a role or a permission was deleted, or has another name.

const keyId = "key_one";
const key = "value_one";

/** The roles and permissions of `key_one`, as each operation shows them. */
async function shown(emulator: Emulator) {
  const ofList = (keys: readonly { id?: string; keyId?: unknown }[]) =>
    keys.find((each) => (each.keyId ?? each.id) === keyId);
  const records = {
    "v1 verifyKey": (await call(emulator, "v1", "verifyKey", { key })).body,
    "v2 verifyKey": (await call(emulator, "v2", "verifyKey", { key })).body.data,
    "v1 getKey": (await call(emulator, "v1", "getKey", { keyId })).body,
    "v2 getKey": (await call(emulator, "v2", "getKey", { keyId })).body.data,
    "v1 listKeys": ofList(await listAll(emulator, { apiId: "api_one" })),
    "v2 listKeys": ofList(await listAllV2(emulator, { apiId: "api_one" })),
  };
  return Object.fromEntries(
    Object.entries(records).map(([name, { permissions = [], roles = [] }]) => [
      name,
      { roles: [...roles].toSorted(), permissions: [...permissions].toSorted() },
    ]),
  );
}

/** The same roles and permissions from every operation; getKey of v1 shows only the key's own. */
function everywhere(roles: string[], permissions: string[], namesOfOwn: string[]) {
  const all = { roles, permissions };
  return {
    "v1 verifyKey": all,
    "v2 verifyKey": all,
    "v1 getKey": { roles, permissions: namesOfOwn },
    "v2 getKey": all,
    "v1 listKeys": all,
    "v2 listKeys": all,
  };
}

const before = everywhere(
  ["admin", "guest"],
  ["docs.read", "docs.write", "free"],
  ["Docs", "free"],
);

type Delete = (emulator: Emulator) => unknown;

const deleteRole: Record<string, Delete> = {
  "permissions.deleteRole": (emulator) => callRoles(emulator, "deleteRole", { role: "admin" }),
  "roles.delete": ({ roles }) => roles.delete({ name: "admin" }),
  "roles.deleteMany": ({ roles }) => roles.deleteMany({ name: "admin" }),
};

const deletePermission: Record<string, Delete> = {
  "permissions.deletePermission": (emulator) =>
    callRoles(emulator, "deletePermission", { permission: "docs.read" }),
  "permissions.delete": ({ permissions }) => permissions.delete({ slug: "docs.read" }),
  "permissions.deleteMany": ({ permissions }) => permissions.deleteMany({ id: "perm_1" }),
};

const onlyGuest = everywhere(["guest"], ["docs.read", "free"], ["Docs", "free"]);
const notRead = everywhere(["admin", "guest"], ["docs.write", "free"], ["free"]);

describe.each(Object.entries(deleteRole))("a role that %s deletes", (_, remove) => {
  test("is gone from every key at once, and its permissions stay", async () => {
    const emulator = await givenRoles();
    expect(await shown(emulator)).toEqual(before);

    await remove(emulator);

    expect(await shown(emulator)).toEqual(onlyGuest);
    expect(emulator.keys.get(keyId)).toMatchObject({ roles: ["guest"], updatedAt: 5 });
    expect(emulator.roles.all().map(({ name }) => name)).toEqual(["guest"]);
    expect(emulator.permissions.count()).toBe(3);
  });

  test.each<[string, Delete]>([
    ["permissions.createRole", (emulator) => callRoles(emulator, "createRole", { name: "admin" })],
    ["roles.create", ({ roles }) => roles.create({ name: "admin", permissions: ["docs.write"] })],
    [
      "a key that names it",
      (emulator) => createKey(emulator, { apiId: "api_one", roles: ["admin"] }),
    ],
    ["a fixture", (emulator) => emulator.seed({ roles: [{ name: "admin" }] })],
  ])("is attached to nothing after %s created it again", async (__, create) => {
    const emulator = await givenRoles();
    await remove(emulator);

    await create(emulator);

    expect(emulator.roles.named("admin")?.id).toMatch(/^role_[^1]/);
    expect(await shown(emulator)).toEqual(onlyGuest);
  });
});

describe.each(Object.entries(deletePermission))("a permission that %s deletes", (_, remove) => {
  test("is gone from every key and role at once", async () => {
    const emulator = await givenRoles();
    expect(await shown(emulator)).toEqual(before);

    await remove(emulator);

    expect(await shown(emulator)).toEqual(notRead);
    expect(emulator.keys.get(keyId)).toMatchObject({ permissions: ["free"], updatedAt: 5 });
    expect(emulator.keys.get("key_two")?.permissions).toEqual([]);
    expect(emulator.roles.named("admin")?.permissions).toEqual(["docs.write"]);
    const { body } = await callRoles(emulator, "getRole", { role: "admin" });
    expect(body.data.permissions.map(({ slug }: { slug: string }) => slug)).toEqual(["docs.write"]);
  });

  test.each<[string, Delete]>([
    [
      "permissions.createPermission",
      (emulator) => callRoles(emulator, "createPermission", { name: "Docs", slug: "docs.read" }),
    ],
    ["permissions.create", ({ permissions }) => permissions.create({ name: "docs.read" })],
    [
      "a key that names it",
      (emulator) => createKeyV2(emulator, { apiId: "api_one", permissions: ["docs.read"] }),
    ],
    ["a fixture", (emulator) => emulator.seed({ permissions: ["docs.read"] })],
  ])("is attached to nothing after %s created it again", async (__, create) => {
    const emulator = await givenRoles();
    await remove(emulator);

    await create(emulator);

    expect(emulator.permissions.named("docs.read")?.id).toMatch(/^perm_[^1]/);
    expect(await shown(emulator)).toEqual(notRead);
    expect(emulator.roles.named("admin")?.permissions).toEqual(["docs.write"]);
  });

  test("is no longer granted when a key is verified", async () => {
    const emulator = await givenRoles();
    const verify = () => call(emulator, "v2", "verifyKey", { key, permissions: "docs.read" });
    expect((await verify()).body.data.code).toBe("VALID");

    await remove(emulator);

    expect((await verify()).body.data.code).toBe("INSUFFICIENT_PERMISSIONS");
  });
});

test("roles and permissions that are cleared are gone from every key", async () => {
  const emulator = await givenRoles();

  emulator.roles.clear();
  expect(await shown(emulator)).toEqual(everywhere([], ["docs.read", "free"], ["Docs", "free"]));
  emulator.permissions.clear();

  expect(await shown(emulator)).toEqual(everywhere([], [], []));
});

test("a role keeps its keys when it gets another name", async () => {
  const emulator = await givenRoles();

  await emulator.roles.update({ name: "admin" }, { data: (role) => void (role.name = "chief") });

  const roles = ["chief", "guest"];
  expect(await shown(emulator)).toEqual(
    everywhere(roles, ["docs.read", "docs.write", "free"], ["Docs", "free"]),
  );
});

test("a permission keeps its keys and roles when it gets another slug", async () => {
  const emulator = await givenRoles();

  await emulator.permissions.update(
    { id: "perm_1" },
    { data: (permission) => void (permission.slug = "docs.see") },
  );

  const { roles } = before["v1 getKey"];
  expect(await shown(emulator)).toEqual(
    everywhere(roles, ["docs.see", "docs.write", "free"], ["Docs", "free"]),
  );
  expect(emulator.roles.named("admin")?.permissions).toEqual(["docs.write", "docs.see"]);
});

const asJson = (fixture: Fixture): Fixture => JSON.parse(JSON.stringify(fixture)) as Fixture;

describe("what was created and deleted", () => {
  /** A world in which roles and permissions were created and deleted. */
  async function givenChanges() {
    const emulator = await givenRoles();
    await callRoles(emulator, "createPermission", { name: "Made", slug: "made", description: "d" });
    await callRoles(emulator, "createRole", {
      name: "maker",
      description: "makes",
      permissions: ["made", "free"],
    });
    await callRoles(emulator, "deleteRole", { role: "guest" });
    await callRoles(emulator, "deletePermission", { permission: "docs.read" });
    return emulator;
  }
  const everything = async (emulator: Emulator) => ({
    roles: (await callRoles(emulator, "listRoles", {})).body.data,
    permissions: (await callRoles(emulator, "listPermissions", {})).body.data,
    keys: await shown(emulator),
  });

  test("is in a snapshot, with every member", async () => {
    const emulator = await givenChanges();

    const copy = await givenEmulator({ fixtures: [asJson(emulator.snapshot())] });

    expect(await everything(copy)).toEqual(await everything(emulator));
    expect(asJson(copy.snapshot())).toEqual(asJson(emulator.snapshot()));
  });
});
