import { describe, expect, test } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { post, type Answer } from "../_emulator.ts";
import { expectRefusal, schemaRefusal } from "../_v2.ts";
import {
  badRequest,
  call,
  expectMissing,
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
  /** The action that a token has to be permitted, like `read_key`. */
  readonly action: string;
  /** Which ids are refused by their form alone. */
  readonly keyId: "any text" | "3 characters" | "some text" | "3 to 255 letters";
  /** The refusal of a key of another workspace. Default: as if there was none. */
  readonly ofAnother?: RefusalOfV1;
}

export type BothVersions = Readonly<Record<Version, KeyOperation>>;

const OTHER = "The specified key was not found.";

/** Tests what every operation on a key does with the id of the key and with the token. */
export function testKeyOperation(operations: BothVersions): void {
  describe.each(versions)("in %s", (version) => {
    const operation = operations[version];
    const { action, input, name, ofAnother } = operation;
    const send = (emulator: Emulator, keyId: unknown, token = "any_token") =>
      call(emulator, version, name, { keyId, ...input }, { token });

    const needed = [`api.*.${action}`, `api.api_two.${action}`];

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

    test("a token with the permission may call it", async () => {
      for (const permissions of [[`api.*.${action}`], [`api.api_two.${action}`], ["x", "*"]]) {
        const emulator = await givenKeys(permissions);

        expect((await send(emulator, "key_two", "limited")).status).toBe(200);
      }
    });

    test("a token with other permissions may not, and is told what it needs", async () => {
      for (const permissions of [
        [],
        ["api.*.create_key", "api.*.decrypt_key", "api.*.verify_key"],
        [`api.api_one.${action}`],
        [`api.key_two.${action}`],
        [action, `*.${action}`, `api.*.${action}s`, `API.*.${action}`],
        ["api.*.*", "api.**", "**"],
        ["unkey:v1:ws_test:keyspaces/*/keys/*#*"],
      ]) {
        const emulator = await givenKeys(permissions);

        await expectRefused(
          emulator,
          () => send(emulator, "key_two", "limited"),
          (answer) => expectMissing(answer, version, needed),
        );
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

    test("an id of an allowed form is looked up", async () => {
      const emulator = await givenKeys();

      for (const keyId of acceptedIds[operation.keyId]) {
        expectNoKey(await send(emulator, keyId), version, keyId);
      }
    });

    test("an id of another form is refused, with the form that it needs", async () => {
      const emulator = await givenKeys();

      for (const [keyId, refusal] of refusedIds(operation, version)) {
        await expectRefused(
          emulator,
          () => send(emulator, keyId),
          (answer) => {
            if (version === "v1") expectRefusalOfV1(answer, badRequest(refusal.message));
            else expectRefusal(answer, schemaRefusal(`/v2/keys.${name}`, refusal.errors));
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

const long = "x".repeat(255);
const acceptedIds: Readonly<Record<KeyOperation["keyId"], string[]>> = {
  "any text": ["", "x", "a-b c/é"],
  "some text": ["x", "a-b c/é"],
  "3 characters": ["abc", "a-b", "é €"],
  "3 to 255 letters": ["abc", "aZ_09", long],
};

const ZERO = "a string of 0 characters";

type Refused = [keyId: unknown, refusal: { message: string; errors: object[] }];

function refusedIds({ keyId, name }: KeyOperation, version: Version): Refused[] {
  const at = "/properties/keyId";
  const pattern = "^[a-zA-Z0-9_]+$";
  const ofType = (type: string) => [
    { location: `${at}/type`, message: `got ${type}, want string` },
  ];
  const short = (got: number) => ({
    location: `${at}/minLength`,
    message: `minLength: got ${got}, want 3`,
  });
  const unlike = (text: string) => ({
    location: `${at}/pattern`,
    message: `'${text}' does not match pattern '${pattern}'`,
  });
  const expected = `keyId: expected a string${keyId === "some text" ? " of at least 1 character" : ""}`;
  const refused = (value: unknown, kind: string, ...errors: object[]): Refused => [
    value,
    { message: `${expected}, got ${kind}`, errors },
  ];
  const missing = { location: "/required", message: "missing property 'keyId'" };
  const rows = [refused(undefined, "nothing", missing)];
  // A parameter of a query is always text.
  if (version === "v1" && name === "getKey") return [...rows, refused("", ZERO)];
  rows.push(
    refused(5, "5", ...ofType("number")),
    refused(null, "null", ...ofType("null")),
    refused(["key_two"], "an array of 1 item", ...ofType("array")),
    refused({}, "an object", ...ofType("object")),
  );
  if (keyId === "some text") rows.push(refused("", ZERO));
  if (keyId === "3 characters") rows.push(refused("ab", "", short(2)), refused("", "", short(0)));
  if (keyId === "3 to 255 letters") {
    const tooLong = { location: `${at}/maxLength`, message: "maxLength: got 256, want 255" };
    rows.push(
      refused("ab", "", short(2)),
      refused("", "", short(0), unlike("")),
      refused(`${long}x`, "", tooLong),
      ...["key-1", "key 1", "key.1", "kéy", "key\n"].map((text) => refused(text, "", unlike(text))),
    );
  }
  return rows;
}
