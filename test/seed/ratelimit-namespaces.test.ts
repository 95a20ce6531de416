import { describe, expect, test } from "vitest";
import { createEmulator, type Emulator, type Fixture } from "../../src/index.ts";
import { givenEmulator, NOW, openWorld } from "../_emulator.ts";
import { limitV1, MINUTE, ratelimit, use } from "../service/_limits.ts";

const fixture: Fixture = {
  ...openWorld,
  ratelimitNamespaces: [
    {
      name: "email",
      overrides: [
        { identifier: "vip", limit: 200, duration: MINUTE },
        { id: "rlor_trial", identifier: "trial_*", limit: 3, duration: MINUTE },
      ],
    },
    { id: "rlns_gone", name: "gone", deleted: true },
  ],
};
const given = () => givenEmulator({ fixtures: [fixture] });

const remaining = async (emulator: Emulator, members: object = {}, token = "any_token") =>
  (await ratelimit(emulator, "limit", { ...use, ...members }, { token })).body.data.remaining;

describe("namespaces in a fixture", () => {
  test("get ids that they do not give, and so do their overrides", async () => {
    const emulator = await given();

    const { id, overrides } = emulator.ratelimitNamespaces.named("email") ?? {};

    expect(id).toMatch(/^rlns_[1-9A-HJ-NP-Za-km-z]{16}$/);
    expect(overrides).toEqual([
      { id: expect.stringMatching(/^rlor_/), identifier: "vip", limit: 200, duration: MINUTE },
      { id: "rlor_trial", identifier: "trial_*", limit: 3, duration: MINUTE },
    ]);
    expect(emulator.ratelimitNamespaces.get("rlns_gone")).toMatchObject({ deleted: true });
  });

  const override = { identifier: "x", limit: 1, duration: 1000 };
  const having = (...overrides: object[]) => [{ name: "a", overrides }];
  test.each<[line: string, ratelimitNamespaces: unknown[]]>([
    [
      '[1].name: duplicate of fixtures[0]: ratelimitNamespaces[0].name: "a"',
      [{ name: "a" }, { name: "a" }],
    ],
    [
      '[1].id: duplicate of fixtures[0]: ratelimitNamespaces[0].id: "x"',
      [
        { id: "x", name: "a" },
        { id: "x", name: "b" },
      ],
    ],
    [
      "[0].overrides[1].identifier: duplicate of overrides[0].identifier",
      having(override, override),
    ],
    [
      "[0].overrides[1].id: duplicate of overrides[0].id",
      having({ ...override, id: "o" }, { ...override, id: "o", identifier: "y" }),
    ],
    ["[0].name: expected a string, got nothing", [{}]],
    [
      "[0].overrides[0].limit: expected an integer of at least 0, got -1",
      having({ ...override, limit: -1 }),
    ],
    [
      '[0].overrides[0].duration: expected a duration in milliseconds, at least 1000, or text like "1m", got 999',
      having({ ...override, duration: 999 }),
    ],
    ["[0].nmae: unknown member", [{ name: "a", nmae: "b" }]],
  ])("are refused: %s", async (line, ratelimitNamespaces) => {
    const fixtures = [{ ...openWorld, ratelimitNamespaces } as Fixture];
    const problem = `fixtures[0]: ratelimitNamespaces${line}`;

    await expect(createEmulator({ fixtures })).rejects.toThrow(problem);
  });

  test("are added by `seed`, and refused if one has the name", async () => {
    const emulator = await given();

    await emulator.seed({ ratelimitNamespaces: [{ name: "sms" }] });

    expect(emulator.ratelimitNamespaces.named("sms")).toBeDefined();
    const again = { ratelimitNamespaces: [{ name: "email" }] };
    await expect(emulator.seed(again)).rejects.toThrow(
      "ratelimitNamespaces[0].name: duplicate of current state",
    );
  });
});

describe("the collection of namespaces", () => {
  test("creates, finds, changes and deletes them", async () => {
    const emulator = await given();
    const { ratelimitNamespaces } = emulator;

    const made = await ratelimitNamespaces.create({ name: "sms" });
    await ratelimitNamespaces.update(
      { name: "sms" },
      {
        data(draft) {
          draft.overrides.push({ identifier: "vip", limit: 1, duration: MINUTE } as never);
        },
      },
    );

    expect(ratelimitNamespaces.findFirst({ name: "sms" })?.id).toBe(made.id);
    expect(ratelimitNamespaces.get(made.id)?.overrides).toMatchObject([
      { id: expect.stringMatching(/^rlor_/), identifier: "vip" },
    ]);
    expect(await remaining(emulator, { namespace: "sms", identifier: "vip" })).toBe(0);
    ratelimitNamespaces.delete({ name: "sms" });
    expect(ratelimitNamespaces.count()).toBe(2);
  });

  test("keeps the ids of overrides in an update", async () => {
    const emulator = await given();
    const { ratelimitNamespaces } = emulator;

    const body = { namespace: "email", identifier: "vip", limit: 5, duration: MINUTE };
    const { overrideId } = (await ratelimit(emulator, "setOverride", body)).body.data;
    await ratelimitNamespaces.update(
      { name: "email" },
      { data: (draft) => void (draft.name = "mail") },
    );

    const { overrides } = ratelimitNamespaces.named("mail") ?? {};
    expect(overrides?.[0]).toEqual({
      id: overrideId,
      identifier: "vip",
      limit: 5,
      duration: MINUTE,
    });
  });

  test("refuses two overrides with the same identifier", async () => {
    const emulator = await given();
    const override = { identifier: "x", limit: 1, duration: MINUTE };

    await expect(
      emulator.ratelimitNamespaces.create({ name: "sms", overrides: [override, override] }),
    ).rejects.toThrow(
      "ratelimit namespace: overrides[1].identifier: duplicate of overrides[0].identifier",
    );
  });

  test("starts counting again for a namespace that was deleted and created again", async () => {
    const emulator = await given();
    await remaining(emulator, { cost: 4 });
    emulator.ratelimitNamespaces.delete({ name: "email" });

    expect(await remaining(emulator)).toBe(9);
  });
});

describe("namespaces and their counters", () => {
  test("go on from a snapshot, in both versions", async () => {
    const emulator = await given();
    await remaining(emulator, { cost: 4 });
    await limitV1(emulator, { ...use, identifier: "", cost: 3 });
    await ratelimit(emulator, "setOverride", {
      namespace: "email",
      identifier: "a*",
      limit: 5,
      duration: MINUTE,
    });
    const snapshot = emulator.snapshot();

    const other = await createEmulator({
      fixtures: [JSON.parse(JSON.stringify(snapshot))],
      now: NOW,
    });
    await emulator.reset();
    await emulator.restore(snapshot);

    for (const each of [other, emulator]) {
      expect(each.snapshot()).toEqual(snapshot);
      expect(await remaining(each)).toBe(5);
      const { body } = await limitV1(each, { ...use, identifier: "" });
      expect(body.remaining).toBe(6);
    }
  });

  test("of isolated tokens are separate", async () => {
    const emulator = await givenEmulator({ fixtures: [fixture], isolate: true });
    await remaining(emulator, { cost: 4 }, "one");
    const body = { namespace: "email", identifier: "user_1", limit: 99, duration: MINUTE };
    await ratelimit(emulator, "setOverride", body, { token: "two" });
    await remaining(emulator, { namespace: "sms" }, "two");

    expect(await remaining(emulator, {}, "one")).toBe(5);
    expect(await remaining(emulator, {}, "two")).toBe(98);
    expect(await remaining(emulator, {}, "three")).toBe(9);
    expect(emulator.workspace("one").ratelimitNamespaces.named("sms")).toBeUndefined();
    expect(emulator.workspace("two").ratelimitNamespaces.named("sms")).toBeDefined();
  });

  test("are saved after each counted use, because the revision grows", async () => {
    const emulator = await given();
    const { revision } = emulator;

    await remaining(emulator, { cost: 0 });
    expect(emulator.revision).toBe(revision);
    await remaining(emulator);
    expect(emulator.revision).toBeGreaterThan(revision);
  });
});
