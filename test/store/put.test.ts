import { describe, expect, test } from "vitest";
import { Marks } from "../../src/store/marks.ts";
import { Key, type Key as KeyRecord } from "../../src/store/records.ts";
import { expectIndexesMatch, givenWorkspace } from "../_workspace.ts";

function keyOf(number: number): KeyRecord {
  return new Key({
    id: `key_${number}`,
    apiId: "api_a",
    start: "abc",
    ownerId: number % 2 === 0 ? "ann" : "bob",
    createdAt: number,
    roles: ["not there"],
    permissions: [],
    enabled: true,
  });
}

const keysOf = (count: number) => Array.from({ length: count }, (_, number) => keyOf(number));

describe("put", () => {
  test("adds finished records in their order, and nothing that they name", async () => {
    const workspace = await givenWorkspace();
    await workspace.keys.put(keysOf(600));

    expect(workspace.keys.all().map(({ id }) => id)).toEqual(keysOf(600).map(({ id }) => id));
    expect(workspace.roles.count()).toBe(0);
    expectIndexesMatch(workspace);
  });

  test("leaves records that work as any other: found, changed, deleted", async () => {
    const workspace = await givenWorkspace();
    const { keys } = workspace;
    await keys.put(keysOf(5));

    const changed = await keys.update((q) => q.where({ id: "key_3" }), {
      data: (key) => void (key.name = "changed"),
    });
    keys.delete(keys.all()[4] as typeof keys extends { all(): (infer Item)[] } ? Item : never);
    keys.deleteMany((q) => q.where({ ownerId: "bob" }));

    expect(changed?.name).toBe("changed");
    expect(keys.all().map(({ id }) => id)).toEqual(["key_0", "key_2"]);
    expectIndexesMatch(workspace);
  });

  test("takes records that were in the collection before as they are", async () => {
    const workspace = await givenWorkspace();
    await workspace.keys.put(keysOf(4));
    const image = workspace.image();
    await workspace.keys.update((q) => q.where({ id: "key_1" }), {
      data: (key) => void (key.ownerId = "eve"),
    });

    await workspace.put(image);

    expect(workspace.keys.all()).toEqual(image.keys);
    expect(workspace.keys.get("key_2")).toBe(image.keys[2]);
    expectIndexesMatch(workspace);
  });

  test("lets listeners hear of every record, of one that was there before too", async () => {
    const workspace = await givenWorkspace();
    await workspace.keys.put(keysOf(3));
    const image = workspace.image();
    const heard: string[] = [];
    workspace.keys.hooks.on("create", ({ data: { record } }) => void heard.push(record.id));

    await workspace.put(image);
    await workspace.put(image, { isQuiet: true });

    expect(heard).toEqual(["key_0", "key_1", "key_2"]);
    expect(workspace.keys.all()).toEqual(image.keys);
    expectIndexesMatch(workspace);
  });

  test("refuses an id that is taken", async () => {
    const workspace = await givenWorkspace();
    const { keys } = workspace;
    await keys.put(keysOf(2));

    await expect(keys.put([keyOf(1)])).rejects.toThrow('key: id: "key_1" is taken');
    await expect(keys.put(keys.all())).rejects.toThrow('key: id: "key_0" is taken');
    expect(keys.count()).toBe(2);
    expectIndexesMatch(workspace);
  });
});

describe("marks", () => {
  test("are the library's: the same symbols, with values of the same kind", async () => {
    const { keys } = await givenWorkspace();
    const theirs = await keys.create({ apiId: "api_a" });
    const ours = keyOf(1);
    Marks.of(theirs)?.put(ours);

    const kindsOf = (record: object) =>
      Object.getOwnPropertySymbols(record).map((symbol) => {
        const { value, ...rest } = Object.getOwnPropertyDescriptor(record, symbol) ?? {};
        return [symbol, value?.constructor, rest];
      });
    expect(kindsOf(ours)).toEqual(kindsOf(theirs));
    expect(kindsOf(ours)).toHaveLength(2);
  });

  test("are left to the library where it marks in a way that is not known", () => {
    expect(Marks.of({})).toBeUndefined();
    expect(
      Marks.of({ [Symbol("id")]: "x", [Symbol("map")]: new Map(), [Symbol("more")]: 1 }),
    ).toBeUndefined();
    expect(Marks.of({ [Symbol("id")]: "x", [Symbol("map")]: new Set() })).toBeUndefined();
  });
});
