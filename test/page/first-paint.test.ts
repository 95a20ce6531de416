import { expect, test } from "vitest";
import { startProcess } from "../../src/node.ts";
import { givenBrowser } from "../_chromium.ts";

interface Opening {
  /** Milliseconds from navigation to the first contentful paint. */
  readonly paint: number;
  /** Milliseconds from navigation to the first page of keys. */
  readonly keys: number;
  /** How many requests were sent, and how many bytes of body they loaded. */
  readonly loaded: readonly [requests: number, bytes: number];
}

/** Opens the page in a fresh browser context. */
async function open(
  browser: Awaited<ReturnType<typeof givenBrowser>>,
  { token, url }: { readonly token: string; readonly url: string },
): Promise<Opening> {
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    const start = performance.now();
    await tab.goto(`${url}/#token=${token}`);
    await tab.locator(".keys .rows > li").first().waitFor();
    const keys = performance.now() - start;
    const { bytes, paint, requests } = await tab.evaluate(() => {
      const resources = performance.getEntriesByType("resource") as unknown as readonly {
        readonly name: string;
        readonly decodedBodySize: number;
      }[];
      // The event stream does not end.
      const whole = resources.filter(({ name }) => !name.endsWith("/events"));
      return {
        requests: whole.length,
        bytes: whole.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
        paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
      };
    });
    return { paint, keys, loaded: [requests, bytes] };
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

  expect(large.loaded[0]).toBe(small.loaded[0]);
  // The keys of one page differ, and so do the digits of the total.
  expect(Math.abs(large.loaded[1] - small.loaded[1])).toBeLessThan(2_000);
});

/** Set by `npm run bench:page`, which measures times; tests do not depend on them. */
const rounds = Number(process.env["PAINTS"] ?? 0);

if (rounds > 0) {
  test("the times to the first paint with 10 keys and with 100,000 are printed", async () => {
    await using browser = await givenBrowser();
    const servers = [await started(10), await started(100_000)];
    const openings: Opening[][] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, server] of servers.entries()) {
        openings[index]?.push(await open(browser, server));
      }
    }
    await Promise.all(servers.map(({ stop }) => stop()));

    const median = (numbers: number[]) =>
      numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
    const lines = openings.map((each, index) => {
      const [paint, keys] = (["paint", "keys"] as const).map((name) =>
        median(each.map((opening) => opening[name])).toFixed(0),
      );
      return `${index === 0 ? 10 : 100_000} keys: first paint ${paint} ms, first page of keys ${keys} ms`;
    });
    process.stdout.write(`${lines.join("\n")} (medians of ${rounds}, in turn)\n`);
    expect(openings.flat()).toHaveLength(2 * rounds);
  }, 600_000);
}
