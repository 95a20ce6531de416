import { describe, expect, test } from "vitest";
import { NOW, post } from "../_emulator.ts";
import { acceptingAll, type Refusal } from "../_v2.ts";
import { expectNothingLeft } from "./_refusals.ts";
import { invalidInput, shown } from "./_keys.ts";
import { base64, codeOf, givenMigrations, hex, migrate, migrated } from "./_migrations.ts";

const hash = base64("value_one");
const limit = { name: "calls", limit: 10, duration: 60_000, autoApply: true };
const KEY_ID = /^key_[1-9A-HJ-NP-Za-km-z]+$/;

const unknownApi: Refusal = {
  status: 404,
  type: "unkey/data/api_not_found",
  detail: "The requested API does not exist or has been deleted.",
};
const unknownMigration: Refusal = {
  status: 404,
  type: "unkey/data/migration_not_found",
  detail: "The requested Migration does not exist or has been deleted.",
};

describe("keys.migrateKeys creates", () => {
  test("a key with all its settings, and what it names", async () => {
    const emulator = await givenMigrations();
    const names = { externalId: "ann", roles: ["admin"], permissions: ["read"] };
    const key = { hash, name: "CI", meta: { a: 1 }, ratelimits: [limit], enabled: false, ...names };

    const data = await migrated(emulator, [key]);

    const [{ keyId }] = data.migrated;
    expect(data).toEqual({
      failed: [],
      migrated: [{ hash, keyId: expect.stringMatching(KEY_ID) }],
    });
    expect(await shown(emulator, "v2", keyId)).toMatchObject({
      createdAt: NOW,
      enabled: false,
      identity: { externalId: "ann" },
      keyId,
      meta: { a: 1 },
      name: "CI",
      permissions: ["read"],
      ratelimits: [limit],
      roles: ["admin"],
      start: "",
    });
    expect(emulator.identities.named("ann")?.meta).toEqual({});
    expect(emulator.roles.named("admin")?.permissions).toEqual([]);
    expect(emulator.keys.get(keyId)).toMatchObject({ migrationId: "mig_plain", start: "" });
    expect((await shown(emulator, "v1", keyId)).start).toBe("");
  });

  test("several keys in the order of the request, which share what they name", async () => {
    const emulator = await givenMigrations();
    const names = { externalId: "ann", roles: ["admin"], permissions: ["read"] };
    await migrated(emulator, [{ hash, ...names }]);
    const before = [emulator.identities.all(), emulator.roles.all(), emulator.permissions.all()];
    const hashes = ["zz1", "yy2", "xx3"].map((value) => base64(value));

    const data = await migrated(
      emulator,
      hashes.map((each) => ({ hash: each, ...names })),
    );

    expect(data.migrated.map((each: { hash: string }) => each.hash)).toEqual(hashes);
    const ids = data.migrated.map((each: { keyId: string }) => each.keyId);
    expect(new Set(ids).size).toBe(3);
    const after = [emulator.identities.all(), emulator.roles.all(), emulator.permissions.all()];
    expect(after).toEqual(before);
    const identityId = emulator.identities.named("ann")?.id;
    for (const id of ids) expect(emulator.keys.get(id)?.identityId).toBe(identityId);
  });

  test.each<[what: string, key: object, shown: object]>([
    ["an external id with letters that createKey refuses", { externalId: "operator:12" }, {}],
    ["an external id that is an address", { externalId: "a@b.c" }, {}],
    ["an external id of 255 letters", { externalId: "x".repeat(255) }, {}],
    ["a name of 255 letters", { name: "x".repeat(255) }, { name: "x".repeat(255) }],
    ["a role of 128 letters", { roles: ["r".repeat(128)] }, { roles: ["r".repeat(128)] }],
    ["the same role twice", { roles: ["a", "b", "a"] }, { roles: ["a", "b"] }],
    ["the same permission twice", { permissions: ["p", "q", "p"] }, { permissions: ["p", "q"] }],
    ["the last expiry", { expires: 4_102_444_800_000 }, { expires: 4_102_444_800_000 }],
    ["no uses", { credits: { remaining: 0 } }, { credits: { remaining: 0 } }],
    [
      "a monthly refill",
      { credits: { remaining: 1, refill: { interval: "monthly", amount: 5, refillDay: 3 } } },
      { credits: { remaining: 1, refill: { interval: "monthly", amount: 5, refillDay: 3 } } },
    ],
    [
      "a daily refill, whose day is dropped",
      { credits: { remaining: 1, refill: { interval: "daily", amount: 5, refillDay: 3 } } },
      { credits: { remaining: 1, refill: { interval: "daily", amount: 5 } } },
    ],
    ["a rate limit with members that it does not know", { ratelimits: [{ ...limit, x: 1 }] }, {}],
  ])("a key with %s", async (_, key, expected) => {
    const emulator = await givenMigrations();

    const { migrated: made } = await migrated(emulator, [{ hash, ...key }]);

    expect(await shown(emulator, "v2", made[0].keyId)).toMatchObject(expected);
  });

  test("a key that has expired with an `expires` of 0", async () => {
    const emulator = await givenMigrations();

    await migrated(emulator, [{ hash, expires: 0 }]);

    expect(await codeOf(emulator, "value_one")).toBe("EXPIRED");
  });

  test("a key that can be used any number of times with `remaining: null`", async () => {
    const emulator = await givenMigrations();

    const { migrated: made } = await migrated(emulator, [{ hash, credits: { remaining: null } }]);

    expect(await shown(emulator, "v2", made[0].keyId)).not.toHaveProperty("credits");
  });

  test("as many keys as a body can have", async () => {
    const emulator = await givenMigrations();
    const keys = Array.from({ length: 12_000 }, (_, index) => ({ hash: `hash_${index}` }));

    const data = await migrated(emulator, keys);

    expect(data.failed).toEqual([]);
    expect(data.migrated).toHaveLength(12_000);
    expect(emulator.keys.count()).toBe(12_000);
  });
});

describe("keys.migrateKeys answers `failed`", () => {
  const fresh = base64("value_two");
  test.each<[what: string, hashes: string[], failed: string[], made: string[]]>([
    ["for a hash that was migrated before", [hash], [hash], []],
    ["for one of two hashes", [fresh, hash], [hash], [fresh]],
    [
      "for the hash of a key that was created",
      [base64("known_value")],
      [base64("known_value")],
      [],
    ],
    [
      "for the hash of a key of another workspace",
      [base64("value_of_another_workspace"), fresh],
      [base64("value_of_another_workspace")],
      [fresh],
    ],
    ["for the second of two equal hashes", [fresh, fresh], [fresh], [fresh]],
    ["once for a known hash that is sent three times", [hash, hash, hash], [hash], []],
    ["for nothing if all hashes are new", [fresh], [], [fresh]],
    ["for nothing if a hash differs in its case", [hash.toLowerCase()], [], [hash.toLowerCase()]],
  ])("%s", async (_, hashes, failed, made) => {
    const emulator = await givenMigrations();
    await emulator.keys.create({ apiId: "api_two", key: "known_value" });
    await migrated(emulator, [{ hash }]);

    const data = await migrated(
      emulator,
      hashes.map((each) => ({ hash: each })),
      { apiId: "api_two" },
    );

    expect(data).toEqual({
      failed,
      migrated: made.map((each) => ({ hash: each, keyId: expect.stringMatching(KEY_ID) })),
    });
    expect(emulator.keys.count()).toBe(2 + made.length);
  });

  test("and creates what the key of a known hash names", async () => {
    const emulator = await givenMigrations();
    await migrated(emulator, [{ hash, name: "before" }]);

    const names = { externalId: "ann", roles: ["admin"], permissions: ["read"] };
    const { failed } = await migrated(emulator, [{ hash, name: "after", ...names }]);

    expect(failed).toEqual([hash]);
    expect(emulator.identities.named("ann")).toBeDefined();
    expect(emulator.roles.named("admin")).toBeDefined();
    expect(emulator.permissions.named("read")).toBeDefined();
    expect(emulator.keys.all()).toMatchObject([{ name: "before", roles: [], ownerId: undefined }]);
  });

  test("no longer for the hash of a key that was deleted", async () => {
    const emulator = await givenMigrations();
    const { migrated: made } = await migrated(emulator, [{ hash }]);
    const { keyId } = made[0];
    await post(emulator, "/v2/keys.deleteKey", { keyId }, acceptingAll({}));

    expect(await migrated(emulator, [{ hash }])).toMatchObject({ failed: [] });
  });
});

describe("keys.migrateKeys refuses", () => {
  test.each<[body: object, Refusal, hint: string]>([
    [{ apiId: "api_none" }, unknownApi, 'there is no API "api_none"'],
    [{ apiId: "api_other" }, unknownApi, 'there is no API "api_other"'],
    [
      { migrationId: "mig_none" },
      unknownMigration,
      'there is no migration "mig_none"; the migrations here are mig_plain, mig_seam, mig_other',
    ],
    [{ migrationId: "mig_far" }, unknownMigration, 'there is no migration "mig_far"'],
    [{ migrationId: "MIG_PLAIN" }, unknownMigration, 'there is no migration "MIG_PLAIN"'],
  ])("a body that names what is not there: row %#", async (body, refusal, hint) => {
    const emulator = await givenMigrations();
    const act = () => migrate(emulator, { keys: [{ hash }], ...body });

    const { headers } = await expectNothingLeft(emulator, refusal, act);

    expect(headers.get("x-latchkey-hint")).toContain(hint);
  });

  const noDay = "`refillDay` must be provided when the refill interval is `monthly`.";
  const noUses = "`credits.remaining` must be provided when `credits.refill` is set.";
  test.each([
    [{ remaining: 10, refill: { interval: "monthly", amount: 5 } }, noDay],
    [{ remaining: null, refill: { interval: "daily", amount: 5 } }, noUses],
  ])("all keys if one has the credits %j", async (credits, detail) => {
    const emulator = await givenMigrations();
    const keys = [
      { hash: "first", roles: ["a"], externalId: "ann" },
      { hash, credits },
    ];

    await expectNothingLeft(emulator, invalidInput(detail), () => migrate(emulator, { keys }));
  });
});

test("the journal shows the hashes of migrated keys, because no value can be found from them", async () => {
  const emulator = await givenMigrations();
  const keys = [
    { hash, name: "CI" },
    { hash: hex("value_two"), meta: { token: "secret_text" } },
  ];

  await migrated(emulator, keys);

  const [entry] = emulator.requests.list().slice(-1);
  expect(entry?.input).toMatchObject({
    keys: [
      { hash, name: "CI" },
      { hash: hex("value_two"), meta: { token: "***" } },
    ],
  });
});
