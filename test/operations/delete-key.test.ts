import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { listAll, post } from "../_emulator.ts";
import { listAllV2 } from "../_v2.ts";
import { draftOf, mistakesOf, withMembers } from "./_mistakes.ts";
import { testOrderOfChecks } from "./_order-of-checks.ts";
import { testKeyOperation } from "./_key-operation.ts";
import { call, expectNoKey, expectResult, givenKeys, stateOf, versions, VALUE } from "./_keys.ts";

const ofAnother = {
  status: 403,
  code: "UNAUTHORIZED",
  message: "keyId: the key belongs to another workspace",
};

describe("keys.deleteKey", () => {
  const operation = { name: "deleteKey", input: {} };
  testKeyOperation({
    v1: { ...operation, ofAnother },
    v2: operation,
  });
});

test("a key of another workspace whose API is deleted is not found, also by v1", async () => {
  const emulator = await givenKeys();
  const options = { token: "other_token" };
  await post(emulator, "/v2/apis.deleteApi", { apiId: "api_other" }, options);

  for (const version of versions) {
    const answer = await call(emulator, version, "deleteKey", { keyId: "key_other" });
    expectNoKey(answer, version, "key_other");
  }
});

describe("the order of checks", () => {
  const { code: label, message: names, status } = ofAnother;
  testOrderOfChecks(
    "v1",
    () => draftOf("/v1/keys.deleteKey", { permanent: false }, ["api.*.delete_key"]),
    mistakesOf("v1", {
      action: "delete_key",
      ofAnother: { status, label, names },
      schema: { names: "permanent: expected true or false", make: withMembers({ permanent: 0 }) },
    }),
  );
  testOrderOfChecks(
    "v2",
    () => draftOf("/v2/keys.deleteKey", { permanent: false }, ["api.*.delete_key"]),
    mistakesOf("v2", {
      action: "delete_key",
      schema: { names: "/properties/permanent/type", make: withMembers({ permanent: 0 }) },
    }),
  );
});

describe.each(versions)("in %s", (version) => {
  const deleteKey = (emulator: Emulator, input: object) =>
    call(emulator, version, "deleteKey", input);

  describe.each([undefined, false, true])("with permanent: %s", (permanent) => {
    test("an empty object is the answer", async () => {
      const emulator = await givenKeys();

      expectResult(await deleteKey(emulator, { keyId: "key_full", permanent }), version, {});
    });

    test("the key is gone, and nothing else changes", async () => {
      const emulator = await givenKeys();
      const before = emulator.snapshot();

      await deleteKey(emulator, { keyId: "key_full", permanent });

      const { keys, ...rest } = emulator.snapshot();
      expect(keys).toEqual(before.keys?.filter(({ id }) => id !== "key_full"));
      expect(rest.identities).toEqual(before.identities);
      expect(rest.roles).toEqual(before.roles);
      expect(rest.permissions).toEqual(before.permissions);
      expect(rest.workspaces).toEqual(before.workspaces);
    });

    test("no list shows the key any more, and none counts it", async () => {
      const emulator = await givenKeys();

      await deleteKey(emulator, { keyId: "key_full", permanent });

      const left = ["key_daily", "key_plain", "key_role", "key_twice"];
      const listed = [
        (await listAll(emulator, { apiId: "api_one" })).map(({ id }) => id),
        (await listAllV2(emulator, { apiId: "api_one" })).map(({ keyId }) => keyId),
        emulator.keys.all().flatMap(({ apiId, id }) => (apiId === "api_one" ? [id] : [])),
      ];
      for (const ids of listed) expect(ids.toSorted()).toEqual(left);
      expect(emulator.keys.count()).toBe(8);
    });

    test("both versions answer that the value is of no key, at once", async () => {
      const emulator = await givenKeys();
      const verify = async () => {
        const ofV1 = await call(emulator, "v1", "verifyKey", { key: VALUE });
        const ofV2 = await call(emulator, "v2", "verifyKey", { key: VALUE });
        return [ofV1.body.code, ofV2.body.data.code];
      };
      expect(await verify()).toEqual(["VALID", "VALID"]);

      await deleteKey(emulator, { keyId: "key_full", permanent });

      expect(await verify()).toEqual(["NOT_FOUND", "NOT_FOUND"]);
      expect(emulator.keys.findByValue(VALUE)).toBeUndefined();
    });

    test.each([false, true])(
      "deleting it again does not find it (permanent: %s)",
      async (again) => {
        const emulator = await givenKeys();
        await deleteKey(emulator, { keyId: "key_full", permanent });
        const state = stateOf(emulator);

        for (const next of versions) {
          const answer = await call(emulator, next, "deleteKey", {
            keyId: "key_full",
            permanent: again,
          });
          expectNoKey(answer, next, "key_full");
        }
        expect(stateOf(emulator)).toEqual(state);
      },
    );
  });
});
