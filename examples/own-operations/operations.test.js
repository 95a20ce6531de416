import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createEmulator } from "latchkey";
import { deleteKey, getKey } from "./operations.js";

const emulator = await createEmulator({
  operations: [deleteKey, getKey],
  fixtures: [
    {
      tokens: [{ token: "root", permissions: ["*"] }, { token: "guest" }],
      apis: [{ id: "api_one", storeEncryptedKeys: true }],
      keys: [{ id: "key_1", apiId: "api_one", key: "secret_1", recoverable: true }],
    },
  ],
});
beforeEach(() => emulator.reset());

async function call(path, { token = "root", body } = {}) {
  const response = await emulator.fetch(`http://localhost/v1/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, ...(await response.json()) };
}

test("a key is read, deleted, and gone", async () => {
  const { id, plaintext } = await call("keys.getKey?keyId=key_1");
  assert.deepEqual([id, plaintext], ["key_1", undefined]);
  assert.equal((await call("keys.getKey?keyId=key_1&decrypt=true")).plaintext, "secret_1");

  assert.equal((await call("keys.deleteKey", { body: { keyId: "key_1" } })).status, 200);

  assert.equal((await call("keys.getKey?keyId=key_1")).error.code, "NOT_FOUND");
  assert.equal((await call("apis.listKeys?apiId=api_one")).total, 0);
});

test("what is wrong is told as by the other operations", async () => {
  const refusals = [
    await call("keys.deleteKey", { body: { keyId: "key_1" }, token: "guest" }),
    await call("keys.deleteKey", { body: { keyId: 7 } }),
    await call("keys.getKey"),
    await call("keys.getKey?keyId=key_1&decrypt=maybe"),
  ];

  assert.deepEqual(
    refusals.map(({ error }) => error.code),
    ["INSUFFICIENT_PERMISSIONS", "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST"],
  );
  assert.equal(refusals[1].error.message, "keyId: expected a string, got 7");
  assert.equal(emulator.keys.count(), 1);
});
