import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../../src/index.ts";
import type { Workspace } from "../../src/store/workspace.ts";
import { APIS, expectIndexesMatch, givenWorkspace, OWNERS } from "../_workspace.ts";

const place = fc.nat(1_000);
const owner = fc.constantFrom(...OWNERS);
const api = fc.constantFrom(...APIS);
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("create" as const), api, owner, place }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("createMany" as const), api, owner, place }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("update" as const), api, owner, place }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("updateMany" as const), api, owner, place }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), api, owner, place }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("deleteMany" as const), api, owner, place }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const), api, owner, place }) },
);
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

async function run({ keys }: Workspace, { kind, api: apiId, owner: ownerId, place: n }: Command) {
  const all = keys.all();
  const some = all[n % Math.max(1, all.length)];
  switch (kind) {
    case "create":
      // Half of them bring an id, so that they go anywhere in the order.
      return keys.create({ apiId, ownerId, ...(n % 2 ? { id: `key_${n}` } : {}) });
    case "createMany":
      return keys.createMany(3, (index) => ({ apiId, ownerId, id: `key_m${n}_${index}` }));
    case "update":
      return (
        some &&
        keys.update(some, { data: (draft) => void Object.assign(draft, { apiId, ownerId }) })
      );
    case "updateMany":
      return keys.updateMany((query) => query.where({ apiId }), {
        data: async (draft) => {
          await Promise.resolve();
          draft.ownerId = ownerId;
        },
      });
    case "delete":
      return some && keys.delete(some);
    case "deleteMany":
      return keys.deleteMany((query) => query.where((key) => key.ownerId === ownerId));
    case "clear":
      return n % 5 === 0 ? keys.clear() : undefined;
  }
}

/** What the commands may be refused for: an id that is taken, a record that is gone. */
function isRefusal(error: unknown): boolean {
  return error instanceof UsageError;
}

test("pages, counts and lookups match the collection after every mutator", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      const workspace = await givenWorkspace();
      for (const each of commands) {
        await run(workspace, each).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
        });
      }
      expectIndexesMatch(workspace);
    }),
    { numRuns: 150 },
  );
});

test("they match as well when nobody waits for the mutators", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(command, fc.nat(4)), { maxLength: 60 }),
      async (commands) => {
        const workspace = await givenWorkspace();
        const results: Promise<unknown>[] = [];
        for (const [each, pause] of commands) {
          results.push(run(workspace, each));
          for (let tick = 0; tick < pause; tick += 1) await Promise.resolve();
        }
        for (const result of await Promise.allSettled(results)) {
          if (result.status === "rejected" && !isRefusal(result.reason)) throw result.reason;
        }
        expectIndexesMatch(workspace);
      },
    ),
    { numRuns: 300 },
  );
});

test("a key is found by the indexes within the call that creates it", async () => {
  const { keys } = await givenWorkspace();

  const created = keys.create({ apiId: "api_a", id: "key_1" });

  expect(keys.page({ apiId: "api_a" }, undefined, 10).map(({ id }) => id)).toEqual(["key_1"]);
  await created;
});

test("an id can be given again while the clearing of its first key is under way", async () => {
  const workspace = await givenWorkspace();

  const first = workspace.keys.create({ apiId: "api_a", id: "key_1", name: "first" });
  workspace.keys.clear();
  const second = workspace.keys.create({ apiId: "api_a", id: "key_1", name: "second" });
  await Promise.all([first, second]);

  expect(workspace.keys.all().map(({ name }) => name)).toEqual(["second"]);
  expectIndexesMatch(workspace);
});

test("updates of one key at the same time are all made", async () => {
  const { keys } = await givenWorkspace();
  const key = await keys.create({ apiId: "api_a", id: "key_1" });

  await Promise.all([
    keys.update(key, { data: (draft) => void (draft.name = "new") }),
    keys.update(key, {
      data: async (draft) => void (draft.enabled = await Promise.resolve(false)),
    }),
    keys.update(key, { data: (draft) => void (draft.remaining = 3) }),
  ]);

  expect(keys.get("key_1")).toMatchObject({ name: "new", enabled: false, remaining: 3 });
});

test("a name is given once, whatever happens at the same time", async () => {
  for (let pause = 0; pause < 12; pause += 1) {
    const { keys, roles } = await givenWorkspace();
    const [one, two] = [await roles.create({ name: "one" }), await roles.create({ name: "two" })];
    const rename = (role: typeof one) =>
      roles.update(role, { data: (draft) => void (draft.name = "same") });

    const work: Promise<unknown>[] = [rename(one)];
    for (let tick = 0; tick < pause; tick += 1) await Promise.resolve();
    work.push(rename(two), keys.create({ apiId: "api_a", roles: ["same"] }));
    await Promise.allSettled(work);

    expect(roles.all().filter(({ name }) => name === "same")).toHaveLength(1);
    expect(roles.named("same")).toBe(roles.all().find(({ name }) => name === "same"));
  }
});

test("ten thousand keys are deleted at once", async () => {
  const workspace = await givenWorkspace();
  await workspace.keys.createMany(10_000, (index) => ({
    apiId: "api_a",
    ownerId: index % 2 ? "ann" : "bob",
  }));

  const deleted = workspace.keys.deleteMany((query) => query.where({ ownerId: "ann" }));

  expect(deleted).toHaveLength(5_000);
  expectIndexesMatch(workspace);
});

test("a name that an update did not take after all is free again", async () => {
  const { roles } = await givenWorkspace();
  const role = await roles.create({ name: "mine" });
  roles.hooks.on("update", () => {
    throw new Error("not this one");
  });

  await expect(
    roles.update(role, { data: (draft) => void (draft.name = "other") }),
  ).rejects.toThrow("not this one");

  expect(roles.named("other")).toBeUndefined();
  expect((await roles.create({ name: "other" })).name).toBe("other");
});

test("createMany adds all keys or none", async () => {
  const workspace = await givenWorkspace();
  const ids = ["key_1", "key_2", "key_1"];

  await expect(
    workspace.keys.createMany(3, (index) => ({ apiId: "api_a", id: ids[index] })),
  ).rejects.toThrow('key: id: "key_1" is taken');

  expect(workspace.keys.count()).toBe(0);
  expectIndexesMatch(workspace);
});

test.each([
  ["deleted", false],
  ["replaced", true],
])("a key that is %s while it is updated keeps its values to itself", async (_, isReplaced) => {
  const workspace = await givenWorkspace();
  const { keys } = workspace;
  const key = await keys.create({ apiId: "api_a", id: "key_1" });

  const update = keys.update(key, {
    data: async (draft) => {
      draft.plaintext = "pay_secret";
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  });
  await Promise.resolve();
  keys.delete(key);
  if (isReplaced) await keys.create({ apiId: "api_a", id: "key_1", name: "second" });

  await expect(update).rejects.toThrow("key: it was deleted while it was being updated");
  expect(keys.get("key_1")?.name).toBe(isReplaced ? "second" : undefined);
  expectIndexesMatch(workspace);
});

test("a key can be deleted as soon as the indexes know it", async () => {
  const workspace = await givenWorkspace();
  const { keys } = workspace;
  const created = keys.create({ apiId: "api_a", id: "key_1" });
  const key = keys.get("key_1");

  const deleted = keys.delete(key as Awaited<typeof created>);
  await created;

  expect(deleted).toBe(key);
  expect(keys.count()).toBe(0);
  expectIndexesMatch(workspace);
});
