import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { defineOperation, type Call, type Emulator, type Workspace } from "../../src/index.ts";
import type { Library } from "../../src/state/public/library.ts";
import { givenEmulator, post } from "../_emulator.ts";

const finding = ["all", "count", "findFirst", "findMany"];
const changing = ["clear", "create", "createMany", "delete", "deleteMany", "update", "updateMany"];
const inherited = [...finding, ...changing, "defineRelations"];
const collection = [...inherited, "get", "values"];
const members = {
  apis: collection,
  tokens: collection,
  permissions: [...collection, "named"],
  roles: [...collection, "named"],
  identities: [...collection, "named"],
  ratelimitNamespaces: [...collection, "named"],
  migrations: collection,
  keys: [...collection, "findByValue"],
};
const names = Object.keys(members) as (keyof typeof members)[];

/** The names of everything that JavaScript reaches through an object, except its class. */
function reachable(object: object): string[] {
  const found = new Set<PropertyKey>();
  for (let each = object; each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    for (const name of Reflect.ownKeys(each)) if (name !== "constructor") found.add(name);
  }
  return Array.from(found, String).toSorted();
}

test("a collection has the interface of @msw/data and look-ups, and nothing else can be reached", async () => {
  const emulator = await givenEmulator({ isolate: true });

  for (const holder of [emulator, emulator.workspace("any"), emulator.workspaces.all()[0]]) {
    for (const name of names) {
      expect(reachable(holder?.[name] ?? {})).toEqual(members[name].toSorted());
    }
  }
  expect(reachable(emulator.workspaces)).toEqual(collection.toSorted());
});

test("the types of collections have the same members", () => {
  type Member = Exclude<keyof Library<never, never>, "hooks"> | "get" | "values";

  expectTypeOf<keyof Emulator["apis"]>().toEqualTypeOf<Member>();
  expectTypeOf<keyof Emulator["tokens"]>().toEqualTypeOf<Member>();
  expectTypeOf<keyof Emulator["permissions"]>().toEqualTypeOf<Member | "named">();
  expectTypeOf<keyof Emulator["roles"]>().toEqualTypeOf<Member | "named">();
  expectTypeOf<keyof Emulator["identities"]>().toEqualTypeOf<Member | "named">();
  expectTypeOf<keyof Emulator["ratelimitNamespaces"]>().toEqualTypeOf<Member | "named">();
  expectTypeOf<keyof Emulator["migrations"]>().toEqualTypeOf<Member>();
  expectTypeOf<keyof Emulator["keys"]>().toEqualTypeOf<Member | "findByValue">();
  expectTypeOf<keyof Emulator["workspaces"]>().toEqualTypeOf<Member>();
  expectTypeOf<Call<unknown>["workspace"]>().toEqualTypeOf<Workspace>();
});

test("fetch has the type of the global fetch, and of handlers that get more than a request", () => {
  type Handler = (request: Request, server: { port: number }, more: string) => Promise<Response>;

  expectTypeOf<Emulator["fetch"]>().toExtend<typeof fetch>();
  expectTypeOf<Emulator["fetch"]>().toExtend<Handler>();
});

test("the workspaces of an emulator, of a call and of its requirements are the same narrow object", async () => {
  const seen: Workspace[] = [];
  const look = defineOperation({
    contract: {
      name: "tests.look",
      method: "POST",
      path: "/v1/tests.look",
      input: z.object({}),
      output: z.object({}),
    },
    requires(call) {
      expect(Object.keys(call).toSorted()).toEqual([
        "input",
        "isUnseen",
        "now",
        "state",
        "workspace",
      ]);
      seen.push(call.workspace);
      return [];
    },
    run({ workspace, workspaces }) {
      seen.push(workspace, ...workspaces);
      return {};
    },
  });
  const emulator = await givenEmulator({ operations: [look] });

  await post(emulator, "/v1/tests.look", {});

  expect(seen.length).toBeGreaterThanOrEqual(3);
  const [workspace] = emulator.workspaces.all();
  for (const each of seen) expect(each).toBe(workspace);
  expect(workspace?.keys).toBe(emulator.keys);
  expect(reachable(workspace ?? {})).toEqual(
    [...names, "clock", "enabled", "id", "name", "quirks", "toJSON", "usage"].toSorted(),
  );
});

test("the values of a collection can be read again and again, and hand out no table", async () => {
  const { keys } = await givenEmulator();
  await keys.create({ apiId: "api_one", id: "key_1" });
  const values = keys.values();

  expect(Array.from(values, ({ id }) => id)).toEqual(["key_1"]);
  expect(Array.from(values, ({ id }) => id)).toEqual(["key_1"]);
  expect(reachable(values)).toEqual(["Symbol(Symbol.iterator)"]);
});

test("collections and workspaces stay the same objects after a reset, a restore and a deletion", async () => {
  const emulator = await givenEmulator();
  const { id } = await emulator.workspaces.create({ id: "ws_other" });
  const snapshot = emulator.snapshot();
  const other = emulator.workspaces.get(id);
  const held = [emulator.workspaces, ...names.map((name) => emulator[name])];
  const heldOther = names.map((name) => other?.[name]);

  emulator.workspaces.delete({ id });
  await emulator.reset();
  await emulator.restore(snapshot);

  expect(emulator.workspaces.get(id)).toBe(other);
  const now = [emulator.workspaces, ...names.map((name) => emulator[name])];
  now.forEach((each, index) => expect(each).toBe(held[index]));
  names.forEach((name, index) => expect(other?.[name]).toBe(heldOther[index]));
});

test.each(["update", "updateMany"] as const)(
  "workspaces.%s is refused, because their id and name cannot be changed",
  async (method) => {
    const { workspaces } = await givenEmulator();
    const change = workspaces[method] as (...args: unknown[]) => Promise<never>;

    await expect(change.call(workspaces, { id: "ws_test" }, { data: () => {} })).rejects.toThrow(
      "workspace: its id and name cannot be changed; delete it and create another",
    );
  },
);
