import { expect, test } from "vitest";
import { createKey, listKeys, NOW, post } from "../_emulator.ts";
import {
  button,
  journalRows,
  keyRows,
  recordOf,
  show,
  shownWorld,
  textsOf,
  useBrowser,
} from "./_page.ts";

useBrowser();

test("APIs are shown with their key counts, and choosing one shows its keys", async () => {
  const { tab } = await show();

  const apis = await textsOf(tab.getByRole("navigation", { name: "APIs" }).getByRole("link"), 2);
  expect(apis.map((text) => text.split(/\s+/))).toEqual([
    ["First", "api_one", "7", "keys"],
    ["Second", "api_two", "0", "keys"],
  ]);
  await textsOf(keyRows(tab), 7);

  await tab.getByRole("link", { name: /Second/ }).click();

  await tab.getByText("There are no keys here.").waitFor();
  await tab.goBack();
  await textsOf(keyRows(tab), 7);
});

test("keys that are expired, disabled, rate-limited or refilled have a badge", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);

  const badges = await keyRows(tab).evaluateAll((rows) =>
    rows.map((row) => [
      row.querySelector(".title")?.textContent,
      ...[...row.querySelectorAll(".badge")].map(({ textContent }) => textContent),
    ]),
  );

  expect(badges).toEqual([
    ["plain"],
    ["expired", "expired yesterday"],
    ["disabled", "disabled"],
    ["limited", "limit 10 per 1 min"],
    ["refilled", "refilled monthly to 1,000"],
    ["<b>bold</b><img src=x onerror=alert(1)>"],
    ["kept"],
  ]);
});

test("the Enter key opens a row to the whole record as JSON", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);
  const { body } = await listKeys(emulator, { apiId: "api_one" });

  await keyRows(tab).last().getByRole("button").focus();
  await tab.keyboard.press("Enter");

  const row = keyRows(tab).last();
  expect(await row.locator("pre").isVisible()).toBe(false);
  expect(await recordOf(row)).toEqual(body.keys.at(-1));
});

test("markup in names and meta is shown as text", async () => {
  const { emulator, tab } = await show();
  const name = "<script>alert(1)</script>";
  await emulator.apis.create({ id: "api_three", name });
  await createKey(emulator, { apiId: "api_three", name, externalId: name, meta: { [name]: name } });
  await tab.getByRole("link", { name: /script/ }).click();

  await keyRows(tab).getByRole("button").first().click();
  await journalRows(tab).getByRole("button").first().click();

  expect(await keyRows(tab).first().innerText()).toContain(name);
  expect(await tab.locator("main script, main b, main img").count()).toBe(0);
});

test("Next and Previous page through a long list", async () => {
  const keys = Array.from({ length: 60 }, (_, number) => ({
    apiId: "api_one",
    name: `n${number}`,
  }));
  const { tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  const asked: string[] = [];
  tab.on("request", (request) => asked.push(request.url()));
  await textsOf(keyRows(tab), 25);

  await button(tab, "Next").click();
  await tab.getByText("page 2: 25 of 60 keys").waitFor();
  await button(tab, "Next").click();
  const last = await textsOf(keyRows(tab), 10);
  expect(last.at(-1)).toContain("n59");
  expect(await button(tab, "Next").isDisabled()).toBe(true);
  await button(tab, "Previous").click();
  await button(tab, "Previous").click();
  await tab.getByText("page 1: 25 of 60 keys").waitFor();

  expect((await textsOf(keyRows(tab), 25))[0]).toContain("n0");
  expect(asked.filter((url) => url.includes("/v1/apis.listKeys")).length).toBeGreaterThan(2);
  await tab.getByLabel("per page").selectOption("100");
  await textsOf(keyRows(tab), 60);
});

test("keys are filtered by external id, and the filter survives a reload", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);

  await tab.getByLabel("External id").fill("user_1");
  await button(tab, "Filter").click();
  const found = await textsOf(keyRows(tab), 2);
  await tab.reload();

  expect(found.map((text) => text.split("\n")[0])).toEqual(["plain", "refilled"]);
  await textsOf(keyRows(tab), 2);
  await tab.getByLabel("External id").fill("nobody");
  await tab.keyboard.press("Enter");
  await tab.getByText("There are no keys with this external id here.").waitFor();
});

test("`show values` reveals the values of recoverable keys", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);

  await tab.getByLabel("show values").check();

  await tab.getByText("recoverable", { exact: true }).waitFor();
  await keyRows(tab).last().getByRole("button").click();
  const shown = await recordOf(keyRows(tab).last());
  expect(shown["plaintext"]).toBe(emulator.keys.all().at(-1)?.plaintext);
});

test("keys that other clients create and remove appear and disappear without a reload", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);

  await createKey(emulator, { apiId: "api_one", name: "new one" });
  const rows = await textsOf(keyRows(tab), 8);
  emulator.keys.delete((q) => q.where({ name: "new one" }));

  expect(rows.at(-1)).toContain("new one");
  await textsOf(keyRows(tab), 7);
});

test("viewing keys is hidden from the journal and faults, unless `call as a client` is checked", async () => {
  const { emulator, tab } = await show({ told: /status of 503/ });
  await textsOf(keyRows(tab), 7);
  emulator.faults.add({ operation: "apis.listKeys", status: 503, times: 1 });
  await emulator.keys.create({ apiId: "api_one", name: "another" });
  await textsOf(keyRows(tab), 8);
  expect([emulator.requests.count(), emulator.faults.pending().length]).toEqual([0, 1]);

  await tab.getByLabel("call as a client").check();

  await tab.locator(".keys").getByRole("alert").getByText("INTERNAL_SERVER_ERROR").waitFor();
  expect([emulator.requests.count(), emulator.faults.pending().length]).toEqual([1, 0]);
  await button(tab, "Reload").click();
  await textsOf(keyRows(tab), 8);
  expect(emulator.requests.count()).toBe(2);
});

test("expiries are shown relative to the emulator's clock", async () => {
  const keys = [{ apiId: "api_one", name: "soon", expires: NOW + 3_600_000 }];
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  await tab.getByText("expires in 1 hour").waitFor();

  emulator.clock.advance("2h");

  await tab.getByText("expired 1 hour ago").waitFor();
});

test.each([
  [1280, "light"],
  [390, "dark"],
] as const)(
  "a row of a page %i px wide shows customer, roles and last use, and old times as dates",
  async (width, colorScheme) => {
    const day = 86_400_000;
    const keys = [
      {
        apiId: "api_one",
        name: "of Acme, for the checkout in test mode",
        externalId: "org_acme",
        roles: ["editor", "viewer"],
        createdAt: NOW - 31 * day,
        lastUsedAt: NOW - 2 * day,
        expires: NOW - 40 * day,
      },
      { apiId: "api_one", name: "of somebody", externalId: "user_1", createdAt: NOW - 30 * day },
    ];
    const identities = [{ externalId: "org_acme", meta: { name: "Acme GmbH", plan: "pro" } }];
    const { tab } = await show({
      emulator: { fixtures: [{ ...shownWorld, identities, keys }], versions: ["v2"] },
      context: { viewport: { width, height: 720 }, colorScheme },
    });
    const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

    const rows = await textsOf(keyRows(tab), 2);

    const of = (name: string) => rows.find((row) => row.startsWith(name))?.split(/\n+/);
    expect(of("of Acme")).toEqual(
      expect.arrayContaining([
        "Acme GmbH",
        "org_acme",
        "editor, viewer",
        `expired ${dateOf(NOW - 40 * day)}`,
        `created ${dateOf(NOW - 31 * day)}`,
        "used 2 days ago",
      ]),
    );
    expect(of("of somebody")).toEqual(expect.arrayContaining(["user_1", "created last month"]));
    expect(await tab.locator(".keys .rows").evaluate(cutTexts)).toEqual([]);
  },
);

/** The texts within a list that are cut because they are too long. Runs in the browser. */
function cutTexts(list: unknown): string[] {
  // These tests are compiled without DOM types.
  interface Box {
    readonly textContent: string;
    readonly scrollWidth: number;
    readonly clientWidth: number;
  }
  const { querySelectorAll } = list as { querySelectorAll(selector: string): Iterable<Box> };
  return [...querySelectorAll.call(list, "bdi, code, time, .uses")]
    .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
    .map(({ textContent }) => textContent);
}

test("a key expires on the page when its verification expires", async () => {
  const keys = [{ apiId: "api_one", name: "now", key: "value", expires: NOW }];
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  const codeOf = async () => {
    const { body } = await post(emulator, "/v2/keys.verifyKey", { key: "value" });
    return body.data.code;
  };
  await tab.getByText("expires now").waitFor();
  expect(await codeOf()).toBe("VALID");

  emulator.clock.advance(1);

  await tab.getByText("expired now").waitFor();
  expect(await codeOf()).toBe("EXPIRED");
});

test("the header of an API shows the id of its keyspace, if it has one", async () => {
  const apis = [
    { id: "api_one", keyspaceId: "ks_first" },
    { id: "api_bare", keyspace: false },
  ];
  // The list of an API without a keyspace is refused.
  const { tab } = await show({ emulator: { fixtures: [{ apis }] }, told: /Failed to load/ });
  const header = tab.getByRole("region", { name: "api_one" }).locator("header");
  await header.getByText("api_one, keyspace ks_first").waitFor();

  await tab.getByRole("link", { name: /api_bare/ }).click();

  const bare = tab.getByRole("region", { name: "api_bare" }).locator("header");
  await bare.waitFor();
  expect(await bare.innerText()).not.toContain("keyspace ");
});

test("the page reconnects to an emulator that is stopped and started again", async () => {
  const { emulator, server, tab } = await show({ told: /ERR_|Failed to load/ });
  await textsOf(keyRows(tab), 7);
  const { serve } = await import("../../src/http/serve.ts");

  await server.close({ grace: 0 });
  await tab.locator(".journal").getByText("not connected").waitFor();
  await emulator.keys.create({ apiId: "api_one", name: "meanwhile" });
  const again = await serve(emulator, { port: server.port });

  try {
    await textsOf(keyRows(tab), 8);
  } finally {
    await again.close({ grace: 0 });
  }
});

test("a hidden page closes its event stream and catches up when it is shown again", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);
  const hide = (isHidden: boolean) =>
    tab.evaluate((hidden) => {
      const page = (globalThis as unknown as { document: EventTarget }).document;
      Object.defineProperty(page, "hidden", { value: hidden, configurable: true });
      page.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);

  await Promise.all([tab.waitForEvent("requestfailed"), hide(true)]);
  await createKey(emulator, { apiId: "api_one", name: "meanwhile" });
  await hide(false);

  expect((await textsOf(keyRows(tab), 8)).at(-1)).toContain("meanwhile");
  await textsOf(journalRows(tab), 1);
});

test("an expiry beyond the range of dates is shown in years", async () => {
  const { emulator, tab } = await show();
  await emulator.keys.create({ apiId: "api_one", name: "far", expires: Number.MAX_SAFE_INTEGER });

  const rows = await textsOf(keyRows(tab), 8);

  expect(rows.at(-1)).toMatch(/far[^]*expires in [\d,]+ years/);
});

test("`Show it in the list` finds a new key on the last page of a long list", async () => {
  const keys = Array.from({ length: 60 }, (_, number) => ({
    apiId: "api_one",
    name: `n${number}`,
  }));
  const { tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  await textsOf(keyRows(tab), 25);
  await button(tab, "Create a key").click();
  await tab.getByRole("dialog").getByLabel("name", { exact: true }).fill("the new one");
  await button(tab, "Create").click();

  await button(tab, "Show it in the list").click();

  expect((await textsOf(keyRows(tab), 1))[0]).toContain("the new one");
  await button(tab, "Previous").click();
  await textsOf(keyRows(tab), 25);
});
