import { expect, test } from "vitest";
import { UsageError } from "../../src/index.ts";
import { expectIndexesMatch, givenWorkspace } from "../_workspace.ts";

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

test("no page begins at a cursor whose record was deleted", async () => {
  const { keys } = await givenWorkspace();
  const cursor = await keys.create({ apiId: "api_a" });
  await keys.create({ apiId: "api_a" });
  keys.delete(cursor);

  expect(keys.findMany(undefined, { cursor })).toEqual([]);
});

test("an update that breaks a rule for keys is refused", async () => {
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

test("a refused create or update draws no id and leaves no record behind", async () => {
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

test("defineRelations is refused, because records are frozen", async () => {
  const { keys } = await givenWorkspace();

  expect(() => (keys.defineRelations as (resolver: () => object) => void)(() => ({}))).toThrow(
    UsageError,
  );
});

test.each([
  ["an unknown API", { apiId: "api_none" }, /key: apiId: expected the id of an API/],
  ["an unknown member", { apiId: "api_a", colour: "red" }, /key: colour: unknown member \(known: /],
  [
    "a wrong type",
    { apiId: "api_a", remaining: "5" },
    /key: remaining: expected an integer, got "5"/,
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

test("a record can be changed only by an update", async () => {
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

test("updateMany is refused at the first record that was deleted before its turn", async () => {
  const { apis } = await givenWorkspace();

  const update = apis.updateMany((q) => q.where(() => true), {
    data: (api) => void (api.name = "changed"),
  });
  apis.delete({ id: "api_b" });

  await expect(update).rejects.toThrow(UsageError);
  await expect(update).rejects.toThrow(
    "api: the record was deleted, replaced or changed by something else",
  );
  expect(apis.all().map(({ id, name }) => [id, name])).toEqual([["api_a", "changed"]]);
});

test("a loop over a collection visits the records of its start, while it deletes and creates some", async () => {
  const { apis, keys, roles } = await givenWorkspace();
  const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
  for (const name of names) {
    await keys.create({ apiId: "api_a", name });
    await roles.create({ name });
    await apis.create({ id: `api_${name}` });
  }
  const sizes = [keys, roles, apis].map((collection) => collection.count());

  for (const { id } of keys.values()) {
    await keys.create({ apiId: "api_a" });
    await keys.delete({ id });
  }
  for (const { id, name } of roles.values()) {
    await roles.create({ name: `new ${name}` });
    await roles.delete({ id });
  }
  for (const { id } of apis.values()) await apis.create({ id: `${id}_new` });

  expect([keys.count(), roles.count(), apis.count()]).toEqual([300, 300, 2 * (sizes[2] ?? 0)]);
  expect(keys.all().some(({ name }) => name !== undefined)).toBe(false);
  expect(roles.all().every(({ name }) => name.startsWith("new "))).toBe(true);
});
