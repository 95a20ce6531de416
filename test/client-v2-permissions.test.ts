import { expect, test } from "vitest";
import { connect2 } from "./_clients.ts";
import { overHttp } from "./_reach.ts";

const fixtures = [{ apis: [{ id: "api_pay" }] }];

test("a permission is created, and is the same by its id and by its slug", async () => {
  const { permissions } = connect2((await overHttp()).url);
  const request = { name: "Read", slug: "documents.read", description: "May read." };

  const { data } = await permissions.createPermission(request);
  const bySlug = await permissions.getPermission({ permission: "documents.read" });
  const byId = await permissions.getPermission({ permission: data.permissionId });

  expect(data.permissionId).toMatch(/^perm_/);
  expect(byId.data).toEqual({ ...request, id: data.permissionId });
  expect(bySlug.data).toEqual(byId.data);
});

test("a role is created with a permission that exists and one that it makes", async () => {
  const { permissions } = connect2((await overHttp()).url);
  const { data: known } = await permissions.createPermission({ name: "Read", slug: "doc.read" });

  const { data } = await permissions.createRole({
    name: "editor",
    description: "Edits.",
    permissions: ["doc.read", "doc.write"],
  });
  const byName = await permissions.getRole({ role: "editor" });
  const byId = await permissions.getRole({ role: data.roleId });

  expect(data.roleId).toMatch(/^role_/);
  expect(byId.data).toEqual({
    id: data.roleId,
    name: "editor",
    description: "Edits.",
    permissions: [
      { id: known.permissionId, name: "Read", slug: "doc.read" },
      { id: expect.stringMatching(/^perm_/), name: "doc.write", slug: "doc.write" },
    ],
  });
  expect(byName.data).toEqual(byId.data);
});

test("a key loses the permission that is deleted, and what the deleted role gave it", async () => {
  const { keys, permissions } = connect2((await overHttp({ fixtures })).url);
  await permissions.createRole({ name: "editor", permissions: ["doc.read", "doc.write"] });
  const { data } = await keys.createKey({
    apiId: "api_pay",
    permissions: ["billing.read", "doc.read"],
    roles: ["editor"],
  });
  const ofKey = async () => {
    const { data: verified } = await keys.verifyKey({ key: data.key });
    return { permissions: verified.permissions, roles: verified.roles };
  };

  const before = await ofKey();
  await permissions.deletePermission({ permission: "doc.read" });
  const without = await ofKey();
  await permissions.deleteRole({ role: "editor" });

  expect(before.permissions?.toSorted()).toEqual(["billing.read", "doc.read", "doc.write"]);
  expect(before.roles).toEqual(["editor"]);
  expect(without.permissions?.toSorted()).toEqual(["billing.read", "doc.write"]);
  expect((await ofKey()).permissions).toEqual(["billing.read"]);
  expect((await permissions.getPermission({ permission: "doc.write" })).data.slug).toBe(
    "doc.write",
  );
});

test("lists of permissions and of roles go on over all pages", async () => {
  const { permissions } = connect2((await overHttp()).url);
  const names = ["a_1", "a_2", "a_3", "b_1", "b_2"];
  for (const name of names) {
    await permissions.createRole({ name, permissions: [`${name}.read`] });
  }

  const slugs: string[][] = [];
  for await (const { result } of await permissions.listPermissions({ limit: 2 })) {
    slugs.push(result.data.map(({ slug }) => slug));
  }
  const roles: string[][] = [];
  for await (const { result } of await permissions.listRoles({ limit: 2, search: "A_" })) {
    roles.push(result.data.map(({ name, permissions: [first] = [] }) => `${name} ${first?.slug}`));
  }

  expect(slugs.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(slugs.flat().toSorted()).toEqual(names.map((name) => `${name}.read`));
  expect(roles.map((page) => page.length)).toEqual([2, 1]);
  expect(roles.flat().toSorted()).toEqual(["a_1 a_1.read", "a_2 a_2.read", "a_3 a_3.read"]);
});
