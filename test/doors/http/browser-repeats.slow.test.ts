import { expect, test } from "vitest";
import { givenBrowser } from "../../_chromium.ts";
import { givenServer } from "../../_server.ts";

/** Checks what docs/control.md says about faults and browsers. */
test.each([
  [
    { effect: "drop", when: "before", times: 1 },
    { answer: 200, calls: 2, keys: 1 },
  ],
  [
    { effect: "drop", when: "after", times: 1 },
    { answer: 200, calls: 2, keys: 2 },
  ],
  [{ effect: "drop" }, { answer: "TypeError", calls: 2, keys: 0 }],
  [
    { effect: "truncate", times: 1 },
    { answer: "TypeError", calls: 1, keys: 1 },
  ],
  [
    { effect: "truncate", status: 503, times: 1 },
    { answer: "TypeError", calls: 1, keys: 0 },
  ],
] as const)("a browser's request hit by %j ends with %j", async (fault, expected) => {
  await using served = await givenServer();
  await using browser = await givenBrowser();
  const tab = await browser.newPage();
  // Opens a connection that the request below reuses.
  await tab.goto(`${served.url}/_latchkey/health`);
  served.emulator.faults.add({ operation: "keys.createKey", ...fault });

  const answer = await tab.evaluate(async () => {
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const body = JSON.stringify({ apiId: "api_one" });
    try {
      const response = await fetch("/v1/keys.createKey", { method: "POST", headers, body });
      await response.text();
      return response.status;
    } catch (error) {
      return (error as Error).name;
    }
  });

  const calls = served.emulator.requests.count({ operation: "keys.createKey" });
  expect({ answer, calls, keys: served.emulator.keys.count() }).toEqual(expected);
});
