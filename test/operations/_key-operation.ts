import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { post, type Answer } from "../_emulator.ts";
import { expectRefusal } from "../_v2.ts";
import {
  call,
  expectNoKey,
  expectRefusalOfV1,
  givenKeys,
  stateOf,
  versions,
  type RefusalOfV1,
  type Version,
} from "./_keys.ts";

/** An operation on one key, in one version. */
interface KeyOperation {
  /** Without `keys.` */
  readonly name: string;
  /** Its input, without `keyId`. It is valid for every key of the world. */
  readonly input: object;
  /** The refusal of a key of another workspace. Default: as if there was none. */
  readonly ofAnother?: RefusalOfV1;
}

export type BothVersions = Readonly<Record<Version, KeyOperation>>;

const OTHER = "The specified key was not found.";

/** Tests what every operation on a key does with the id of the key and with the token. */
export function testKeyOperation(operations: BothVersions): void {
  describe.each(versions)("in %s", (version) => {
    const operation = operations[version];
    const { input, name, ofAnother } = operation;
    const send = (emulator: Emulator, keyId: unknown, token = "any_token") =>
      call(emulator, version, name, { keyId, ...input }, { token });

    /** Expects a refusal that leaves nothing behind. */
    async function expectRefused(
      emulator: Emulator,
      act: () => Promise<Answer>,
      check: (answer: Answer) => void,
    ): Promise<void> {
      const before = stateOf(emulator);
      check(await act());
      expect(stateOf(emulator)).toEqual(before);
    }

    test("a key that does not exist is not found, whatever the token may do", async () => {
      const emulator = await givenKeys();

      for (const token of ["any_token", "limited"]) {
        await expectRefused(
          emulator,
          () => send(emulator, "key_none", token),
          (answer) => expectNoKey(answer, version, "key_none"),
        );
      }
    });

    test("a key of another workspace is out of reach, whatever the token may do", async () => {
      const emulator = await givenKeys();

      for (const token of ["any_token", "limited"]) {
        await expectRefused(
          emulator,
          () => send(emulator, "key_other", token),
          (answer) => {
            if (ofAnother === undefined) expectNoKey(answer, version, "key_other", OTHER);
            else expectRefusalOfV1(answer, ofAnother);
          },
        );
      }
    });

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

      for (const keyId of ["key_two", "key_daily", "key_last"]) {
        await expectRefused(
          emulator,
          () => send(emulator, keyId),
          (answer) => expectNoKey(answer, version, keyId),
        );
      }
    });

    test("a key that is disabled or has expired is a key like any other", async () => {
      const emulator = await givenKeys();

      for (const keyId of ["key_disabled", "key_expired"]) {
        expect((await send(emulator, keyId)).status).toBe(200);
      }
    });

    test("a caller with an unknown token learns nothing about any key", async () => {
      const emulator = await givenKeys();

      for (const keyId of ["key_two", "key_none", "key_other"]) {
        await expectRefused(
          emulator,
          () => send(emulator, keyId, "unknown_token"),
          (answer) => {
            if (version === "v1") expectRefusalOfV1(answer, unknownToken.v1);
            else expectRefusal(answer, unknownToken.v2);
          },
        );
      }
    });
  });
}

const unknownToken = {
  v1: { status: 401, code: "UNAUTHORIZED", message: "authorization: the token is not known" },
  v2: {
    status: 401,
    type: "unkey/authentication/key_not_found",
    detail: "The provided root key is invalid. We could not find the requested key.",
  },
} as const;
