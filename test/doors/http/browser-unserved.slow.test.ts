import { expect, test } from "vitest";
import { givenBrowser } from "../../_chromium.ts";
import { givenServer } from "../../_server.ts";

test("a browser page of another origin can read why an operation is not served", async () => {
  await using page = await givenServer();
  await using served = await givenServer();
  await using browser = await givenBrowser();
  const tab = await browser.newPage();
  await tab.goto(`${page.url}/_latchkey/health`);

  const texts = await tab.evaluate(async (url) => {
    // These headers make the browser send a preflight request first.
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const textOf = async (path: string) => {
      const response = await fetch(url + path, { method: "POST", headers, body: "{}" });
      return `${response.status} ${await response.text()}`;
    };
    return [
      await textOf("/v1/identities.createIdentity"),
      await textOf("/v2/analytics.getVerifications"),
    ];
  }, served.url);

  expect(texts).toEqual([
    expect.stringContaining("latchkey does not serve identities.createIdentity of v1;"),
    expect.stringContaining("latchkey does not serve analytics.getVerifications of v2;"),
  ]);
  expect(texts.map((text) => text.slice(0, 4))).toEqual(["404 ", "404 "]);
  expect(served.emulator.requests.count({ status: 404 })).toBe(2);
});
