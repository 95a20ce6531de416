import assert from "node:assert/strict";
import { test } from "node:test";
import { customerKeys } from "./customer-keys.js";

// `latchkey exec` sets these variables.
const { LATCHKEY_URL: serverURL, LATCHKEY_TOKEN: rootKey } = process.env;

test("keys are issued to a customer, and found again", async () => {
  const keys = customerKeys({ serverURL, rootKey });

  for (const name of ["laptop", "phone", "CI"]) {
    assert.match(await keys.issue("customer_1", name), /^shop_/);
  }
  await keys.issue("customer_2", "other");

  const found = [];
  for await (const { name, enabled } of keys.all("customer_1")) found.push([name, enabled]);
  assert.deepEqual(found, [
    ["Old key", false],
    ["laptop", true],
    ["phone", true],
    ["CI", true],
  ]);
});

test("a refusal is passed on", async () => {
  const keys = customerKeys({ serverURL, rootKey: "somebody" });

  await assert.rejects(keys.issue("customer_1", "x"), { statusCode: 401 });
});
