import { describe, expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { NOW, base64url, createKey, givenEmulator, listAll, listKeys } from "../_emulator.ts";

const keysWorld = (count: number): Fixture => ({
  workspace: { id: "ws_test" },
  apis: [{ id: "api_one", storeEncryptedKeys: true }, { id: "api_two" }],
  keys: Array.from({ length: count }, (_, index) => ({
    apiId: "api_one",
    id: `key_${String(index).padStart(4, "0")}`,
    externalId: index % 3 === 0 ? "ann" : "bob",
  })),
});

const idsOf = (body: { keys: { id: string }[] }) => body.keys.map(({ id }) => id);

describe("the query", () => {
  test.each([
    ["apiId=api_one"],
    ["apiId=api_one&limit=1"],
    ["apiId=api_one&limit=100"],
    ["apiId=api_one&cursor="],
    ["apiId=api_one&externalId=ann"],
    ["apiId=api_one&ownerId=ann"],
    ...["true", "false", "True", "FALSE", "1", "0", "null", "Null", ""].flatMap((value) => [
      [`apiId=api_one&decrypt=${value}`],
      [`apiId=api_one&revalidateKeysCache=${value}`],
    ]),
    ["apiId=api_one&decrypt"],
    ["&apiId=api%5Fone&&"],
  ])("%s is answered", async (query) => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(3)] });

    expect((await listKeys(emulator, query)).status).toBe(200);
  });

  const limit = "limit: expected an integer from 1 to 100";
  const flag = "expected true, false, 1, 0 or null";
  const cursor = "cursor: expected the cursor of a page of this list";
  test.each([
    ["", "apiId: expected a string of at least 1 character, got nothing"],
    ["apiId=", "apiId: expected a string of at least 1 character"],
    ["apiId=api_one&limit=0", limit],
    ["apiId=api_one&limit=101", limit],
    ["apiId=api_one&limit=-1", limit],
    ["apiId=api_one&limit=1.5", limit],
    ["apiId=api_one&limit=1e1", limit],
    ["apiId=api_one&limit=ten", limit],
    ["apiId=api_one&limit=", limit],
    ["apiId=api_one&limit=%2010", limit],
    ["apiId=api_one&externalId=", "externalId: expected a string of at least 1 character"],
    ["apiId=api_one&ownerId=", "ownerId: expected a string of at least 1 character"],
    ["apiId=api_one&decrypt=yes", `decrypt: ${flag}`],
    ["apiId=api_one&decrypt=True%20", `decrypt: ${flag}`],
    ["apiId=api_one&revalidateKeysCache=2", `revalidateKeysCache: ${flag}`],
    ["apiId=api_one&cursor=key_0001", cursor],
    ["apiId=api_one&cursor=eyJrZXkiOjF9", cursor],
    ["apiId=api_one&cursor=e30", cursor],
    ["apiId=api_one&cursor=eyJrZXkiOiJhIn0%3D", cursor],
    ["apiId=api_one&cursor=eyAia2V5IjoiYSJ9", cursor],
    // The unused low bits of the last digit are not zero.
    ["apiId=api_one&cursor=eyJrZXkiOiJhIn1", cursor],
    [`apiId=api_one&cursor=${btoa('{"key":""}')}`, cursor],
    [`apiId=api_one&cursor=${btoa('{"key":"no id!"}')}`, cursor],
    ["apiId=api_one&apiId=api_one", "apiId: expected once, got it more than once"],
    ["apiId=api_one&limit=5&limit=6", "limit: expected once, got it more than once"],
    ["apiId=api_one&nick=1&nick=1", "nick: expected once, got it more than once"],
    ["apiId=%zz", "apiId: expected percent-encoding that decodes"],
    ["apiId=api_one&externalId=%ff", "externalId: expected percent-encoding that decodes"],
    ["apiId=api_one&%=1", "query: expected percent-encoding that decodes"],
    [
      "apiId=&limit=0",
      "apiId: expected a string of at least 1 character, got a string of 0 characters; limit: expected",
    ],
  ])("%j is refused", async (query, message) => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(3)] });

    const { status, body } = await listKeys(emulator, query);

    expect(body.error.code).toBe("BAD_REQUEST");
    expect(body.error.message).toContain(message);
    expect(status).toBe(400);
  });

  test("+ stands for a space and %2B for a plus", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one", externalId: "a b+c" });

    expect((await listKeys(emulator, "apiId=api_one&externalId=a+b%2Bc")).body.keys).toHaveLength(
      1,
    );
  });

  test("an unknown parameter is ignored with a warning, and refused in strict mode", async () => {
    const warnings: string[] = [];
    const log = (entry: { kind: string; message?: string | undefined }) => {
      if (entry.kind === "warning") warnings.push(entry.message ?? "");
    };
    const lenient = await givenEmulator({ log });
    const strict = await givenEmulator({ strict: true });

    const ignored = await listKeys(lenient, "apiId=api_one&owner=ann&__proto__=1");
    const refused = await listKeys(strict, "apiId=api_one&owner=ann");

    expect(ignored.status).toBe(200);
    expect(warnings).toEqual([
      expect.stringContaining("apis.listKeys: owner: "),
      expect.stringContaining("apis.listKeys: __proto__: "),
    ]);
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toMatch(
      /^owner: unknown member, did you mean "ownerId"\? \(known: apiId, limit,/,
    );
  });
});

describe("pages", () => {
  test("hold 100 keys unless a limit is given", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(150)] });

    expect((await listKeys(emulator, { apiId: "api_one" })).body.keys).toHaveLength(100);
    expect((await listKeys(emulator, { apiId: "api_one", limit: 7 })).body.keys).toHaveLength(7);
  });

  test("carry a cursor exactly when more matching keys exist", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(6)] });

    const whole = await listKeys(emulator, { apiId: "api_one", limit: 6 });
    const part = await listKeys(emulator, { apiId: "api_one", limit: 5 });
    const filtered = await listKeys(emulator, { apiId: "api_one", externalId: "ann", limit: 2 });
    const values = await listKeys(emulator, { apiId: "api_one", decrypt: true, limit: 6 });

    expect("cursor" in whole.body).toBe(false);
    expect("cursor" in values.body).toBe(false);
    expect(part.body.cursor).toBe(base64url('{"key":"key_0004"}'));
    expect("cursor" in filtered.body).toBe(false);
  });

  test("ascend by id, whatever the order of creation", async () => {
    const emulator = await givenEmulator();
    for (const id of ["key_b", "key_a", "key_B", "key_10", "key_9"]) {
      await emulator.keys.create({ apiId: "api_one", id });
    }

    const { body } = await listKeys(emulator, { apiId: "api_one" });

    expect(idsOf(body)).toEqual(["key_10", "key_9", "key_B", "key_a", "key_b"]);
  });

  test("a cursor keeps its position when its key is deleted, keys are added and the limit changes", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(10)] });
    const { cursor } = (await listKeys(emulator, { apiId: "api_one", limit: 3 })).body;

    emulator.keys.delete((query) => query.where({ id: "key_0002" }));
    await emulator.keys.create({ apiId: "api_one", id: "key_0002b" });
    const { body } = await listKeys(emulator, { apiId: "api_one", limit: 2, cursor });

    expect(idsOf(body)).toEqual(["key_0002b", "key_0003"]);
  });

  test("a cursor after the last key gives an empty page without a cursor", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(2)] });
    const cursor = base64url('{"key":"key_9999"}');

    const { body } = await listKeys(emulator, { apiId: "api_one", cursor });

    expect(body).toEqual({ keys: [], total: 2 });
  });

  test("total counts the keys of the API, whatever the filter, cursor and limit", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(9)] });
    const first = await listKeys(emulator, { apiId: "api_one", limit: 2 });

    const totals = [first];
    for (const query of [
      { externalId: "ann" },
      { externalId: "nobody" },
      { ownerId: "bob", limit: 1 },
      { cursor: first.body.cursor },
    ]) {
      totals.push(await listKeys(emulator, { apiId: "api_one", ...query }));
    }

    expect(totals.map(({ body }) => body.total)).toEqual([9, 9, 9, 9, 9]);
    expect((await listKeys(emulator, { apiId: "api_two" })).body).toEqual({ keys: [], total: 0 });
  });
});

describe("filters", () => {
  test("externalId compares the linked identity, ownerId the stored owner", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(6)] });
    await emulator.keys.update((query) => query.where({ id: "key_0000" }), {
      data: (draft) => void (draft.ownerId = "carl"),
    });

    const byIdentity = await listKeys(emulator, { apiId: "api_one", externalId: "ann" });
    const byOwner = await listKeys(emulator, { apiId: "api_one", ownerId: "ann" });
    const byNewOwner = await listKeys(emulator, { apiId: "api_one", ownerId: "carl" });

    expect(idsOf(byIdentity.body)).toEqual(["key_0000", "key_0003"]);
    expect(idsOf(byOwner.body)).toEqual(["key_0003"]);
    expect(idsOf(byNewOwner.body)).toEqual(["key_0000"]);
  });

  test("externalId wins when both are given", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(6)] });
    const query = { apiId: "api_one", externalId: "ann", ownerId: "bob" };

    expect(idsOf((await listKeys(emulator, query)).body)).toEqual(["key_0000", "key_0003"]);
  });

  test.each(["externalId", "ownerId"])("an unknown %s gives an empty page", async (filter) => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(6)] });

    const { status, body } = await listKeys(emulator, { apiId: "api_one", [filter]: "nobody" });

    expect(status).toBe(200);
    expect(body).toEqual({ keys: [], total: 6 });
  });

  test("follow an identity whose external id changes", async () => {
    const emulator = await givenEmulator({ fixtures: [keysWorld(6)] });
    await emulator.identities.update((query) => query.where({ externalId: "ann" }), {
      data: (draft) => void (draft.externalId = "anna"),
    });

    expect((await listKeys(emulator, { apiId: "api_one", externalId: "ann" })).body.keys).toEqual(
      [],
    );
    expect(
      (await listKeys(emulator, { apiId: "api_one", externalId: "anna" })).body.keys,
    ).toHaveLength(2);
  });
});

describe("a record", () => {
  test("of a key with nothing set has the eight required members", async () => {
    const emulator = await givenEmulator();
    const { body: created } = await createKey(emulator, { apiId: "api_one" });

    const { body } = await listKeys(emulator, { apiId: "api_one" });

    expect(JSON.stringify(body.keys)).toBe(
      JSON.stringify([
        {
          id: created.keyId,
          start: created.key.slice(0, 5),
          workspaceId: "ws_test",
          apiId: "api_one",
          createdAt: NOW,
          roles: [],
          permissions: [],
          enabled: true,
        },
      ]),
    );
  });

  test("of a key with everything set has every member, in the interface's order", async () => {
    const emulator = await givenEmulator();
    const { body: created } = await createKey(emulator, {
      apiId: "api_vault",
      prefix: "live",
      name: "CI",
      externalId: "ann",
      meta: { b: 1, a: [] },
      roles: ["admin"],
      permissions: ["read"],
      expires: NOW + 1,
      remaining: 10,
      refill: { interval: "monthly", amount: 100, refillDay: 15 },
      ratelimit: { type: "fast", limit: 5, duration: 1000 },
      enabled: false,
      recoverable: true,
      environment: "live",
    });
    await emulator.keys.update((query) => query.where({ id: created.keyId }), {
      data: (draft) => void (draft.name = "CI deploy"),
    });

    const { body } = await listKeys(emulator, { apiId: "api_vault", decrypt: true });

    expect(JSON.stringify(body.keys)).toBe(
      JSON.stringify([
        {
          id: created.keyId,
          start: created.key.slice(0, 9),
          workspaceId: "ws_test",
          apiId: "api_vault",
          name: "CI deploy",
          ownerId: "ann",
          meta: { b: 1, a: [] },
          createdAt: NOW,
          updatedAt: NOW,
          expires: NOW + 1,
          remaining: 10,
          refill: { interval: "monthly", amount: 100, refillDay: 15 },
          ratelimit: { async: true, limit: 5, duration: 1000 },
          roles: ["admin"],
          permissions: ["read"],
          enabled: false,
          plaintext: created.key,
          identity: { id: emulator.identities.all()[0]?.id, externalId: "ann", meta: {} },
        },
      ]),
    );
  });

  test.each([
    [{ refillInterval: 1 }, 1],
    [{ refillInterval: 60_000, refillRate: 7 }, 60_000],
    [{ refillInterval: 60_000, duration: 1_000 }, 1_000],
  ])("ratelimit sent with %j is returned with the duration %i", async (members, duration) => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one", ratelimit: { limit: 5, ...members } });

    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key.ratelimit).toEqual({ async: true, limit: 5, duration });
  });

  test.each([
    [{ type: "fast" }, true],
    [{ type: "consistent" }, false],
    [{}, true],
    [{ async: false }, false],
    [{ async: true, type: "consistent" }, true],
    [{ async: false, type: "fast" }, false],
  ])("ratelimit sent as %j is returned with async %s", async (members, async) => {
    const emulator = await givenEmulator();
    const ratelimit = { limit: 5, duration: 1000, ...members };
    await createKey(emulator, { apiId: "api_one", ratelimit });

    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key.ratelimit).toEqual({ async, limit: 5, duration: 1000 });
  });

  test("a daily refill is returned without a day", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, {
      apiId: "api_one",
      remaining: 1,
      refill: { interval: "daily", amount: 2 },
    });

    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key.refill).toEqual({ interval: "daily", amount: 2 });
  });

  test("has no expiry for expires 0; expired and disabled keys are listed too", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one", expires: 0 });
    await createKey(emulator, { apiId: "api_one", expires: 1 });
    await createKey(emulator, { apiId: "api_one", enabled: false });

    const { body } = await listKeys(emulator, { apiId: "api_one" });

    expect(body.keys.map((key: { expires?: number }) => key.expires)).toEqual([
      undefined,
      1,
      undefined,
    ]);
    expect(body.keys.map((key: { enabled: boolean }) => key.enabled)).toEqual([true, true, false]);
  });

  test("permissions are the key's own, then those of its roles, each once", async () => {
    const emulator = await givenEmulator({
      fixtures: [
        {
          apis: [{ id: "api_one" }],
          roles: [
            { name: "writer", permissions: ["write", "read"] },
            { name: "owner", permissions: ["delete", "write"] },
          ],
          keys: [{ apiId: "api_one", permissions: ["read", "list"], roles: ["owner", "writer"] }],
        },
      ],
    });

    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key.permissions).toEqual(["read", "list", "delete", "write"]);
    expect(key.roles).toEqual(["owner", "writer"]);
  });

  test("a role or permission that is deleted is taken off every key", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, {
      apiId: "api_one",
      roles: ["admin"],
      permissions: ["read", "write"],
    });

    emulator.roles.delete((query) => query.where({ name: "admin" }));
    emulator.permissions.delete((query) => query.where({ name: "read" }));
    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key).toMatchObject({ roles: [], permissions: ["write"] });
  });

  test("an update creates the roles and permissions that it names", async () => {
    const emulator = await givenEmulator();
    await createKey(emulator, { apiId: "api_one" });

    await emulator.keys.update((query) => query.where(() => true), {
      data: (draft) => void Object.assign(draft, { roles: ["late"], permissions: ["later"] }),
    });
    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key).toMatchObject({ roles: ["late"], permissions: ["later"] });
  });

  test("has the identity with its meta, until the identity is deleted", async () => {
    const emulator = await givenEmulator({
      fixtures: [
        {
          apis: [{ id: "api_one" }],
          identities: [{ externalId: "ann", meta: { plan: "pro" } }],
          keys: [{ apiId: "api_one", externalId: "ann" }],
        },
      ],
    });

    const [key] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;
    emulator.identities.clear();
    const [orphan] = (await listKeys(emulator, { apiId: "api_one" })).body.keys;

    expect(key.identity).toMatchObject({ externalId: "ann", meta: { plan: "pro" } });
    expect("identity" in orphan).toBe(false);
    expect(orphan.ownerId).toBe("ann");
  });
});

describe("decrypt", () => {
  test("returns the key value of recoverable keys only", async () => {
    const emulator = await givenEmulator();
    const { body: open } = await createKey(emulator, { apiId: "api_vault", recoverable: true });
    await createKey(emulator, { apiId: "api_vault" });

    const { body } = await listKeys(emulator, { apiId: "api_vault", decrypt: true });

    expect(body.keys[0].plaintext).toBe(open.key);
    expect("plaintext" in body.keys[1]).toBe(false);
  });

  test.each(["false", "False", "0", "null", "NULL", ""])(
    "given as %j returns no key value",
    async (decrypt) => {
      const emulator = await givenEmulator();
      await createKey(emulator, { apiId: "api_vault", recoverable: true });

      const { body } = await listKeys(emulator, { apiId: "api_vault", decrypt });

      expect("plaintext" in body.keys[0]).toBe(false);
    },
  );
});

test("a created key is listed at once, with and without revalidateKeysCache", async () => {
  const emulator = await givenEmulator();
  await listKeys(emulator, { apiId: "api_one" });
  await createKey(emulator, { apiId: "api_one" });

  const plain = await listKeys(emulator, { apiId: "api_one" });
  const revalidated = await listKeys(emulator, { apiId: "api_one", revalidateKeysCache: true });

  expect(plain.body.keys).toHaveLength(1);
  expect(revalidated.body).toEqual(plain.body);
});

test("listKeys answers 404 for an unknown API and 412 for an API without a keyspace", async () => {
  const emulator = await givenEmulator({
    fixtures: [{ apis: [{ id: "api_bare", keyspace: false }] }],
  });

  const unknown = await listKeys(emulator, { apiId: "api_none" });
  const bare = await listKeys(emulator, { apiId: "api_bare" });

  expect([unknown.status, unknown.body.error.code]).toEqual([404, "NOT_FOUND"]);
  expect([bare.status, bare.body.error.code]).toEqual([412, "PRECONDITION_FAILED"]);
});

test("paging with any limit returns every key once, in order", async () => {
  const emulator = await givenEmulator({ fixtures: [keysWorld(55)] });
  for (const limit of [1, 2, 7, 54, 55, 56, 100]) {
    const keys = await listAll(emulator, { apiId: "api_one", limit });

    expect(keys.map(({ id }) => id)).toEqual(emulator.keys.all().map(({ id }) => id));
  }
});
