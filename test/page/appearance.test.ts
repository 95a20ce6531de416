import { join } from "node:path";
import { expect, test } from "vitest";
import type { BrowserContextOptions, Locator, Page } from "playwright";
import { Unkey } from "unkey-api-2";
import type { Fixture } from "../../src/index.ts";
import { loadFixture } from "../../src/node.ts";
import { createKey, listKeys, post } from "../_emulator.ts";
import { faultsOf, pictures, tooWide } from "./_checks.ts";
import { film, picture } from "./_film.ts";
import {
  button,
  journalRows,
  keyRows,
  look,
  show,
  textsOf,
  useBrowser,
  openMore,
} from "./_page.ts";

useBrowser();

/** Opens the form of a button, and waits for one of its fields. */
const form = (name: string, field: string) => async (tab: Page) => {
  await button(tab, name).click();
  await tab.getByRole("dialog").getByLabel(field).waitFor();
};
/** Opens a row of a panel, and the form that one of its buttons leads to. */
const rowForm = (panel: string, text: string, action: string) => async (tab: Page) => {
  await openRow(tab, panel, text);
  await tab.locator(`.panel.${panel} .rows`).getByRole("button", { name: action }).click();
  await tab.getByRole("dialog").locator("button[type=submit]:not(:disabled)").waitFor();
};

/** Views of the web page, each with an action that opens its details. */
const scenes: readonly (readonly [
  name: string,
  view: string,
  act: (tab: Page) => Promise<unknown>,
])[] = [
  ["keys", "keys", (tab) => rowOf(tab, "refilled").getByRole("button").first().click()],
  [
    "key with everything",
    "keys",
    async (tab) => {
      await rowOf(tab, richKey.name).getByRole("button").first().click();
      await tab.getByText("only if a call names it").first().waitFor();
    },
  ],
  [
    "keys that are searched",
    "keys",
    async (tab) => {
      await tab.getByLabel("Find keys").fill("user_1");
      await tab.getByText("1–3 of 3 keys").waitFor();
      await tab.getByText("All keys of user_1 here").first().click();
      await tab.getByRole("link", { name: "Show all customers" }).waitFor();
    },
  ],
  ["journal", "journal", (tab) => journalRows(tab).last().getByRole("button").first().click()],
  [
    "findings",
    "findings",
    async (tab) => {
      const panel = tab.locator(".findings");
      await panel.getByRole("button", { name: "1 call" }).last().click();
      await panel.getByRole("button", { name: /v1 keys\.createKey/ }).click();
    },
  ],
  ["faults", "faults", (tab) => tab.getByText("keys.whoami: takes 1 s to 2 s").waitFor()],
  ["add a fault", "faults", form("Add a fault", "effect")],
  ["state", "state", (tab) => tab.locator(".panel.state .time").waitFor()],
  [
    "create",
    "keys",
    async (tab) => {
      await button(tab, "Create a key").click();
      await openMore(tab);
      await tab.getByRole("dialog").getByLabel("prefix").waitFor();
    },
  ],
  [
    "change",
    "keys",
    async (tab) => {
      await open(tab, "refilled", "Change");
      await button(tab, "Clear credits").evaluate((place) => place.scrollIntoView());
    },
  ],
  [
    "create with rate limits",
    "keys",
    async (tab) => {
      await button(tab, "Create a key").click();
      await openMore(tab);
      await button(tab, "Add to ratelimits").click();
      await button(tab, "Add to ratelimits").click();
      await tab.getByRole("group", { name: "ratelimits 1" }).getByLabel("name").fill("per minute");
      await button(tab, "Create").click();
      await tab.getByRole("dialog").getByRole("alert").waitFor();
      await tab
        .getByRole("group", { name: "ratelimits 1" })
        .evaluate((row) => row.scrollIntoView({ block: "start" }));
    },
  ],
  ["delete", "keys", (tab) => open(tab, richKey.name, "Delete")],
  ["change everything", "keys", (tab) => open(tab, richKey.name, "Change")],
  [
    "verify",
    "keys",
    async (tab) => {
      await button(tab, "Verify a key").click();
      await tab.getByRole("dialog").getByLabel("key required").fill(richKey.key);
      await openMore(tab);
      await tab.getByRole("dialog").getByLabel("cost required with credits").fill("0");
      await button(tab, "Verify").click();
      await tab.getByText("rate limit requests: 9 of 10 left").waitFor();
      await tab.getByText("JSON", { exact: true }).click();
    },
  ],
  ["create an api", "keys", form("Create an API", "name")],
  [
    "identities",
    "identities",
    async (tab) => {
      await openRow(tab, "identities", "user_10");
      await tab.getByText("w".repeat(60)).first().waitFor();
    },
  ],
  ["change an identity", "identities", rowForm("identities", "user_10", "Change")],
  [
    "limits",
    "limits",
    async (tab) => {
      await tab.getByText("page 1: 2 overrides").waitFor();
      await openRow(tab, "limits", "vip_*");
    },
  ],
  [
    "count a use",
    "limits",
    async (tab) => {
      await button(tab, "Count a use").click();
      const dialog = tab.getByRole("dialog");
      await dialog.getByLabel("identifier").fill("user_1");
      await dialog.getByLabel("limit").fill("3");
      await dialog.getByLabel("duration").fill("60000");
      await button(tab, "Count").click();
      await dialog.getByText("left, window ends").waitFor();
    },
  ],
  ["delete an override", "limits", rowForm("limits", "vip_*", "Delete")],
  [
    "roles",
    "roles",
    async (tab) => {
      await openRow(tab, "roles", "clerk");
      await openRow(tab, "permissions", "invoices.read");
    },
  ],
  ["delete a role", "roles", rowForm("roles", "clerk", "Delete")],
  ["create a role", "roles", form("Create a role", "permissions")],
  ["token", "state", (tab) => tab.getByRole("button", { name: /^token/ }).click()],
];

function rowOf(tab: Page, name: string): Locator {
  return keyRows(tab).filter({ has: tab.locator(".title", { hasText: name }) });
}

/** Opens a key, unless it is open, and the form that one of its buttons leads to. */
async function open(tab: Page, name: string, action: string): Promise<void> {
  const row = rowOf(tab, name);
  await row.waitFor();
  const closed = row.getByRole("button", { expanded: false });
  if ((await closed.count()) === 1) await closed.click();
  await row.getByRole("button", { name: action }).click();
  await tab.getByRole("dialog").locator("button[type=submit]:not(:disabled)").waitFor();
}

/** Opens the row of a panel that contains the text, unless it is open. */
async function openRow(tab: Page, panel: string, text: string): Promise<void> {
  const row = tab.locator(`.panel.${panel} .rows > li`).filter({ hasText: text }).first();
  await row.waitFor();
  const closed = row.getByRole("button", { expanded: false });
  if ((await closed.count()) === 1) await closed.click();
}

const long = "w".repeat(128);

/** Identities, rate limits, roles and permissions with short and long texts. */
const richRecords: Fixture = {
  identities: [
    {
      externalId: "user_10",
      meta: { plan: "pro", contact: "someone@example.org", note: long },
      ratelimits: [
        { name: "requests", limit: 1_000, duration: 60_000, autoApply: true },
        { name: long, limit: 5, duration: 1_000, autoApply: false },
      ],
    },
    { externalId: `user_${long}` },
  ],
  permissions: [
    { name: "Read invoices", slug: "invoices.read", description: "All of them, also old ones." },
    { name: long.slice(1) },
    { name: "invoices.write" },
  ],
  roles: [
    {
      name: "clerk",
      description: "Works in the office, and may read and write invoices.",
      permissions: ["invoices.read", "invoices.write"],
    },
    { name: "everything", permissions: ["invoices.read", "invoices.write", long.slice(1)] },
  ],
  ratelimitNamespaces: [
    {
      name: "email",
      overrides: [
        { identifier: "vip_*", limit: 1_000, duration: 60_000 },
        { identifier: long, limit: 0, duration: 86_400_000 },
      ],
    },
    { name: `namespace of ${long}` },
    { name: "gone", deleted: true },
  ],
};

/** A key that only v2 shows in full. */
const richKey = {
  apiId: "api_one",
  key: "a_rich_key",
  name: "a key with a name that is rather long",
  externalId: "user_1",
  remaining: 0,
  refill: { interval: "daily", amount: 100 },
  ratelimits: [
    { name: "requests", limit: 10, duration: 1_000, autoApply: true },
    { name: "w".repeat(128), limit: 1_000, duration: 86_400_000, autoApply: false },
    { name: "uploads", limit: 5, duration: 60_000, autoApply: false },
  ],
} satisfies NonNullable<Fixture["keys"]>[number];

const phone = { width: 390, height: 844 };

test.each([
  ["dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" }],
  ["laptop", { viewport: { width: 1280, height: 720 }, colorScheme: "light" }],
  ["phone", { viewport: phone, colorScheme: "dark" }],
] as const)(
  "the web page has no axe violation and no overflowing element: %s",
  async (name, context) => {
    const { emulator, tab } = await show({ context, told: /status of 400/ });
    emulator.faults.add({ operation: "keys.createKey", status: 503, times: 1 });
    await createKey(emulator, { apiId: "api_one", name: "hit" });
    await emulator.keys.create(richKey);
    await createKey(emulator, { apiId: "api_none", name: "of no API", expires: 1_900_000_000 });
    await listKeys(emulator, { apiId: "api_none" });
    await post(emulator, "/v2/apis.listKeys", { apiId: "api_none" });
    await emulator.seed(richRecords);
    for (const identifier of ["user_1", "user_1", "vip_1", long, ""]) {
      const use = { namespace: "email", identifier, limit: 1, duration: 60_000 };
      await post(emulator, "/v2/ratelimit.limit", use);
    }
    emulator.faults.add({ operation: "keys.whoami", latency: [1_000, 2_000] });
    await textsOf(keyRows(tab), 8);
    await textsOf(journalRows(tab), 9);

    const found: string[] = [];
    for (const [scene, view, act] of scenes) {
      await tab.evaluate((hash) => void (location.hash = hash), `#view=${view}`);
      await tab.locator(`main.view-${view}`).waitFor();
      await act(tab);
      await tab.screenshot({ path: join(pictures, `${scene} ${name}.png`) });
      const wrong = [...(await faultsOf(tab)), ...(await tab.evaluate(tooWide))];
      found.push(...wrong.map((line) => `${scene}: ${line}`));
      await tab.keyboard.press("Escape");
    }

    expect(found).toEqual([]);
  },
);

test("the checks report a violation of axe and an overflow", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);

  await tab.locator(".keys .filters label").evaluate((label) => {
    label.innerHTML = `<img src="data:,">${"wide".repeat(500)}`;
  });

  expect((await faultsOf(tab)).join()).toContain("critical: image-alt: ");
  expect(await tab.evaluate(tooWide)).not.toEqual([]);
});

/** The folder that `npm run pictures` writes the README's pictures to; unset in other runs. */
const folder = process.env["PICTURES"];
const now = Date.UTC(2026, 10, 20, 9);
const token = "acme_admin";
const apiId = "api_payments";
const credits = { remaining: 1_000 };

async function openDemo(context: BrowserContextOptions) {
  return show({
    emulator: {
      fixtures: [await loadFixture("fixtures/demo.yaml")],
      generate: { count: 300 },
      randomSeed: 1435,
      now,
    },
    context,
    path: `#token=${token}`,
  });
}

async function showDemo(colorScheme: "light" | "dark") {
  const { emulator, tab } = await openDemo({ viewport: { width: 1280, height: 640 }, colorScheme });
  const call = (operation: string, body: object) =>
    post(emulator, `/v2/${operation}`, body, { token });
  await call("apis.listKeys", { apiId, limit: 10 });
  emulator.faults.add({ operation: "keys.createKey", status: 503, times: 1 });
  const key = { apiId, name: "Nightly export", externalId: "org_bluebird", credits };
  emulator.clock.advance("12s");
  await call("keys.createKey", key);
  emulator.clock.advance("1s");
  const { body } = await call("keys.createKey", key);
  await call("keys.verifyKey", { key: body.data.key });
  emulator.clock.advance("30s");
  await call("apis.listKeys", { apiId: "api_payment" });
  await textsOf(keyRows(tab), 25);
  await textsOf(journalRows(tab), 5);
  return tab;
}

if (folder !== undefined) {
  test("README's pictures are of this page", async () => {
    const light = await showDemo("light");
    await picture(light, join(folder, "page.png"));

    const dark = await showDemo("dark");
    await keyRows(dark).nth(2).getByRole("button").click();
    await look(dark, "Journal");
    await journalRows(dark).nth(3).getByRole("button").first().click();
    await picture(dark, join(folder, "page-dark.png"));

    expect(await keyRows(dark).count()).toBe(25);
  });

  test("README's moving picture shows the pictures' page while a test runs", async () => {
    const { emulator, server, tab } = await openDemo({ viewport: { width: 1280, height: 640 } });
    const unkey = new Unkey({ rootKey: token, serverURL: server.url });
    let key = "";
    const verify = () => unkey.keys.verifyKey({ key }).catch(() => {});

    const size = await film(tab, {
      file: join(folder, "page-moving.gif"),
      steps: [
        async () => {
          const name = "Trial of Bluebird";
          const expires = now + 3_600_000;
          const credits = { remaining: 2 };
          const created = await unkey.keys.createKey({ apiId, name, expires, credits });
          ({ key } = created.data);
        },
        verify,
        verify,
        verify,
        () => {
          emulator.clock.advance("2h");
          return verify();
        },
      ],
    });

    expect(size).toBeLessThan(1_000_000);
  });
}
