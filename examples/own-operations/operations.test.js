import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createEmulator } from "latchkey";
import { getIdentity, updateIdentity } from "./operations.js";

const emulator = await createEmulator({
  operations: [getIdentity, updateIdentity],
  fixtures: [
    {
      tokens: [{ token: "root", permissions: ["*"] }, { token: "guest" }],
      apis: [{ id: "api_one" }],
      identities: [{ externalId: "user_1", meta: { plan: "free" } }],
      keys: [{ apiId: "api_one", key: "secret_1", externalId: "user_1" }],
    },
  ],
});
beforeEach(() => emulator.reset());

async function call(operation, body, token = "root") {
  const response = await emulator.fetch(`http://localhost/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

test("an identity is read and changed, and its keys show the change", async () => {
  const { data } = await call("identities.getIdentity", { identity: "user_1" });
  assert.deepEqual(data.meta, { plan: "free" });

  await call("identities.updateIdentity", { identity: data.id, meta: { plan: "pro" } });

  const verified = await call("keys.verifyKey", { key: "secret_1" });
  assert.deepEqual(verified.data.identity, {
    id: data.id,
    externalId: "user_1",
    meta: { plan: "pro" },
  });
});

test("what is wrong is told as by the other operations", async () => {
  const refusals = [
    await call("identities.getIdentity", { identity: "user_1" }, "guest"),
    await call("identities.getIdentity", { identity: "nobody" }),
    await call("identities.getIdentity", { identity: "" }),
    await call("identities.updateIdentity", { identity: "user_1", plan: "pro" }),
  ];

  assert.deepEqual(
    refusals.map(({ error }) => error.type.split("/").at(-1)),
    ["insufficient_permissions", "identity_not_found", "invalid_input", "invalid_input"],
  );
  assert.deepEqual(emulator.identities.all()[0].meta, { plan: "free" });
});
