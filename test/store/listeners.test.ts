import { expect, test } from "vitest";
import { UsageError } from "../../src/index.ts";
import { expectIndexesMatch, givenWorkspace } from "../_workspace.ts";

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
