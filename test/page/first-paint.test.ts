import { expect, test } from "vitest";
import { startProcess } from "../../src/node.ts";
import { givenBrowser } from "../_chromium.ts";

/** Opens the page in a fresh browser context. Resolves to the number of requests and bytes of body. */
async function open(
  browser: Awaited<ReturnType<typeof givenBrowser>>,
  { token, url }: { readonly token: string; readonly url: string },
): Promise<readonly [requests: number, bytes: number]> {
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(`${url}/#token=${token}`);
    await tab.locator("tbody tr").first().waitFor();
    return await tab.evaluate(() => {
      const resources = performance.getEntriesByType("resource") as unknown as readonly {
        readonly name: string;
        readonly decodedBodySize: number;
      }[];
      // The event stream does not end.
      const whole = resources.filter(({ name }) => !name.endsWith("/events"));
      const bytes = whole.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
      return [whole.length, bytes] as const;
    });
  } finally {
    await context.close();
  }
}

function started(count: number) {
  return startProcess({ generate: count, randomSeed: 1 });
}

test("the web page loads about as many bytes with 20,000 keys as with 1,000", async () => {
  await using browser = await givenBrowser();
  const [few, many] = await Promise.all([started(1_000), started(20_000)]);

  const [small, large] = [await open(browser, few), await open(browser, many)];
  await Promise.all([few.stop(), many.stop()]);

  expect(large[0]).toBe(small[0]);
  // The keys of one page differ, and so do the digits of the total.
  expect(Math.abs(large[1] - small[1])).toBeLessThan(2_000);
});
