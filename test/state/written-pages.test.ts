import { expect, test } from "vitest";
import type { Key } from "../../src/state/keys/key.ts";
import type { PublicWorkspace } from "../../src/state/public/workspace.ts";
import {
  expectIndexesMatch,
  givenEmptyWorkspace,
  givenWorkspace,
  inside,
  write,
  writtenPage,
} from "../_workspace.ts";

const ALL = { apiId: "api_a" };

/** 150 keys with identities, roles and permissions, whose pages are all cached as JSON. */
async function givenWrittenPages(): Promise<PublicWorkspace> {
  const workspace = await givenWorkspace();
  await workspace.roles.create({ name: "admin", permissions: ["read"] });
  await workspace.identities.create({ id: "id_ann", externalId: "ann" });
  await workspace.keys.createMany(150, (index) => ({
    apiId: "api_a",
    id: `key_${String(index).padStart(3, "0")}`,
    externalId: index % 3 === 0 ? "ann" : undefined,
    ownerId: index % 3 === 1 ? "bob" : undefined,
    roles: ["admin"],
    permissions: ["own"],
  }));
  expectIndexesMatch(workspace);
  return workspace;
}

const rename = (draft: { name?: string | undefined }) => void (draft.name = "other");

/** Changes that a page of keys shows. */
const seen: Record<string, (workspace: PublicWorkspace) => unknown> = {
  "a key is created": ({ keys }) => keys.create({ apiId: "api_a", id: "key_1000" }),
  "a request creates a key": (workspace) =>
    inside(workspace).keys.issue({ apiId: "api_a", externalId: "ann" }, "v1"),
  "keys are created": ({ keys }) => keys.createMany(3, () => ({ apiId: "api_a" })),
  "a key is updated": ({ keys }) => keys.update({ id: "key_100" }, { data: rename }),
  "a key is deleted": ({ keys }) => keys.delete({ id: "key_100" }),
  "keys are deleted": ({ keys }) => keys.deleteMany({ ownerId: "bob" }),
  "an identity is updated": ({ identities }) =>
    identities.update({ id: "id_ann" }, { data: (draft) => void (draft.externalId = "anna") }),
  "an identity is deleted": ({ identities }) => identities.delete({ id: "id_ann" }),
  "identities are cleared": ({ identities }) => identities.clear(),
  "an identity is replaced": ({ identities }) => {
    identities.clear();
    return identities.create({ id: "id_ann", externalId: "ann again" });
  },
  "a role has other permissions": ({ roles }) =>
    roles.update({ name: "admin" }, { data: (draft) => void (draft.permissions = ["write"]) }),
  "a role has a new name": ({ roles }) => roles.update({ name: "admin" }, { data: rename }),
  "a role is deleted": ({ roles }) => roles.delete({ name: "admin" }),
  "roles are cleared": ({ roles }) => roles.clear(),
  "a permission is deleted": ({ permissions }) => permissions.delete({ slug: "own" }),
  "permissions are cleared": ({ permissions }) => permissions.clear(),
  "a permission of a role is deleted": ({ permissions }) => permissions.delete({ slug: "read" }),
  "a permission of a role has a new slug": ({ permissions }) =>
    permissions.update({ slug: "read" }, { data: (draft) => void (draft.slug = "see") }),
};

test.each(Object.entries(seen))("a page of keys is right at once when %s", async (_, change) => {
  const workspace = await givenWrittenPages();
  const before = writtenPage(workspace, ALL);
  const format = { name: "v1", write: (key: Key) => write(workspace, key) };
  const page = inside(workspace).keys.jsonPage(ALL, undefined, 400, format);

  await change(workspace);

  expect(writtenPage(workspace, ALL)).not.toBe(before);
  expectIndexesMatch(workspace);
  // A page that is being sent to a client does not change.
  const sent = page!.slices.map((slice) => new TextDecoder().decode(slice)).join(",");
  expect(sent).toBe(before);
});

test("a role or permission that is deleted and created again is on no page", async () => {
  const workspace = await givenWrittenPages();
  const { permissions, roles } = workspace;
  await permissions.create({ name: "late" });
  roles.clear();
  permissions.delete({ slug: "own" });
  const before = writtenPage(workspace, ALL);

  await roles.create({ name: "admin" });
  inside(workspace).keys.issue({ apiId: "api_b", roles: ["admin"] }, "v1");
  await permissions.create({ name: "own" });
  await permissions.update({ slug: "late" }, { data: rename });

  expect(writtenPage(workspace, ALL)).toBe(before);
  expectIndexesMatch(workspace);
});

test("a page that is read during a rename is right when the rename fails", async () => {
  for (let pause = 0; pause < 12; pause += 1) {
    const workspace = await givenWorkspace();
    await workspace.keys.create({ apiId: "api_a", roles: ["gone"] });
    workspace.roles.clear();
    await workspace.roles.create({ name: "writer", permissions: ["write"] });

    const renamed = workspace.roles.update((query) => query.where({ name: "writer" }), {
      data: async (draft) => {
        draft.name = "gone";
        for (let tick = 0; tick < 6; tick += 1) await Promise.resolve();
        throw new Error("not this one");
      },
    });
    const failed = expect(renamed).rejects.toThrow();
    for (let tick = 0; tick < pause; tick += 1) await Promise.resolve();
    expectIndexesMatch(workspace);
    await failed;

    expectIndexesMatch(workspace);
  }
});

test("pages of a workspace and of its copies show only their own changes", async () => {
  const origin = await givenWrittenPages();
  const copies = [1, 2].map(() => {
    const copy = givenEmptyWorkspace();
    inside(copy).replace(inside(origin).state());
    expectIndexesMatch(copy);
    return copy;
  });
  for (const [index, { identities, keys, roles }] of copies.entries()) {
    const name = `of copy ${index}`;
    await identities.update({ id: "id_ann" }, { data: (draft) => void (draft.meta = { name }) });
    await roles.update({ name: "admin" }, { data: (draft) => void (draft.permissions = [name]) });
    await keys.update({ id: "key_007" }, { data: (draft) => void (draft.name = name) });
  }

  for (const workspace of [origin, ...copies]) expectIndexesMatch(workspace);
  const texts = [origin, ...copies].map((workspace) => writtenPage(workspace, ALL));
  expect(new Set(texts).size).toBe(3);
});
