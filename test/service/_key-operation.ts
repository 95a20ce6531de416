import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { post } from "../_emulator.ts";
import { call, expectNoKey, givenKeys, stateOf, versions, type Version } from "./_keys.ts";

/** An operation on one key, in one version. */
interface KeyOperation {
  /** Without `keys.` */
  readonly name: string;
  /** Its input, without `keyId`. It is valid for every key of the world. */
  readonly input: object;
}

export type BothVersions = Readonly<Record<Version, KeyOperation>>;

/**
 * Tests which keys every operation on a key finds. order-of-checks.test.ts has the keys that it
 * refuses.
 */
export function testKeyOperation(operations: BothVersions): void {
  describe.each(versions)("in %s", (version) => {
    const operation = operations[version];
    const { input, name } = operation;
    const send = (emulator: Emulator, keyId: unknown, token = "any_token") =>
      call(emulator, version, name, { keyId, ...input }, { token });

    test("a key is found in the workspace of the token, also if another has its id", async () => {
      const emulator = await givenKeys();
      const theirs = JSON.stringify(emulator.snapshot().workspaces);

      expect((await send(emulator, "key_twice")).status).toBe(200);

      expect(JSON.stringify(emulator.snapshot().workspaces)).toBe(theirs);
      expect((await send(emulator, "key_twice", "other_token")).status).toBe(200);
      expect((await send(emulator, "key_other", "other_token")).status).toBe(200);
    });

    test("a key that was deleted, or whose API was deleted, is not found", async () => {
      const emulator = await givenKeys();
      for (const [path, input] of [
        ["/v1/keys.deleteKey", { keyId: "key_two" }],
        ["/v2/keys.deleteKey", { keyId: "key_daily", permanent: true }],
        ["/v2/apis.deleteApi", { apiId: "api_gone" }],
      ] as const) {
        expect((await post(emulator, path, input)).status).toBe(200);
      }

      const before = stateOf(emulator);
      for (const keyId of ["key_two", "key_daily", "key_last"]) {
        expectNoKey(await send(emulator, keyId), version, keyId);
      }
      expect(stateOf(emulator)).toEqual(before);
    });

    test("a key that is disabled or has expired is a key like any other", async () => {
      const emulator = await givenKeys();

      for (const keyId of ["key_disabled", "key_expired"]) {
        expect((await send(emulator, keyId)).status).toBe(200);
      }
    });
  });
}
