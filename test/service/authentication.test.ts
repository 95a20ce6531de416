import { describe, expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW, post, type Door } from "../_emulator.ts";
import { missingHeader, type Refusal } from "../_v2.ts";
import { call, list as listOf, stateOf, versions, type RefusalOfV1 } from "./_keys.ts";
import { expectRefused } from "./_refusals.ts";

const world = (permissions: string[], more: object = {}): Fixture => ({
  tokens: [{ token: "root", permissions, ...more }],
  apis: [{ id: "api_a", storeEncryptedKeys: true }, { id: "api_b" }],
  roles: [{ name: "known_role" }],
  permissions: ["known_permission"],
});

const worlds: Fixture[] = [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "root" },
      { token: "off", enabled: false },
      { token: "old", expires: NOW - 999 },
      { token: "now", expires: NOW },
      { token: "later", expires: NOW + 1 },
      { token: "never", expires: 0 },
      { token: "on", enabled: true },
      { token: "both", enabled: false, expires: 1 },
    ].map((token) => ({ ...token, permissions: ["*"] })),
    apis: [{ id: "api_a" }],
  },
  {
    workspace: { id: "ws_off", enabled: false },
    tokens: [{ token: "closed", permissions: ["*"] }],
    apis: [{ id: "api_a" }],
  },
];

const v1Refusal = (status: number, code: string, message: string): RefusalOfV1 => ({
  status,
  code,
  message: `authorization: ${message}`,
});
const noBearer = v1Refusal(401, "UNAUTHORIZED", "expected `Bearer <token>`");
const withSpace = v1Refusal(
  401,
  "UNAUTHORIZED",
  "expected `Bearer <token>`, got a token that contains a space",
);
const malformed: Refusal = {
  status: 400,
  type: "unkey/authentication/malformed",
  detail:
    "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
};
const ofV2 = (status: number, type: Refusal["type"], why: string): Refusal => ({
  status,
  type,
  detail: `The provided root key is invalid. ${why}`,
});
const noToken = { v1: noBearer, v2: malformed };
const unknown = {
  v1: v1Refusal(401, "UNAUTHORIZED", "the token is not known"),
  v2: ofV2(401, "unkey/authentication/key_not_found", "We could not find the requested key."),
};
const disabled = {
  v1: v1Refusal(403, "DISABLED", "the token is disabled"),
  v2: ofV2(403, "unkey/authorization/key_disabled", "The key is disabled."),
};
const expired = (time: string) => ({
  v1: v1Refusal(403, "EXPIRED", "the token has expired"),
  v2: ofV2(403, "unkey/authorization/forbidden", `the key has expired on ${time}`),
});

describe.each(versions)("the Authorization header of %s", (version) => {
  test.each<[header: string | null, refusals?: { v1: RefusalOfV1; v2?: Refusal }]>([
    [
      null,
      { v1: v1Refusal(401, "UNAUTHORIZED", "expected the header, found none"), v2: missingHeader },
    ],
    ["", { v1: noBearer, v2: missingHeader }],
    ["root", noToken],
    ["Basic root", noToken],
    ["Basic cm9vdA==", noToken],
    ["bearer root", noToken],
    ["Bearer", noToken],
    ["Bearer   ", noToken],
    ["Bearer nobody", unknown],
    ["Bearer ROOT", unknown],
    ["Bearer root root", { v1: withSpace, v2: unknown.v2 }],
    ["Bearer  root", { v1: withSpace }],
    [" Bearer   root  ", { v1: withSpace }],
    ["Bearer \troot", { v1: withSpace }],
    ["Bearer off", disabled],
    ["Bearer both", disabled],
    ["Bearer old", expired("2025-12-31T23:59:59Z")],
    ["Bearer now", expired("2026-01-01T00:00:00Z")],
    [
      "Bearer closed",
      {
        v1: v1Refusal(403, "FORBIDDEN", "the workspace of the token is disabled"),
        v2: ofV2(403, "unkey/authorization/workspace_disabled", "The workspace is disabled."),
      },
    ],
    ["Bearer root"],
    ["Bearer later"],
    ["Bearer never"],
    ["Bearer on"],
  ])(
    `the Authorization header in ${version} %j is accepted or refused alike by every operation`,
    async (header, refusals) => {
      const emulator = await givenEmulator({ fixtures: worlds });
      const before = stateOf(emulator);
      const headers: Record<string, string> = header === null ? {} : { Authorization: header };
      const options = { token: null, headers };

      for (const answer of [
        await listOf(emulator, version, { apiId: "api_a" }, options),
        await call(emulator, version, "createKey", { apiId: "api_a" }, options),
      ]) {
        const refusal = refusals?.[version];
        if (refusal === undefined) {
          expect(answer.status).toBe(200);
          continue;
        }
        expectRefused(answer, refusal);
        // A 401 of v1 names the scheme, as HTTP requires.
        const challenge = version === "v1" && refusal.status === 401 ? "Bearer" : null;
        expect(answer.headers.get("www-authenticate")).toBe(challenge);
        expect(stateOf(emulator)).toBe(before);
        if (header !== "Bearer nobody" || version === "v1") continue;
        expect(answer.headers.get("x-latchkey-hint")).toBe(
          "this token is not listed; send a listed one, list it in a fixture, or start with --token (in code tokens) to accept only that one",
        );
      }
    },
  );
});

test("any token is accepted where no tokens are listed, but it must not be missing", async () => {
  const emulator = await givenEmulator();
  const options = { token: "whatever-1.~+/=" };

  expect((await listKeys(emulator, { apiId: "api_one" }, options)).status).toBe(200);
  expect((await listKeys(emulator, { apiId: "api_one" }, { token: null })).status).toBe(401);
});

describe("disabled workspaces", () => {
  const off: Fixture = { ...world(["*"]), workspace: { id: "ws_off", enabled: false } };
  const on: Fixture = {
    workspace: { id: "ws_on" },
    tokens: [{ token: "other", permissions: ["*"] }],
    apis: [{ id: "api_a" }],
  };
  const list = (door: Door, token: string) => listKeys(door, { apiId: "api_a" }, { token });

  test("a disabled workspace refuses any token where none is listed", async () => {
    const emulator = await givenEmulator({
      fixtures: [{ workspace: { enabled: false }, apis: [{ id: "api_a" }] }],
    });

    expect((await list(emulator, "any")).body.error.code).toBe("FORBIDDEN");
  });

  test("a workspace can be enabled and disabled while tests run, until a reset", async () => {
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

test("v2 says that the value of a key is no root key, in the words of the service", async () => {
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
