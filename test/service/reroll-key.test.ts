import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, NOW, post, type CallOptions } from "../_emulator.ts";
import { createKeyV2, expectRefusal, schemaRefusal } from "../_v2.ts";
import { call, expectResult, shown, versions } from "./_keys.ts";
import { expectNothingLeft, insufficient } from "./_refusals.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONGEST = 4_102_444_800_000;

const calls = { name: "calls", limit: 2, duration: MINUTE, autoApply: true };

/** `key_full` has every setting; the value of each key is its id with `value` in place of `key`. */
const world = (permissions: string[] = []): Fixture[] => [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "any_token", permissions: ["*"] },
      { token: "limited", permissions },
    ],
    apis: [
      { id: "api_one" },
      { id: "api_vault", storeEncryptedKeys: true },
      { id: "api_own", defaultPrefix: "own", defaultByteLength: 32 },
    ],
    identities: [{ id: "id_ann", externalId: "ann", meta: { plan: "pro" } }],
    roles: [{ name: "admin", permissions: ["by_role"] }, { name: "guest" }],
    keys: [
      {
        id: "key_full",
        apiId: "api_vault",
        key: "sk_value_full",
        start: "sk_valu",
        recoverable: true,
        name: "Full",
        externalId: "ann",
        meta: { team: "web" },
        createdAt: 5,
        updatedAt: 6,
        lastUsedAt: 7,
        remaining: 100,
        refill: { interval: "monthly", amount: 200, refillDay: 9, lastRefillAt: 8 },
        ratelimits: [calls],
        roles: ["guest", "admin"],
        permissions: ["own", "read"],
        environment: "live",
      },
      { id: "key_one", apiId: "api_one", key: "value_one", start: "value", createdAt: 5 },
    ],
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token", permissions: ["*"] }],
    apis: [{ id: "api_other" }],
    keys: [{ id: "key_other", apiId: "api_other" }],
  },
];

const givenWorld = (permissions?: string[]) => givenEmulator({ fixtures: world(permissions) });

const reroll = (emulator: Emulator, input: object, options?: CallOptions) =>
  call(emulator, "v2", "rerollKey", { keyId: "key_one", expiration: 0, ...input }, options);

/** Rerolls a key. Returns the id and the value of the new one. */
async function rerolled(
  emulator: Emulator,
  keyId: string,
  expiration: number | null,
): Promise<{ key: string; keyId: string }> {
  const answer = await reroll(emulator, { keyId, expiration });
  expectResult(answer, "v2", { key: answer.body.data.key, keyId: answer.body.data.keyId });
  return answer.body.data;
}

/** The outcome of verifying a value, which has to be the same in both versions. */
async function codeOf(emulator: Emulator, key: string): Promise<string> {
  const [first, second] = await Promise.all(
    versions.map((version) => call(emulator, version, "verifyKey", { key })),
  );
  expect(first?.body.code).toBe(second?.body.data.code);
  return first?.body.code;
}

describe("the input of keys.rerollKey", () => {
  test("needs both members", async () => {
    const emulator = await givenWorld();
    const path = "/v2/keys.rerollKey";
    const options = { headers: { Accept: "*/*" } };

    const nothing = await post(emulator, path, {}, options);

    const message = "missing properties 'keyId', 'expiration'";
    expectRefusal(nothing, schemaRefusal(path, [{ location: "/required", message }]));
  });
});

describe("keys.rerollKey refuses, and leaves nothing behind,", () => {
  const urn = (keyspaceId: string) =>
    `unkey:v1:ws_test:projects/*/keyspaces/${keyspaceId}/keys/key_full#write`;
  const create = insufficient(`${urn("*")} or api.api_vault.create_key or api.*.create_key`);
  const encrypt = insufficient(
    `${urn("ks_yU3rOzPnt")} or api.*.encrypt_key or api.api_vault.encrypt_key`,
  );
  test.each([
    [
      "that no longer stores encrypted keys",
      { storeEncryptedKeys: false },
      ["api.*.create_key"],
      encrypt,
      "This API does not support key encryption.",
    ],
    [
      "that has no keyspace any more",
      { keyspace: false },
      [],
      create,
      "The requested API is not set up to handle keys.",
    ],
  ])("a key of an API %s, after it checked the permission", async (...row) => {
    const [, members, permissions, refusal, detail] = row;
    const emulator = await givenWorld(permissions);
    const data = (api: object) => void Object.assign(api, members);
    await emulator.apis.update({ id: "api_vault" }, { data });
    const act = (token: string) => () => reroll(emulator, { keyId: "key_full" }, { token });

    await expectNothingLeft(emulator, refusal, act("limited"));
    const unfit = { status: 412, type: "unkey/application/precondition_failed", detail } as const;
    await expectNothingLeft(emulator, unfit, act("any_token"));
  });
});

describe("the new key", () => {
  test("has the settings of the old key, and a new value", async () => {
    const emulator = await givenWorld();
    const old = await shown(emulator, "v2", "key_full");
    emulator.clock.advance(1_000);

    const { key, keyId } = await rerolled(emulator, "key_full", 0);

    const { lastUsedAt: _, updatedAt: __, ...settings } = old;
    const fresh = await shown(emulator, "v2", keyId);
    expect(fresh).toEqual({
      ...settings,
      createdAt: NOW + 1_000,
      keyId,
      ratelimits: [{ ...calls, id: fresh.ratelimits[0].id }],
      start: key.slice(0, "sk_".length + 4),
    });
    expect(fresh.ratelimits[0].id).not.toBe(old.ratelimits[0].id);
    expect(keyId).not.toBe("key_full");
    expect(key).toMatch(/^sk_[1-9A-HJ-NP-Za-km-z]{21,22}$/);
    // Recoverable, as the old one was.
    const decrypted = await call(emulator, "v2", "getKey", { keyId, decrypt: true });
    expect(decrypted.body.data.plaintext).toBe(key);
  });

  test("has no environment, and was never refilled", async () => {
    const emulator = await givenWorld();

    const { keyId } = await rerolled(emulator, "key_full", 0);

    const stored = emulator.keys.findFirst((query) => query.where({ id: keyId }));
    expect(stored).toMatchObject({ environment: undefined, ownerId: "ann", identityId: "id_ann" });
    expect(stored?.refill).toEqual({ interval: "monthly", amount: 200, refillDay: 9 });
    expect(await shown(emulator, "v1", keyId)).not.toHaveProperty("updatedAt");
  });

  test("copies no optional settings when the old key has none", async () => {
    const emulator = await givenWorld();

    const { key, keyId } = await rerolled(emulator, "key_one", 0);

    expect(await shown(emulator, "v2", keyId)).toEqual({
      createdAt: NOW,
      enabled: true,
      keyId,
      start: key.slice(0, 4),
    });
    expect(await shown(emulator, "v1", keyId)).not.toHaveProperty("plaintext");
  });

  test.each<[api: string, body: object, prefix: string, digits: [min: number, max: number]]>([
    ["api_one", { prefix: "my_app" }, "my_app_", [21, 22]],
    ["api_one", { prefix: "sk" }, "sk_", [21, 22]],
    ["api_one", {}, "", [21, 22]],
    ["api_one", { byteLength: 64 }, "", [21, 22]],
    ["api_own", {}, "own_", [43, 44]],
    ["api_own", { prefix: "sk_live", byteLength: 16 }, "sk_live_", [43, 44]],
  ])("in %s, of a key made with %j, begins with %j", async (apiId, body, prefix, [min, max]) => {
    const emulator = await givenWorld();
    for (const create of [createKey, createKeyV2]) {
      const { body: created } = await create(emulator, { apiId, ...body });
      const { keyId } = created.data ?? created;

      const { key } = await rerolled(emulator, keyId, 0);

      expect(key.slice(0, prefix.length)).toBe(prefix);
      expect(key.slice(prefix.length)).toMatch(new RegExp(`^[1-9A-HJ-NP-Za-km-z]{${min},${max}}$`));
    }
  });

  test("has the prefix of its API if the start of the old one shows none", async () => {
    const [first = {}, other = {}] = world();
    const key = { id: "key_start", apiId: "api_own", start: "abcde" };
    const emulator = await givenEmulator({
      fixtures: [{ ...first, keys: [key] }, other],
    });

    expect((await rerolled(emulator, "key_start", 0)).key).toMatch(/^own_/);
  });

  test.each([
    ["disabled", { enabled: false }, "DISABLED"],
    ["expired", { expires: NOW - 1 }, "EXPIRED"],
    ["out of uses", { remaining: 0 }, "USAGE_EXCEEDED"],
  ])("is %s if the old one is", async (_, members, code) => {
    const emulator = await givenWorld();
    await emulator.keys.update((query) => query.where({ id: "key_one" }), {
      data: (draft) => void Object.assign(draft, members),
    });

    const { key } = await rerolled(emulator, "key_one", DAY);

    expect(await codeOf(emulator, key)).toBe(code);
  });

  test("has no deleted roles and permissions, and does not create them again", async () => {
    const emulator = await givenWorld();
    emulator.roles.delete((query) => query.where({ name: "guest" }));
    emulator.permissions.delete((query) => query.where({ name: "own" }));

    const { keyId } = await rerolled(emulator, "key_full", 0);

    expect(await shown(emulator, "v2", keyId)).toMatchObject({
      permissions: ["read", "by_role"],
      roles: ["admin"],
    });
  });
});

describe("the old key", () => {
  const now = Date.UTC(2026, 5, 1, 12, 0, 30);
  const atNoon = Date.UTC(2026, 5, 1, 12);
  test.each([
    ["at once: a millisecond ago, so that it is over", 0, now - 1],
    ["at the next full minute", 1, atNoon + MINUTE],
    ["at a full minute", 30_000, atNoon + MINUTE],
    ["at the full minute after it", 30_001, atNoon + 2 * MINUTE],
    ["a day later, rounded up", DAY, atNoon + DAY + MINUTE],
    ["after the longest time", LONGEST, Math.ceil((now + LONGEST) / MINUTE) * MINUTE],
  ])("expires %s", async (_, length, expires) => {
    const emulator = await givenWorld();
    emulator.clock.set(now);

    await rerolled(emulator, "key_one", length);

    // Everything else stays, and the time of the change is stored.
    expect(await shown(emulator, "v2", "key_one")).toEqual({
      createdAt: 5,
      enabled: true,
      expires,
      keyId: "key_one",
      start: "value",
      updatedAt: now,
    });
  });

  test.each([
    ["earlier", NOW + HOUR, 7 * DAY, NOW + 7 * DAY],
    ["later", NOW + 7 * DAY, HOUR, NOW + HOUR],
  ])("loses its own expiry, which the new one gets: %s", async (_, own, length, expires) => {
    const emulator = await givenWorld();
    await emulator.keys.update((query) => query.where({ id: "key_one" }), {
      data: (draft) => void (draft.expires = own),
    });

    const { keyId } = await rerolled(emulator, "key_one", length);

    expect(await shown(emulator, "v2", "key_one")).toMatchObject({ expires });
    expect(await shown(emulator, "v2", keyId)).toMatchObject({ expires: own });
  });

  test("is valid beside the new one until it expires by the clock", async () => {
    const emulator = await givenWorld();
    emulator.clock.advance(1);
    const { key } = await rerolled(emulator, "key_one", DAY);
    const both = async () => [await codeOf(emulator, "value_one"), await codeOf(emulator, key)];

    expect(await both()).toEqual(["VALID", "VALID"]);
    emulator.clock.set(NOW + DAY + MINUTE);
    expect(await both()).toEqual(["VALID", "VALID"]);
    emulator.clock.advance(1);
    expect(await both()).toEqual(["EXPIRED", "VALID"]);
  });

  test.each([
    ["no expiry", undefined],
    ["an expiry", NOW + HOUR],
  ])("with %s stays exactly as it is if `expiration` is null", async (_, expires) => {
    const [first = {}, other = {}] = world();
    const key = { id: "key_old", apiId: "api_one", key: "old_value", createdAt: 5, updatedAt: 6 };
    const emulator = await givenEmulator({
      fixtures: [{ ...first, keys: [{ ...key, ...(expires && { expires }) }] }, other],
    });
    const before = emulator.keys.get("key_old");
    emulator.clock.advance(1_000);

    const { key: value, keyId } = await rerolled(emulator, "key_old", null);

    expect(emulator.keys.get("key_old")).toBe(before);
    expect(emulator.keys.get(keyId)).toMatchObject({ expires, createdAt: NOW + 1_000 });
    expect(await codeOf(emulator, "old_value")).toBe("VALID");
    expect(await codeOf(emulator, value)).toBe("VALID");
    emulator.clock.advance("2h");
    const code = expires === undefined ? "VALID" : "EXPIRED";
    expect(await codeOf(emulator, "old_value")).toBe(code);
    expect(await codeOf(emulator, value)).toBe(code);
  });

  test("can expire at once when the clock starts in 1970, and still be restored", async () => {
    const emulator = await givenEmulator({ fixtures: world(), now: 0 });
    await rerolled(emulator, "key_one", 0);

    const copy = await givenEmulator({ fixtures: [emulator.snapshot()], now: 1 });

    expect(await codeOf(copy, "value_one")).toBe("EXPIRED");
  });

  test("is still shown and listed, and its settings stay", async () => {
    const emulator = await givenWorld();
    const before = await shown(emulator, "v1", "key_full");

    const { keyId } = await rerolled(emulator, "key_full", 0);

    const after = await shown(emulator, "v1", "key_full");
    expect(after).toEqual({ ...before, expires: NOW - 1, updatedAt: NOW });
    const listed = await post(emulator, "/v2/apis.listKeys", { apiId: "api_vault" });
    const ids = listed.body.data.map((key: { keyId: string }) => key.keyId);
    expect(new Set(ids)).toEqual(new Set(["key_full", keyId]));
  });
});

test("a new key has as many uses as the old one had left, and fresh rate limits", async () => {
  const emulator = await givenWorld();
  const verify = async (key: string) => {
    const { body } = await call(emulator, "v2", "verifyKey", { key });
    const { code, credits, ratelimits } = body.data;
    return [code, credits, ratelimits[0].remaining];
  };
  await verify("sk_value_full");
  expect(await verify("sk_value_full")).toEqual(["VALID", 98, 0]);

  const { key } = await rerolled(emulator, "key_full", DAY);

  expect(await verify(key)).toEqual(["VALID", 97, 1]);
  expect(await verify("sk_value_full")).toEqual(["RATE_LIMITED", 98, 0]);
  expect(await verify(key)).toEqual(["VALID", 96, 0]);
});
