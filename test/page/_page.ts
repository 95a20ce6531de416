import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright";
import { serve, type RunningServer, type ServeOptions } from "../../src/http/serve.ts";
import type { Emulator, EmulatorOptions, Fixture } from "../../src/index.ts";
import { givenBrowser } from "../_chromium.ts";
import { givenEmulator, NOW } from "../_emulator.ts";
import { startProxy } from "./_proxy.ts";

/** How long (ms) a fact is waited for, which a busy machine needs. */
const PATIENCE = 60_000;

/** Keys of every kind that one is to tell apart. */
export const shownWorld: Fixture = {
  workspace: { id: "ws_test", name: "Test" },
  apis: [
    { id: "api_one", name: "First", storeEncryptedKeys: true },
    { id: "api_two", name: "Second" },
  ],
  keys: [
    { apiId: "api_one", name: "plain", externalId: "user_1" },
    { apiId: "api_one", name: "expired", expires: NOW - 86_400_000 },
    { apiId: "api_one", name: "disabled", enabled: false, externalId: "user_2" },
    { apiId: "api_one", name: "limited", ratelimit: { limit: 10, duration: 60_000 } },
    {
      apiId: "api_one",
      name: "refilled",
      remaining: 5,
      refill: { interval: "monthly", amount: 1_000, refillDay: 3 },
      externalId: "user_1",
    },
    { apiId: "api_one", name: "<b>bold</b><img src=x onerror=alert(1)>" },
    { apiId: "api_one", name: "kept", recoverable: true, meta: { plan: "pro" } },
  ],
};

let browser: Browser;

/** Has one browser for all tests of a file. */
export function useBrowser(args: readonly string[] = []): void {
  beforeAll(async () => {
    browser = await givenBrowser(args);
  }, 120_000);
  afterAll(() => browser.close());
}

export interface Shown {
  readonly emulator: Emulator;
  readonly server: RunningServer;
  readonly tab: Page;
}

interface ShowOptions {
  readonly emulator?: EmulatorOptions;
  readonly serve?: ServeOptions;
  readonly context?: BrowserContextOptions;
  /** Behind the address of the server. */
  readonly path?: string;
  /** In the place of `localhost`. */
  readonly host?: string;
  /** A path like `/latchkey`, below which a proxy in front of the server serves all of it. */
  readonly prefix?: string;
  /** What the console is expected to say; else it says nothing. */
  readonly told?: RegExp;
}

/**
 * Shows the page of an emulator. When the test is over, nothing has gone wrong on it, and it has
 * asked nobody else for anything.
 */
export async function show(options: ShowOptions = {}): Promise<Shown> {
  const emulator = await givenEmulator({ fixtures: [shownWorld], ...options.emulator });
  const server = await serve(emulator, options.serve);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...options.context,
  });
  context.setDefaultTimeout(PATIENCE);
  const tab = await context.newPage();
  const problems: string[] = [];
  const { host = "localhost", prefix } = options;
  const proxy = prefix === undefined ? undefined : await startProxy(server.port, prefix);
  const url = `http://${host}:${proxy?.port ?? server.port}${prefix ?? ""}`;
  tab.on("console", (message) => problems.push(message.text()));
  tab.on("pageerror", (error) => problems.push(String(error)));
  tab.on("request", (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(?:data|blob):/.test(request.url());
    if (!isOwn) problems.push(`a request to ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    await server.close({ grace: 0 });
    proxy?.close();
    const { told } = options;
    expect(told ? problems.filter((problem) => !told.test(problem)) : problems).toEqual([]);
  });
  await tab.goto(`${url}/${options.path ?? ""}`);
  return { emulator, server, tab };
}

/** The texts of what is listed, once there are so many. */
export async function textsOf(list: Locator, count: number): Promise<string[]> {
  await expect.poll(() => list.count(), { timeout: PATIENCE }).toBe(count);
  return list.allInnerTexts();
}

export function keyRows(tab: Page): Locator {
  return tab.locator(".keys .rows > li");
}

export function journalRows(tab: Page): Locator {
  return tab.locator(".journal .rows > li");
}

export function button(tab: Page, name: string): Locator {
  return tab.getByRole("button", { name, exact: true });
}

/** Opens another view where there is no room for all of them. */
export async function look(
  tab: Page,
  view: "Keys" | "Journal" | "Faults" | "World",
): Promise<void> {
  await tab.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
}

/** Whether what is typed goes there. */
export function isFocused(place: Locator): Promise<boolean> {
  return place.evaluate((element) => element.matches(":focus"));
}

/** Resolves when what is typed goes there. The page moves the focus after it has painted. */
export async function untilFocused(place: Locator): Promise<void> {
  await expect.poll(() => isFocused(place), { timeout: PATIENCE }).toBe(true);
}
