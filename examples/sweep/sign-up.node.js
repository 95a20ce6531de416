// For node:test or any other JavaScript test runner: `sweep` rejects with a table of mistakes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orders, sweep } from "latchkey/sweep";
import { isLetIn, signUp } from "./sign-up.js";

test("a customer who signs up is let in", async () => {
  await sweep(async (service) => {
    const key = await signUp(service, "customer_1");

    assert(await isLetIn(service, key));
  });
});

test("two parallel sign-ups of one customer create two keys", async () => {
  await assert.rejects(
    orders((service) => signUp(service, "customer_1")),
    /leaves 2 keys "main" of customer_1 instead of 1/,
  );
});
