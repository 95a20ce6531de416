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

/** The texts of the list's items, once there are `count`. */
export async function textsOf(list: Locator, count: number): Promise<string[]> {
  await expect.poll(() => list.count(), { timeout: PATIENCE }).toBe(count);
  return list.allInnerTexts();
}

export function keyRows(tab: Page): Locator {
  return tab.locator(".keys .rows > li");
}

/** Opens the JSON of an open key, and returns the record that it shows. */
export async function recordOf(row: Locator): Promise<Record<string, unknown>> {
  await row.getByText("The whole record as JSON").click();
  return JSON.parse(await row.locator("pre").innerText());
}

export function journalRows(tab: Page): Locator {
  return tab.locator(".journal .rows > li");
}

export function button(tab: Page, name: string): Locator {
  return tab.getByRole("button", { name, exact: true });
}

/** Opens a view by the navigation. */
export async function look(
  tab: Page,
  view:
    | "Keys"
    | "Usage"
    | "Identities"
    | "Rate limits"
    | "Roles"
    | "Journal"
    | "Findings"
    | "Faults"
    | "State",
): Promise<void> {
  await tab.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
}

/** Opens the part of a form with the fields that fewer people need. */
export async function openMore(tab: Page): Promise<void> {
  await tab.getByRole("dialog").getByText("More", { exact: true }).click();
}

/** Whether the element has the focus. */
export function isFocused(place: Locator): Promise<boolean> {
  return place.evaluate((element) => element.matches(":focus"));
}

/** Waits until the element has the focus, which the page moves after painting. */
export async function untilFocused(place: Locator): Promise<void> {
  await expect.poll(() => isFocused(place), { timeout: PATIENCE }).toBe(true);
}
