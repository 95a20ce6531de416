import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../../src/index.ts";
import type { Key } from "../../src/state/keys/key.ts";
import type { PublicWorkspace } from "../../src/state/public/workspace.ts";
import { givenEmulator, post } from "../_emulator.ts";
import { APIS, expectIndexesMatch, givenWorkspace, OWNERS } from "../_workspace.ts";

const place = fc.nat(1_000);
const owner = fc.constantFrom(...OWNERS);
const api = fc.constantFrom(...APIS);
const twice = ["create", "create", "update"] as const;
const once = [
  "create",
  "createMany",
  "update",
  "updateMany",
  "delete",
  "deleteMany",
  "clear",
] as const;
const command = fc.record({ kind: fc.constantFrom(...twice, ...once), api, owner, place });
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

interface Plain {
  apiId: string;
  ownerId: string | undefined;
}

/** An update whose `data` waits until `goOn` is called. */
interface Waiting {
  readonly record: Plain;
  readonly id: string;
  readonly apiId: string;
  readonly goOn: () => void;
  readonly result: Promise<unknown>;
}

/** Makes a change in the collection, and the same change in a plain map. */
function runPlain(
  { keys }: PublicWorkspace,
  model: Map<string, Plain>,
  waiting: Waiting[],
  { kind, api: apiId, owner: ownerId, place: n }: Command,
): Promise<unknown> | undefined {
  const ids = [...model.keys()].toSorted();
  const id = ids[n % Math.max(1, ids.length)];
  const record = id === undefined ? undefined : model.get(id);
  const forget = (isGone: (plain: Plain) => boolean) => {
    for (const [each, plain] of model) if (isGone(plain)) model.delete(each);
  };
  switch (kind) {
    case "create": {
      const own = `key_${n % 40}`;
      const isTaken = model.has(own);
      if (!isTaken) model.set(own, { apiId, ownerId });
      return refusedIf(isTaken, keys.create({ id: own, apiId, ownerId }));
    }
    case "createMany": {
      const own = [n, n + 1, n + 2].map((each) => `key_${each % 40}`);
      const isTaken = own.some((each) => model.has(each));
      if (!isTaken) for (const each of own) model.set(each, { apiId, ownerId });
      const toInit = (index: number) => ({ id: String(own[index]), apiId, ownerId });
      return refusedIf(isTaken, keys.createMany(3, toInit));
    }
    case "update":
      if (id === undefined || record === undefined) return undefined;
      model.set(id, { apiId, ownerId });
      return keys.update(
        { id },
        { data: (draft) => void Object.assign(draft, { apiId, ownerId }) },
      );
    case "updateMany": {
      if (id === undefined || record === undefined) return undefined;
      let goOn = () => {};
      const told = new Promise<void>((resolve) => (goOn = resolve));
      const result = keys.updateMany(
        { id },
        {
          data: async (draft) => {
            await told;
            draft.apiId = apiId;
          },
        },
      );
      waiting.push({ record, id, apiId, goOn, result });
      return undefined;
    }
    case "delete":
      if (id === undefined) return undefined;
      model.delete(id);
      keys.delete({ id });
      return undefined;
    case "deleteMany":
      forget((plain) => plain.ownerId === ownerId);
      keys.deleteMany({ ownerId });
      return undefined;
    case "clear":
      if (n % 5 > 0) return undefined;
      model.clear();
      keys.clear();
      return undefined;
  }
}

async function refusedIf(isRefused: boolean, result: Promise<unknown>): Promise<void> {
  await (isRefused ? expect(result).rejects.toThrow(UsageError) : result);
}

test("each change is made within its call, and an update that waited is refused after another", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(command, fc.boolean()), { maxLength: 60, size: "max" }),
      async (commands) => {
        const workspace = await givenWorkspace();
        const model = new Map<string, Plain>();
        const waiting: Waiting[] = [];
        const results: (Promise<unknown> | undefined)[] = [];
        const toPlain = ({ id, apiId, ownerId }: Key) => [id, { apiId, ownerId }];
        for (const [each, isTimeToGoOn] of commands) {
          results.push(runPlain(workspace, model, waiting, each));
          expect(workspace.keys.all().map(toPlain)).toEqual([...model].toSorted());
          const next = isTimeToGoOn ? waiting.shift() : undefined;
          if (next === undefined) continue;
          const { apiId, goOn, id, record, result } = next;
          goOn();
          // Another key may have its id by now, or another update may have changed it.
          const isRefused = model.get(id) !== record;
          if (!isRefused) model.set(id, { ...record, apiId });
          await refusedIf(isRefused, result);
          expectIndexesMatch(workspace);
        }
        await Promise.all(results);
        expectIndexesMatch(workspace);
      },
    ),
    { numRuns: 60 },
  );
});

test("of concurrent updates that read a member, wait and write it, only the first is kept", async () => {
  const { keys } = await givenWorkspace();
  const key = await keys.create({ apiId: "api_a", id: "key_1", remaining: 5 });

  const increments = Array.from({ length: 50 }, () =>
    keys.update(key, {
      data: async (draft) => {
        const { remaining = 0 } = draft;
        await Promise.resolve();
        draft.remaining = remaining + 1;
      },
    }),
  );
  const refused = (await Promise.allSettled(increments)).filter(
    ({ status }) => status === "rejected",
  ) as PromiseRejectedResult[];

  expect(keys.get("key_1")?.remaining).toBe(6);
  expect(refused).toHaveLength(49);
  expect(refused[0]?.reason).toBeInstanceOf(UsageError);
  expect(refused[0]?.reason.message).toBe(
    "key: the record was deleted, replaced or changed by something else before the update could be written; update it again",
  );
});

test("an update that waits is refused if a verification uses up credits of the same key", async () => {
  const emulator = await givenEmulator({
    fixtures: [
      { apis: [{ id: "api_a" }], keys: [{ id: "key_1", apiId: "api_a", key: "v", remaining: 5 }] },
    ],
  });
  const { keys } = emulator;
  let goOn = () => {};
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const data = async (key: { name?: string | undefined }) => {
    await told;
    key.name = "renamed";
  };
  const update = keys.update({ id: "key_1" }, { data });

  await post(emulator, "/v1/keys.verifyKey", { key: "v" });
  goOn();

  await expect(update).rejects.toThrow("key: the record was deleted, replaced or changed");
  expect(keys.get("key_1")).toMatchObject({ name: undefined, remaining: 4 });
});

test("concurrent renames and creates give a role name only once", async () => {
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

test("thousands of keys that come and go in the middle of the list keep the indexes right", async () => {
  const workspace = await givenWorkspace();
  const { keys } = workspace;
  const kept = await keys.create({ apiId: "api_a", id: "key_5", key: "kept_value" });
  expect(keys.findByValue("kept_value")).toBe(kept);

  for (let round = 0; round < 12; round += 1) {
    await keys.createMany(1_000, (index) => ({
      apiId: "api_a",
      id: `key_${(index * 919) % 1_000}_${round}`,
      ownerId: index % 2 ? "ann" : "bob",
    }));
    expect(keys.deleteMany({ ownerId: "ann" })).toHaveLength(500);
    if (round % 10 === 0) expectIndexesMatch(workspace);
    keys.deleteMany({ ownerId: "bob" });
  }

  expect(keys.findByValue("kept_value")).toBe(kept);
  const later = await keys.create({ apiId: "api_a", key: "later_value" });
  expect(keys.findByValue("later_value")).toBe(later);
});

test("a name that a refused update asked for stays free", async () => {
  const { roles } = await givenWorkspace();
  const role = await roles.create({ name: "mine" });

  const update = (permissions: unknown) =>
    roles.update(role, {
      data: (draft) => void Object.assign(draft, { name: "other", permissions }),
    });
  await expect(update(5)).rejects.toThrow("role: permissions");

  expect(roles.named("other")).toBeUndefined();
  expect((await roles.create({ name: "other" })).name).toBe("other");
});
