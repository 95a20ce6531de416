import { loadFixture } from "latchkey/node";
import { test } from "latchkey/vitest";
import { expect } from "vitest";
import { guardedApi } from "./guarded-api.js";

const fixtures = [await loadFixture("weather.yaml")];

test.sweep("a customer who signs up is let in", { fixtures }, async ({ url }) => {
  const api = guardedApi({ serviceUrl: url, rootKey: "backend" });

  const key = await api.signUp("customer_2");

  expect((await api.forecast(key)).status).toBe(200);
});
