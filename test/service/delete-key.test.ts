import { describe, expect, test } from "vitest";
import { listAll, post } from "../_emulator.ts";
import { listAllV2 } from "../_v2.ts";
import { testKeyOperation } from "./_key-operation.ts";
import { call, expectNoKey, expectResult, givenKeys, stateOf, versions, VALUE } from "./_keys.ts";

describe("keys.deleteKey", () => {
  const operation = { name: "deleteKey", input: {} };
  testKeyOperation({ v1: operation, v2: operation });
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

const ways = versions.flatMap((version) =>
  [undefined, false, true].map((permanent) => [version, permanent] as const),
);

test.each(ways)(
  "keys.deleteKey of %s with permanent: %s removes the key from all that is shown, and nothing else",
  async (version, permanent) => {
    const emulator = await givenKeys();
    const verify = async () => {
      const ofV1 = await call(emulator, "v1", "verifyKey", { key: VALUE });
      const ofV2 = await call(emulator, "v2", "verifyKey", { key: VALUE });
      return [ofV1.body.code, ofV2.body.data.code];
    };
    expect(await verify()).toEqual(["VALID", "VALID"]);
    const before = emulator.snapshot();

    const answer = await call(emulator, version, "deleteKey", { keyId: "key_full", permanent });

    expectResult(answer, version, {});
    const { identities, keys, permissions, roles, workspaces } = emulator.snapshot();
    expect(keys).toEqual(before.keys?.filter(({ id }) => id !== "key_full"));
    expect(before).toMatchObject({ identities, permissions, roles, workspaces });
    const listed = [
      (await listAll(emulator, { apiId: "api_one" })).map(({ id }) => id),
      (await listAllV2(emulator, { apiId: "api_one" })).map(({ keyId }) => keyId),
      emulator.keys.all().flatMap(({ apiId, id }) => (apiId === "api_one" ? [id] : [])),
    ];
    for (const ids of listed)
      expect(ids.toSorted()).toEqual(["key_daily", "key_plain", "key_role", "key_twice"]);
    expect(await verify()).toEqual(["NOT_FOUND", "NOT_FOUND"]);
    expect(emulator.keys.findByValue(VALUE)).toBeUndefined();
    const state = stateOf(emulator);
    for (const again of [false, true]) {
      const input = { keyId: "key_full", permanent: again };
      for (const each of versions)
        expectNoKey(await call(emulator, each, "deleteKey", input), each, "key_full");
    }
    expect(stateOf(emulator)).toEqual(state);
  },
);
