// For vitest: `test.sweep` runs its test again and again.
import { test } from "latchkey/vitest";
import { expect } from "vitest";
import { isLetIn, signUp } from "./sign-up.js";

test.sweep("a customer who signs up is let in", async (service) => {
  const key = await signUp(service, "customer_1");

  expect(await isLetIn(service, key)).toBe(true);
});
