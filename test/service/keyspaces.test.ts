import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";

// The keyspaces that a verification of v2 accepts, and the id that it answers.

const limit = { name: "calls", limit: 5, duration: 60_000, autoApply: true };

/** A key of `api_own`, whose keyspace is `ks_own`; the value of each key is its id. */
const world = (members: object = {}): Fixture => ({
  workspace: { id: "ws_test" },
  tokens: [
    { token: "root", permissions: ["*"] },
    { token: "of_another_api", permissions: ["api.api_bare.verify_key"] },
  ],
  apis: [{ id: "api_own", keyspaceId: "ks_own" }, { id: "api_bare" }],
  keys: [
    {
      id: "key_1",
      apiId: "api_own",
      key: "key_1",
      name: "CI",
      meta: { plan: "pro" },
      createdAt: 1,
      credits: { remaining: 7 },
      ratelimits: [limit],
      ...members,
    },
  ],
});

const foreign: Fixture = {
  workspace: { id: "ws_other" },
  tokens: [{ token: "foreign", permissions: ["*"] }],
  apis: [{ id: "api_own", keyspaceId: "ks_own" }],
};

const givenKey = (members?: object) => givenEmulator({ fixtures: [world(members), foreign] });

async function verify(emulator: Emulator, body: object, token = "root") {
  const input = { key: "key_1", ...body };
  const answer = await post(emulator, "/v2/keys.verifyKey", input, { token });
  return { ...answer, data: answer.body.data };
}

const NOT_FOUND = { code: "NOT_FOUND", valid: false };

test.each([
  ["no keyspaces", {}],
  ["its keyspace", { keyspaces: ["ks_own"] }],
  ["its keyspace among four others", { keyspaces: ["a", "b", "x".repeat(100), "c", "ks_own"] }],
  ["its keyspace twice", { keyspaces: ["ks_own", "ks_own"] }],
])("a call with %s is answered with the keyspace, behind the id of the key", async (_, body) => {
  const { data } = await verify(await givenKey(), body);

  expect(data).toMatchObject({ code: "VALID", keyspaceId: "ks_own", credits: 6 });
  const names = Object.keys(data);
  expect(names.slice(names.indexOf("keyId"))[1]).toBe("keyspaceId");
  expect(names.indexOf("keyspaceId")).toBeLessThan(names.indexOf("meta"));
});

test.each([
  ["another id", ["ks_other"]],
  ["a longer id", ["ks_own_suffix"]],
  ["a shorter id", ["ks_ow"]],
  ["the id in other case", ["KS_OWN"]],
  ["the id of the API", ["api_own"]],
  ["an id with a blank", [" ks_own"]],
])("%s does not match, which spends and reveals nothing", async (_, keyspaces) => {
  const emulator = await givenKey();
  const before = emulator.keys.get("key_1");

  const refused = await verify(emulator, { keyspaces, credits: { cost: 2 } });

  expect(refused.status).toBe(200);
  expect(JSON.stringify(refused.data)).toBe(JSON.stringify(NOT_FOUND));
  expect(emulator.keys.get("key_1")).toBe(before);
  const { data } = await verify(emulator, { keyspaces: ["ks_own"], credits: { cost: 2 } });
  expect(data).toMatchObject({ code: "VALID", credits: 5, ratelimits: [{ remaining: 4 }] });
});

test.each([
  ["disabled", { enabled: false }, "DISABLED"],
  ["expired", { expires: NOW - 1 }, "EXPIRED"],
  ["used up", { credits: { remaining: 0 } }, "USAGE_EXCEEDED"],
])("a key that is %s is not found in another keyspace", async (_, members, code) => {
  const emulator = await givenKey(members);

  expect((await verify(emulator, { keyspaces: ["ks_other"] })).data).toEqual(NOT_FOUND);
  for (const body of [{}, { keyspaces: ["ks_own"] }]) {
    expect((await verify(emulator, body)).data).toMatchObject({
      code,
      keyId: "key_1",
      keyspaceId: "ks_own",
      name: "CI",
      meta: { plan: "pro" },
    });
  }
});

test("an unknown rate limit is not looked for in another keyspace", async () => {
  const ratelimits = [{ name: "nope" }];
  const emulator = await givenKey();

  expect((await verify(emulator, { ratelimits, keyspaces: ["ks_other"] })).data).toEqual(NOT_FOUND);
  expect((await verify(emulator, { ratelimits, keyspaces: ["ks_own"] })).status).toBe(412);
});

test("permissions that do not parse are refused before the keyspace is compared", async () => {
  const answer = await verify(await givenKey(), { permissions: "(a", keyspaces: ["ks_other"] });

  expect(answer.status).toBe(400);
  expect(answer.body.error.type).toMatch(/permissions_query_syntax_error$/);
});

test.each([
  ["a value of no key", { key: "nothing" }, "root"],
  ["a token that may verify keys of another API only", {}, "of_another_api"],
  ["a token of another workspace, whose keyspace has the same id", {}, "foreign"],
])("the id of the keyspace grants nothing to %s", async (_, body, token) => {
  const { data } = await verify(await givenKey(), { keyspaces: ["ks_own"], ...body }, token);

  expect(data).toEqual(NOT_FOUND);
});

test("v1 takes no keyspaces, and does not show them", async () => {
  const emulator = await givenKey();

  const { body } = await post(emulator, "/v1/keys.verifyKey", {
    key: "key_1",
    keyspaces: ["ks_other"],
  });

  expect(body).toMatchObject({ code: "VALID", keyId: "key_1" });
  expect(body).not.toHaveProperty("keyspaceId");
});

test("a key of an API whose keyspace was switched off has no keyspace", async () => {
  const emulator = await givenKey();
  await emulator.apis.update({ id: "api_own" }, { data: (api) => void (api.keyspace = false) });

  const { data } = await verify(emulator, {});
  expect(data).toMatchObject({ code: "VALID", keyId: "key_1" });
  expect(data).not.toHaveProperty("keyspaceId");
  expect((await verify(emulator, { keyspaces: ["ks_own"] })).data).toEqual(NOT_FOUND);
});
