import { build } from "esbuild";
import { expect, test } from "vitest";
import { givenBrowser } from "../_chromium.ts";
import { givenServer } from "../_server.ts";

/** The client as a bundler writes it: one script that defines `client`. */
async function bundled(define: Record<string, string> = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { Unkey } from "unkey-api-2";`, resolveDir: "." },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "client",
    define,
  });
  return outputFiles[0]?.text ?? "";
}

test("client 2.5.1 runs in a browser if the bundler defines process.env, as docs/clients.md says", async () => {
  await using server = await givenServer();
  await using browser = await givenBrowser();
  const outcomeOf = async (script: string) => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/v1/nothing`);
    await page.addScriptTag({ content: script });
    return page.evaluate(`
      (async () => {
        const unkey = new client.Unkey({ rootKey: "any", serverURL: location.origin });
        return (await unkey.apis.getApi({ apiId: "api_vault" })).data.id;
      })().catch(String)
    `);
  };

  expect(await outcomeOf(await bundled())).toBe("ReferenceError: process is not defined");
  expect(await outcomeOf(await bundled({ "process.env": "{}" }))).toBe("api_vault");
});
