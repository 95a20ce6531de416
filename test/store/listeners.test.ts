import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator } from "../_emulator.ts";
import { expectIndexesMatch, givenWorkspace, inside } from "../_workspace.ts";

const fixture: Fixture = {
  workspace: { id: "ws_test" },
  apis: [{ id: "api_one" }],
  roles: [{ name: "admin" }],
  identities: [{ externalId: "ann" }],
  keys: [
    { apiId: "api_one", id: "key_1", name: "one" },
    { apiId: "api_one", id: "key_2", name: "two" },
  ],
};

const kinds = ["apis", "tokens", "permissions", "roles", "identities", "keys"] as const;

/** The events that the listeners got, one line for each. */
interface Heard {
  readonly lines: string[];
  /** Returns the lines, and empties the list. */
  take(): string[];
}

type Collections = Pick<Emulator, (typeof kinds)[number]>;
type Named = { readonly name?: string | undefined; readonly id?: string };

/** Listens to all collections, and marks each event that comes before its change is made. */
function hear(collections: Collections): Heard {
  const lines: string[] = [];
  for (const kind of kinds) {
    const collection = collections[kind] as Collections["keys"];
    const hold = (record: object) => collection.all().includes(record as never);
    const nameOf = (record: Named) =>
      record.name ?? (record as { externalId?: string }).externalId ?? record.id;
    collection.hooks.on("create", ({ data: { record } }) => {
      lines.push(`${kind} + ${nameOf(record)}${hold(record) ? "" : " too early"}`);
    });
    collection.hooks.on("update", ({ data }) => {
      const { nextRecord, nextValue, path, prevRecord, prevValue } = data;
      const isMade = hold(nextRecord) && !hold(prevRecord);
      const valueIn = (record: object) =>
        path.reduce<unknown>(
          (value, name) => (value as Record<PropertyKey, unknown> | undefined)?.[name],
          record,
        );
      expect(prevValue).toEqual(valueIn(prevRecord));
      expect(nextValue).toEqual(valueIn(nextRecord));
      const change = `${JSON.stringify(prevValue)} -> ${JSON.stringify(nextValue)}`;
      lines.push(`${kind} ${path.join(".")}: ${change}${isMade ? "" : " too early"}`);
    });
    collection.hooks.on("delete", ({ data: { deletedRecord } }) => {
      lines.push(`${kind} - ${nameOf(deletedRecord)}${hold(deletedRecord) ? " too early" : ""}`);
    });
  }
  return { lines, take: () => lines.splice(0) };
}

/** The reasons of the unhandled rejections during this work. */
async function unhandledIn(work: () => unknown): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => void reasons.push(reason));
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
  return reasons;
}

test("create events come when the record is in the collection", async () => {
  const workspace = await givenWorkspace();
  const { roles } = workspace;
  const heard = hear(workspace);

  await roles.create({ name: "a" });
  await roles.createMany(2, (index) => ({ name: `many ${index}` }));
  inside(workspace).roles.ensure("b");

  expect(heard.take()).toEqual(["roles + a", "roles + many 0", "roles + many 1", "roles + b"]);
});

test("update events come for each changed member, after the change", async () => {
  const workspace = await givenWorkspace();
  const { keys } = workspace;
  await keys.create({ apiId: "api_a", id: "key_1", name: "old", meta: { plan: "free" } });
  await keys.create({ apiId: "api_a", id: "key_2" });
  const heard = hear(workspace);

  await keys.update({ id: "key_1" }, { data: () => {} });
  expect(heard.take()).toEqual([]);

  const data = (key: { name?: string | undefined; remaining?: number | undefined }) => {
    key.name = "new";
    key.remaining = 5;
  };
  await keys.update({ id: "key_1" }, { data });
  expect(heard.take()).toEqual([
    'keys name: "old" -> "new"',
    "keys updatedAt: undefined -> 0",
    "keys remaining: undefined -> 5",
  ]);

  await keys.updateMany({ apiId: "api_a" }, { data });
  expect(heard.take()).toEqual([
    'keys name: undefined -> "new"',
    "keys updatedAt: undefined -> 0",
    "keys remaining: undefined -> 5",
  ]);

  await keys.update(
    { id: "key_1" },
    {
      data: async (key) => {
        await Promise.resolve();
        key.meta = { plan: "pro" };
        key.roles.push("admin");
      },
    },
  );
  expect(heard.take()).toEqual([
    "roles + admin",
    'keys meta.plan: "free" -> "pro"',
    'keys roles.0: undefined -> "admin"',
  ]);
});

test("a refused createMany emits a delete event for each record that it takes back", async () => {
  const workspace = await givenWorkspace();
  const heard = hear(workspace);

  const attempt = workspace.roles.createMany(2, () => ({ name: "same" }));

  await expect(attempt).rejects.toThrow("is taken");
  expect(heard.take()).toEqual(["roles + same", "roles - same"]);
});

test("a request emits create events for its key and for new roles, permissions and identities", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const heard = hear(emulator);

  const body = { apiId: "api_one", name: "new", externalId: "bob", roles: ["r"] };
  await createKey(emulator, { ...body, permissions: ["p"] });
  await createKey(emulator, { ...body, roles: ["not", 1] });

  expect(heard.take().toSorted()).toEqual([
    "identities + bob",
    "keys + new",
    "permissions + p",
    "roles + r",
  ]);
});

test("reset, restore, seed and reseed replace the records, and emit no events", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const snapshot = emulator.snapshot();
  const heard = hear(emulator);

  await emulator.keys.create({ apiId: "api_one", name: "new" });
  expect(heard.take()).toEqual(["keys + new"]);
  await emulator.reset();
  await emulator.seed({ keys: [{ apiId: "api_one", name: "added" }] });
  await emulator.restore(snapshot);
  await emulator.reseed([{ ...fixture, roles: [] }]);

  expect(heard.take()).toEqual([]);
});

test("workspaces emit create and delete events", async () => {
  const { workspaces } = await givenEmulator({ fixtures: [fixture] });
  const heard: string[] = [];
  workspaces.hooks.on("create", ({ data }) => void heard.push(`+ ${data.record.id}`));
  workspaces.hooks.on("delete", ({ data }) => void heard.push(`- ${data.deletedRecord.id}`));

  await workspaces.create({ id: "ws_two" });
  workspaces.clear();

  expect(heard).toEqual(["+ ws_two", "- ws_test", "- ws_two"]);
});

const broken = new Error("of the listener");

test.each([
  [
    "throws",
    () => {
      throw broken;
    },
  ],
  [
    "rejects",
    async () => {
      await Promise.resolve();
      throw broken;
    },
  ],
])("the error of a listener that %s is unhandled and stops no change", async (_, listener) => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  for (const kind of kinds) emulator[kind].hooks.on("*", listener);
  const { keys, roles } = emulator;

  const reasons = await unhandledIn(async () => {
    await roles.create({ name: "made" });
    await roles.update({ name: "made" }, { data: (role) => void (role.name = "renamed") });
    expect((await createKey(emulator, { apiId: "api_one", name: "new" })).status).toBe(200);
    expect(keys.delete({ id: "key_1" })?.id).toBe("key_1");
    expect(keys.deleteMany({ name: "two" })).toHaveLength(1);
  });

  expect(roles.all().map(({ name }) => name)).toEqual(["admin", "renamed"]);
  expect(keys.all().map(({ name }) => name)).toEqual(["new"]);
  expect(reasons).toEqual(Array.from({ length: 5 }, () => broken));
});

test("a listener cannot change the record of its event", async () => {
  const workspace = await givenWorkspace();
  workspace.keys.hooks.on(
    "create",
    ({ data }) => void Object.assign(data.record, { apiId: "api_b" }),
  );

  const reasons = await unhandledIn(() => workspace.keys.create({ apiId: "api_a" }));

  expect(reasons).toEqual([expect.any(TypeError)]);
  expect(workspace.keys.all().map(({ apiId }) => apiId)).toEqual(["api_a"]);
  expectIndexesMatch(workspace);
});

test("a listener may change the collection that emits the event", async () => {
  const workspace = await givenWorkspace();
  const { keys, roles } = workspace;
  keys.hooks.on("create", ({ data: { record } }) => {
    if (record.ownerId === undefined) {
      void keys.update(record, { data: (draft) => void (draft.ownerId = "ann") });
    }
  });
  keys.hooks.on("delete", ({ data: { deletedRecord } }) => {
    keys.deleteMany({ ownerId: deletedRecord.ownerId });
  });
  roles.hooks.on("update", ({ data: { nextRecord } }) => void roles.delete(nextRecord));

  await keys.createMany(6, (index) => ({
    apiId: "api_a",
    id: `key_${index}`,
    ownerId: index < 2 ? "bob" : undefined,
  }));
  expectIndexesMatch(workspace);
  expect(keys.findMany({ ownerId: "ann" })).toHaveLength(4);

  keys.deleteMany((q) => q.where(({ id }) => id > "key_3"));
  expect(keys.all().map(({ ownerId }) => ownerId)).toEqual(["bob", "bob"]);
  keys.clear();
  expect(keys.count()).toBe(0);
  expectIndexesMatch(workspace);

  await roles.create({ name: "a" });
  await roles.update({ name: "a" }, { data: (role) => void (role.name = "b") });
  expect(roles.count()).toBe(0);
});

test("an update is refused if a listener changes its key meanwhile", async () => {
  const workspace = await givenWorkspace();
  const { keys, roles } = workspace;
  await keys.create({ apiId: "api_a", id: "key_1" });
  const changed: Promise<unknown>[] = [];
  roles.hooks.once("create", () => {
    const data = (key: { ownerId?: string | undefined }) => void (key.ownerId = "ann");
    changed.push(keys.update({ id: "key_1" }, { data }));
  });

  const update = keys.update({ id: "key_1" }, { data: (key) => void (key.roles = ["new"]) });

  await expect(update).rejects.toThrow(
    "the record was deleted, replaced or changed by something else",
  );
  await Promise.all(changed);
  expect(keys.all().map(({ ownerId, roles: names }) => [ownerId, names])).toEqual([["ann", []]]);
  expectIndexesMatch(workspace);
});

test("create is refused if a listener takes its id meanwhile", async () => {
  const workspace = await givenWorkspace();
  const { identities, keys } = workspace;
  const inner: Promise<unknown>[] = [];
  identities.hooks.once("create", () => {
    inner.push(keys.create({ apiId: "api_a", id: "key_1" }));
  });

  const outer = keys.create({ apiId: "api_a", id: "key_1", externalId: "ann" });

  await expect(outer).rejects.toThrow('key: id: "key_1" is taken');
  await Promise.all(inner);
  expect(keys.count()).toBe(1);
  expectIndexesMatch(workspace);
});

test("a create event has the values that create was given", async () => {
  const { keys } = await givenWorkspace();
  const heard: unknown[] = [];
  keys.hooks.on("create", ({ data }) => void heard.push(data.initialValues));

  await keys.create({ apiId: "api_a", name: "CI" });

  expect(heard).toEqual([{ apiId: "api_a", name: "CI" }]);
});
