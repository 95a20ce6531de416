import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Page } from "playwright";
import { afterAll, beforeAll } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { runMain } from "../_cli.ts";
import { givenFolder } from "../cli/_folder.ts";
import { openTab } from "./_page.ts";

/** Makes a call of v2, and resolves to the body of its reply. */
// oxlint-disable-next-line typescript/no-explicit-any -- replies of every shape
export type Call = (operation: string, body: object) => Promise<any>;

/** The module of a site's calls. It lets the test call the emulator. */
const CALLS = "export default (call) => { globalThis.call = call; };";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
};

export interface Site {
  /** Without a slash at its end. */
  readonly url: string;
  readonly folder: string;
}

/** Builds a site for all tests of a file, and serves it below a path, as a static host does. */
export function useSite(fixture: Fixture, ...args: readonly string[]): () => Site {
  let site: Site | undefined;
  const host = createServer(async ({ url = "" }, answer) => {
    const name = url.slice("/some/path/".length) || "index.html";
    const file = await readFile(join(site?.folder ?? "", name)).catch(() => undefined);
    const type = types[extname(name)] ?? "text/plain";
    if (file === undefined) answer.writeHead(404).end();
    else answer.writeHead(200, { "Content-Type": type }).end(file);
  });
  beforeAll(async () => {
    const folder = await givenFolder({
      "fixture.json": JSON.stringify(fixture),
      "calls.js": CALLS,
    });
    const given = ["--fixture", "fixture.json", "--calls", "calls.js", ...args];
    const { code, stderr } = await runMain(["site", ...given, "--out", "out"], { cwd: folder });
    if (code !== 0) throw new Error(stderr);
    await new Promise<void>((resolve) => host.listen(0, "localhost", resolve));
    const { port } = host.address() as AddressInfo;
    site = { url: `http://localhost:${port}/some/path`, folder: join(folder, "out") };
  });
  afterAll(() => {
    host.close();
    host.closeAllConnections();
  });
  return () => {
    if (site === undefined) throw new Error("the site is not built before the first test");
    return site;
  };
}

/** Opens a site, and then goes offline. */
export async function openSite(site: () => Site, width: number) {
  const { url } = site();
  const tab = await openTab(url, { context: { viewport: { width, height: 900 } } });
  await tab.goto(`${url}/`);
  return [tab, await loaded(tab)] as const;
}

/** Waits until a site is loaded, and then goes offline. */
export async function loaded(tab: Page): Promise<Call> {
  await tab.waitForFunction(() => "call" in globalThis);
  await tab.context().setOffline(true);
  return (operation, body) =>
    tab.evaluate(([name, sent]) => (globalThis as unknown as { call: Call }).call(name, sent), [
      operation,
      body,
    ] as const);
}
