import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { toApis } from "../../src/state/records/apis.ts";
import { createKey, givenEmulator, NOW, post } from "../_emulator.ts";
import { createKeyV2 } from "../_v2.ts";
import { problemsOf } from "../_fixture-problems.ts";

// The ids of keyspaces that fixtures give, and those that follow from the random seed.

const api = { id: "api_one" };
const given = { id: "api_given", keyspaceId: "ks_given" };
const bare = { id: "api_bare", keyspace: false };
const world: Fixture = { workspace: { id: "ws_test" }, apis: [api, given, bare] };

const givenWorld = (more: object = {}) => givenEmulator({ fixtures: [world], ...more });

const idsOf = (emulator: Emulator) =>
  Object.fromEntries(emulator.apis.all().map(({ id, keyspaceId }) => [id, keyspaceId]));

/** A snapshot of a version of latchkey without ids of keyspaces. */
function withoutIds(snapshot: Fixture): Fixture {
  return JSON.parse(
    JSON.stringify(snapshot, (name, value) => (name === "keyspaceId" ? undefined : value)),
  );
}

test("an API has the id that is given for its keyspace, or one of the service's form", async () => {
  const emulator = await givenWorld();

  expect(idsOf(emulator)).toEqual({
    api_one: expect.stringMatching(/^ks_[a-zA-Z0-9]{9}$/),
    api_given: "ks_given",
    api_bare: undefined,
  });
  expect(emulator.apis.findFirst((query) => query.where({ keyspaceId: "ks_given" }))?.id).toBe(
    "api_given",
  );
});

describe("derived ids", () => {
  test("the derived id of a keyspace follows from the random seed, the workspace and the API alone", async () => {
    const id = idsOf(await givenWorld())["api_one"];
    const alone = [{ apis: [{ id: "api_new" }, api], workspace: { id: "ws_test" } }];
    const elsewhere = [{ apis: [api], workspace: { id: "ws_other" } }];

    expect(id).toBe("ks_O70WR8a4G");
    expect(idsOf(await givenWorld())["api_one"]).toBe(id);
    const later = await givenEmulator({ fixtures: alone, now: NOW + 5 });
    expect(idsOf(later)["api_one"]).toBe(id);
    expect(idsOf(later)["api_new"]).not.toBe(id);
    expect(idsOf(await givenWorld({ randomSeed: 2 }))["api_one"]).not.toBe(id);
    expect(idsOf(await givenEmulator({ fixtures: elsewhere }))["api_one"]).not.toBe(id);
  });

  test("the derived id of a keyspace uses up no other id and no key value", async () => {
    const emulator = await givenWorld();
    const withGiven = await givenEmulator({
      fixtures: [{ ...world, apis: [{ ...api, keyspaceId: "ks_mine" }] }],
    });

    const made = await Promise.all(
      [emulator, withGiven].map((each) => createKey(each, { apiId: "api_one" })),
    );

    expect(made[0]?.body).toEqual(made[1]?.body);
    expect(emulator.snapshot().snapshot?.ids).not.toHaveProperty("ks");
  });

  test("ids of keyspaces stay with reset, snapshot and restore, and with another random seed", async () => {
    const emulator = await givenWorld();
    const created = await post(emulator, "/v2/apis.createApi", { name: "New" });
    const ids = idsOf(emulator);
    expect(ids[created.body.data.apiId]).toMatch(/^ks_/);
    const snapshot = emulator.snapshot();
    const copy = await givenEmulator({ fixtures: [JSON.parse(JSON.stringify(snapshot))] });
    const other = await givenEmulator({ fixtures: [snapshot], randomSeed: 99 });
    const restored = await givenEmulator({ fixtures: [{ apis: [] }], randomSeed: 100 });
    await restored.restore(JSON.parse(JSON.stringify(snapshot)));

    for (const each of [copy, other, restored]) expect(idsOf(each)).toEqual(ids);
    await emulator.reset();
    const { [created.body.data.apiId]: _, ...initial } = ids;
    expect(idsOf(emulator)).toEqual(initial);
    await emulator.reset({ freshIds: true });
    expect(idsOf(emulator)).toEqual(initial);
    await emulator.restore(snapshot);
    expect(idsOf(emulator)).toEqual(ids);
  });

  test("a snapshot without ids of keyspaces gets the same ones each time that it is loaded", async () => {
    const emulator = await givenEmulator({ fixtures: [{ ...world, apis: [api, bare] }] });
    const early = withoutIds(emulator.snapshot());
    expect(JSON.stringify(early)).not.toContain("ks_");

    const copy = await givenEmulator({ fixtures: [early], randomSeed: undefined });
    const again = await givenEmulator({ fixtures: [copy.snapshot()], randomSeed: 5 });

    expect(idsOf(copy)).toEqual(idsOf(emulator));
    expect(idsOf(again)).toEqual(idsOf(emulator));
  });

  test("a keyspace gets another id if a fixture gives its derived id to another API", async () => {
    const id = idsOf(await givenWorld())["api_one"] as string;

    for (const taken of [
      { id: "api_a", keyspaceId: id },
      { id: "api_z", keyspaceId: id },
    ]) {
      const fixtures = [
        { ...world, apis: [api, taken].toSorted((a, b) => (a.id < b.id ? -1 : 1)) },
      ];
      const emulator = await givenEmulator({ fixtures });
      expect(emulator.apis.get(taken.id)?.keyspaceId).toBe(id);
      expect(emulator.apis.get("api_one")?.keyspaceId).toMatch(/^ks_[a-zA-Z0-9]{9}$/);
      expect(emulator.apis.get("api_one")?.keyspaceId).not.toBe(id);
    }

    // The same in one that is already running.
    const fixtures = [{ ...world, apis: [{ id: "api_a", keyspaceId: id }] }];
    const emulator = await givenEmulator({ fixtures });
    const created = await emulator.apis.create(api);
    expect(created.keyspaceId).not.toBe(id);
    await emulator.apis.delete({ id: "api_one" });
    await emulator.seed({ apis: [api] });
    expect(emulator.apis.get("api_one")?.keyspaceId).toBe(created.keyspaceId);
  });
});

test("the derived ids of the keyspaces of 10,000 APIs are all different", () => {
  const inits = Array.from({ length: 10_000 }, (_, index) => ({ id: `api_${index}` }));

  const ids = toApis(inits, "1/ws_test").map((each) => each.keyspaceId);

  expect(new Set(ids).size).toBe(inits.length);
});

describe("wrong ids", () => {
  const wrong = "expected an id of 1 to 100 letters, digits, _ or -";
  const withId = (keyspaceId: unknown) => [{ ...api, keyspaceId }];
  test.each<[line: string, apis: object[]]>([
    [`apis[0].keyspaceId: ${wrong}, got 5`, withId(5)],
    [`apis[0].keyspaceId: ${wrong}, got null`, withId(null)],
    [`apis[0].keyspaceId: ${wrong}, got ""`, withId("")],
    [`apis[0].keyspaceId: ${wrong}, got "ks a"`, withId("ks a")],
    // No call could name such an API.
    [`apis[0].keyspaceId: ${wrong}, got (101 characters)`, withId("x".repeat(101))],
    [
      "apis[1].keyspaceId: cannot be used with `keyspace: false`; remove one of the two members",
      [api, { ...bare, keyspaceId: "ks_given" }],
    ],
    [
      'apis[1].keyspaceId: duplicate of fixtures[0]: apis[0].keyspaceId: "ks_given"',
      [given, ...withId("ks_given")],
    ],
  ])("a fixture is refused: %s", async (line, apis) => {
    expect(await problemsOf({ apis } as Fixture)).toEqual([`fixtures[0]: ${line}`]);
  });

  test("seed refuses an API with the keyspace id of another one, given or derived", async () => {
    const emulator = await givenWorld();
    const own = emulator.apis.get("api_one")?.keyspaceId;

    for (const keyspaceId of [own, "ks_given"]) {
      const place = `current state: apis[${keyspaceId === own ? 0 : 1}].keyspaceId`;
      await expect(emulator.seed({ apis: [{ id: "api_new", keyspaceId }] })).rejects.toThrow(
        `seed: apis[0].keyspaceId: duplicate of ${place}: "${keyspaceId}"`,
      );
    }
    expect(emulator.apis.count()).toBe(3);
  });
});

test("fixtures with different workspaces may give the same keyspace id", async () => {
  const tokens = (token: string) => [{ token, permissions: ["*"] }];
  const fixtures = ["ws_one", "ws_two"].map((id) => ({
    workspace: { id },
    tokens: tokens(`of_${id}`),
    apis: [given],
  }));

  const emulator = await givenEmulator({ fixtures });

  expect(emulator.workspaces.all().map(({ apis }) => apis.get(given.id)?.keyspaceId)).toEqual([
    "ks_given",
    "ks_given",
  ]);
});

describe("changes by a test", () => {
  test.each<[members: object, message: string]>([
    [{ keyspaceId: "ks_given" }, 'api: keyspaceId: "ks_given" is taken'],
    [{ keyspaceId: "a b" }, "api: keyspaceId: expected an id of 1 to 100 letters"],
    [
      { keyspaceId: "ks_new", keyspace: false },
      "api: keyspaceId: cannot be used with `keyspace: false`; remove one",
    ],
  ])("a test cannot create an API with %j", async (members, message) => {
    const { apis } = await givenWorld();

    await expect(apis.create({ id: "api_new", ...members })).rejects.toThrow(message);

    expect(apis.count()).toBe(3);
  });

  test("a test can give a keyspace another id, but none that is taken", async () => {
    const { apis } = await givenWorld();
    const change = (keyspaceId: string) =>
      apis.update({ id: "api_one" }, { data: (draft) => void (draft.keyspaceId = keyspaceId) });

    await expect(change("ks_given")).rejects.toThrow('api: keyspaceId: "ks_given" is taken');
    expect((await change("ks_new"))?.keyspaceId).toBe("ks_new");
    expect(await apis.create({ id: "api_new", keyspaceId: "ks_after" })).toBeDefined();
  });

  test("a test can switch a keyspace off, which drops its id, and on again", async () => {
    const { apis } = await givenWorld();
    const before = apis.get("api_one")?.keyspaceId;
    const turn = (keyspace: boolean, more: object = {}) =>
      apis.update(
        { id: "api_one" },
        { data: (draft) => void Object.assign(draft, { keyspace, ...more }) },
      );

    expect((await turn(false))?.keyspaceId).toBeUndefined();
    await expect(turn(false, { keyspaceId: "ks_new" })).rejects.toThrow("`keyspace: false`");
    expect((await turn(true))?.keyspaceId).toBe(before);
    expect((await turn(true, { keyspaceId: undefined }))?.keyspaceId).toBe(before);
  });
});

test("a verification answers the keyspace id that the record of the API shows", async () => {
  const emulator = await givenWorld();
  const { body } = await createKeyV2(emulator, { apiId: "api_one" });
  const keyspaces = [emulator.apis.get("api_one")?.keyspaceId];

  const answer = await post(emulator, "/v2/keys.verifyKey", { key: body.data.key, keyspaces });

  expect(answer.body.data).toMatchObject({ code: "VALID", keyspaceId: keyspaces[0] });
});
