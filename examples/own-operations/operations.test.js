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
      roles: [{ id: "role_one", name: "editor", permissions: ["docs.read"] }],
      keys: [{ apiId: "api_one", key: "secret_1", roles: ["editor"] }],
    },
  ],
});
beforeEach(() => emulator.reset());

async function post(operation, body, token = "root") {
  const response = await emulator.fetch(`http://localhost/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

test("a role is changed, and its keys show the change", async () => {
  const renamed = await post("permissions.updateRole", { role: "editor", name: "author" });
  assert.deepEqual(renamed.data, { id: "role_one", name: "author" });
  const permissions = ["docs.write", "docs.read"];
  await post("permissions.setRolePermissions", { roleId: "role_one", permissions });

  const { data } = await post("keys.verifyKey", { key: "secret_1" });

  assert.deepEqual(data.roles, ["author"]);
  assert.deepEqual(data.permissions, ["docs.read", "docs.write"]);
});

test("what is wrong is told as by the other operations", async () => {
  const refusals = [
    await post("permissions.updateRole", { role: "editor" }, "guest"),
    await post("permissions.updateRole", { role: "role_none" }),
    await post("permissions.updateRole", { role: "" }),
    await post("permissions.setRolePermissions", { roleId: "role_one", permissions: "all" }),
  ];

  assert.deepEqual(
    refusals.map(({ error }) => error.type.split("/").at(-1)),
    ["insufficient_permissions", "role_not_found", "invalid_input", "invalid_input"],
  );
  assert.deepEqual(emulator.roles.all()[0].permissions, ["docs.read"]);
});
