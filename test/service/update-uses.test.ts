import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, NOW } from "../_emulator.ts";
import { testKeyOperation } from "./_key-operation.ts";
import {
  badRequest,
  call,
  expectRefusalOfV1,
  expectResult,
  givenKeys,
  shown,
  stateOf,
  type Version,
} from "./_keys.ts";

const names = { v1: "updateRemaining", v2: "updateCredits" };
const verbs = { v1: "op", v2: "operation" };

/** Calls the operation of a version, whose words differ. */
const update = (emulator: Emulator, version: Version, keyId: string, op: string, value?: unknown) =>
  call(emulator, version, names[version], { keyId, [verbs[version]]: op, value });

describe("keys.updateRemaining and keys.updateCredits", () => {
  testKeyOperation({
    v1: { name: names.v1, input: { op: "decrement", value: 1 } },
    v2: { name: names.v2, input: { operation: "decrement", value: 1 } },
  });
});

const MOST = 2 ** 63;
const monthly = { amount: 100, interval: "monthly", refillDay: 9 };
const daily = { amount: 100, interval: "daily" };

/** A key with 50 uses left unless it is `key_plain`, which has any number, or `key_two` with 3. */
type Change = [keyId: string, op: string, value: number | null, left: number | null];

describe("v1 changes the uses left", () => {
  test.each<Change>([
    ["key_full", "increment", 10, 60],
    ["key_full", "increment", 0, 50],
    ["key_full", "increment", -10, 40],
    ["key_full", "increment", -60, -10],
    ["key_full", "decrement", 10, 40],
    ["key_full", "decrement", 50, 0],
    ["key_full", "decrement", 51, -1],
    ["key_full", "decrement", -10, 60],
    ["key_two", "decrement", 10, -7],
    ["key_full", "set", 10, 10],
    ["key_full", "set", 0, 0],
    ["key_full", "set", -5, -5],
    ["key_full", "set", MOST, MOST],
    ["key_full", "set", -MOST, -MOST],
    ["key_full", "set", null, null],
    ["key_plain", "set", 10, 10],
    ["key_plain", "set", null, null],
  ])("of %s, by %s with %j, to %j", async (keyId, op, value, left) => {
    const emulator = await givenKeys();
    const before = await shown(emulator, "v1", keyId);
    emulator.clock.advance(10);

    const answer = await update(emulator, "v1", keyId, op, value);

    expectResult(answer, "v1", { remaining: left });
    // The refill stays, also where the uses are not limited any more. `updatedAt` moves.
    const after = { ...before, remaining: left ?? undefined, updatedAt: NOW + 10 };
    expect(await shown(emulator, "v1", keyId)).toEqual(after);
  });
});

describe("v2 changes the uses left", () => {
  test.each<Change>([
    ["key_full", "increment", 10, 60],
    ["key_full", "increment", 0, 50],
    ["key_full", "decrement", 10, 40],
    ["key_full", "decrement", 50, 0],
    ["key_full", "decrement", 51, 0],
    ["key_full", "decrement", MOST, 0],
    ["key_two", "decrement", 10, 0],
    ["key_full", "set", 10, 10],
    ["key_full", "set", 0, 0],
    ["key_full", "set", MOST, MOST],
    ["key_full", "set", null, null],
    ["key_daily", "increment", 1, 51],
    ["key_daily", "set", null, null],
    ["key_plain", "set", 10, 10],
    ["key_plain", "set", null, null],
  ])("of %s, by %s with %j, to %j", async (keyId, op, value, left) => {
    const emulator = await givenKeys();
    const before = await shown(emulator, "v2", keyId);
    const refills: Record<string, object> = { key_full: monthly, key_daily: daily };
    const refill = left === null ? undefined : refills[keyId];
    emulator.clock.advance(10);

    const answer = await update(emulator, "v2", keyId, op, value);

    const credits = { ...(refill && { refill }), remaining: left };
    expectResult(answer, "v2", credits);
    // `updatedAt` does not move.
    const { credits: _, ...rest } = before;
    expect(await shown(emulator, "v2", keyId)).toEqual(left === null ? rest : { ...rest, credits });
  });
});

test.each(["increment", "decrement"])(
  "v2 counts %s from the uses that v1 left below 0, and never goes below 0",
  async (op) => {
    const emulator = await givenKeys();
    await update(emulator, "v1", "key_two", "set", -5);

    expect(await shown(emulator, "v2", "key_two")).toMatchObject({ credits: { remaining: 0 } });
    expectResult(await update(emulator, "v2", "key_two", op, 1), "v2", { remaining: 0 });
  },
);

describe("a key without a limit", () => {
  test.each(["v1", "v2"] as const)(
    "keeps its refill if %s made it so and is v1, and loses it in v2",
    async (version) => {
      const emulator = await givenKeys();

      await update(emulator, version, "key_full", "set", null);
      const between = await shown(emulator, "v1", "key_full");
      await update(emulator, version, "key_full", "set", 1);

      const kept = { interval: "monthly", amount: 100, refillDay: 9, lastRefillAt: 8 };
      expect(between.refill).toEqual(version === "v1" ? kept : undefined);
      expect((await shown(emulator, "v2", "key_full")).credits).toEqual(
        version === "v1" ? { refill: monthly, remaining: 1 } : { remaining: 1 },
      );
    },
  );

  test("is made by v2 with `set` and no value, which keeps the refill for the next limit", async () => {
    const emulator = await givenKeys();

    const answer = await update(emulator, "v2", "key_full", "set", undefined);
    const between = await shown(emulator, "v2", "key_full");
    emulator.clock.advance("40d");
    const later = await shown(emulator, "v2", "key_full");
    const limited = await update(emulator, "v2", "key_full", "set", 1);

    expectResult(answer, "v2", { refill: monthly, remaining: null });
    expect([between.credits, later.credits]).toEqual([undefined, undefined]);
    expectResult(limited, "v2", { refill: monthly, remaining: 1 });
  });

  test("stays without one when its refill is due", async () => {
    const emulator = await givenKeys();
    await update(emulator, "v1", "key_daily", "set", null);

    emulator.clock.advance("3d");

    const { remaining, refill } = await shown(emulator, "v1", "key_daily");
    expect([remaining, refill.amount]).toEqual([undefined, 100]);
  });
});

/** The refusals of operations on the uses left; of key_full unless another key is named. */
type Refused = [keyId: string, op: string, value: unknown, text: string];

const unlimitedText = (op: string) =>
  `op: the key can be used any number of times; \`set\` a value, not ${op}`;

test.each<Refused>([
  ["key_plain", "increment", 1, unlimitedText("increment")],
  ["key_plain", "decrement", 1, unlimitedText("decrement")],
  // Of both mistakes, v1 reports this one.
  ["key_plain", "increment", null, unlimitedText("increment")],
  ["key_full", "increment", null, "value: expected a number to increment by, got null"],
  ["key_full", "decrement", null, "value: expected a number to decrement by, got null"],
  ["key_full", "set", 1.5, "value: expected an integer, got 1.5"],
  ["key_full", "set", 1e300, "value: expected an integer, got 1e+300"],
])("v1 refuses for %s to %s %j", async (keyId, op, value, text) => {
  const emulator = await givenKeys();
  const state = stateOf(emulator);

  expectRefusalOfV1(await update(emulator, "v1", keyId, op, value), badRequest(text));

  expect(stateOf(emulator)).toEqual(state);
});

test.each(["v1", "v2"] as const)("%s counts the next verification from there", async (version) => {
  const emulator = await givenEmulator({
    fixtures: [
      { apis: [{ id: "api_one" }], keys: [{ id: "key_one", apiId: "api_one", key: "the_value" }] },
    ],
  });
  await update(emulator, version, "key_one", "set", 50);

  const { body } = await call(emulator, "v2", "verifyKey", { key: "the_value" });

  expect(body.data).toMatchObject({ code: "VALID", credits: 49 });
  expectResult(await update(emulator, version, "key_one", "decrement", 9), version, {
    remaining: 40,
  });
});

test("uses left at either end of what v1 accepts are read again from a snapshot", async () => {
  const emulator = await givenKeys();
  await update(emulator, "v1", "key_full", "set", MOST);
  await update(emulator, "v1", "key_daily", "set", -MOST);

  const snapshot: Fixture = JSON.parse(JSON.stringify(emulator.snapshot()));
  const copy = await givenEmulator({ fixtures: [snapshot] });

  expect((await shown(copy, "v1", "key_full")).remaining).toBe(MOST);
  expect((await shown(copy, "v1", "key_daily")).remaining).toBe(-MOST);
});

test.each(["v1", "v2"] as const)("%s refuses more uses than 64 bits can count", async (version) => {
  const emulator = await givenKeys();
  await update(emulator, version, "key_full", "set", MOST);
  const state = stateOf(emulator);

  const { body, status } = await update(emulator, version, "key_full", "increment", MOST);

  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain("value: expected uses left of at most 2^63");
  expect(stateOf(emulator)).toEqual(state);
});
