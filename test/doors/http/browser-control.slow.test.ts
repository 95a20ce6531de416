import { expect, test } from "vitest";
import { givenBrowser } from "../../_chromium.ts";
import { givenServer } from "../../_server.ts";

test.each(["localhost", "127.0.0.1"])(
  "an image and a no-cors fetch of a page of another origin, on %s, are refused by control routes",
  async (host) => {
    await using page = await givenServer();
    const refused: (string | undefined)[] = [];
    await using served = await givenServer({
      log: (entry) => {
        if (entry.kind === "request" && entry.status === 403) refused.push(entry.path);
      },
    });
    await using browser = await givenBrowser();
    const tab = await browser.newPage();
    await tab.goto(`http://${host}:${page.port}/_latchkey/health`);

    await tab.evaluate(async (url) => {
      const image = new Image();
      const failed = new Promise((resolve) => image.addEventListener("error", resolve));
      image.src = `${url}/_latchkey/snapshot`;
      await failed;
      // The page cannot read this answer, and would keep a stream of events open.
      const options = { mode: "no-cors" } as const;
      await (await fetch(`${url}/_latchkey/events`, options)).text();
    }, `http://localhost:${served.port}`);
    expect(refused).toEqual(["/_latchkey/snapshot", "/_latchkey/events"]);

    // A link to the web page works, and so does the address of a control route that a person types.
    await tab.setContent(`<a href="http://localhost:${served.port}/">latchkey</a>`);
    await tab.getByRole("link").click();
    await tab.getByRole("link", { name: "Create key", exact: true }).waitFor();
    const typed = await (await browser.newPage()).goto(`${served.url}/_latchkey/clock`);
    expect(typed?.status()).toBe(200);
    expect(refused).toHaveLength(2);
  },
);
