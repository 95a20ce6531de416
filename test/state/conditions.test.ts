import { Query } from "@msw/data";
import { expect, test } from "vitest";
import { createEmulator, UsageError } from "../../src/index.ts";
import type { Key } from "../../src/state/keys/key.ts";
import { givenWorkspace } from "../_workspace.ts";

async function givenKeys() {
  const workspace = await givenWorkspace();
  const { keys } = workspace;
  await keys.create({ apiId: "api_a", id: "key_1", name: "CI", roles: ["a", "b"] });
  await keys.create({ apiId: "api_a", id: "key_2", meta: { plan: { tier: 1, tags: ["x"] } } });
  await keys.create({ apiId: "api_b", id: "key_3", name: "CI", enabled: false });
  return { keys, workspace };
}

const idsOf = (keys: readonly Key[]) => keys.map(({ id }) => id);

test.each<[condition: object, ids: string[]]>([
  [{ id: "key_2" }, ["key_2"]],
  [{ id: "key_9" }, []],
  [{ id: undefined }, []],
  [{ id: "key_1", name: "other" }, []],
  [{ name: "CI" }, ["key_1", "key_3"]],
  [{ name: "CI", enabled: true }, ["key_1"]],
  [{ name: undefined }, ["key_2"]],
  [{ roles: ["a", "b"] }, ["key_1"]],
  [{ roles: ["a"] }, []],
  [{ roles: [] }, ["key_2", "key_3"]],
  [{ meta: { plan: { tags: ["x"], tier: 1 } } }, ["key_2"]],
  [{ meta: { plan: { tier: 1 } } }, []],
  [{ meta: {} }, []],
  [{}, ["key_1", "key_2", "key_3"]],
])("every method finds the records with members equal to %j", async (condition, ids) => {
  const { keys } = await givenKeys();
  const { keys: others } = await givenKeys();
  const { keys: last } = await givenKeys();
  const data = (key: { start: string }) => void (key.start = "changed");

  expect(idsOf(keys.findMany(condition))).toEqual(ids);
  expect(keys.findFirst(condition)?.id).toBe(ids[0]);
  expect(keys.count(condition)).toBe(ids.length);
  expect((await keys.update(condition, { data }))?.id).toBe(ids[0]);
  expect(idsOf(keys.findMany({ start: "changed" }))).toEqual(ids.slice(0, 1));
  expect(idsOf(await keys.updateMany(condition, { data }))).toEqual(ids);
  expect(idsOf(keys.findMany({ start: "changed" }))).toEqual(ids);
  expect(others.delete(condition)?.id).toBe(ids[0]);
  expect(others.count()).toBe(ids.length === 0 ? 3 : 2);
  expect(idsOf(last.deleteMany(condition))).toEqual(ids);
  expect(last.count()).toBe(3 - ids.length);
});

test("a record as a condition finds that record only", async () => {
  const { keys } = await givenKeys();
  const key = keys.get("key_3") as Key;

  expect(keys.findFirst(key)).toBe(key);
  expect(keys.findMany(key)).toEqual([key]);
  expect(keys.deleteMany(key)).toEqual([key]);
  expect(keys.findFirst(key)).toBeUndefined();
});

test("queries of @msw/data work, also those of another copy of it", async () => {
  const { keys } = await givenKeys();
  const query = new Query<Key>(({ enabled }) => !enabled);
  const foreign = { test: (key: Key) => !key.enabled, where: () => foreign };

  expect(idsOf(keys.findMany((q) => q.where({ name: "CI" })))).toEqual(["key_1", "key_3"]);
  expect(idsOf(keys.findMany(query))).toEqual(["key_3"]);
  expect(keys.findFirst(foreign as never)?.id).toBe("key_3");
  expect(keys.delete(() => foreign as never)?.id).toBe("key_3");
  expect(() => keys.findFirst({ id: "key_9" }, { strict: true })).toThrow("no record found");
});

const CONDITION = 'key: expected a condition, like { id: "..." } or (q) => q.where({ ... }), got';

test.each<[condition: unknown, message: string | RegExp]>([
  [{ colour: "red" }, /^key: colour: unknown member \(known: id, apiId, start, /],
  [{ nmae: "CI" }, /^key: nmae: unknown member, did you mean "name"\?/],
  [
    { name: () => true },
    "key: name: expected a value, got a function; use (q) => q.where({ name: ... })",
  ],
  [
    (key: Key) => key.id === "key_1",
    "key: expected a function that returns a query, like (q) => q.where({ ... }), got false",
  ],
  ["key_1", `${CONDITION} a string of 5 characters`],
  [null, `${CONDITION} null`],
  [["key_1"], `${CONDITION} an array of 1 item`],
])("every method refuses the condition %o and changes nothing", async (condition, message) => {
  const { keys } = await givenKeys();
  const before = [...keys.all()];
  const given = condition as never;
  const options = { data: () => {} };

  for (const attempt of [
    () => keys.findFirst(given),
    () => keys.findMany(given),
    () => keys.count(given),
    () => keys.delete(given),
    () => keys.deleteMany(given),
    () => keys.update(given, options),
    () => keys.updateMany(given, options),
  ]) {
    const ended = (async () => attempt())();
    await expect(ended).rejects.toThrow(UsageError);
    await expect(ended).rejects.toThrow(message);
  }
  expect(keys.all()).toEqual(before);
});

test("update and delete refuse the condition undefined, which a search takes for any record", async () => {
  const { keys } = await givenKeys();
  const missing = keys.get("key_9") as Key;
  const message = `${CONDITION} nothing`;

  expect(keys.findFirst(missing)?.id).toBe("key_1");
  expect(() => keys.delete(missing)).toThrow(message);
  expect(() => keys.deleteMany(missing)).toThrow(message);
  await expect(keys.update(missing, { data: () => {} })).rejects.toThrow(message);
  await expect(keys.updateMany(missing, { data: () => {} })).rejects.toThrow(message);
  expect(keys.count()).toBe(3);
});

test.each<[options: unknown, got: string]>([
  [{ enabled: false }, "got an object without data"],
  [{ data: { enabled: false } }, "got an object as data"],
  [undefined, "got nothing"],
])("an update with %j is refused with an example of what is expected", async (options, got) => {
  const { keys } = await givenKeys();
  const message = `key: expected the option data, a function that changes the record, like { data: (key) => { key.member = value } }, ${got}`;

  for (const id of ["key_1", "key_9"]) {
    await expect(keys.update({ id }, options as never)).rejects.toThrow(UsageError);
    await expect(keys.update({ id }, options as never)).rejects.toThrow(message);
    await expect(keys.updateMany({ id }, options as never)).rejects.toThrow(message);
  }
});

test("createMany refuses arguments that are not a count and a function", async () => {
  const { keys } = await givenKeys();

  for (const given of [[[{ apiId: "api_a" }]], [2, { apiId: "api_a" }], [-1, () => ({})]]) {
    const attempt = keys.createMany(...(given as [never, never]));
    await expect(attempt).rejects.toThrow(
      "key: expected how many, and a function that gives the members of each",
    );
  }
  expect(keys.count()).toBe(3);
});

test("workspaces take members as a condition", async () => {
  const workspace = { id: "ws_one", name: "One" };
  const { workspaces } = await createEmulator({ fixtures: [{ workspace }] });

  expect(workspaces.findFirst(workspace)).toBe(workspaces.get("ws_one"));
  expect(() => workspaces.findFirst({ colour: "red" } as never)).toThrow(
    "workspace: colour: unknown member (known: id, name, enabled)",
  );
});

test("the types of conditions allow the members of a key and no others", async () => {
  const { keys } = await givenKeys();
  const wrong = () => {
    // @ts-expect-error -- no member of a key
    keys.findFirst({ colour: "red" });
    // @ts-expect-error -- another type
    keys.findFirst({ enabled: "yes" });
    // @ts-expect-error -- a predicate and no query
    keys.findFirst((key) => key.name === "CI");
    // @ts-expect-error -- members and no function
    void keys.update({ id: "key_1" }, { enabled: false });
    // @ts-expect-error -- nothing
    keys.delete();
  };

  expect(wrong).toBeTypeOf("function");
  expect(keys.findFirst({ enabled: true })?.name satisfies string | undefined).toBe("CI");
});
