import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createEmulator } from "latchkey";
import operations from "./operations.js";

const emulator = await createEmulator({
  operations,
  fixtures: [
    {
      tokens: [{ token: "root", permissions: ["*"] }, { token: "guest" }],
      apis: [{ id: "api_one" }],
      identities: [{ id: "id_one", externalId: "user_1", meta: { plan: "free" } }],
      keys: [{ apiId: "api_one", key: "secret_1", externalId: "user_1" }],
    },
  ],
});
beforeEach(() => emulator.reset());

async function send(path, init, token = "root") {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await emulator.fetch(`http://localhost/v1/${path}`, { ...init, headers });
  return response.json();
}
const get = (query, token) => send(`identities.getIdentity?${query}`, {}, token);
const post = (operation, body, token) =>
  send(operation, { method: "POST", body: JSON.stringify(body) }, token);

test("an identity is read and changed, and its keys show the change", async () => {
  const { id, meta } = await get("identityId=id_one");
  assert.deepEqual(meta, { plan: "free" });

  await post("identities.updateIdentity", { identityId: id, meta: { plan: "pro" } });

  const verified = await post("keys.verifyKey", { key: "secret_1" });
  assert.deepEqual(verified.identity, { id, externalId: "user_1", meta: { plan: "pro" } });
});

test("what is wrong is told as by the other operations", async () => {
  const refusals = [
    await get("identityId=id_one", "guest"),
    await get("identityId=id_none"),
    await get("identityId="),
    await post("identities.updateIdentity", { identityId: "id_one", meta: "pro" }),
  ];

  assert.deepEqual(
    refusals.map(({ error }) => error.code),
    ["INSUFFICIENT_PERMISSIONS", "NOT_FOUND", "BAD_REQUEST", "BAD_REQUEST"],
  );
  assert.deepEqual(emulator.identities.all()[0].meta, { plan: "free" });
});
