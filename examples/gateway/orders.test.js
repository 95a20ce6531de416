import { principalHeader, principalOf } from "latchkey/gateway";
import { loadFixture } from "latchkey/node";
import { test } from "latchkey/vitest";
import { expect } from "vitest";
import { app } from "./orders.js";

test.override({
  emulatorOptions: { fixtures: [await loadFixture("orders.yaml")], now: "2026-03-01" },
  gatewayOptions: {
    upstream: app.fetch,
    policies: [{ keyauth: { keySpaceIds: ["ks_orders"], permissionQuery: "orders.read" } }],
  },
});

/** Asks for the orders with a key, through the gateway. */
async function ask({ fetch }, key) {
  const headers = { Authorization: `Bearer ${key}`, Accept: "application/json" };
  const response = await fetch(new Request("http://localhost/orders", { headers }));
  const body = await response.json();
  if (response.ok) return { status: 200, ...body };
  return { status: response.status, code: body.error.code.split(":").at(-1) };
}

test("a customer sees the orders until the key expires", async ({ emulator, gateway }) => {
  expect(await ask(gateway, "ord_of_acme")).toEqual({ status: 200, customer: "acme", plan: "pro" });

  emulator.clock.advance("31d");

  expect(await ask(gateway, "ord_of_acme")).toEqual({ status: 401, code: "invalid_key" });
});

test("a key without the permission is refused", async ({ gateway }) => {
  const refused = { status: 403, code: "insufficient_permissions" };

  expect(await ask(gateway, "ord_without_right")).toEqual(refused);
});

test("the third request within a minute is refused", async ({ emulator, gateway }) => {
  const statuses = [];
  for (let time = 0; time < 3; time += 1) statuses.push((await ask(gateway, "ord_limited")).status);
  expect(statuses).toEqual([200, 200, 429]);

  emulator.clock.advance("2m");

  expect((await ask(gateway, "ord_limited")).status).toBe(200);
});

test("no request reaches the orders while the service fails", async ({ emulator, gateway }) => {
  emulator.faults.add({ operation: "keys.verifyKey", status: 500 });

  expect((await ask(gateway, "ord_of_acme")).status).toBe(500);
});

test("the handler reads a principal", async ({ emulator }) => {
  const header = principalHeader(await principalOf(emulator, "ord_of_acme"));
  const response = await app.request("/orders", { headers: { "X-Unkey-Principal": header } });

  expect(await response.json()).toEqual({ customer: "acme", plan: "pro" });
});
