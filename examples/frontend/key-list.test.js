import { createEmulator } from "latchkey";
import { createHandlers } from "latchkey/msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import "./key-list.js";

const baseUrl = "https://api.example.com";
const emulator = await createEmulator({
  fixtures: [
    {
      tokens: [{ token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] }],
      apis: [{ id: "api_shop" }],
      keys: Array.from({ length: 23 }, (_, index) => ({
        apiId: "api_shop",
        name: `key ${index + 1}`,
        enabled: index !== 1,
      })),
    },
  ],
});

const server = setupServer(...createHandlers(emulator, { baseUrl }));
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => emulator.reset());
afterAll(() => server.close());

/** Renders the component and waits until it has loaded. */
async function render({ token = "reader", apiId = "api_shop" } = {}) {
  document.body.innerHTML = `<key-list base-url="${baseUrl}" api-id="${apiId}" token="${token}">`;
  const list = document.querySelector("key-list");
  await vi.waitUntil(() => list.querySelector("[role=status]").textContent !== "");
  return {
    list,
    rows: () => [...list.querySelectorAll("li")].map((row) => row.textContent),
    status: () => list.querySelector("[role=status]").textContent,
    more: list.querySelector("button"),
  };
}

test("shows the keys, page after page", async () => {
  const { rows, status, more } = await render();
  expect(rows()).toHaveLength(10);
  expect(rows()[1]).toMatch(/^key 2 \(.*…\), disabled$/);

  more.click();
  await vi.waitUntil(() => status() === "20 keys, and more");
  more.click();
  await vi.waitUntil(() => status() === "23 keys");

  expect(rows().at(-1)).toMatch(/^key 23 /);
  expect(more.disabled).toBe(true);
});

test("shows keys that were made in the meantime", async () => {
  await emulator.keys.create({ apiId: "api_shop", name: "fresh" });

  const { more, rows, status } = await render();
  more.click();
  await vi.waitUntil(() => status() === "20 keys, and more");
  more.click();
  await vi.waitUntil(() => status() === "24 keys");
  expect(rows().at(-1)).toMatch(/^fresh /);
});

test("shows why there is nothing to see", async () => {
  expect((await render({ token: "nobody" })).status()).toMatch(/^Unauthorized: /);
  expect((await render({ apiId: "api_none" })).status()).toMatch(/^Not Found: /);
});
