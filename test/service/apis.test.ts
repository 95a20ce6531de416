import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, post, type CallOptions } from "../_emulator.ts";
import { acceptingAll, createKeyV2, listKeysV2, type Refusal } from "../_v2.ts";
import {
  call as callKeys,
  expectNoKey,
  expectResult,
  stateOf,
  versions,
  type Version,
} from "./_keys.ts";
import { expectNothingLeft, insufficient, keyTexts } from "./_refusals.ts";

/** Each list is the permissions of a token: `limited_0`, `limited_1` and so on. */
const world = (...limited: string[][]): Fixture[] => [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "any_token", permissions: ["*"] },
      ...limited.map((permissions, index) => ({ token: `limited_${index}`, permissions })),
    ],
    apis: [
      { id: "api_full", name: "Full <&>" },
      { id: "api_unnamed" },
      { id: "api_protected", deleteProtection: true },
      { id: "api_open", deleteProtection: false },
      { id: "api_bare", keyspace: false },
    ],
    keys: [
      { id: "key_one", apiId: "api_full", key: "value_one", externalId: "ann" },
      { id: "key_two", apiId: "api_full", key: "value_two", enabled: false },
      { id: "key_safe", apiId: "api_protected", key: "value_safe" },
      { id: "key_else", apiId: "api_unnamed", key: "value_else" },
    ],
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token", permissions: ["*"] }],
    apis: [{ id: "api_other" }],
    keys: [{ id: "key_other", apiId: "api_other", key: "value_other" }],
  },
];

const givenWorld = (...limited: string[][]) => givenEmulator({ fixtures: world(...limited) });

type Name = "createApi" | "getApi" | "deleteApi";

const call = (emulator: Emulator, name: Name, input: object, options?: CallOptions) =>
  post(emulator, `/v2/apis.${name}`, input, acceptingAll(options));

const noApi: Refusal = {
  status: 404,
  type: "unkey/data/api_not_found",
  detail: "The requested API does not exist or has been deleted.",
};

describe.each(["getApi", "deleteApi"] as const)("apis.%s", (name) => {
  test("does not find an API that does not exist, is another workspace's, or was deleted", async () => {
    const emulator = await givenWorld();
    await call(emulator, "deleteApi", { apiId: "api_full" });

    for (const apiId of ["api_none", "api_other", "api_full"]) {
      await expectNothingLeft(emulator, noApi, () => call(emulator, name, { apiId }));
    }
  });
});

describe("apis.createApi", () => {
  test("creates an API that all operations find, without any special settings", async () => {
    const emulator = await givenWorld();

    const answer = await call(emulator, "createApi", { name: "New <&>" });

    const { apiId } = answer.body.data;
    expectResult(answer, "v2", { apiId });
    expect(apiId).toMatch(/^api_[1-9A-HJ-NP-Za-km-z]{16}$/);
    expect(emulator.apis.findFirst((query) => query.where({ id: apiId }))).toEqual({
      id: apiId,
      name: "New <&>",
      defaultPrefix: undefined,
      defaultByteLength: undefined,
      storeEncryptedKeys: false,
      keyspace: true,
      keyspaceId: expect.stringMatching(/^ks_[a-zA-Z0-9]{9}$/),
      deleteProtection: false,
    });
    expectResult(await call(emulator, "getApi", { apiId }), "v2", { id: apiId, name: "New <&>" });
    expect((await listKeys(emulator, { apiId })).body).toEqual({ keys: [], total: 0 });
    expect((await listKeysV2(emulator, { apiId })).body.data).toEqual([]);
    expect((await createKeyV2(emulator, { apiId, recoverable: true })).status).toBe(412);
  });

  test("creates another API if the name is taken, and does not take a given id", async () => {
    const first = await givenWorld();
    const { body } = await call(first, "createApi", { name: "Full <&>" });
    const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: body.data.apiId }] }] });

    for (let count = 2; count < 4; count += 1) {
      expect((await call(emulator, "createApi", { name: "Same" })).status).toBe(200);
      expect(emulator.apis.count()).toBe(count);
    }
  });
});

test("apis.getApi shows id and name, and the id as the name of an API without one", async () => {
  const emulator = await givenWorld();

  for (const [apiId, name] of [
    ["api_full", "Full <&>"],
    ["api_unnamed", "api_unnamed"],
  ]) {
    expectResult(await call(emulator, "getApi", { apiId }), "v2", { id: apiId, name });
  }
});

const value = "value_one";
const keyId = "key_one";

describe("apis.deleteApi", () => {
  test("deletes the API and its keys, and nothing else", async () => {
    const emulator = await givenWorld();

    expectResult(await call(emulator, "deleteApi", { apiId: "api_full" }), "v2", {});

    const { apis, keys, workspaces } = emulator.snapshot();
    expect(apis?.map(({ id }) => id)).toEqual([
      "api_unnamed",
      "api_protected",
      "api_open",
      "api_bare",
    ]);
    expect(keys?.map(({ id }) => id)).toEqual(["key_else", "key_safe"]);
    expect(emulator.identities.count()).toBe(1);
    expect(workspaces).toEqual((await givenWorld()).snapshot().workspaces);
  });

  test("takes the keys of an API that was created and filled from every operation", async () => {
    const emulator = await givenWorld();
    const created = await call(emulator, "createApi", { name: "Short-lived" });
    const { apiId } = created.body.data;
    const made = [
      (await createKey(emulator, { apiId })).body,
      (await createKeyV2(emulator, { apiId })).body.data,
    ];
    for (const { key } of made) {
      const verified = await callKeys(emulator, "v1", "verifyKey", { key });
      expect(verified.body.code).toBe("VALID");
    }

    expectResult(await call(emulator, "deleteApi", { apiId }), "v2", {});

    for (const { key, keyId: id } of made) await expectGone(emulator, id, key);
    const statuses = [
      await listKeys(emulator, { apiId }),
      await listKeysV2(emulator, { apiId }),
      await createKey(emulator, { apiId }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404]);
    // As in the service, v2 still creates keys, which nothing finds.
    const late = await createKeyV2(emulator, { apiId, prefix: "late", permissions: ["of.late"] });
    expect(late.status).toBe(200);
    expect(late.body.data).toEqual({
      key: expect.stringMatching(/^late_/),
      keyId: expect.stringMatching(/^key_/),
    });
    expect(late.headers.get("x-latchkey-hint")).toContain(`the API ${apiId} was deleted`);
    await expectGone(emulator, late.body.data.keyId, late.body.data.key);
    expect(emulator.permissions.named("of.late")).toBeDefined();
    expect((await createKeyV2(emulator, { apiId, roles: ["none"] })).status).toBe(404);
    await emulator.reset();
    expect((await createKeyV2(emulator, { apiId })).status).toBe(404);
  });

  test("leaves the id and the name free for another API, which has no keys", async () => {
    const emulator = await givenWorld();
    await call(emulator, "deleteApi", { apiId: "api_full" });

    await emulator.apis.create({ id: "api_full", name: "Full <&>" });

    expect((await listKeys(emulator, { apiId: "api_full" })).body.keys).toEqual([]);
    await expectGone(emulator, keyId, value);
  });

  const isProtected: Refusal = {
    status: 412,
    type: "unkey/application/protected_resource",
    detail: "This API has delete protection enabled. Disable it before attempting to delete.",
  };

  test("refuses an API with `deleteProtection`, and its keys stay", async () => {
    const emulator = await givenWorld(["api.api_protected.delete_api"]);
    const snapshot = emulator.snapshot();
    const keyspaceId = expect.any(String);
    expect(snapshot.apis).toContainEqual({
      id: "api_protected",
      deleteProtection: true,
      keyspaceId,
    });
    expect(snapshot.apis).toContainEqual({ id: "api_open", keyspaceId });
    const copy = await givenEmulator({ fixtures: [snapshot] });

    for (const each of [emulator, copy]) {
      for (const token of ["any_token", "limited_0"]) {
        await expectNothingLeft(each, isProtected, () =>
          call(each, "deleteApi", { apiId: "api_protected" }, { token }),
        );
      }
      const verified = await callKeys(each, "v1", "verifyKey", { key: "value_safe" });
      expect(verified.body.code).toBe("VALID");
      expect((await call(each, "deleteApi", { apiId: "api_open" })).status).toBe(200);
    }
  });

  test("deletes an API whose protection was lifted, and one without a keyspace", async () => {
    const emulator = await givenWorld();
    await emulator.apis.update((query) => query.where({ id: "api_protected" }), {
      data: (draft) => void (draft.deleteProtection = false),
    });

    for (const apiId of ["api_protected", "api_bare"]) {
      expectResult(await call(emulator, "deleteApi", { apiId }), "v2", {});
    }
  });

  test("checks the permission before the protection", async () => {
    const emulator = await givenWorld(["api.api_full.delete_api"]);

    const refusal = insufficient(
      "unkey:v1:ws_test:projects/*/keyspaces/*#delete or api.*.delete_api or api.api_protected.delete_api",
    );
    await expectNothingLeft(emulator, refusal, () =>
      call(emulator, "deleteApi", { apiId: "api_protected" }, { token: "limited_0" }),
    );
  });
});

/** Every operation on a key, with an input that is valid for any key. */
const onKeys: [name: string, version: Version, input: object][] = [
  ...versions.flatMap((version): [string, Version, object][] => [
    ["getKey", version, {}],
    ["updateKey", version, { name: "other" }],
    ["deleteKey", version, {}],
    ["deleteKey", version, { permanent: true }],
  ]),
  ...["add", "remove", "set"].flatMap((verb): [string, Version, object][] => [
    [`${verb}Permissions`, "v2", { permissions: ["x"] }],
    [`${verb}Roles`, "v2", { roles: ["x"] }],
  ]),
  ["updateRemaining", "v1", { op: "set", value: 1 }],
  ["updateCredits", "v2", { operation: "set", value: 1 }],
  ["rerollKey", "v2", { expiration: 0 }],
];

/** Expects that no operation of any version finds the key, by id or by value. */
async function expectGone(emulator: Emulator, id: string, key: string): Promise<void> {
  const before = stateOf(emulator);
  for (const [name, version, input] of onKeys) {
    const answer = await callKeys(emulator, version, name, { keyId: id, ...input });
    const hides = /Permissions$|Roles$|^rerollKey$/.test(name);
    expectNoKey(answer, version, id, hides ? keyTexts.other : keyTexts.unknown);
  }
  for (const version of versions) {
    const verified = await callKeys(emulator, version, "verifyKey", { key });
    const { requestId: _, ...outcome } = verified.body.data ?? verified.body;
    expect([verified.status, outcome]).toEqual([200, { code: "NOT_FOUND", valid: false }]);
  }
  expect((await callKeys(emulator, "v2", "whoami", { key })).status).toBe(404);
  expect(stateOf(emulator)).toEqual(before);
}
