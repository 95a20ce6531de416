import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../../src/index.ts";
import { createClock } from "../../src/store/clock.ts";
import type { KeyFilter } from "../../src/store/key-index.ts";
import { Workspace } from "../../src/store/workspace.ts";

const APIS = ["api_a", "api_b"];
const OWNERS = ["ann", "bob", undefined];

async function givenWorkspace(): Promise<Workspace> {
  const surroundings = { clock: createClock(0), seed: "1" };
  const workspace = new Workspace({ id: "ws_test" }, surroundings);
  for (const id of APIS) await workspace.apis.create({ id });
  return workspace;
}

/** Compares every page, count and lookup with what a scan of the collection finds. */
function expectIndexesMatch({ keys, identities }: Workspace): void {
  const all = keys.all().toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const key of all) expect(keys.get(key.id)).toBe(key);
  const filters: KeyFilter[] = APIS.flatMap((apiId) => [
    { apiId },
    ...["ann", "bob", "eve"].map((ownerId) => ({ apiId, ownerId })),
    ...identities.all().map(({ id }) => ({ apiId, identityId: id })),
  ]);
  for (const filter of filters) {
    const matching = all.filter((key) =>
      Object.entries(filter).every(([name, value]) => key[name as keyof KeyFilter] === value),
    );
    expect(keys.page(filter, undefined, 20_000)).toEqual(matching);
    expect(keys.countOf(filter)).toBe(matching.length);
    const middle = matching[matching.length >> 1]?.id;
    if (middle === undefined) continue;
    expect(keys.page(filter, middle, 2)).toEqual(
      matching.filter(({ id }) => id > middle).slice(0, 2),
    );
  }
}

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

test("a listener that prevents a deletion keeps the key in every list", async () => {
  const workspace = await givenWorkspace();
  const key = await workspace.keys.create({ apiId: "api_a", ownerId: "ann" });
  workspace.keys.hooks.on("delete", (event) => event.preventDefault());

  workspace.keys.delete(key);
  workspace.keys.deleteMany((query) => query.where({ ownerId: "ann" }));

  expect(workspace.keys.count()).toBe(1);
  expectIndexesMatch(workspace);
});

test("a deletion that a listener breaks off leaves what the collection holds", async () => {
  for (const remove of ["deleteMany", "clear"] as const) {
    const workspace = await givenWorkspace();
    await workspace.keys.createMany(4, () => ({ apiId: "api_a" }));
    let heard = 0;
    workspace.keys.hooks.on("delete", () => {
      heard += 1;
      if (heard === 3) throw new Error("not this one");
    });

    expect(() =>
      remove === "clear"
        ? workspace.keys.clear()
        : workspace.keys.deleteMany((query) => query.where({ apiId: "api_a" })),
    ).toThrow("not this one");

    expect(workspace.keys.count()).toBe(2);
    expectIndexesMatch(workspace);
  }
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

test("a key that is deleted while it is updated is told without its value", async () => {
  const { keys } = await givenWorkspace();
  const key = await keys.create({ apiId: "api_a" });

  const update = keys.update(key, {
    data: async (draft) => {
      draft.plaintext = "pay_secret";
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  });
  await Promise.resolve();
  keys.delete(key);

  await expect(update).rejects.toThrow("key: it was deleted while it was being updated");
});

test("an update that changes nothing leaves updatedAt alone", async () => {
  const { keys } = await givenWorkspace();
  const key = await keys.create({ apiId: "api_a" });

  const same = await keys.update(key, { data: () => {} });
  const changed = await keys.update(key, { data: (draft) => void (draft.name = "x") });
  const dated = await keys.update(key, { data: (draft) => void (draft.updatedAt = 77) });

  expect(same?.updatedAt).toBeUndefined();
  expect(changed?.updatedAt).toBe(0);
  expect(dated?.updatedAt).toBe(77);
});

test("an update is held to the rules of a key", async () => {
  const { keys } = await givenWorkspace();
  const key = await keys.create({ apiId: "api_a", remaining: 5 });
  const update = (change: object) =>
    keys.update(key, { data: (draft) => void Object.assign(draft, change) });

  await expect(update({ roles: 5 })).rejects.toThrow("key: roles: expected an array of role names");
  await expect(
    update({ remaining: undefined, refill: { interval: "daily", amount: 1 } }),
  ).rejects.toThrow("key: remaining: expected a number of uses");
  await expect(update({ refill: { interval: "daily", amount: 1, refillDay: 5 } })).rejects.toThrow(
    "key: refill.refillDay: expected no day",
  );
  const next = await update({ refill: { interval: "monthly", amount: 1 }, roles: ["a", "a"] });

  expect(next).toMatchObject({ refill: { refillDay: 1 }, roles: ["a"] });
});

test("what is refused draws no id and leaves nothing behind", async () => {
  const [busy, plain] = [await givenWorkspace(), await givenWorkspace()];
  for (const { identities, roles } of [busy, plain]) {
    await identities.create({ externalId: "ann" });
    await roles.create({ name: "admin" });
  }
  const { identities, keys, permissions, roles } = busy;
  await expect(identities.create({ externalId: "ann" })).rejects.toThrow("is taken");
  await expect(
    identities.create({ externalId: "ann", id: "id_7zzzzzzzzzzzzzzz" }),
  ).rejects.toThrow();
  await expect(roles.create({ name: "admin", permissions: ["orphan"] })).rejects.toThrow(
    "is taken",
  );
  await expect(keys.create({ apiId: "api_none", externalId: "orphan" })).rejects.toThrow();
  await expect(
    roles.update((query) => query.where({ name: "admin" }), {
      data: (draft) => void Object.assign(draft, { permissions: ["orphan"], name: 5 }),
    }),
  ).rejects.toThrow(UsageError);

  expect(permissions.count()).toBe(0);
  expect((await identities.create({ externalId: "bob" })).id).toBe(
    (await plain.identities.create({ externalId: "bob" })).id,
  );
  expect((await keys.create({ apiId: "api_a" })).id).toBe(
    (await plain.keys.create({ apiId: "api_a" })).id,
  );
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

test("a listener that forbids deletions does not keep what clear removes", async () => {
  const workspace = await givenWorkspace();
  workspace.keys.hooks.on("delete", (event) => event.preventDefault());
  await workspace.keys.create({ apiId: "api_a" });

  const pending = workspace.keys.create({ apiId: "api_a" });
  workspace.keys.clear();
  await pending;

  expect(workspace.keys.count()).toBe(0);
  expectIndexesMatch(workspace);
});

test("a listener for everything hears of every deletion", async () => {
  const workspace = await givenWorkspace();
  await workspace.keys.createMany(3, () => ({ apiId: "api_a" }));
  const heard: string[] = [];
  workspace.keys.hooks.on("*", (event) => void heard.push(event.type));

  workspace.keys.clear();

  expect(heard).toEqual(["delete", "delete", "delete"]);
});

test("a listener cannot change a key on its way in", async () => {
  const workspace = await givenWorkspace();
  workspace.keys.hooks.on(
    "create",
    ({ data }) => void Object.assign(data.record, { apiId: "api_b" }),
  );

  await expect(workspace.keys.create({ apiId: "api_a" })).rejects.toThrow(TypeError);

  expect(workspace.keys.count()).toBe(0);
  expectIndexesMatch(workspace);
});

test("a key whose role cannot be created is not created either", async () => {
  const workspace = await givenWorkspace();
  workspace.permissions.hooks.on("create", () => {
    throw new Error("no permissions");
  });

  const attempts = [
    workspace.keys.create({ apiId: "api_a", permissions: ["read"] }),
    workspace.keys.create({ apiId: "api_a", permissions: ["read"] }),
    workspace.roles.create({ name: "admin", permissions: ["write"] }),
  ];
  const results = await Promise.allSettled(attempts);

  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect([workspace.keys.count(), workspace.roles.count()]).toEqual([0, 0]);
  expectIndexesMatch(workspace);
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

test("a key that is replaced while it is updated keeps its values to itself", async () => {
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
  await keys.create({ apiId: "api_a", id: "key_1", name: "second" });

  await expect(update).rejects.toThrow("key: it was deleted while it was being updated");
  expect(keys.get("key_1")?.name).toBe("second");
  expectIndexesMatch(workspace);
});

test("an update that a listener prevents in part is told without the record", async () => {
  const { keys, tokens } = await givenWorkspace();
  const key = await keys.create({ apiId: "api_a" });
  const token = await tokens.create({ token: "root_secret", permissions: ["a"] });
  for (const collection of [keys, tokens])
    collection.hooks.on("update", (event) => event.preventDefault());

  for (const update of [
    keys.update(key, { data: (draft) => void draft.roles.push("x", "y", "z") }),
    tokens.update(token, { data: (draft) => void draft.permissions.push("b", "c") }),
  ]) {
    await expect(update).rejects.toThrow(UsageError);
    await expect(update).rejects.not.toThrow(/secret|plaintext/);
  }
});

test("a listener cannot give an updated record another id, or a name that is taken", async () => {
  const workspace = await givenWorkspace();
  const { keys, roles } = workspace;
  const key = await keys.create({ apiId: "api_a", id: "key_1" });
  await roles.create({ name: "taken" });
  const role = await roles.create({ name: "mine" });
  keys.hooks.on("update", ({ data }) => void Object.assign(data.nextRecord, { id: "key_2" }));
  roles.hooks.on("update", ({ data }) => void Object.assign(data.nextRecord, { name: "taken" }));

  await expect(keys.update(key, { data: (draft) => void (draft.name = "x") })).rejects.toThrow(
    UsageError,
  );
  await expect(
    roles.update(role, { data: (draft) => void (draft.name = "other") }),
  ).rejects.toThrow('role: name: "taken" is taken');

  expect(roles.named("mine")).toBe(role);
  expectIndexesMatch(workspace);
});

test("a key that names a role which cannot be created, in the same tick, is not created", async () => {
  const { keys, roles } = await givenWorkspace();
  roles.hooks.on("create", async () => {
    await Promise.resolve();
    throw new Error("no roles");
  });

  const results = await Promise.allSettled([
    roles.create({ name: "late" }),
    keys.create({ apiId: "api_a", roles: ["late"] }),
  ]);

  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([keys.count(), roles.count()]).toEqual([0, 0]);
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

test("relations are refused, because records are frozen", async () => {
  const { keys } = await givenWorkspace();

  expect(() => (keys.defineRelations as (resolver: () => object) => void)(() => ({}))).toThrow(
    UsageError,
  );
});

test("a listener that throws keeps the new key out of every list", async () => {
  const workspace = await givenWorkspace();
  workspace.keys.hooks.on("create", () => {
    throw new Error("not this one");
  });

  await expect(workspace.keys.create({ apiId: "api_a" })).rejects.toThrow("not this one");

  expect(workspace.keys.count()).toBe(0);
  expectIndexesMatch(workspace);
});

test("clear tells listeners of every key and also removes those that are being created", async () => {
  const workspace = await givenWorkspace();
  await workspace.keys.createMany(5, () => ({ apiId: "api_a" }));
  const heard: string[] = [];
  workspace.keys.hooks.on("delete", (event) => {
    heard.push(event.data.deletedRecord.id);
  });

  const pending = workspace.keys.create({ apiId: "api_a", id: "key_late" });
  workspace.keys.clear();
  await pending;

  // The library does not hold the late one yet, so there is nothing to tell of it.
  expect(new Set(heard).size).toBe(5);
  expect(workspace.keys.count()).toBe(0);
  expectIndexesMatch(workspace);
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
  ["an unknown API", { apiId: "api_none" }, /key: apiId: expected the id of an API/],
  [
    "an unknown member",
    { apiId: "api_a", colour: "red" },
    /key: colour: unknown member \(known: apiId,/,
  ],
  [
    "a wrong type",
    { apiId: "api_a", remaining: "5" },
    /key: remaining: expected an integer of at least 0/,
  ],
  ["an id with other characters", { apiId: "api_a", id: "key 1" }, /key: id: expected an id of/],
  [
    "refill without remaining",
    { apiId: "api_a", refill: { interval: "daily", amount: 1 } },
    /key: remaining:/,
  ],
])("create refuses %s", async (_, init, message) => {
  const { keys } = await givenWorkspace();

  const attempt = keys.create(init as never);

  await expect(attempt).rejects.toThrow(UsageError);
  await expect(attempt).rejects.toThrow(message);
  expect(keys.count()).toBe(0);
});

test("update refuses a changed id, an unknown API and a wrong type, and changes nothing", async () => {
  const workspace = await givenWorkspace();
  const key = await workspace.keys.create({ apiId: "api_a", id: "key_1" });

  for (const change of [{ id: "key_2" }, { apiId: "api_none" }, { enabled: "yes" }]) {
    const attempt = workspace.keys.update(key, {
      data: (draft) => void Object.assign(draft, change),
    });
    await expect(attempt).rejects.toThrow(UsageError);
  }

  expect(workspace.keys.get("key_1")).toBe(key);
  expectIndexesMatch(workspace);
});

test("a record that is handed out cannot be changed past the collection", async () => {
  const { keys } = await givenWorkspace();
  const given = { apiId: "api_a", meta: { nested: { value: 1 } } };
  const key = await keys.create(given);

  expect(() => Object.assign(key, { enabled: false })).toThrow(TypeError);
  expect(() => Object.assign(key.meta?.["nested"] as object, { value: 2 })).toThrow(TypeError);
  given.meta.nested.value = 3;
  expect(key.meta).toEqual({ nested: { value: 1 } });

  const next = await keys.update(key, { data: (draft) => void (draft.enabled = false) });
  expect(() => Object.assign(next ?? {}, { enabled: true })).toThrow(TypeError);
});

test("meta keeps members with any name through create and update", async () => {
  const { keys } = await givenWorkspace();
  const meta = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');

  const key = await keys.create({ apiId: "api_a", meta });
  const next = await keys.update(key, { data: (draft) => void (draft.name = "renamed") });

  expect(JSON.stringify(next?.meta)).toBe(JSON.stringify(meta));
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("names and external ids are unique, also after an update", async () => {
  const { identities, roles } = await givenWorkspace();
  await roles.create({ name: "admin" });
  const editor = await roles.create({ name: "editor" });
  await identities.create({ externalId: "ann" });

  await expect(roles.create({ name: "admin" })).rejects.toThrow('role: name: "admin" is taken');
  await expect(identities.create({ externalId: "ann" })).rejects.toThrow(UsageError);
  await expect(
    roles.update(editor, { data: (draft) => void (draft.name = "admin") }),
  ).rejects.toThrow(UsageError);
  await roles.update(editor, { data: (draft) => void (draft.name = "writer") });

  expect(roles.named("editor")).toBeUndefined();
  expect(roles.named("writer")?.id).toBe(editor.id);
});
