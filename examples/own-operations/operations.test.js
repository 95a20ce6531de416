import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createEmulator } from "latchkey";
import operations from "./operations.js";

const emulator = await createEmulator({
  operations,
  fixtures: [{ tokens: [{ token: "root", permissions: ["*"] }, { token: "guest" }] }],
  now: "2026-01-01",
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

test("a project that was created can be shown, until a reset", async () => {
  await post("projects.createProject", { slug: "web" });
  emulator.clock.advance("1h");

  const { data } = await post("projects.getProject", { slug: "web" });
  await emulator.reset();
  const { error } = await post("projects.getProject", { slug: "web" });

  assert.deepEqual(data, { slug: "web", createdAt: Date.parse("2026-01-01") });
  assert.equal(error.status, 404);
});

test("mistakes are refused as by the other operations", async () => {
  await post("projects.createProject", { slug: "web" });

  const refusals = [
    await post("projects.createProject", { slug: "web" }, "guest"),
    await post("projects.createProject", { slug: "web" }),
    await post("projects.createProject", { slug: "W" }),
    await post("projects.getProject", { slug: "none" }),
  ];

  assert.deepEqual(
    refusals.map(({ error }) => error.type.split("/").at(-1)),
    ["insufficient_permissions", "project_already_exists", "invalid_input", "project_not_found"],
  );
});
