import { defineNetworkFixture } from "@msw/playwright";
import { expect, test } from "vitest";
import { createHandlers } from "../../src/doors/msw.ts";
import { givenBrowser } from "../_chromium.ts";
import { givenEmulator } from "../_emulator.ts";
import { givenServer } from "../_server.ts";

test("pages of Playwright reach the emulator through @msw/playwright", async () => {
  // Any page will do; this one is the answer to an unknown path.
  await using page = await givenServer();
  await using browser = await givenBrowser();
  const emulator = await givenEmulator();
  const context = await browser.newContext();
  const handlers = createHandlers(emulator, { baseUrl: "https://api.example.com" });
  const network = defineNetworkFixture({ context, handlers });
  await network.enable();
  const tab = await context.newPage();
  await tab.goto(`${page.url}/unknown`);

  const answer = await tab.evaluate(async () => {
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const base = "https://api.example.com/v1";
    const body = JSON.stringify({ apiId: "api_one", name: "from a page" });
    const created = await fetch(`${base}/keys.createKey`, { method: "POST", headers, body });
    const listed = await fetch(`${base}/apis.listKeys?apiId=api_one`, { headers });
    return { id: created.headers.get("unkey-request-id"), list: (await listed.json()) as object };
  });
  await network.disable();

  expect(answer.id).toMatch(/^req_/);
  expect(answer.list).toMatchObject({ keys: [{ name: "from a page" }], total: 1 });
  expect(emulator.keys.count()).toBe(1);
});
