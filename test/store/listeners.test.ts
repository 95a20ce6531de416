import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator } from "../_emulator.ts";
import { expectIndexesMatch, givenWorkspace } from "../_workspace.ts";

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

/** What differs between what a collection held and holds, as listeners are told. */
interface Heard {
  readonly lines: string[];
  /** Forgets what was heard, and returns it. */
  take(): string[];
}

type Collections = Pick<Emulator, (typeof kinds)[number]>;
type Named = { readonly name?: string | undefined; readonly id?: string };

/** Hears of everything, and finds fault with a change that is told before it is made. */
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
      const [member] = path;
      expect(path).toHaveLength(1);
      expect(prevValue).toEqual(prevRecord[member as "name"]);
      expect(nextValue).toEqual(nextRecord[member as "name"]);
      const change = `${JSON.stringify(prevValue)} -> ${JSON.stringify(nextValue)}`;
      lines.push(`${kind} ${String(member)}: ${change}${isMade ? "" : " too early"}`);
    });
    collection.hooks.on("delete", ({ data: { deletedRecord } }) => {
      lines.push(`${kind} - ${nameOf(deletedRecord)}${hold(deletedRecord) ? " too early" : ""}`);
    });
  }
  return { lines, take: () => lines.splice(0) };
}

/** The reasons of what was rejected, and handled by nobody, while this work was done. */
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

test("listeners hear of a record that is created when it is in the collection", async () => {
  const { roles, ...rest } = await givenWorkspace();
  const heard = hear({ roles, ...rest });

  await roles.create({ name: "a" });
  await roles.createMany(2, (index) => ({ name: `many ${index}` }));
  roles.ensure("b");

  expect(heard.take()).toEqual(["roles + a", "roles + many 0", "roles + many 1", "roles + b"]);
});

test("listeners hear of each member that an update has changed, when it is changed", async () => {
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
    'keys meta: {"plan":"free"} -> {"plan":"pro"}',
    'keys roles: [] -> ["admin"]',
  ]);
});

test("listeners hear of a record that is deleted when it is out of the collection", async () => {
  const workspace = await givenWorkspace();
  const { keys } = workspace;
  await keys.createMany(6, (index) => ({ apiId: "api_a", id: `key_${index}` }));
  const heard = hear(workspace);

  keys.delete({ id: "key_0" });
  expect(heard.take()).toEqual(["keys - key_0"]);
  keys.deleteMany((q) => q.where(({ id }) => id < "key_3"));
  expect(heard.take()).toEqual(["keys - key_1", "keys - key_2"]);
  keys.clear();
  expect(heard.take()).toEqual(["keys - key_3", "keys - key_4", "keys - key_5"]);
  keys.delete({ id: "key_0" });
  expect(heard.take()).toEqual([]);
});

test("a listener for everything hears of every change", async () => {
  const { roles } = await givenWorkspace();
  const heard: string[] = [];
  roles.hooks.on("*", ({ type }) => void heard.push(type));

  const role = await roles.create({ name: "a" });
  await roles.update(role, { data: (draft) => void (draft.name = "b") });
  roles.clear();

  expect(heard).toEqual(["create", "update", "delete"]);
});

test("records that are refused are told as created, and as deleted again", async () => {
  const workspace = await givenWorkspace();
  const heard = hear(workspace);

  const attempt = workspace.roles.createMany(2, () => ({ name: "same" }));

  await expect(attempt).rejects.toThrow("is taken");
  expect(heard.take()).toEqual(["roles + same", "roles - same"]);
});

test("listeners hear of a key that a request creates, and of all that it is the first to name", async () => {
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

test("a reset is told as what differs from the start", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  await createKey(emulator, { apiId: "api_one", name: "new", externalId: "bob" });
  await emulator.keys.update({ id: "key_1" }, { data: (key) => void (key.name = "changed") });
  emulator.keys.delete({ id: "key_2" });
  const heard = hear(emulator);

  await emulator.reset();
  expect(heard.take()).toEqual([
    "identities - bob",
    "keys - new",
    'keys name: "changed" -> "one"',
    "keys updatedAt: 1767225600000 -> undefined",
    "keys + two",
  ]);
  await emulator.reset();
  await emulator.reset({ freshIds: true });
  expect(heard.take()).toEqual([]);
});

test("a restored snapshot is told as what differs from what there was", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  await createKey(emulator, { apiId: "api_one", name: "kept" });
  const snapshot = emulator.snapshot();
  await emulator.roles.create({ name: "late" });
  const heard = hear(emulator);

  await emulator.restore(snapshot);
  expect(heard.take()).toEqual(["roles - late"]);
  await emulator.restore(JSON.parse(JSON.stringify(snapshot)) as Fixture);
  expect(heard.take()).toEqual([]);
  await emulator.restore({ ...fixture, roles: [], keys: [] });
  expect(heard.take()).toEqual(["roles - admin", "keys - one", "keys - two", "keys - kept"]);
});

test("what a fixture adds is told, and nothing of what was there", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const heard = hear(emulator);

  await emulator.seed({ keys: [{ apiId: "api_one", name: "added", roles: ["admin", "new"] }] });

  expect(heard.take()).toEqual(["roles + new", "keys + added"]);
});

test("a start from other fixtures is told as what differs from what there was", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const heard = hear(emulator);

  const other = { apiId: "api_one", id: "key_2", name: "other" };
  await emulator.reseed([
    { ...fixture, apis: [{ id: "api_one" }, { id: "api_b" }], keys: [other] },
  ]);

  expect(heard.take().filter((line) => !line.includes("start:"))).toEqual([
    "apis + api_b",
    "keys - one",
    'keys name: "two" -> "other"',
  ]);
});

test("listeners hear of a workspace when it comes and goes", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const heard: string[] = [];
  const { hooks } = emulator.workspaces;
  hooks.on("create", ({ data }) => void heard.push(`+ ${data.record.id}`));
  hooks.on("delete", ({ data }) => void heard.push(`- ${data.deletedRecord.id}`));

  await emulator.workspaces.create({ id: "ws_two" });
  await emulator.reset();
  emulator.workspaces.clear();
  await emulator.reset();

  expect(heard).toEqual(["+ ws_two", "- ws_two", "- ws_test", "+ ws_test"]);
});

test("when listeners hear of a reset, every collection is reset", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  const seen: unknown[] = [];
  emulator.apis.hooks.on("delete", () => {
    const { apis, keys, roles } = emulator;
    seen.push([apis.count(), roles.count(), keys.all().map(({ name }) => name)]);
  });
  await emulator.apis.create({ id: "api_late" });
  await emulator.roles.create({ name: "late" });
  await emulator.keys.create({ apiId: "api_late", name: "late" });

  await emulator.reset();

  expect(seen).toEqual([[1, 1, ["one", "two"]]]);
});

test("what a listener changes when it hears of a reset stays, and is told once", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture] });
  emulator.apis.hooks.on("delete", () => void emulator.keys.createSync({ ...added }));
  const added = { apiId: "api_one", name: "by the listener" };
  await emulator.apis.create({ id: "api_late" });
  const heard = hear(emulator);

  await emulator.reset();

  expect(heard.take().toSorted()).toEqual(["apis - api_late", "keys + by the listener"]);
  expect(emulator.keys.count()).toBe(3);
  await emulator.reset();
  expect(emulator.keys.count()).toBe(2);
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
])("a listener that %s changes nothing, and is an unhandled rejection", async (_, listener) => {
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
  const atReset = await unhandledIn(() => emulator.reset());
  expect(keys.all().map(({ name }) => name)).toEqual(["one", "two"]);
  expect(atReset.length).toBeGreaterThan(0);
});

test("a listener prevents nothing", async () => {
  const workspace = await givenWorkspace();
  const { keys } = workspace;
  for (const type of ["create", "update", "delete"] as const) {
    keys.hooks.on(type, (event) => event.preventDefault());
  }

  await keys.createMany(3, (index) => ({ apiId: "api_a", id: `key_${index}` }));
  await keys.update({ id: "key_0" }, { data: (key) => void (key.ownerId = "ann") });
  keys.delete({ id: "key_1" });

  expect(keys.all().map(({ id, ownerId }) => [id, ownerId])).toEqual([
    ["key_0", "ann"],
    ["key_2", undefined],
  ]);
  expectIndexesMatch(workspace);
});

test("a listener cannot change a record that it hears of", async () => {
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

test("a listener may change the collection that it hears of", async () => {
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

test("a listener that has been removed hears nothing more", async () => {
  const { roles } = await givenWorkspace();
  const heard: string[] = [];
  const listener = () => void heard.push("create");
  roles.hooks.on("create", listener);

  await roles.create({ name: "a" });
  roles.hooks.removeListener("create", listener);
  await roles.create({ name: "b" });

  expect(heard).toEqual(["create"]);
});

test("an update's own error is thrown as it is", async () => {
  const { keys } = await givenWorkspace();
  const key = await keys.create({ apiId: "api_a" });

  const attempt = keys.update(key, {
    data: () => {
      keys.delete(key);
      throw new RangeError("mine");
    },
  });

  await expect(attempt).rejects.toThrow("mine");
});

test("a listener of a reset sees the clock, faults and journal of the start, and may update a record", async () => {
  const emulator = await givenEmulator({ fixtures: [fixture], now: 1_000 });
  await createKey(emulator, { apiId: "api_one" });
  emulator.clock.advance("1h");
  emulator.faults.add({ status: 500 });
  const seen: unknown[] = [];
  let updated: Promise<unknown> | undefined;
  emulator.keys.hooks.once("delete", () => {
    seen.push(emulator.clock.now(), emulator.faults.list().length, emulator.requests.count());
    updated = emulator.keys.update({ id: "key_1" }, { data: async (key) => void (key.name = "x") });
  });

  await emulator.reset();
  await updated;

  expect(seen).toEqual([1_000, 0, 0]);
  expect(emulator.keys.get("key_1")?.name).toBe("x");
});
