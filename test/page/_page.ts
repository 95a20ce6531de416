import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright";
import { serve, type RunningServer, type ServeOptions } from "../../src/doors/http/serve.ts";
import type { Emulator, EmulatorOptions, Fixture } from "../../src/index.ts";
import { givenBrowser } from "../_chromium.ts";
import { givenEmulator, NOW } from "../_emulator.ts";
import { startProxy } from "./_proxy.ts";

/** Timeout (ms) of each wait; long, because the machine may be busy. */
const PATIENCE = 60_000;

/** A key for each way in which the web page marks keys. */
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

/** Starts one browser for all tests of a file. */
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
  /** The URL of a gateway, as the command line sets it. */
  readonly gateway?: string;
  readonly context?: BrowserContextOptions;
  /** Appended to the address of the server. */
  readonly path?: string;
  /** Replaces `localhost`. */
  readonly host?: string;
  /** Puts a proxy in front, which serves everything below this path, like `/latchkey`. */
  readonly prefix?: string;
  /** Console messages that are allowed; by default none. */
  readonly told?: RegExp;
}

/**
 * Opens the web page of an emulator. After the test, expects no error on the page and no request
 * to another server.
 */
export async function show(options: ShowOptions = {}): Promise<Shown> {
  const emulator = await givenEmulator({ fixtures: [shownWorld], ...options.emulator });
  emulator.gatewayUrl = options.gateway;
  const server = await serve(emulator, options.serve);
  const { host = "localhost", prefix } = options;
  const proxy = prefix === undefined ? undefined : await startProxy(server.port, prefix);
  const url = `http://${host}:${proxy?.port ?? server.port}${prefix ?? ""}`;
  onTestFinished(async () => {
    await server.close({ grace: 0 });
    proxy?.close();
  });
  const tab = await openTab(url, options);
  await tab.goto(`${url}/${options.path ?? ""}`);
  return { emulator, server, tab };
}

/**
 * A tab for pages below a URL. After the test, expects no error in it and no request to another place.
 */
export async function openTab(
  url: string,
  options: Pick<ShowOptions, "context" | "told"> = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...options.context,
  });
  context.setDefaultTimeout(PATIENCE);
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.on("console", (message) => problems.push(message.text()));
  tab.on("pageerror", (error) => problems.push(String(error)));
  tab.on("request", (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(?:data|blob):/.test(request.url());
    if (!isOwn) problems.push(`a request to ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    const { told } = options;
    expect(told ? problems.filter((problem) => !told.test(problem)) : problems).toEqual([]);
  });
  return tab;
}

/** The texts of the list's items, once there are `count`. */
export async function textsOf(list: Locator, count: number): Promise<string[]> {
  await expect.poll(() => list.count(), { timeout: PATIENCE }).toBe(count);
  return list.allInnerTexts();
}

export function keyRows(tab: Page): Locator {
  return tab.getByRole("table", { name: "Keys" }).locator("tbody tr");
}

/** Opens a key by its name, and returns its drawer. */
export async function openKey(tab: Page, name: string): Promise<Locator> {
  await tab.getByRole("link", { name, exact: true }).click();
  const drawer = tab.getByRole("complementary", { name });
  await drawer.waitFor();
  return drawer;
}

/** Opens the list of calls, and returns its lines. */
export async function openCalls(tab: Page): Promise<Locator> {
  const calls = tab.getByRole("region", { name: "Calls", exact: true });
  const toggle = calls.getByRole("button", { name: /^Calls/ });
  if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
  return calls.locator("li > a");
}

/** Opens a menu of the head. */
export async function openMenu(tab: Page, name: "Clock" | "Faults" | "Workspace") {
  await tab.locator(`[popovertarget=${name.toLowerCase()}]`).click();
  const panel = tab.getByRole("dialog", { name });
  await panel.waitFor();
  return panel;
}

export function button(tab: Page | Locator, name: string | RegExp): Locator {
  return tab.getByRole("button", { name, exact: true });
}

/** Opens a view by the navigation. */
export async function look(tab: Page, view: string): Promise<void> {
  await tab.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
}

/** Waits until the element has the focus, which the page moves after painting. */
export async function untilFocused(place: Locator): Promise<void> {
  const isFocused = () => place.evaluate((element) => element.matches(":focus"));
  await expect.poll(isFocused, { timeout: PATIENCE }).toBe(true);
}
