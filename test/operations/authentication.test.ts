import { describe, expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import {
  createKey,
  givenEmulator,
  listKeys,
  NOW,
  post,
  type Answer,
  type Door,
} from "../_emulator.ts";

const world = (permissions: string[], more: object = {}): Fixture => ({
  tokens: [{ token: "root", permissions, ...more }],
  apis: [{ id: "api_a", storeEncryptedKeys: true }, { id: "api_b" }],
  roles: [{ name: "known_role" }],
  permissions: ["known_permission"],
});

/** Expects a 200, or a 403 that names the missing permissions. */
function expectPermitted({ status, body, headers }: Answer, missing: string | undefined): void {
  if (missing === undefined) {
    expect(status).toBe(200);
    return;
  }
  // The service has another code for a missing decrypt permission.
  const code = missing.includes("decrypt") ? "UNAUTHORIZED" : "INSUFFICIENT_PERMISSIONS";
  expect([status, body.error.code]).toEqual([403, code]);
  expect(body.error.message).toContain(missing);
  expect(headers.has("www-authenticate")).toBe(false);
}

describe("the Authorization header", () => {
  test.each([
    ["missing", null],
    ["empty", ""],
    ["another scheme", "Basic cm9vdA=="],
    ["another case of Bearer", "bearer root"],
    ["Bearer without a token", "Bearer"],
    ["two tokens", "Bearer root root"],
    ["two spaces", "Bearer  root"],
    ["a token without Bearer", "root"],
    ["an unknown token", "Bearer nobody"],
  ])("is refused with 401 and a challenge: %s", async (_, authorization) => {
    const emulator = await givenEmulator({ fixtures: [world(["*"])] });
    const headers: Record<string, string> =
      authorization === null ? {} : { Authorization: authorization };

    for (const answer of [
      await listKeys(emulator, { apiId: "api_a" }, { token: null, headers }),
      await createKey(emulator, { apiId: "api_a" }, { token: null, headers }),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.body.error.code).toBe("UNAUTHORIZED");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.body.error.message).not.toMatch(/root|nobody|cm9/);
    }
    expect(emulator.keys.count()).toBe(0);
  });

  test("may have any token where no tokens are listed, but must not be missing", async () => {
    const emulator = await givenEmulator();

    expect(
      (await listKeys(emulator, { apiId: "api_one" }, { token: "whatever-1.~+/=" })).status,
    ).toBe(200);
    expect((await listKeys(emulator, { apiId: "api_one" }, { token: null })).status).toBe(401);
  });
});

test.each(["Bearer root root", "Bearer  root"])(
  "the Authorization header %j is refused because its token contains a space",
  async (authorization) => {
    const emulator = await givenEmulator({ fixtures: [world(["*"])] });
    const options = { token: null, headers: { Authorization: authorization } };

    const { body } = await listKeys(emulator, { apiId: "api_a" }, options);

    expect(body.error.message).toBe(
      "authorization: expected `Bearer <token>`, got a token that contains a space",
    );
  },
);

describe("a disabled workspace", () => {
  const off: Fixture = { ...world(["*"]), workspace: { id: "ws_off", enabled: false } };
  const on: Fixture = {
    workspace: { id: "ws_on" },
    tokens: [{ token: "other", permissions: ["*"] }],
    apis: [{ id: "api_a" }],
  };
  const list = (door: Door, token: string) => listKeys(door, { apiId: "api_a" }, { token });

  test("refuses every call with 403 FORBIDDEN, and leaves other workspaces alone", async () => {
    const emulator = await givenEmulator({ fixtures: [off, on] });

    for (const { status, body, headers } of [
      await list(emulator, "root"),
      await createKey(emulator, { apiId: "api_a" }, { token: "root" }),
    ]) {
      expect([status, body.error.code]).toEqual([403, "FORBIDDEN"]);
      expect(body.error.message).toBe("authorization: the workspace of the token is disabled");
      expect(headers.has("www-authenticate")).toBe(false);
    }
    expect(emulator.keys.count()).toBe(0);
    expect((await list(emulator, "other")).status).toBe(200);
  });

  test("refuses any token where none is listed", async () => {
    const emulator = await givenEmulator({
      fixtures: [{ workspace: { enabled: false }, apis: [{ id: "api_a" }] }],
    });

    expect((await list(emulator, "any")).body.error.code).toBe("FORBIDDEN");
  });

  test("can be enabled and disabled while tests run, until a reset", async () => {
    const emulator = await givenEmulator({ fixtures: [off, on] });
    const codes: unknown[] = [];
    const look = async () => codes.push((await list(emulator, "root")).body.error?.code);

    const workspace = emulator.workspaces.get("ws_off");
    if (workspace !== undefined) workspace.enabled = true;
    await look();
    await emulator.seed({ workspace: { id: "ws_off", enabled: false } });
    await look();
    await emulator.seed({ workspace: { id: "ws_off", enabled: true } });
    await look();
    await emulator.seed({ workspace: { id: "ws_off" } });
    await look();
    await emulator.reset();
    await look();

    expect(codes).toEqual([undefined, "FORBIDDEN", undefined, undefined, "FORBIDDEN"]);
  });
});

test.each([
  [{ enabled: false }, "DISABLED"],
  [{ expires: NOW }, "EXPIRED"],
  [{ expires: NOW - 1 }, "EXPIRED"],
  [{ enabled: false, expires: 1 }, "DISABLED"],
])("a token with %j is answered with 403 %s", async (members, code) => {
  const emulator = await givenEmulator({ fixtures: [world(["*"], members)] });

  const { status, body, headers } = await listKeys(emulator, { apiId: "api_a" }, { token: "root" });

  expect([status, body.error.code]).toEqual([403, code]);
  expect(headers.get("www-authenticate")).toBeNull();
});

test.each([{ expires: NOW + 1 }, { expires: 0 }, { enabled: true }])(
  "a token with %j is accepted",
  async (members) => {
    const emulator = await givenEmulator({ fixtures: [world(["*"], members)] });

    expect((await listKeys(emulator, { apiId: "api_a" }, { token: "root" })).status).toBe(200);
  },
);

test("the token decides the workspace", async () => {
  const workspace = (name: string): Fixture => ({
    workspace: { id: `ws_${name}` },
    tokens: [{ token: name, permissions: ["*"] }],
    apis: [{ id: "api_same" }],
  });
  const emulator = await givenEmulator({ fixtures: [workspace("a"), workspace("b")] });

  await createKey(emulator, { apiId: "api_same", externalId: "ann" }, { token: "a" });

  const [key] = (await listKeys(emulator, { apiId: "api_same" }, { token: "a" })).body.keys;
  expect(key.workspaceId).toBe("ws_a");
  expect((await listKeys(emulator, { apiId: "api_same" }, { token: "b" })).body.total).toBe(0);
  expect(emulator.workspaces.get("ws_b")?.identities.count()).toBe(0);
});

describe("permissions", () => {
  const create = ["api.*.create_key"];
  const read = ["api.*.read_key", "api.*.read_api"];
  const createBody = { apiId: "api_a" };
  const recoverable = { apiId: "api_a", recoverable: true };
  const names = { apiId: "api_a", roles: ["known_role"], permissions: ["known_permission"] };
  const newPermission = { ...names, permissions: ["new_permission"] };
  const newRole = { ...names, roles: ["new_role"] };

  test.each<[permissions: string[], body: object, missing?: string]>([
    [["*"], { ...recoverable, roles: ["new"], permissions: ["new"] }],
    [create, createBody],
    [["api.api_a.create_key"], createBody],
    [create, names],
    [["api.api_b.create_key"], createBody, "api.*.create_key or api.api_a.create_key"],
    [["api.*"], createBody, "api.*.create_key or api.api_a.create_key"],
    [
      ["*.*.create_key", "API.*.CREATE_KEY", "**", ""].filter(Boolean),
      createBody,
      "api.*.create_key",
    ],
    [[], createBody, "api.*.create_key or api.api_a.create_key"],
    [create, recoverable, "api.*.encrypt_key or api.api_a.encrypt_key"],
    [[...create, "api.*.encrypt_key"], recoverable],
    [[...create, "api.api_a.encrypt_key"], recoverable],
    [["api.*.encrypt_key"], recoverable, "api.*.create_key or api.api_a.create_key"],
    [create, newPermission, "rbac.*.create_permission"],
    [[...create, "rbac.*.create_permission"], newPermission],
    [[...create, "rbac.*.create_role"], newPermission, "rbac.*.create_permission"],
    [create, newRole, "rbac.*.create_role"],
    [[...create, "rbac.*.create_role"], newRole],
    [[...create, "rbac.*.create_permission"], newRole, "rbac.*.create_role"],
  ])("of the token, %j, decide about createKey of %j", async (permissions, body, missing) => {
    const emulator = await givenEmulator({ fixtures: [world(permissions)] });

    const answer = await createKey(emulator, body, { token: "root" });

    expectPermitted(answer, missing);
    if (missing === undefined) return;
    // A refusal leaves nothing behind.
    expect(emulator.keys.count()).toBe(0);
    expect(emulator.roles.count()).toBe(1);
    expect(emulator.permissions.count()).toBe(1);
  });

  test.each<[permissions: string[], query: Record<string, string>, missing?: string]>([
    [["*"], { apiId: "api_a", decrypt: "true" }],
    [read, { apiId: "api_a" }],
    [["api.api_a.read_key", "api.api_a.read_api"], { apiId: "api_a" }],
    [["api.*.read_key", "api.api_a.read_api"], { apiId: "api_a" }],
    [["api.*.read_key"], { apiId: "api_a" }, "api.*.read_api or api.api_a.read_api"],
    [["api.*.read_api"], { apiId: "api_a" }, "api.*.read_key or api.api_a.read_key"],
    [["api.api_b.read_key", "api.api_b.read_api"], { apiId: "api_a" }, "api.*.read_key"],
    [[], { apiId: "api_a" }, "api.*.read_key or api.api_a.read_key, and api.*.read_api or"],
    [read, { apiId: "api_a", decrypt: "true" }, "api.*.decrypt_key or api.api_a.decrypt_key"],
    [read, { apiId: "api_a", decrypt: "false" }],
    [[...read, "api.*.decrypt_key"], { apiId: "api_a", decrypt: "true" }],
    [[...read, "api.api_a.decrypt_key"], { apiId: "api_a", decrypt: "true" }],
  ])("of the token, %j, decide about listKeys of %j", async (permissions, query, missing) => {
    const emulator = await givenEmulator({ fixtures: [world(permissions)] });

    const answer = await listKeys(emulator, query, { token: "root" });

    expectPermitted(answer, missing);
  });
});

test("a refused request leaves neither key nor identity, role or permission behind", async () => {
  const emulator = await givenEmulator({
    fixtures: [world(["api.*.create_key", "rbac.*.create_role"])],
  });
  const body = { apiId: "api_a", externalId: "ann", roles: ["new"] };
  const state = () =>
    JSON.stringify(
      [emulator.keys, emulator.identities, emulator.roles, emulator.permissions].map((c) =>
        c.all(),
      ),
    );
  const before = state();

  for (const refused of [
    { ...body, permissions: ["new"] },
    { ...body, byteLength: 1 },
    { ...body, apiId: "api_none" },
    { ...body, refill: { interval: "daily", amount: 1 } },
    { ...body, apiId: "api_b", recoverable: true },
  ]) {
    const answer = await createKey(emulator, refused, { token: "root" });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }

  expect(state()).toBe(before);
});

test("v2 tells that the value of a key is no root key, in the words of the service", async () => {
  const keys = [{ apiId: "api_a", key: "pay_live_abc123" }];
  const emulator = await givenEmulator({ fixtures: [{ ...world(["*"]), keys }] });

  const { body, headers, status } = await post(
    emulator,
    "/v2/apis.listKeys",
    { apiId: "api_a" },
    { token: "pay_live_abc123" },
  );

  expect([status, body.error.detail]).toEqual([401, "The provided root key is invalid."]);
  expect(headers.get("x-latchkey-hint")).toContain("this is the value of a key");
});
