import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, listKeys, post } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";

// The keys of an identity that changes or is deleted.

const whole = { name: "whole", limit: 2, duration: 60_000, autoApply: true };

const fixture: Fixture = {
  workspace: { id: "ws_test" },
  apis: [{ id: "api_one" }],
  identities: [{ id: "id_ann", externalId: "ann", meta: { plan: "pro" }, ratelimits: [whole] }],
  keys: [
    { id: "key_1", apiId: "api_one", key: "value_1", externalId: "ann" },
    { id: "key_2", apiId: "api_one", key: "value_2", externalId: "ann" },
    { id: "key_3", apiId: "api_one", key: "value_3" },
  ],
};

const given = () => givenEmulator({ fixtures: [fixture] });

/** The `data` of a successful call of v2. */
async function call(emulator: Emulator, operation: string, input: object) {
  const { body, status } = await post(emulator, `/v2/${operation}`, input, acceptingAll());
  expect([operation, status, body.error?.detail]).toEqual([operation, 200, undefined]);
  return body.data;
}

const idsOf = (keys: { keyId?: string; id?: string }[]) => keys.map(({ id, keyId }) => keyId ?? id);
const list = async (emulator: Emulator, externalId?: string) =>
  idsOf(await call(emulator, "apis.listKeys", { apiId: "api_one", externalId }));

/** Expects that the first two keys belong to no identity. Only a list still shows its id. */
async function expectAlone(emulator: Emulator): Promise<void> {
  for (const number of [1, 2]) {
    const [keyId, key] = [`key_${number}`, `value_${number}`];
    expect(emulator.keys.get(keyId)).toMatchObject({ identityId: "id_ann", ownerId: "ann" });
    const ofV2 = [
      await call(emulator, "keys.verifyKey", { key }),
      await call(emulator, "keys.getKey", { keyId }),
      await call(emulator, "keys.whoami", { key }),
    ];
    const listed = await call(emulator, "apis.listKeys", { apiId: "api_one" });
    const ofList = listed.find((record: { keyId: string }) => record.keyId === keyId);
    expect(JSON.stringify(ofList.identity)).toBe('{"externalId":"","id":"id_ann"}');
    for (const record of ofV2) expect(record).not.toHaveProperty("identity");
    expect(ofV2[0]).toMatchObject({ code: "VALID", keyId });
    expect(ofV2[0]).not.toHaveProperty("ratelimits");

    const verified = await post(emulator, "/v1/keys.verifyKey", { key });
    const { keys } = (await listKeys(emulator, { apiId: "api_one", ownerId: "ann" })).body;
    const record = keys.find(({ id }: { id: string }) => id === keyId);
    for (const shown of [verified.body, record]) {
      expect(shown).toMatchObject({ ownerId: "ann" });
      expect(shown).not.toHaveProperty("identity");
    }
  }
}

/** The ways to delete an identity. */
const doors: readonly (readonly [name: string, remove: (emulator: Emulator) => unknown])[] = [
  [
    "identities.deleteIdentity",
    (emulator) => post(emulator, "/v2/identities.deleteIdentity", { identity: "ann" }),
  ],
  ["emulator.identities.delete", (emulator) => emulator.identities.delete({ externalId: "ann" })],
];

/** The ways to make an identity with the external id `ann`. Each leaves it with these keys. */
const makers: readonly (readonly [
  name: string,
  make: (emulator: Emulator) => Promise<unknown>,
  keys: string[],
])[] = [
  [
    "identities.createIdentity",
    (emulator) => call(emulator, "identities.createIdentity", { externalId: "ann" }),
    [],
  ],
  [
    "keys.updateKey of another key",
    (emulator) => call(emulator, "keys.updateKey", { keyId: "key_3", externalId: "ann" }),
    ["key_3"],
  ],
  [
    "keys.updateKey of v1 of another key",
    (emulator) => post(emulator, "/v1/keys.updateKey", { keyId: "key_3", externalId: "ann" }),
    ["key_3"],
  ],
  [
    "a new key of a test",
    (emulator) => emulator.keys.create({ id: "key_4", apiId: "api_one", externalId: "ann" }),
    ["key_4"],
  ],
  [
    "emulator.identities.create",
    (emulator) => emulator.identities.create({ externalId: "ann" }),
    [],
  ],
];

/** The ways to a world with the same content. */
const ways: readonly (readonly [name: string, go: (emulator: Emulator) => Promise<unknown>])[] = [
  ["at once", () => Promise.resolve()],
  ["after a restore", (emulator) => emulator.restore(emulator.snapshot())],
  [
    "after a restore from JSON",
    (emulator) => emulator.restore(JSON.parse(JSON.stringify(emulator.snapshot())) as Fixture),
  ],
];

describe.each(ways)("%s,", (_, go) => {
  describe.each(doors)("a key whose identity was deleted by %s", (__, remove) => {
    test("stays valid, and belongs to no identity in any answer", async () => {
      const emulator = await given();
      await remove(emulator);
      await go(emulator);

      await expectAlone(emulator);
      expect(await list(emulator, "ann")).toEqual([]);
      const { body } = await listKeys(emulator, { apiId: "api_one", externalId: "ann" });
      expect(body).toEqual({ keys: [], total: 3 });
    });

    test.each(makers)("is not linked with the identity that %s makes", async (___, make, keys) => {
      const emulator = await given();
      await remove(emulator);
      await go(emulator);

      await make(emulator);

      const { id } = emulator.identities.named("ann") ?? {};
      expect(id).toMatch(/^id_/);
      expect(id).not.toBe("id_ann");
      await expectAlone(emulator);
      expect(await list(emulator, "ann")).toEqual(keys);
      await go(emulator);
      await expectAlone(emulator);
      expect(await list(emulator, "ann")).toEqual(keys);
    });

    test("leaves the key that replaces it without an identity too", async () => {
      const emulator = await given();
      await remove(emulator);
      await go(emulator);

      const { keyId } = await call(emulator, "keys.rerollKey", { keyId: "key_1", expiration: 0 });

      expect(await call(emulator, "keys.getKey", { keyId })).not.toHaveProperty("identity");
      expect(emulator.identities.count()).toBe(0);
    });
  });
});

test("keys of one identity share its limits, which keep their counts when the limit changes", async () => {
  const emulator = await given();
  const verify = async (key: string) =>
    (await call(emulator, "keys.verifyKey", { key })).code as string;

  expect(await verify("value_1")).toBe("VALID");
  expect(await verify("value_2")).toBe("VALID");
  expect(await verify("value_1")).toBe("RATE_LIMITED");
  const ratelimits = [{ ...whole, limit: 3 }];
  await call(emulator, "identities.updateIdentity", { identity: "ann", ratelimits });
  expect(await verify("value_2")).toBe("VALID");
  expect(await verify("value_1")).toBe("RATE_LIMITED");
  expect(await verify("value_3")).toBe("VALID");
});

test("an identity that is created again starts with no uses", async () => {
  const emulator = await given();
  const input = { externalId: "ann", ratelimits: [whole] };
  const link = () => call(emulator, "keys.updateKey", { keyId: "key_1", externalId: "ann" });
  const verify = () => call(emulator, "keys.verifyKey", { key: "value_1" });
  await verify();
  await verify();
  expect((await verify()).code).toBe("RATE_LIMITED");

  await post(emulator, "/v2/identities.deleteIdentity", { identity: "ann" });
  await call(emulator, "identities.createIdentity", input);
  expect((await verify()).ratelimits).toBeUndefined();
  await link();

  expect(await verify()).toMatchObject({ code: "VALID", ratelimits: [{ remaining: 1 }] });
});
