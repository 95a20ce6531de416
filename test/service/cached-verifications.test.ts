import { expect, test } from "vitest";
import { givenEmulator, post } from "../_emulator.ts";

const key = { apiId: "api_cached", id: "key_1", key: "secret_1", remaining: 5, permissions: ["a"] };
const fixtures = [{ apis: [{ id: "api_cached" }], keys: [key] }];

async function givenVerified(quirks?: ["cached-verifications"]) {
  const emulator = await givenEmulator({ fixtures, quirks });
  const verify = async (input = {}) => {
    const { body } = await post(emulator, "/v2/keys.verifyKey", { key: "secret_1", ...input });
    return [body.data.code, body.data.credits];
  };
  expect(await verify()).toEqual(["VALID", 4]);
  return { emulator, verify };
}

test("a change of a key holds from the next verification on", async () => {
  const { emulator, verify } = await givenVerified();

  await post(emulator, "/v2/keys.updateKey", { keyId: "key_1", enabled: false });
  expect((await verify())[0]).toBe("DISABLED");
  await post(emulator, "/v2/keys.deleteKey", { keyId: "key_1" });
  expect(await verify()).toEqual(["NOT_FOUND", undefined]);
});

test("with the quirk cached-verifications, a changed key verifies as before for 10 s, and spends credits", async () => {
  const { emulator, verify } = await givenVerified(["cached-verifications"]);

  await post(emulator, "/v2/keys.updateKey", { keyId: "key_1", enabled: false });
  emulator.clock.advance("9s");
  expect(await verify({ permissions: "a" })).toEqual(["VALID", 3]);
  expect(emulator.keys.get("key_1")).toMatchObject({ enabled: false, remaining: 3 });
  emulator.clock.advance("1s");
  expect((await verify())[0]).toBe("DISABLED");
});

test.each([
  ["keys.deleteKey", { keyId: "key_1" }],
  ["apis.deleteApi", { apiId: "api_cached" }],
])("with the quirk cached-verifications, a key verifies for 10 s after %s", async (name, input) => {
  const { emulator, verify } = await givenVerified(["cached-verifications"]);

  expect((await post(emulator, `/v2/${name}`, input)).status).toBe(200);
  expect((await verify())[0]).toBe("VALID");
  emulator.clock.advance("10s");
  expect(await verify()).toEqual(["NOT_FOUND", undefined]);
});

test("with the quirk cached-verifications, a reset forgets what was cached", async () => {
  const { emulator, verify } = await givenVerified(["cached-verifications"]);
  await post(emulator, "/v2/keys.updateKey", { keyId: "key_1", enabled: false });

  await emulator.reset();

  expect(await verify()).toEqual(["VALID", 4]);
});
