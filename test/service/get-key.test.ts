import { describe, expect, test } from "vitest";
import { createKey, givenEmulator, listKeys, NOW } from "../_emulator.ts";
import { createKeyV2, listAllV2 } from "../_v2.ts";
import { testKeyOperation } from "./_key-operation.ts";
import {
  badRequest,
  call,
  expectNoKey,
  expectRefusalOfV1,
  expectResult,
  givenKeys,
  shown,
  stateOf,
  VALUE,
  versions,
} from "./_keys.ts";

describe("keys.getKey", () => {
  const operation = { name: "getKey", input: {} };
  testKeyOperation({
    v1: operation,
    v2: operation,
  });
});

/** The key `key_full` as v1 shows it, in the order of the wire. What v2 shows is in list-keys.test.ts. */
const full = {
  id: "key_full",
  start: "full_val",
  apiId: "api_one",
  workspaceId: "ws_test",
  name: "Full",
  ownerId: "ann",
  meta: { a: "<&>", b: [null] },
  createdAt: 5,
  updatedAt: 6,
  expires: NOW + 1_000,
  remaining: 50,
  refill: { interval: "monthly", amount: 100, refillDay: 9, lastRefillAt: 8 },
  ratelimit: { async: false, limit: 3, duration: 4_000, refillRate: 3, refillInterval: 4_000 },
  roles: ["admin", "guest"],
  permissions: ["own", "read"],
  enabled: true,
  plaintext: VALUE,
  identity: { id: "id_ann", externalId: "ann", meta: { plan: "pro" } },
};

describe("a key", () => {
  test("with every member is shown with all of them by v1", async () => {
    const emulator = await givenKeys();

    const answer = await call(emulator, "v1", "getKey", { keyId: "key_full", decrypt: true });

    expectResult(answer, "v1", full);
  });

  test("without optional members is shown with the others only", async () => {
    const emulator = await givenKeys();

    expectResult(await call(emulator, "v1", "getKey", { keyId: "key_plain" }), "v1", {
      id: "key_plain",
      start: "plain",
      apiId: "api_one",
      workspaceId: "ws_test",
      createdAt: 5,
      roles: [],
      permissions: [],
      enabled: true,
    });
    expectResult(await call(emulator, "v2", "getKey", { keyId: "key_plain" }), "v2", {
      createdAt: 5,
      enabled: true,
      keyId: "key_plain",
      start: "plain",
    });
  });

  test.each<[keyId: string, v1: object, v2: object]>([
    ["key_disabled", { enabled: false }, { enabled: false, credits: { remaining: 3 } }],
    ["key_expired", { expires: NOW - 1 }, { expires: NOW - 1 }],
    [
      "key_role",
      { roles: ["admin"], permissions: [] },
      { roles: ["admin"], permissions: ["read", "write"] },
    ],
    [
      "key_daily",
      { refill: { interval: "daily", amount: 100, refillDay: null } },
      { credits: { refill: { amount: 100, interval: "daily" }, remaining: 50 } },
    ],
  ])("%s is shown by v1 and by v2: row %#", async (keyId, ofV1, ofV2) => {
    const emulator = await givenKeys();

    const members = await shown(emulator, "v1", keyId);
    const data = await shown(emulator, "v2", keyId);

    for (const [name, value] of Object.entries(ofV1)) expect(members[name]).toStrictEqual(value);
    for (const [name, value] of Object.entries(ofV2)) expect(data[name]).toStrictEqual(value);
  });

  test("with an expiry of 0, which only v2 stores, is shown with it by v1 only", async () => {
    const emulator = await givenEmulator();
    const { body } = await createKeyV2(emulator, { apiId: "api_one", expires: 0 });

    const { keyId } = body.data;

    expect(await shown(emulator, "v1", keyId)).toHaveProperty("expires", 0);
    expect(await shown(emulator, "v2", keyId)).not.toHaveProperty("expires");
  });

  test("is shown by v2 as its lists show it", async () => {
    const emulator = await givenKeys();
    for (const decrypt of [false, true]) {
      for (const listed of await listAllV2(emulator, { apiId: "api_one", decrypt })) {
        const { keyId } = listed;
        const { body } = await call(emulator, "v2", "getKey", { keyId, decrypt });
        expect(JSON.stringify(body.data)).toBe(JSON.stringify(listed));
      }
    }
  });
});

test("a refill that v1 created shows its time of creation in v1, and one of v2 shows none", async () => {
  const emulator = await givenEmulator({ quirks: ["extra-fields"] });
  const refill = { interval: "daily", amount: 5 };
  const { body } = await createKey(emulator, { apiId: "api_one", remaining: 5, refill });
  const credits = { remaining: 5, refill };
  const { body: other } = await createKeyV2(emulator, { apiId: "api_one", credits });

  const shownRefill = { ...refill, refillDay: null };
  for (const [keyId, expected] of [
    [body.keyId, { ...shownRefill, lastRefillAt: NOW }],
    [other.data.keyId, shownRefill],
  ] as const) {
    expect((await shown(emulator, "v1", keyId)).refill).toEqual(expected);
  }
  const listed = await listKeys(emulator, { apiId: "api_one" });
  expect(listed.body.keys.map((key: { refill: object }) => key.refill)).toEqual([
    { ...shownRefill, lastRefillAt: NOW },
    shownRefill,
  ]);
});

test("<, > and & in strings are escaped by v2 and not by v1", async () => {
  const emulator = await givenKeys();
  const url = "http://emulator.test";
  const headers = { Authorization: "Bearer any_token", "Content-Type": "application/json" };
  const body = '{"keyId":"key_full"}';

  const ofV1 = await emulator.fetch(
    new Request(`${url}/v1/keys.getKey?keyId=key_full`, { headers }),
  );
  const ofV2 = await emulator.fetch(
    new Request(`${url}/v2/keys.getKey`, { method: "POST", headers, body }),
  );

  expect(await ofV1.text()).toContain('"a":"<&>"');
  expect(await ofV2.text()).toContain('"a":"\\u003c\\u0026\\u003e"');
});

describe("the value of a key", () => {
  test.each(versions)("is shown by %s only if it is asked for", async (version) => {
    const emulator = await givenKeys();
    const input = version === "v1" ? "keyId=key_full&decrypt=" : { keyId: "key_full" };

    for (const answer of [
      await call(emulator, version, "getKey", { keyId: "key_full" }),
      await call(emulator, version, "getKey", input),
      await call(emulator, version, "getKey", { keyId: "key_full", decrypt: false }),
    ]) {
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.body)).not.toContain(VALUE);
    }
  });

  test.each(versions)("is left out by %s where the key is not recoverable", async (version) => {
    const emulator = await givenKeys();
    const { body } = await createKey(emulator, { apiId: "api_one" });

    for (const keyId of ["key_plain", body.keyId]) {
      const answer = await call(emulator, version, "getKey", { keyId, decrypt: true });
      expectResult(answer, version, await shown(emulator, version, keyId));
    }
  });

  // v2 refuses it: refusals-v2-texts.test.ts.
  test("is left out by v1 where the API stores no encrypted keys", async () => {
    const emulator = await givenKeys();

    const answer = await call(emulator, "v1", "getKey", { keyId: "key_two", decrypt: true });

    expectResult(answer, "v1", await shown(emulator, "v1", "key_two"));
  });
});

test("a query of v1 without a key id is refused", async () => {
  const answer = await call(await givenKeys(), "v1", "getKey", "");

  const problem = "keyId: expected a string of at least 1 character, got nothing";
  expectRefusalOfV1(answer, badRequest(problem));
});

test.each(versions)("%s changes nothing by showing keys", async (version) => {
  const emulator = await givenKeys();
  const [state, keys] = [stateOf(emulator), emulator.keys.all()];
  emulator.clock.advance(10);

  for (const keyId of ["key_full", "key_plain", "key_daily", "key_expired", "key_role"]) {
    await call(emulator, version, "getKey", { keyId, decrypt: false });
    await call(emulator, version, "getKey", { keyId, decrypt: true });
  }
  expectNoKey(await call(emulator, version, "getKey", { keyId: "key_none" }), version, "key_none");

  expect(stateOf(emulator)).toEqual(state);
  expect(emulator.keys.all().every((key, index) => key === keys[index])).toBe(true);
});
