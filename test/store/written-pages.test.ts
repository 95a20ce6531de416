import type { Query } from "@msw/data";
import { describe, expect, test } from "vitest";
import { Key } from "../../src/store/key.ts";
import type { Identity, Permission, Role } from "../../src/store/records.ts";
import { Outbox } from "../../src/store/changes.ts";
import type { PublicWorkspace } from "../../src/store/public/workspace.ts";
import {
  expectIndexesMatch,
  givenEmptyWorkspace,
  givenWorkspace,
  inside,
  write,
  writtenPage,
} from "../_workspace.ts";

const ALL = { apiId: "api_a" };

/** 300 keys with identities, roles and permissions, whose pages are all cached as JSON. */
async function givenWrittenPages(): Promise<PublicWorkspace> {
  const workspace = await givenWorkspace();
  await workspace.roles.create({ name: "admin", permissions: ["read"] });
  await workspace.identities.create({ id: "id_ann", externalId: "ann" });
  await workspace.keys.createMany(300, (index) => ({
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

function membersOf(id: string) {
  return {
    id,
    apiId: "api_a",
    start: "abc",
    createdAt: 1,
    ratelimits: [],
    roles: [],
    permissions: [],
    enabled: true,
  };
}

function another(id: string): Key {
  return new Key(membersOf(id));
}

type Mutator = (workspace: PublicWorkspace) => unknown;

const spell = { data: (draft: { name?: string | undefined }) => void (draft.name = "other") };
const everyKey: Record<string, Mutator> = {
  create: ({ keys }) => keys.create({ apiId: "api_a", id: "key_1000" }),
  add: (workspace) => inside(workspace).keys.add(membersOf("key_1500")),
  issue: (workspace) => inside(workspace).keys.issue({ apiId: "api_a", externalId: "ann" }),
  createMany: ({ keys }) => keys.createMany(3, () => ({ apiId: "api_a" })),
  addAll: (workspace) => inside(workspace).keys.addAll([another("key_100_1")]),
  update: ({ keys }) => keys.update((query) => query.where({ id: "key_150" }), spell),
  updateMany: ({ keys }) => keys.updateMany((query) => query.where({ ownerId: "bob" }), spell),
  delete: ({ keys }) => keys.delete((query) => query.where({ id: "key_150" })),
  deleteMany: ({ keys }) => keys.deleteMany((query) => query.where({ ownerId: "bob" })),
  clear: ({ keys }) => keys.clear(),
  replace: (workspace) => {
    const { keys } = inside(workspace);
    const { keys: others } = inside(givenEmptyWorkspace());
    others.addAll(keys.all().slice(1));
    keys.replace(others.state(), new Outbox());
  },
};

describe("changes of keys", () => {
  test.each(Object.entries(everyKey))(
    "a page of keys shows the change at once after keys.%s",
    async (_, mutate) => {
      const workspace = await givenWrittenPages();
      const before = writtenPage(workspace, ALL);
      const slices = inside(workspace).keys.jsonPage(ALL, undefined, 400, {
        name: "v1",
        write: (key) => write(workspace, key),
      });

      await mutate(workspace);

      expect(writtenPage(workspace, ALL)).not.toBe(before);
      expectIndexesMatch(workspace);
      // A page that is being sent to a client does not change.
      const sent = slices!.slices.map((slice) => new TextDecoder().decode(slice)).join(",");
      expect(sent).toBe(before);
    },
  );
});

const admin = (query: Query<Role>) => query.where({ name: "admin" });
const ann = (query: Query<Identity>) => query.where({ externalId: "ann" });
const own = (query: Query<Permission>) => query.where({ name: "own" });
const others: Record<string, { readonly given?: Mutator; readonly mutate: Mutator }> = {
  "an identity is updated": {
    mutate: (workspace) =>
      workspace.identities.update(ann, {
        data: (draft) => void (draft.externalId = "anna"),
      }),
  },
  "identities are updated": {
    mutate: ({ identities }) =>
      identities.updateMany((query) => query.where(() => true), {
        data: (draft) => void (draft.meta = { plan: "pro" }),
      }),
  },
  "an identity is deleted": {
    mutate: (workspace) => workspace.identities.delete(ann),
  },
  "identities are deleted": {
    mutate: ({ identities }) => identities.deleteMany((query) => query.where(() => true)),
  },
  "identities are cleared": { mutate: ({ identities }) => identities.clear() },
  "a deleted identity is created again": {
    given: ({ identities }) => identities.clear(),
    mutate: ({ identities }) => identities.create({ id: "id_ann", externalId: "ann again" }),
  },
  "a role is updated": {
    mutate: (workspace) =>
      workspace.roles.update(admin, {
        data: (draft) => void (draft.permissions = ["read", "write"]),
      }),
  },
  "a role is deleted": { mutate: (workspace) => workspace.roles.delete(admin) },
  "roles are cleared": { mutate: ({ roles }) => roles.clear() },
  "a role has a new name": {
    mutate: (workspace) =>
      workspace.roles.update(admin, { data: (draft) => void (draft.name = "chief") }),
  },
  "a permission is deleted": {
    mutate: (workspace) => workspace.permissions.delete(own),
  },
  "permissions are cleared": { mutate: ({ permissions }) => permissions.clear() },
  "a permission of a role is deleted": {
    mutate: ({ permissions }) => permissions.delete((query) => query.where({ slug: "read" })),
  },
  "a permission of a role has a new slug": {
    mutate: ({ permissions }) =>
      permissions.update((query) => query.where({ slug: "read" }), {
        data: (draft) => void (draft.slug = "see"),
      }),
  },
};

const silent: Record<string, Mutator> = {
  "a deleted role is created again": ({ roles }) => roles.create({ name: "admin" }),
  "a deleted role is created again with a key": (workspace) =>
    inside(workspace).keys.issue({ apiId: "api_b", roles: ["admin"] }),
  "a deleted permission is created again": ({ permissions }) => permissions.create({ name: "own" }),
  "a permission has a new name": ({ permissions }) =>
    permissions.updateMany((query) => query.where({ slug: "late" }), {
      data: (draft) => void (draft.name = "Late"),
    }),
};

test.each(Object.entries(silent))("a page of keys stays the same when %s", async (_, mutate) => {
  const workspace = await givenWrittenPages();
  await workspace.permissions.create({ name: "late" });
  workspace.roles.clear();
  workspace.permissions.delete(own);
  const before = writtenPage(workspace, ALL);

  await mutate(workspace);

  expect(writtenPage(workspace, ALL)).toBe(before);
  expectIndexesMatch(workspace);
});

describe("changes of other records", () => {
  test.each(Object.entries(others))(
    "a page of keys shows at once that %s",
    async (_, { given = () => {}, mutate }) => {
      const workspace = await givenWrittenPages();
      await given(workspace);
      expectIndexesMatch(workspace);
      const before = writtenPage(workspace, ALL);

      await mutate(workspace);

      expect(writtenPage(workspace, ALL)).not.toBe(before);
      expectIndexesMatch(workspace);
    },
  );
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
    inside(copy).replace(inside(origin).state(), new Outbox());
    expectIndexesMatch(copy);
    return copy;
  });
  for (const [index, copy] of copies.entries()) {
    await copy.identities.update(ann, {
      data: (draft) => void (draft.meta = { copy: index }),
    });
    await copy.roles.update(admin, {
      data: (draft) => void (draft.permissions = [`of copy ${index}`]),
    });
    await copy.keys.update((query) => query.where({ id: "key_007" }), {
      data: (draft) => void (draft.name = `of copy ${index}`),
    });
  }

  for (const workspace of [origin, ...copies]) expectIndexesMatch(workspace);
  const texts = [origin, ...copies].map((workspace) => writtenPage(workspace, ALL));
  expect(new Set(texts).size).toBe(3);
});
