import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { serve } from "../../../src/doors/http/serve.ts";
import { givenBrowser } from "../../_chromium.ts";
import { givenEmulator } from "../../_emulator.ts";

/** `latchkey/client` as a bundler makes it for browsers, as one script that defines `latchkey`. */
async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "latchkey/client";`, resolveDir: "." },
    bundle: true,
    write: false,
    // A Node module would cause an error.
    platform: "browser",
    format: "iife",
    globalName: "latchkey",
  });
  return outputFiles[0]?.text ?? "";
}

/** An empty page on an origin that is not the emulator's. */
async function givenPage() {
  const server = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/html").end("<title>dev server</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Runs a script on the page, in which `emulator` is a client of the emulator at the URL. */
async function runOn(origin: string, url: string, script: string): Promise<unknown> {
  await using browser = await givenBrowser();
  const tab = await browser.newPage();
  await tab.goto(origin);
  await tab.addScriptTag({ content: await bundled() });
  const connected = `const emulator = latchkey.connect(${JSON.stringify(url)}, { token: "root" });`;
  return await tab.evaluate(`(async () => { ${connected} ${script} })().catch(String)`);
}

const fixtures = [{ apis: [{ id: "api_one" }], tokens: [{ token: "root", permissions: ["*"] }] }];

test("a page of an allowed origin controls the emulator with latchkey/client", async () => {
  await using page = await givenPage();
  const emulator = await givenEmulator({ fixtures });
  await using server = await serve(emulator, { allowOrigins: [page.origin] });

  const seen = await runOn(
    page.origin,
    server.url,
    `
      await emulator.seed({ keys: [{ apiId: "api_one", name: "seeded" }] });
      const fault = await emulator.faults.add({ operation: "apis.listKeys", status: 500, times: 1 });
      const waiting = emulator.requests.waitFor({ operation: "apis.listKeys" });
      const { status } = await fetch(emulator.url + "/v1/apis.listKeys?apiId=api_one", {
        headers: { Authorization: "Bearer root" },
      });
      const [request] = await waiting;
      await emulator.clock.set("2030-01-01");
      const [key] = await emulator.keys.all();
      await emulator.faults.remove(fault);
      const refused = await emulator.faults.add({ status: 5 }).catch((error) => error.message);
      return [status, request.status, key.name, refused];
    `,
  );

  expect(seen).toEqual([
    500,
    500,
    "seeded",
    "fault: status: expected an integer from 400 to 599, got 5",
  ]);
  expect(emulator.clock.now()).toBe(Date.UTC(2030, 0, 1));
  expect(emulator.faults.list()).toEqual([]);
});

test("a page of another origin reads nothing and changes nothing with latchkey/client", async () => {
  await using page = await givenPage();
  const emulator = await givenEmulator({ fixtures });
  await using server = await serve(emulator, { allowOrigins: ["http://localhost:1"] });
  const before = emulator.clock.now();

  const seen = await runOn(
    page.origin,
    server.url,
    `
      const messageOf = ({ message }) => message;
      return [
        await emulator.keys.all().catch(messageOf),
        await emulator.clock.set(0).catch(messageOf),
      ];
    `,
  );

  const message = `no answer from latchkey at ${server.url}: is it running there? A page of another origin needs --allow-origin, or allowOrigins of serve.`;
  expect(seen).toEqual([message, message]);
  expect(emulator.clock.now()).toBe(before);
});
