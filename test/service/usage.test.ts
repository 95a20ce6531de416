import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW } from "../_emulator.ts";
import { problemsOf } from "../_fixture-problems.ts";
import { createKeyV2, listKeysV2 } from "../_v2.ts";
import { codes, givenKey, key, VALUE, verified, verifyV1, verifyV2, worldWith } from "./_verify.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const calls = { name: "calls", limit: 3, duration: MINUTE, autoApply: true };
const daily = { interval: "daily", amount: 10 } as const;
const monthly = (refillDay?: number) => ({ interval: "monthly", amount: 10, refillDay }) as const;

const asJson = (fixture: Fixture): Fixture => JSON.parse(JSON.stringify(fixture)) as Fixture;
/** A second emulator, from the JSON of a snapshot of the first. */
const copyOf = (emulator: Emulator, now: number | string = NOW) =>
  givenEmulator({ fixtures: [asJson(emulator.snapshot())], randomSeed: undefined, now });
const leftOf = (emulator: Emulator) => emulator.keys.get("key_1")?.remaining;

describe("a refill", () => {
  type Row = readonly [refill: object, from: string, to: string, left: number];
  test.each<Row>([
    [daily, "2026-01-01T12:00Z", "2026-01-01T23:59:59.999Z", 3],
    [daily, "2026-01-01T12:00Z", "2026-01-02T00:00Z", 10],
    [daily, "2026-01-31T12:00Z", "2026-02-01T00:00Z", 10],
    [daily, "2026-01-01T00:00Z", "2026-01-01T23:59Z", 3],
    [{ ...daily, amount: 2 }, "2026-01-01T12:00Z", "2026-01-05T00:00Z", 3],
    [monthly(), "2026-01-01T12:00Z", "2026-01-31T23:59Z", 3],
    [monthly(), "2026-01-01T12:00Z", "2026-02-01T00:00Z", 10],
    [monthly(15), "2026-01-14T12:00Z", "2026-01-14T23:59Z", 3],
    [monthly(15), "2026-01-14T12:00Z", "2026-01-15T00:00Z", 10],
    [monthly(15), "2026-01-15T00:00Z", "2026-02-14T23:59Z", 3],
    [monthly(28), "2026-02-27T12:00Z", "2026-02-28T00:00Z", 10],
    [monthly(31), "2026-02-27T12:00Z", "2026-02-27T23:59Z", 3],
    [monthly(31), "2026-02-27T12:00Z", "2026-02-28T00:00Z", 10],
    [monthly(29), "2028-02-28T12:00Z", "2028-02-28T23:59Z", 3],
    [monthly(30), "2028-02-28T12:00Z", "2028-02-29T00:00Z", 10],
    [monthly(31), "2026-04-29T12:00Z", "2026-04-30T00:00Z", 10],
    [monthly(31), "2026-03-30T12:00Z", "2026-03-30T23:59Z", 3],
    [monthly(31), "2026-01-31T12:00Z", "2026-03-01T00:00Z", 10],
  ])(
    "a refill of a key with 3 uses is the same in both versions: row %#",
    async (refill, from, to, left) => {
      const emulator = await givenKey({ remaining: 3, refill }, {}, { now: from });
      emulator.clock.set(to);

      const v1 = await verifyV1(emulator, { ...key, remaining: { cost: 0 } });
      const v2 = await verified(emulator, { credits: { cost: 0 } });

      expect([v1.body.remaining, v2.credits]).toEqual([left, left]);
    },
  );

  test("that was missed several times has the time of the last one, in both versions", async () => {
    const emulator = await givenKey(
      { remaining: 0, refill: daily },
      {},
      { quirks: ["extra-fields"] },
    );
    emulator.clock.advance("50h");

    const due = NOW + 2 * DAY;
    expect((await listKeys(emulator, { apiId: "api_first" })).body.keys).toMatchObject([
      { remaining: 10, updatedAt: due, refill: { lastRefillAt: due } },
    ]);
    expect((await listKeysV2(emulator, { apiId: "api_first" })).body.data).toMatchObject([
      { updatedAt: due, credits: { remaining: 10, refill: daily } },
    ]);
  });

  test("happens for days that the clock passes after it was set back, also before the start", async () => {
    const emulator = await givenKey({ remaining: 3, refill: daily, createdAt: 1 });
    emulator.clock.set(NOW - 30 * DAY + HOUR);
    expect((await verified(emulator)).credits).toBe(2);
    emulator.clock.advance("1d");
    expect((await verified(emulator)).credits).toBe(9);
    const copy = await copyOf(emulator, NOW - 60 * DAY);
    copy.clock.advance("32d");
    expect((await verified(copy)).credits).toBe(9);
  });

  test("is in place when the clock has moved, before any request", async () => {
    const emulator = await givenKey({ remaining: 3, refill: daily });

    emulator.clock.advance("1d");

    expect(leftOf(emulator)).toBe(10);
    await emulator.keys.update({ id: "key_1" }, { data: (draft) => void (draft.remaining = 1) });
    expect((await verified(emulator, { credits: { cost: 0 } })).credits).toBe(1);
  });
});

/** A key with all that a verification changes. */
const used = {
  externalId: "ann",
  remaining: 5,
  refill: daily,
  ratelimits: [{ ...calls, limit: 7 }],
};
const ann: Fixture = {
  identities: [
    { id: "id_ann", externalId: "ann", ratelimits: [{ ...calls, name: "whole", limit: 9 }] },
  ],
};

/** Verifies through both versions while time passes, and returns all answers. */
async function use(emulator: Emulator): Promise<unknown[]> {
  const answers: unknown[] = [];
  const ratelimits = [{ name: "more", limit: 3, duration: HOUR }];
  for (const pause of [0, 20_000, 30_000, 30_000, HOUR, DAY, -HOUR, DAY]) {
    emulator.clock.set(emulator.clock.now() + pause);
    const options = { token: "root" };
    answers.push((await verifyV1(emulator, { ...key, ratelimits }, options)).body);
    answers.push((await verifyV2(emulator, key, options)).body);
    answers.push((await listKeysV2(emulator, { apiId: "api_first" }, options)).body);
  }
  return answers;
}

describe("uses, counters, refills and lastUsedAt", () => {
  test("go on from a snapshot, in the same emulator and in another one", async () => {
    const emulator = await givenKey(used, ann);
    await use(emulator);
    const now = emulator.clock.now();
    const snapshot = emulator.snapshot();
    const copy = await copyOf(emulator, now);
    const answers = await use(emulator);
    const after = emulator.snapshot();

    expect(await use(copy)).toEqual(answers);
    expect(copy.snapshot()).toEqual(after);
    for (const restored of [snapshot, asJson(snapshot)]) {
      emulator.clock.set(now);
      await emulator.restore(restored);
      expect(await use(emulator)).toEqual(answers);
      expect(emulator.snapshot()).toEqual(after);
    }
  });

  test("are part of a snapshot under the names of the fixture format", async () => {
    const emulator = await givenKey(used, ann);
    emulator.clock.advance("1d");
    await codes(emulator, 2);

    const { keys, snapshot } = asJson(emulator.snapshot());

    const lastUsedAt = NOW + DAY;
    const refill = { ...daily, lastRefillAt: NOW + DAY };
    expect(keys).toMatchObject([{ remaining: 8, lastUsedAt, refill }]);
    const counter = { duration: MINUTE, window: (NOW + DAY) / MINUTE, current: 2, previous: 0 };
    expect(snapshot?.refilledUntil).toBe(NOW + DAY);
    expect(snapshot?.counters).toEqual([
      { ownerId: "id_ann", name: "whole", ...counter },
      { ownerId: "key_1", name: "calls", ...counter },
    ]);
  });

  test("are separate for two isolated tokens, in both versions", async () => {
    const emulator = await givenKey({ remaining: 2, ratelimits: [calls] }, {}, { isolate: true });
    const [one, two] = [{ token: "one" }, { token: "two" }];

    await verifyV1(emulator, key, one);
    await verifyV2(emulator, key, one);

    expect(await verified(emulator, {}, one)).toMatchObject({ code: "USAGE_EXCEEDED", credits: 0 });
    expect(await verified(emulator, {}, two)).toMatchObject({
      credits: 1,
      ratelimits: [{ remaining: 2 }],
    });
    expect((await verifyV1(emulator)).body.remaining).toBe(1);
    expect(emulator.workspace("one").keys.get("key_1")?.remaining).toBe(0);
    await emulator.workspace("one").reset();
    expect(await verified(emulator, {}, one)).toMatchObject({
      credits: 1,
      ratelimits: [{ remaining: 2 }],
    });
  });
});

describe("a fixture", () => {
  /** SHA-256 of `hello world`, in base64. */
  const hash = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=";

  test("may give the hash of a value in its place", async () => {
    const emulator = await givenKey({ key: undefined, start: "hello", hash });

    expect(await verified(emulator, { key: "hello world" })).toMatchObject({ keyId: "key_1" });
    expect(emulator.snapshot().keys).toMatchObject([{ hash, start: "hello" }]);
    expect(emulator.keys.findByValue("hello world")?.id).toBe("key_1");
  });

  test.each(["", "hello", hash.slice(1), hash.slice(0, -1), `${hash}=`, 7])(
    "with the hash %j is refused",
    async (wrong) => {
      const [problem] = await problemsOf(worldWith({ key: undefined, hash: wrong }));

      expect(problem).toContain("keys[0].hash");
      expect(problem).toContain("SHA-256");
    },
  );

  test("may say when a key was last used and last refilled", async () => {
    const refill = { ...daily, lastRefillAt: NOW - 5 };
    const emulator = await givenKey(
      { remaining: 3, lastUsedAt: NOW - 7, refill },
      {},
      { quirks: ["extra-fields"] },
    );

    const v1 = (await listKeys(emulator, { apiId: "api_first" })).body.keys;
    const v2 = (await listKeysV2(emulator, { apiId: "api_first" })).body.data;

    expect(v1).toMatchObject([{ refill: { lastRefillAt: NOW - 5 } }]);
    expect("lastUsedAt" in v1[0]).toBe(false);
    expect(v2).toMatchObject([{ lastUsedAt: NOW - 7, credits: { refill: daily } }]);
    expect(asJson(emulator.snapshot()).keys).toMatchObject([{ lastUsedAt: NOW - 7, refill }]);
  });
});

/** The values of keys of every origin in a world. Only one of them is recoverable. */
async function givenValues() {
  const apis = (storeEncryptedKeys: boolean) => [
    { id: "api_first" },
    { id: "api_vault", storeEncryptedKeys: true },
    { id: "api_made_up", defaultPrefix: "up", storeEncryptedKeys },
  ];
  const generate = [{ apiId: "api_made_up", count: 40 }];
  // Recoverable generated keys show their values, which the other world has too.
  const open = await givenEmulator({ fixtures: [{ apis: apis(true), generate }] });
  const generated = open.keys.all().flatMap(({ plaintext }) => plaintext ?? []);
  const emulator = await givenEmulator({
    fixtures: [worldWith({}, { apis: apis(false), generate })],
  });
  const v1 = await createKey(emulator, { apiId: "api_first", prefix: "one" });
  const v2 = await createKeyV2(emulator, { apiId: "api_first", prefix: "two" });
  const kept = await createKeyV2(emulator, { apiId: "api_vault", recoverable: true });
  const values = [VALUE, v1.body.key, v2.body.data.key, ...generated];
  return { emulator, values, kept: kept.body.data.key as string };
}

describe("keys of fixtures, of both versions and generated ones", () => {
  test("are verified by their values, also in a world that was restored", async () => {
    const { emulator, kept, values } = await givenValues();
    const copy = await copyOf(emulator);
    const again = await copyOf(copy);

    expect(values.length).toBeGreaterThan(4);
    for (const value of [...values, kept]) {
      const { code, keyId } = await verified(emulator, { key: value });
      expect([code === "NOT_FOUND", typeof keyId]).toEqual([false, "string"]);
      for (const other of [copy, again]) {
        expect((await verifyV1(other, { key: value })).body.keyId).toBe(keyId);
        expect(other.keys.findByValue(value)?.id).toBe(keyId);
      }
    }
  });
});

describe("findByValue", () => {
  test("finds a key while it exists, whatever changes it", async () => {
    const emulator = await givenEmulator();
    const find = () => emulator.keys.findByValue(value)?.id;
    let value = "unknown";
    expect(find()).toBeUndefined();
    const snapshot = emulator.snapshot();
    const { body } = await createKey(emulator, { apiId: "api_one" });
    const { key: made, keyId } = body;
    value = made;
    const withKey = asJson(emulator.snapshot());

    expect(find()).toBe(keyId);
    await emulator.keys.update({ id: keyId }, { data: (draft) => void (draft.name = "CI") });
    expect(find()).toBe(keyId);
    expect(emulator.keys.findByValue(value)).toBe(emulator.keys.get(keyId));
    await emulator.restore(snapshot);
    expect(find()).toBeUndefined();
    await emulator.restore(withKey);
    expect(find()).toBe(keyId);
    emulator.keys.delete({ id: keyId });
    expect(find()).toBeUndefined();
    await emulator.keys.create({ apiId: "api_one", key: value, id: "key_again" });
    expect(find()).toBe("key_again");
    await emulator.reset();
    expect(find()).toBeUndefined();
    expect((await createKey(emulator, { apiId: "api_one" })).body.key).toBe(value);
    expect(find()).toBe(keyId);
    await emulator.reset({ freshIds: true });
    await createKey(emulator, { apiId: "api_one" });
    expect(find()).toBeUndefined();
  });

  test("with isolation, does not find the keys of another token", async () => {
    const emulator = await givenKey({}, {}, { isolate: true });
    const [one, two] = [emulator.workspace("one"), emulator.workspace("two")];
    const { body } = await createKey(emulator, { apiId: "api_first" }, { token: "one" });
    two.keys.delete({ id: "key_1" });

    const found = [emulator, one, two].map(({ keys }) => [
      keys.findByValue(VALUE)?.id,
      keys.findByValue(body.key)?.id,
    ]);

    expect(found).toEqual([
      ["key_1", undefined],
      ["key_1", body.keyId],
      [undefined, undefined],
    ]);
  });
});
