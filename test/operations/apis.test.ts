import { describe, expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, post, send, type CallOptions } from "../_emulator.ts";
import { acceptingAll, createKeyV2, expectRefusal, listKeysV2, schemaRefusal } from "../_v2.ts";
import {
  badRequest,
  call as callKeys,
  expectRefusalOfV1,
  expectResult,
  stateOf,
  versions,
  type RefusalOfV1,
  type Version,
} from "./_keys.ts";
import {
  expectNothingLeft,
  expectRefused,
  expectTokenNeeded,
  insufficient,
  keyTexts,
  noKey,
  toErrors,
  wrongIds,
  type Refused,
  type Refusals,
} from "./_refusals.ts";

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

type Name = "createApi" | "getApi" | "deleteApi" | "deleteKeys";

/** Calls an operation on APIs. v1 reads with GET. */
function call(
  emulator: Emulator,
  version: Version,
  name: Name,
  input: object,
  options: CallOptions = {},
) {
  const path = `/${version}/apis.${name}`;
  if (version === "v2") return post(emulator, path, input, acceptingAll(options));
  if (name !== "getApi") return post(emulator, path, input, options);
  const { headers, token = "any_token" } = options;
  const authorization: Record<string, string> =
    token === null ? {} : { Authorization: `Bearer ${token}` };
  const url = `http://emulator.test${path}?${new URLSearchParams({ ...input })}`;
  return send(emulator, new Request(url, { headers: { ...authorization, ...headers } }));
}

function noApi(apiId: string): Refusals {
  const message = `The API "${apiId}" does not exist or has been deleted.`;
  const detail = "The requested API does not exist or has been deleted.";
  return {
    v1: { status: 404, code: "NOT_FOUND", message },
    v2: { status: 404, type: "unkey/data/api_not_found", detail },
  };
}

/** Those that act on one API, with the permission that each needs. */
const onOneApi: [version: Version, name: Name, action: string][] = [
  ["v1", "getApi", "read_api"],
  ["v2", "getApi", "read_api"],
  ["v1", "deleteApi", "delete_api"],
  ["v2", "deleteApi", "delete_api"],
  ["v1", "deleteKeys", "delete_key"],
];

const noSuchApi = (name: Name, apiId: string): Refusals =>
  name === "deleteKeys"
    ? {
        ...noApi(apiId),
        v1: {
          status: 404,
          code: "NOT_FOUND",
          message: `apiId: this workspace has no API "${apiId}"`,
        },
      }
    : noApi(apiId);

describe.each(onOneApi)("%s: apis.%s", (version, name, action) => {
  test.each(["api_none", "api_other"])("does not find %s", async (apiId) => {
    const emulator = await givenWorld();

    await expectNothingLeft(emulator, version, noSuchApi(name, apiId), () =>
      call(emulator, version, name, { apiId }),
    );
  });

  test.each(versions)("does not find an API that %s deleted", async (deleting) => {
    const emulator = await givenWorld();
    await call(emulator, deleting, "deleteApi", { apiId: "api_full" });

    await expectNothingLeft(emulator, version, noSuchApi(name, "api_full"), () =>
      call(emulator, version, name, { apiId: "api_full" }),
    );
  });

  test.each([[[`api.*.${action}`]], [[`api.api_full.${action}`]], [["x", "*"]]])(
    "may be called with %j",
    async (permissions) => {
      const emulator = await givenWorld(permissions);

      const { status } = await call(
        emulator,
        version,
        name,
        { apiId: "api_full" },
        { token: "limited_0" },
      );

      expect(status).toBe(200);
    },
  );

  test("may not be called with other permissions, whether the API exists or not", async () => {
    const others = [
      [],
      ["api.*.create_api", "api.*.update_api", "api.*.read_key"],
      [`api.api_unnamed.${action}`],
      ["api.*", `api.*.${action}s`, action, `API.*.${action}`],
      [`unkey:v1:ws_test:keyspaces/*#${action}`],
    ];
    const emulator = await givenWorld(...others);

    for (const index of others.keys()) {
      for (const apiId of ["api_full", "api_none_1"]) {
        const refusals = insufficient(`api.*.${action} or api.${apiId}.${action}`);
        await expectNothingLeft(emulator, version, refusals, () =>
          call(emulator, version, name, { apiId }, { token: `limited_${index}` }),
        );
      }
    }
  });

  test("needs a token that is known, before it looks for the API", async () => {
    const emulator = await givenWorld();

    await expectTokenNeeded(emulator, version, (options) =>
      call(emulator, version, name, { apiId: "api_none" }, options),
    );
  });

  test("does not show a key value that was sent as the id", async () => {
    const emulator = await givenWorld();
    const { body } = await createKey(emulator, { apiId: "api_full" });

    const answer = await call(emulator, version, name, { apiId: body.key });

    expect(answer.status).toBe(404);
    expect(JSON.stringify(answer.body)).not.toContain(body.key);
  });

  test("refuses an id that is not one", async () => {
    const emulator = await givenWorld();
    const before = stateOf(emulator);

    if (version === "v1") {
      const at = "apiId: expected a string of at least 1 character, got";
      const rows: [object, string][] = [
        [{}, `${at} nothing`],
        [{ apiId: "" }, `${at} a string of 0 characters`],
      ];
      if (name !== "getApi") rows.push([{ apiId: 5 }, `${at} 5`], [{ apiId: null }, `${at} null`]);
      for (const [input, message] of rows) {
        expectRefusalOfV1(await call(emulator, version, name, input), badRequest(message));
      }
      expectRefused(
        await call(emulator, version, name, { apiId: "é" }),
        version,
        noSuchApi(name, "é"),
      );
    } else {
      for (const [, apiId, ...violations] of wrongIds("apiId", 8)) {
        const answer = await call(emulator, version, name, { apiId });
        expectRefusal(answer, schemaRefusal(`/v2/apis.${name}`, toErrors(violations)));
      }
      for (const apiId of ["aZ_09_12", "api_none"]) {
        expectRefusal(await call(emulator, version, name, { apiId }), noApi(apiId).v2);
      }
      const longest = await call(emulator, version, name, { apiId: "_".repeat(255) });
      expect(longest.status).toBe(404);
    }

    expect(stateOf(emulator)).toEqual(before);
  });

  test("ignores members that it does not know in v1, and refuses them in v2", async () => {
    const emulator = await givenWorld();

    const answer = await call(emulator, version, name, { apiId: "api_full", force: true });

    if (version === "v1") return expect(answer.status).toBe(200);
    const message = "additional properties 'force' not allowed";
    const errors = [{ location: "/additionalProperties", message }];
    expectRefusal(answer, schemaRefusal(`/v2/apis.${name}`, errors));
  });
});

describe.each(versions)("apis.createApi of %s", (version) => {
  test("creates an API that all operations find, without any special settings", async () => {
    const emulator = await givenWorld();

    const answer = await call(emulator, version, "createApi", { name: "New <&>" });

    const { apiId } = version === "v1" ? answer.body : answer.body.data;
    expectResult(answer, version, version === "v1" ? { apiId, name: "New <&>" } : { apiId });
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
    const got = await Promise.all([
      call(emulator, "v1", "getApi", { apiId }),
      call(emulator, "v2", "getApi", { apiId }),
    ]);
    expect(got.map(({ body }) => body.name ?? body.data.name)).toEqual(["New <&>", "New <&>"]);
    expect((await listKeys(emulator, { apiId })).body).toEqual({ keys: [], total: 0 });
    expect((await listKeysV2(emulator, { apiId })).body.data).toEqual([]);
    expect((await createKeyV2(emulator, { apiId, recoverable: true })).status).toBe(412);
  });

  test("creates another API if the name is taken, and does not take a given id", async () => {
    const first = await givenWorld();
    const { body } = await call(first, version, "createApi", { name: "Full <&>" });
    const taken = version === "v1" ? body.apiId : body.data.apiId;
    const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: taken }] }] });

    for (let count = 2; count < 4; count += 1) {
      const answer = await call(emulator, version, "createApi", { name: "Same" });
      expect(answer.status).toBe(200);
      expect(emulator.apis.count()).toBe(count);
    }
  });

  test.each([[["api.*.create_api"]], [["*"]]])("may be called with %j", async (permissions) => {
    const emulator = await givenWorld(permissions);

    const answer = await call(
      emulator,
      version,
      "createApi",
      { name: "abc" },
      { token: "limited_0" },
    );

    expect(answer.status).toBe(200);
  });

  test("may not be called with other permissions", async () => {
    const others = [
      [],
      ["api.*.read_api", "api.*.create_key", "api.*.delete_api"],
      ["api.api_full.create_api"],
      ["unkey:v1:ws_test:**#*"],
    ];
    const emulator = await givenWorld(...others);

    for (const index of others.keys()) {
      await expectNothingLeft(emulator, version, insufficient("api.*.create_api"), () =>
        call(emulator, version, "createApi", { name: "abc" }, { token: `limited_${index}` }),
      );
    }
  });

  test("needs a token that is known", async () => {
    const emulator = await givenWorld();

    await expectTokenNeeded(emulator, version, (options) =>
      call(emulator, version, "createApi", { name: "abc" }, options),
    );
  });

  test.each([
    ["3 characters", "abc"],
    ["256 characters", "x".repeat(256)],
    ["256 characters of any kind", "🔑".repeat(256)],
  ])("takes a name of %s", async (_, name) => {
    const emulator = await givenWorld();

    const { body, status } = await call(emulator, version, "createApi", { name });

    expect(status, JSON.stringify(body)).toBe(200);
    const apiId = body.apiId ?? body.data.apiId;
    const got = await call(emulator, version, "getApi", { apiId });
    expect((got.body.data ?? got.body).name).toBe(name);
  });
});

test("apis.createApi of v1 refuses a name that is missing, too short, too long or no text", async () => {
  const emulator = await givenWorld();
  const before = stateOf(emulator);
  const at = "name: expected a string of 3 to 256 characters, got";
  for (const [input, found] of [
    [{}, "nothing"],
    [{ name: "" }, "a string of 0 characters"],
    [{ name: "ab" }, "a string of 2 characters"],
    [{ name: "x".repeat(257) }, "a string of 257 characters"],
    [{ name: 5 }, "5"],
    [{ name: null }, "null"],
  ] as const) {
    const answer = await call(emulator, "v1", "createApi", input);
    expectRefusalOfV1(answer, badRequest(`${at} ${found}`));
  }

  expect(stateOf(emulator)).toEqual(before);
  const more = await call(emulator, "v1", "createApi", { name: "abc", ipWhitelist: 1 });
  expect(more.status).toBe(200);
});

test("apis.createApi of v2 refuses a name that is missing, too short, too long or no text", async () => {
  const emulator = await givenWorld();
  const before = stateOf(emulator);
  const path = "/v2/apis.createApi";
  const at = "/properties/name";
  const rows: Refused[] = [
    ["name", undefined, ["/required", "missing property 'name'"]],
    ["name", "", [`${at}/minLength`, "minLength: got 0, want 3"]],
    ["name", "ab", [`${at}/minLength`, "minLength: got 2, want 3"]],
    ["name", "🔑🔑", [`${at}/minLength`, "minLength: got 2, want 3"]],
    ["name", "x".repeat(257), [`${at}/maxLength`, "maxLength: got 257, want 256"]],
    ["name", 5, [`${at}/type`, "got number, want string"]],
    ["name", null, [`${at}/type`, "got null, want string"]],
    ["more", 1, ["/additionalProperties", "additional properties 'more' not allowed"]],
  ];
  for (const [member, value, ...violations] of rows) {
    const answer = await call(emulator, "v2", "createApi", { name: "abc", [member]: value });
    expectRefusal(answer, schemaRefusal(path, toErrors(violations)));
  }
  const broken = await post(emulator, path, '{"name":', acceptingAll());

  expect([broken.status, broken.body.error.title, broken.body.error.detail]).toEqual([
    400,
    "Bad Request",
    `POST request body for '${path}' failed to validate schema`,
  ]);
  expect(stateOf(emulator)).toEqual(before);
});

describe("apis.getApi", () => {
  test("shows id and name, in v1 also the workspace", async () => {
    const emulator = await givenWorld();
    const apiId = "api_full";

    expectResult(await call(emulator, "v1", "getApi", { apiId }), "v1", {
      id: apiId,
      workspaceId: "ws_test",
      name: "Full <&>",
    });
    expectResult(await call(emulator, "v2", "getApi", { apiId }), "v2", {
      id: apiId,
      name: "Full <&>",
    });
  });

  test("shows the id as the name of an API of a fixture that has none", async () => {
    const emulator = await givenWorld();
    const apiId = "api_unnamed";

    for (const version of versions) {
      const { body } = await call(emulator, version, "getApi", { apiId });
      expect((body.data ?? body).name).toBe(apiId);
    }
  });
});

const value = "value_one";
const keyId = "key_one";

describe.each(versions)("apis.deleteApi of %s", (version) => {
  test("deletes the API and its keys, and nothing else", async () => {
    const emulator = await givenWorld();

    const answer = await call(emulator, version, "deleteApi", { apiId: "api_full" });

    expectResult(answer, version, {});
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
    const created = await call(emulator, version, "createApi", { name: "Short-lived" });
    const { apiId } = created.body.data ?? created.body;
    const made = [
      (await createKey(emulator, { apiId })).body,
      (await createKeyV2(emulator, { apiId })).body.data,
    ];
    for (const { key } of made) {
      const verified = await callKeys(emulator, "v1", "verifyKey", { key });
      expect(verified.body.code).toBe("VALID");
    }

    expectResult(await call(emulator, version, "deleteApi", { apiId }), version, {});

    for (const { key, keyId: id } of made) await expectGone(emulator, id, key);
    const statuses = [
      await listKeys(emulator, { apiId }),
      await listKeysV2(emulator, { apiId }),
      await createKey(emulator, { apiId }),
      await createKeyV2(emulator, { apiId }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404]);
    await expectNothingLeft(emulator, version, noApi(apiId), () =>
      call(emulator, version, "deleteApi", { apiId }),
    );
  });

  test("leaves the id and the name free for another API, which has no keys", async () => {
    const emulator = await givenWorld();
    await call(emulator, version, "deleteApi", { apiId: "api_full" });

    await emulator.apis.create({ id: "api_full", name: "Full <&>" });

    expect((await listKeys(emulator, { apiId: "api_full" })).body.keys).toEqual([]);
    await expectGone(emulator, keyId, value);
  });

  const isProtected: Refusals = {
    v1: {
      status: 412,
      code: "DELETE_PROTECTED",
      message:
        "The API api_protected has delete protection enabled. Disable it before deleting the API.",
    },
    v2: {
      status: 412,
      type: "unkey/application/protected_resource",
      detail: "This API has delete protection enabled. Disable it before attempting to delete.",
    },
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
        await expectNothingLeft(each, version, isProtected, () =>
          call(each, version, "deleteApi", { apiId: "api_protected" }, { token }),
        );
      }
      const verified = await callKeys(each, "v1", "verifyKey", { key: "value_safe" });
      expect(verified.body.code).toBe("VALID");
      expect((await call(each, version, "deleteApi", { apiId: "api_open" })).status).toBe(200);
    }
  });

  test("deletes an API whose protection was lifted, and one without a keyspace", async () => {
    const emulator = await givenWorld();
    await emulator.apis.update((query) => query.where({ id: "api_protected" }), {
      data: (draft) => void (draft.deleteProtection = false),
    });

    for (const apiId of ["api_protected", "api_bare"]) {
      expectResult(await call(emulator, version, "deleteApi", { apiId }), version, {});
    }
  });

  test("checks the permission before the protection", async () => {
    const emulator = await givenWorld(["api.api_full.delete_api"]);

    const refusals = insufficient("api.*.delete_api or api.api_protected.delete_api");
    await expectNothingLeft(emulator, version, refusals, () =>
      call(emulator, version, "deleteApi", { apiId: "api_protected" }, { token: "limited_0" }),
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
    ...["add", "remove", "set"].flatMap((verb): [string, Version, object][] => [
      [`${verb}Permissions`, version, { permissions: version === "v1" ? [{ name: "x" }] : ["x"] }],
      [`${verb}Roles`, version, { roles: version === "v1" ? [{ name: "x" }] : ["x"] }],
    ]),
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
    expectRefused(answer, version, noKey(id, hides ? keyTexts.other : keyTexts.unknown));
  }
  for (const version of versions) {
    const verified = await callKeys(emulator, version, "verifyKey", { key });
    const { requestId: _, ...outcome } = verified.body.data ?? verified.body;
    expect([verified.status, outcome]).toEqual([200, { code: "NOT_FOUND", valid: false }]);
    expect((await callKeys(emulator, version, "whoami", { key })).status).toBe(404);
  }
  expect(stateOf(emulator)).toEqual(before);
}

describe("apis.deleteKeys", () => {
  const deleteKeys = (emulator: Emulator, input: object, options?: CallOptions) =>
    call(emulator, "v1", "deleteKeys", input, options);

  test.each([{}, { permanent: false }, { permanent: true }])(
    "deletes and counts all keys of the API, also disabled ones: %j",
    async (more) => {
      const emulator = await givenWorld();
      const input = { apiId: "api_full", ...more };

      expectResult(await deleteKeys(emulator, input), "v1", { deletedKeys: 2 });

      await expectGone(emulator, keyId, value);
      await expectGone(emulator, "key_two", "value_two");
      expect((await listKeys(emulator, { apiId: "api_full" })).body).toEqual({
        keys: [],
        total: 0,
      });
      expect((await call(emulator, "v1", "getApi", { apiId: "api_full" })).status).toBe(200);
      expect(emulator.keys.all().map(({ id }) => id)).toEqual(["key_else", "key_safe"]);
      expectResult(await deleteKeys(emulator, input), "v1", { deletedKeys: 0 });
    },
  );

  test("counts only keys that are left, also permanently", async () => {
    const emulator = await givenWorld();
    const input = { apiId: "api_full", permanent: true };
    await callKeys(emulator, "v1", "deleteKey", { keyId: "key_two" });
    expectResult(await deleteKeys(emulator, { apiId: "api_full" }), "v1", { deletedKeys: 1 });
    await createKey(emulator, { apiId: "api_full" });

    expectResult(await deleteKeys(emulator, input), "v1", { deletedKeys: 1 });
  });

  test("of an API without keys deletes none, and protection does not count", async () => {
    const emulator = await givenWorld();

    expectResult(await deleteKeys(emulator, { apiId: "api_open" }), "v1", { deletedKeys: 0 });
    const safe = await deleteKeys(emulator, { apiId: "api_protected" });
    expectResult(safe, "v1", { deletedKeys: 1 });
  });

  test("refuses an API without a keyspace", async () => {
    const emulator = await givenWorld();
    const refusal: RefusalOfV1 = {
      status: 412,
      code: "PRECONDITION_FAILED",
      message: "apiId: the API has no keyspace, so it has no keys",
    };

    expectRefusalOfV1(await deleteKeys(emulator, { apiId: "api_bare" }), refusal);
  });

  test.each([
    ["yes", "a string of 3 characters"],
    [1, "1"],
    [null, "null"],
  ])("refuses `permanent` of %j", async (permanent, found) => {
    const emulator = await givenWorld();

    const answer = await deleteKeys(emulator, { apiId: "api_full", permanent });

    const message = `permanent: expected true or false, got ${found}`;
    expectRefusalOfV1(answer, badRequest(message));
    expect(emulator.keys.count()).toBe(4);
  });

  test("does not exist in v2", async () => {
    const emulator = await givenWorld();

    const answer = await call(emulator, "v2", "deleteKeys", { apiId: "api_full" });

    expect(answer.status).toBe(404);
    expect(emulator.keys.count()).toBe(4);
  });
});
