import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Page } from "playwright";
import { loadFixture } from "../../src/node.ts";
import { cutTextsOf, faultsOf, wrongIn } from "./_checks.ts";
import { button, keyRows, look, openCalls, openMenu, openTab, useBrowser } from "./_page.ts";
import { loaded, openSite, useSite } from "./_site.ts";

useBrowser();

const site = useSite(
  await loadFixture("fixtures/demo.yaml"),
  "--generate",
  "500",
  "--title",
  "Acme",
);

const SENTENCE = "This page needs a current browser, and has to be loaded from a web server.";

async function reload(tab: Page) {
  await tab.context().setOffline(false);
  await tab.reload();
  return loaded(tab);
}

const create = { apiId: "api_payments", name: "Made by a visitor" };
const made = (tab: Page) => tab.getByRole("link", { name: "Made by a visitor", exact: true });

test.each([1440, 390])(
  "a static site has no accessibility problem, and shows nothing that needs a server (%i px)",
  async (width) => {
    const [tab] = await openSite(site, width);
    await keyRows(tab).first().waitFor();
    expect(await tab.title()).toBe("Payments · Acme");

    await keyRows(tab).first().getByRole("link").first().click();
    await tab.getByRole("complementary").getByText("Record as JSON").waitFor();
    await tab.keyboard.press("Escape");
    await openMenu(tab, "Workspace");

    expect(await wrongIn(tab, `site ${width}`, [faultsOf, cutTextsOf])).toEqual([]);
    expect(await tab.locator(".chip.url").count()).toBe(0);
    expect(await tab.getByText("localhost").count()).toBe(0);
    expect(await tab.getByText("Copy as curl").count()).toBe(0);
  },
);

test("a reload of a static site starts over, unless the visitor keeps the records", async () => {
  const [tab, call] = await openSite(site, 1440);
  await call("keys.createKey", create);
  await made(tab).waitFor();

  await reload(tab);
  await keyRows(tab).first().waitFor();
  expect(await made(tab).count()).toBe(0);

  await tab.evaluate(
    (body) => (globalThis as never as Calling).call("keys.createKey", body),
    create,
  );
  await made(tab).waitFor();
  const clock = tab.locator("[popovertarget=clock] time");
  const before = await clock.innerText();
  const panel = await openMenu(tab, "Clock");
  await button(panel, "30 days").click();
  await expect
    .poll(async () => (await clock.innerText()).slice(0, 11))
    .not.toBe(before.slice(0, 11));
  await tab.keyboard.press("Escape");
  await openMenu(tab, "Workspace");
  await button(tab, "Keep").click();
  await tab.getByText("The records are kept.").waitFor();
  const time = await clock.innerText();
  await tab.context().setOffline(false);
  await tab.reload();
  await made(tab).waitFor();
  // The clock continues from the time at which the records were kept.
  expect((await clock.innerText()).slice(0, 11)).toBe(time.slice(0, 11));

  tab.on("dialog", (dialog) => void dialog.accept());
  await openMenu(tab, "Workspace");
  await button(tab, "Start over").click();
  await loaded(tab);
  await keyRows(tab).first().waitFor();
  expect(await made(tab).count()).toBe(0);
});

interface Calling {
  call(operation: string, body: object): Promise<unknown>;
}

test.each([
  ["broken", "{"],
  ["of another version", JSON.stringify({ version: "0.0.1", at: 0, snapshot: {} })],
  ["no snapshot", "null"],
])("records in the browser that are %s are reported and not loaded", async (_, text) => {
  const [tab] = await openSite(site, 1440);
  const name = `latchkey-world ${new URL(site().url).pathname}/`;
  await tab.evaluate(([key, value]) => localStorage.setItem(key, value), [name, text] as const);

  await reload(tab);

  await tab.getByText("The records that this browser keeps could not be loaded").waitFor();
  await keyRows(tab).first().waitFor();
  expect(await tab.evaluate((key) => localStorage.getItem(key), name)).toBe(text);
});

test("a static site works, and starts over, while the browser forbids storage", async () => {
  const tab = await openTab(site().url);
  await tab.addInitScript(() => {
    const get = () => {
      throw new DOMException("denied", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, name, { get });
  });
  await tab.goto(`${site().url}/`);
  const call = await loaded(tab);
  await call("keys.createKey", create);
  await made(tab).waitFor();
  await openMenu(tab, "Workspace");
  await button(tab, "Keep").click();
  await tab.getByText("This browser forbids storage").waitFor();

  await tab.context().setOffline(false);
  tab.on("dialog", (dialog) => void dialog.accept());
  await button(tab, "Start over").click();

  await expect.poll(() => made(tab).count()).toBe(0);
  await keyRows(tab).first().waitFor();
});

test("a reset of a static site restores its records and the time of its build", async () => {
  const [tab, call] = await openSite(site, 1440);
  const before = await tab.locator("[popovertarget=clock] time").innerText();
  await call("keys.createKey", create);
  await made(tab).waitFor();
  await button(await openMenu(tab, "Clock"), "30 days").click();
  await tab.keyboard.press("Escape");

  const panel = await openMenu(tab, "Workspace");
  await button(panel, "Reset").click();
  await button(panel, "Reset everything").click();

  await expect.poll(() => made(tab).count()).toBe(0);
  await expect
    .poll(() => tab.locator("[popovertarget=clock] time").innerText())
    .toContain(before.slice(0, 11));
});

test("a static site refuses to generate keys", async () => {
  const [tab] = await openSite(site, 1440);
  await openMenu(tab, "Workspace");
  const buffer = Buffer.from('{ "generate": [{ "count": 3 }] }');

  await tab
    .getByLabel("Add records from a file")
    .setInputFiles({ name: "more.json", mimeType: "application/json", buffer });

  await tab.getByText("a static site cannot generate keys").waitFor();
});

test("the list of calls of a static site has its calls, including those made by hand", async () => {
  const [tab, call] = await openSite(site, 1440);
  await call("keys.createKey", create);
  await look(tab, "Call an operation");
  await button(tab, "Send").click();

  const calls = await openCalls(tab);

  await expect.poll(() => calls.count()).toBe(2);
});

test("a static site that cannot run says why in one sentence", async () => {
  const { folder, url } = site();
  const tab = await openTab(url, { told: /Failed to load resource|preloaded/ });
  await tab.route("**/site.js", (route) => route.abort());
  await tab.goto(`${url}/`);
  await tab.getByText(SENTENCE).waitFor();

  const file = pathToFileURL(join(folder, "index.html")).href;
  const other = await openTab(file.replace(/\/index\.html$/, ""), {
    told: /CORS|ERR_FAILED|preloaded/,
  });
  await other.goto(file);
  await other.getByText(SENTENCE).waitFor();
});
