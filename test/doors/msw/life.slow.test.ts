import { defineNetworkFixture } from "@msw/playwright";
import { build } from "esbuild";
import type { Browser } from "playwright";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createHandlers } from "../../../src/doors/msw.ts";
import { givenBrowser } from "../../_chromium.ts";
import type { Client, ClientVersion } from "../../_clients.ts";
import { givenEmulator } from "../../_emulator.ts";
import { describeLife, fixtures } from "../../_life.ts";
import { givenServer } from "../../_server.ts";

const BASE_URL = "https://api.example.com";

let browser: Browser;
let script: string;

beforeAll(async () => {
  [browser, script] = await Promise.all([givenBrowser(), bundle()]);
});
afterAll(() => browser.close());

describeLife("in a page whose requests msw answers", async (version) => {
  const emulator = await givenEmulator({ fixtures, strict: true });
  const handlers = createHandlers(emulator, { baseUrl: BASE_URL, others: "refuse" });
  return {
    client: await loadClient(version, handlers),
    setClock: async (now) => emulator.clock.set(now),
  };
});

/** A client whose calls a page makes. */
async function loadClient(
  version: ClientVersion,
  handlers: ReturnType<typeof createHandlers>,
): Promise<Client> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const network = defineNetworkFixture({ context, handlers });
  await network.enable();
  onTestFinished(() => network.disable());
  const tab = await context.newPage();
  // Any page will do; this one is the answer to an unknown path.
  const page = await givenServer();
  onTestFinished(() => page[Symbol.asyncDispose]());
  await tab.goto(`${page.url}/unknown`);
  await tab.addScriptTag({ content: script });
  await tab.evaluate(`globalThis.client = clients.clients["${version}"]("${BASE_URL}")`);
  return new Proxy({} as Client, {
    get: (_, name) =>
      // A client is no promise, though `await` asks whether it is one.
      name === "then"
        ? undefined
        : (...args: readonly unknown[]) =>
            tab.evaluate(`client[${JSON.stringify(name)}](...${JSON.stringify(args)})`),
  });
}

/** The clients as a script for pages. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ["test/_clients.ts"],
    bundle: true,
    format: "iife",
    globalName: "clients",
    // The client 2.5.1 asks for the runtime of Vercel there.
    define: { "process.env": "{}" },
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
