// With node:test, or any other test runner in JavaScript: `sweep` rejects with a table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orders, sweep } from "latchkey/sweep";
import { isLetIn, signUp } from "./sign-up.js";

test("who signs up is let in", async () => {
  await sweep(async (service) => {
    const key = await signUp(service, "customer_1");

    assert(await isLetIn(service, key));
  });
});

test("two sign-ups of one customer at once make two keys", async () => {
  await assert.rejects(
    orders((service) => signUp(service, "customer_1")),
    /leaves 2 keys "main" of customer_1 instead of 1/,
  );
});
