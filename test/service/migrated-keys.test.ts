import { describe, expect, test } from "vitest";
import { createEmulator } from "../../src/index.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";
import { acceptingAll, expectRefusal } from "../_v2.ts";
import { shown, stateOf } from "./_keys.ts";
import {
  base64,
  codeOf,
  givenMigrations,
  hex,
  migrated,
  migrationsWorld,
  OLD_HASH,
  OLD_KEY,
  verify,
} from "./_migrations.ts";

const seam = { migrationId: "mig_seam" };

/** An emulator with `OLD_KEY`, migrated with `mig_seam`, and the id of the key. */
async function givenOldKey(key: object = {}, permissions?: string[]) {
  const emulator = await givenMigrations(permissions);
  const data = await migrated(emulator, [{ hash: OLD_HASH, ...key }], seam);
  return { emulator, keyId: data.migrated[0].keyId as string };
}

describe("a key that was migrated with sha256 is verified as", () => {
  test.each([
    ["VALID by the base64 hash of its value", base64("old_value_one"), "VALID"],
    ["NOT_FOUND by the hex hash of its value", hex("old_value_one"), "NOT_FOUND"],
    ["NOT_FOUND by another text", "old_value_one", "NOT_FOUND"],
    ["NOT_FOUND by the hash of another value", base64("old_value_two"), "NOT_FOUND"],
  ])("%s", async (_, hash, code) => {
    const emulator = await givenMigrations();
    await migrated(emulator, [{ hash }]);

    expect(await codeOf(emulator, "old_value_one")).toBe(code);
    expect(await codeOf(emulator, "old_value_one", "mig_plain")).toBe(code);
    const { body } = await post(emulator, "/v1/keys.verifyKey", { key: "old_value_one" });
    expect(body.code).toBe(code);
    // Nothing of the key changes with its first use.
    expect(emulator.keys.all()).toMatchObject([{ start: "", migrationId: "mig_plain" }]);
  });
});

describe("a key that was migrated with the hash of its last part", () => {
  test("is verified with its migration, and then without", async () => {
    const { emulator, keyId } = await givenOldKey();
    expect(await codeOf(emulator, OLD_KEY)).toBe("NOT_FOUND");
    emulator.clock.advance(1_000);

    expect((await verify(emulator, { key: OLD_KEY, ...seam })).body.data).toEqual({
      code: "VALID",
      enabled: true,
      keyId,
      keyspaceId: expect.any(String),
      valid: true,
    });

    expect(await shown(emulator, "v2", keyId)).toMatchObject({
      start: "my_app_BRTR",
      updatedAt: NOW + 1_000,
    });
    expect(emulator.keys.get(keyId)?.migrationId).toBeUndefined();
    for (const migrationId of [undefined, "mig_seam", "mig_plain", "mig_none"]) {
      expect(await codeOf(emulator, OLD_KEY, migrationId)).toBe("VALID");
    }
    // Before, any value with this last part was the key.
    expect(await codeOf(emulator, "a_b_51FwqftsmMDHHbJAMEXXHCgG", "mig_seam")).toBe("NOT_FOUND");
  });

  test.each([
    ["a_BRTRKFsL_51FwqftsmMDHHbJAMEXXHCgG", "a_BRTR"],
    ["a_b_51FwqftsmMDHHbJAMEXXHCgG", "a_b_51"],
    ["__51FwqftsmMDHHbJAMEXXHCgG", "__51F"],
  ])("shows of %s the start %s", async (value, start) => {
    const { emulator, keyId } = await givenOldKey();

    expect(await codeOf(emulator, value, "mig_seam")).toBe("VALID");

    expect((await shown(emulator, "v2", keyId)).start).toBe(start);
  });

  test.each([
    ["a migration that does not exist", "mig_none"],
    ["a migration of another workspace", "mig_far"],
    ["an empty migration", ""],
    ["a migration that hashes with sha256", "mig_plain"],
  ])("is NOT_FOUND with %s", async (_, migrationId) => {
    const { emulator } = await givenOldKey();
    const before = stateOf(emulator);

    expect((await verify(emulator, { key: OLD_KEY, migrationId })).body.data).toEqual({
      code: "NOT_FOUND",
      valid: false,
    });
    expect(stateOf(emulator)).toBe(before);
  });

  test("is VALID with another migration of this kind, but stays linked with its own", async () => {
    const { emulator, keyId } = await givenOldKey();

    expect(await codeOf(emulator, OLD_KEY, "mig_other")).toBe("VALID");

    expect(emulator.keys.get(keyId)).toMatchObject({ start: "", migrationId: "mig_seam" });
    expect(await codeOf(emulator, OLD_KEY)).toBe("NOT_FOUND");
  });

  test.each(["nounderscore", "one_underscore", "_"])(
    "is refused with 400 if its value is %s, which has fewer than three parts",
    async (value) => {
      const { emulator } = await givenOldKey();
      const before = stateOf(emulator);

      const answer = await verify(emulator, { key: value, ...seam });

      expectRefusal(answer, {
        status: 400,
        type: "unkey/authentication/malformed",
        detail: "Invalid key format",
      });
      expect(stateOf(emulator)).toBe(before);
    },
  );

  test.each([
    ["DISABLED", { enabled: false }],
    ["EXPIRED", { expires: NOW - 1 }],
    ["USAGE_EXCEEDED", { credits: { remaining: 0 } }],
  ])("is settled even if it is %s", async (code, key) => {
    const { emulator } = await givenOldKey(key);

    expect(await codeOf(emulator, OLD_KEY, "mig_seam")).toBe(code);
    expect(await codeOf(emulator, OLD_KEY)).toBe(code);
  });

  test("counts the use of its first verification", async () => {
    const { emulator } = await givenOldKey({ credits: { remaining: 5 } });

    await verify(emulator, { key: OLD_KEY, ...seam });

    expect((await verify(emulator, { key: OLD_KEY })).body.data.credits).toBe(3);
  });

  test.each<[what: string, body: object, status: number, permissions: string[]]>([
    ["by a token that may not verify it", {}, 200, ["api.api_two.verify_key"]],
    ["for another keyspace", { keyspaces: ["ks_other"] }, 200, ["api.*.verify_key"]],
    ["with a permission query that does not parse", { permissions: "a AND" }, 400, ["*"]],
    ["with a rate limit that it does not have", { ratelimits: [{ name: "calls" }] }, 412, ["*"]],
  ])("is left as it was by a verification %s", async (_, body, status, permissions) => {
    const { emulator } = await givenOldKey({}, permissions);
    const before = stateOf(emulator);

    const answer = await verify(emulator, { key: OLD_KEY, ...seam, ...body }, { token: "limited" });

    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.data).toEqual({ code: "NOT_FOUND", valid: false });
    expect(stateOf(emulator)).toBe(before);
  });

  test("is NOT_FOUND once its migration is deleted", async () => {
    const { emulator } = await givenOldKey();
    emulator.migrations.delete({ id: "mig_seam" });

    expect(await codeOf(emulator, OLD_KEY, "mig_seam")).toBe("NOT_FOUND");
  });

  test("frees its hash when it is verified", async () => {
    const { emulator } = await givenOldKey();
    expect(await migrated(emulator, [{ hash: OLD_HASH }], seam)).toMatchObject({ migrated: [] });
    await verify(emulator, { key: OLD_KEY, ...seam });

    expect(await migrated(emulator, [{ hash: OLD_HASH }], seam)).toMatchObject({ failed: [] });
    const known = await migrated(emulator, [{ hash: base64(OLD_KEY) }], seam);
    expect(known.failed).toEqual([base64(OLD_KEY)]);
  });

  test("is replaced by a key that belongs to no migration", async () => {
    const { emulator, keyId } = await givenOldKey({ name: "CI" });

    const body = { keyId, expiration: 0 };
    const { body: made } = await post(emulator, "/v2/keys.rerollKey", body, acceptingAll({}));

    expect(emulator.keys.get(made.data.keyId)).toMatchObject({
      name: "CI",
      migrationId: undefined,
    });
    expect(await codeOf(emulator, made.data.key)).toBe("VALID");
  });
});

test.each([
  ["sha256", "mig_plain", base64("old_value_one"), "old_value_one"],
  ["the hash of the last part", "mig_seam", OLD_HASH, OLD_KEY],
])("the value of a key migrated with %s is masked", async (_, migrationId, hash, value) => {
  const lines: string[] = [];
  const emulator = await givenEmulator({
    fixtures: migrationsWorld(),
    log: (entry) => void lines.push(JSON.stringify(entry)),
  });
  await migrated(emulator, [{ hash }], { migrationId });

  await post(emulator, `/v2/keys.getKey`, { keyId: value }, acceptingAll({}));
  await post(emulator, `/v2/keys.getKey/${value}`, { note: `see ${value}.` }, acceptingAll({}));

  expect(lines.join("\n")).not.toContain(value);
  expect(JSON.stringify(emulator.requests.list())).not.toContain(value);
  expect(emulator.mask(`the key ${value} of a client`)).toBe("the key *** of a client");
});

describe("migrations", () => {
  test("are records with an id and an algorithm, which is sha256 unless it is given", async () => {
    const emulator = await givenMigrations();

    expect(emulator.migrations.all()).toEqual([
      { id: "mig_plain", algorithm: "sha256" },
      { id: "mig_seam", algorithm: "github.com/seamapi/prefixed-api-key" },
      { id: "mig_other", algorithm: "github.com/seamapi/prefixed-api-key" },
    ]);
    expect(emulator.migrations.get("mig_far")).toBeUndefined();
  });

  test("can be created, changed and deleted while the emulator runs", async () => {
    const emulator = await givenMigrations();

    await emulator.migrations.create({ id: "mig_new" });
    await migrated(emulator, [{ hash: "some_hash" }], { migrationId: "mig_new" });
    emulator.migrations.delete({ id: "mig_plain" });
    await emulator.migrations.update(
      { id: "mig_other" },
      { data: (migration) => void (migration.algorithm = "sha256") },
    );

    expect(emulator.migrations.get("mig_other")?.algorithm).toBe("sha256");
    expect(emulator.migrations.all().map(({ id }) => id)).toEqual([
      "mig_seam",
      "mig_other",
      "mig_new",
    ]);
  });

  test.each([
    ["an id that is taken", { id: "mig_plain" }, 'migration: id: "mig_plain" is taken'],
    ["an unknown algorithm", { id: "mig_x", algorithm: "md5" }, "migration: algorithm: expected"],
    ["no id", {}, "migration: id: expected"],
  ])("with %s are refused", async (_, init, message) => {
    const { migrations } = await givenMigrations();

    await expect(migrations.create(init as never)).rejects.toThrow(message);
  });

  test("and the keys that came with them are in snapshots", async () => {
    const { emulator, keyId } = await givenOldKey();
    await migrated(emulator, [{ hash: base64("old_value_one"), name: "CI" }, { hash: "any text" }]);
    const snapshot = emulator.snapshot();

    expect(snapshot.migrations).toEqual(emulator.migrations.all());
    expect(
      snapshot.keys?.map(({ hash, migrationId, start }) => [hash, migrationId, start]),
    ).toEqual(
      expect.arrayContaining([
        [OLD_HASH, "mig_seam", ""],
        [base64("old_value_one"), "mig_plain", ""],
        ["any text", "mig_plain", ""],
      ]),
    );
    const text = JSON.parse([...emulator.snapshotText()].join(""));
    const copy = await givenEmulator({ fixtures: [text] });
    expect(copy.snapshot()).toEqual(snapshot);
    expect(await migrated(copy, [{ hash: "any text" }])).toMatchObject({ failed: ["any text"] });
    expect(await codeOf(copy, "old_value_one")).toBe("VALID");
    expect(await codeOf(copy, OLD_KEY, "mig_seam")).toBe("VALID");
    expect(await codeOf(copy, OLD_KEY)).toBe("VALID");
    expect(copy.keys.get(keyId)?.start).toBe("my_app_BRTR");
  });

  test("that were deleted leave keys that a snapshot restores", async () => {
    const { emulator, keyId } = await givenOldKey();
    emulator.migrations.delete({ id: "mig_seam" });

    const copy = await givenEmulator({ fixtures: [emulator.snapshot()] });

    expect(copy.keys.get(keyId)?.migrationId).toBe("mig_seam");
    await copy.migrations.create({
      id: "mig_seam",
      algorithm: "github.com/seamapi/prefixed-api-key",
    });
    expect(await codeOf(copy, OLD_KEY, "mig_seam")).toBe("VALID");
  });

  test("can be seeded into an emulator that runs", async () => {
    const emulator = await givenMigrations();
    const key = { apiId: "api_one", hash: "any text", start: "", migrationId: "mig_new" };

    await emulator.seed({ migrations: [{ id: "mig_new" }], keys: [key] });

    expect(emulator.migrations.get("mig_new")?.algorithm).toBe("sha256");
    expect(emulator.keys.all()).toMatchObject([{ migrationId: "mig_new", start: "" }]);
    await expect(emulator.seed({ migrations: [{ id: "mig_new" }] })).rejects.toThrow(
      "migrations[0].id: duplicate of ",
    );
  });
});

describe("a key of a fixture", () => {
  const problemsOf = (key: object) =>
    createEmulator({
      fixtures: [
        {
          apis: [{ id: "api_one" }],
          migrations: [{ id: "mig_plain" }],
          keys: [{ apiId: "api_one", ...key }],
        },
      ],
    });

  test("can be one that was migrated, with any hash", async () => {
    const emulator = await problemsOf({ hash: OLD_HASH, migrationId: "mig_plain" });

    expect(emulator.keys.all()).toMatchObject([{ migrationId: "mig_plain", start: "" }]);
  });

  test.each([
    ["another migration", { hash: OLD_HASH, migrationId: "mig_none" }, "the id of a migration"],
    [
      "a migration and no hash",
      { start: "ab", migrationId: "mig_plain" },
      "expected `hash` beside it",
    ],
    [
      "a migration and a value",
      { key: "some_value", hash: OLD_HASH, migrationId: "mig_plain" },
      "expected `hash` beside it, and no `key`",
    ],
    ["a hash of another form without a migration", { hash: OLD_HASH }, "SHA-256"],
  ])("with %s is refused", async (_, key, message) => {
    await expect(problemsOf(key)).rejects.toThrow(message);
  });
});
