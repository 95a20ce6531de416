import { expect, expectTypeOf, test } from "vitest";
import type { Key, KeyInit, Time } from "../../src/index.ts";
import { givenEmulator, listKeys } from "../_emulator.ts";

async function givenKeys() {
  const emulator = await givenEmulator();
  const { keys } = emulator;
  const refill = { interval: "daily", amount: 9 } as const;
  const counted = await keys.create({ apiId: "api_one", ownerId: "user_1", remaining: 3, refill });
  const plain = await keys.create({ apiId: "api_one", name: "plain" });
  return { counted, emulator, keys, plain, refill };
}

test("a record of a key has externalId and credits beside ownerId and remaining", async () => {
  const { counted, emulator, plain, refill } = await givenKeys();

  expect([counted.externalId, counted.credits]).toEqual(["user_1", { remaining: 3, refill }]);
  expect([plain.externalId, plain.credits]).toEqual([undefined, undefined]);
  expect(Object.isFrozen(counted.credits)).toBe(true);
  expect(JSON.stringify(counted)).not.toMatch(/externalId|credits/);
  expect(emulator.snapshot().keys?.[0]).not.toHaveProperty("credits");
});

test("conditions take externalId and credits", async () => {
  const { counted, keys, plain } = await givenKeys();
  const one = await keys.create({ apiId: "api_one", credits: { remaining: 1 } });

  expect(keys.findMany({ externalId: "user_1" })).toEqual([counted]);
  expect(keys.findMany({ credits: { remaining: 1 } })).toEqual([one]);
  expect(keys.findMany({ credits: undefined })).toEqual([plain]);
  expect(keys.findFirst((query) => query.where({ externalId: "user_1" }))).toBe(counted);
  expect(keys.findMany({ name: "plain", externalId: undefined })).toEqual([plain]);
  expect(() => keys.findFirst({ keyId: "key_1" } as object)).toThrow(
    /^key: keyId: unknown member .*ownerId.*credits, externalId\)$/,
  );
});

test("an update changes the uses of a key through credits", async () => {
  const { counted, keys, plain, refill } = await givenKeys();

  const fewer = await keys.update(counted, {
    data: ({ credits }) => {
      if (credits !== undefined) credits.remaining -= 1;
    },
  });
  const limited = await keys.update(plain, {
    data: (key) => void (key.credits = { remaining: 5, refill }),
  });
  const unlimited = await keys.update(counted, { data: (key) => void (key.credits = undefined) });

  expect([fewer?.remaining, fewer?.refill]).toEqual([2, refill]);
  expect([limited?.remaining, limited?.refill]).toEqual([5, refill]);
  expect([unlimited?.remaining, unlimited?.refill]).toEqual([undefined, undefined]);
});

test.each([
  [{ credits: 5 }, "key: credits: expected an object, got 5"],
  [{ credits: { remaining: "5" } }, "key: credits: remaining: expected an integer of at least 0"],
  [{ externalId: 5 }, "key: ownerId: expected a string of 1 to 256 characters"],
])("an update with %j is refused and changes nothing", async (change, message) => {
  const { counted, keys } = await givenKeys();

  const attempt = keys.update(counted, { data: (key) => void Object.assign(key, change) });

  await expect(attempt).rejects.toThrow(message);
  expect(keys.get(counted.id)).toBe(counted);
});

test("an update of externalId links the key with that identity, which is created if needed", async () => {
  const { counted, emulator, keys } = await givenKeys();
  const to = (externalId: string | undefined) =>
    keys.update(counted, { data: (key) => void (key.externalId = externalId) });

  const moved = await to("user_2");
  const identity = emulator.identities.named("user_2");
  const { body } = await listKeys(emulator, { apiId: "api_one", externalId: "user_2" });
  const freed = await to(undefined);

  expect([moved?.ownerId, moved?.identityId]).toEqual(["user_2", identity?.id]);
  expect(identity?.id).toMatch(/^id_/);
  expect(body.keys).toMatchObject([{ id: counted.id, identity: { externalId: "user_2" } }]);
  expect([freed?.ownerId, freed?.identityId]).toEqual([undefined, undefined]);
});

test("the types of keys take times in every spelling, and records have numbers", () => {
  expectTypeOf<KeyInit["expires"]>().toEqualTypeOf<Time | undefined>();
  expectTypeOf<Key["expires"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Key["externalId"]>().toEqualTypeOf<string | undefined>();
});
