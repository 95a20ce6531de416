import { expect, test } from "vitest";
import type { Page } from "playwright";
import { createKey, NOW, post } from "../_emulator.ts";
import {
  button,
  keyRows,
  openCalls,
  openKey,
  show,
  shownWorld,
  textsOf,
  untilFocused,
  useBrowser,
} from "./_page.ts";

useBrowser();

function namesIn(tab: Page): Promise<string[]> {
  return keyRows(tab).locator("td:first-child a").allInnerTexts();
}

test("a key has a line: name, customer, state in a word, uses, expiry and last use", async () => {
  const { tab } = await show();
  const rows = await textsOf(keyRows(tab), 7);

  const of = (name: string) =>
    rows.find((row) => row.startsWith(name))?.split(/\s*[\n\t]\s*/) ?? [];
  expect(of("plain")).toEqual(expect.arrayContaining(["user_1", "active", "unlimited", "never"]));
  expect(of("expired")).toEqual(expect.arrayContaining(["expired", "yesterday"]));
  expect(of("disabled")).toContain("disabled");
  expect(of("refilled")).toContain("5");
});

test("markup in names, meta and replies is shown as text", async () => {
  const { emulator, tab } = await show();
  const name = "<img src=x onerror=alert(1)><script>alert(1)</script>";
  await emulator.apis.create({ id: "api_three", name });
  await createKey(emulator, { apiId: "api_three", name, externalId: name, meta: { [name]: name } });
  await tab.getByRole("link", { name: /script/ }).click();

  const drawer = await openKey(tab, name);
  await drawer.getByText("Record as JSON").click();
  await (await openCalls(tab)).first().click();

  expect(await drawer.innerText()).toContain(name);
  expect(await tab.locator("main :is(script, img)").count()).toBe(0);
});

test("keys are found by name, customer, external id, start and id, and by their state", async () => {
  const identities = [{ externalId: "user_2", meta: { name: "Acme GmbH" } }];
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...shownWorld, identities }] } });
  await textsOf(keyRows(tab), 7);
  const kept = emulator.keys.all().at(-1);
  const search = tab.getByLabel("Search keys");

  for (const [text, found] of [
    ["LIMIT", ["limited"]],
    ["acme", ["disabled"]],
    ["ser_1", ["refilled", "plain"]],
    [kept?.start ?? "", ["kept"]],
    [kept?.id ?? "", ["kept"]],
  ] as const) {
    await search.fill(text);
    await expect.poll(() => namesIn(tab)).toEqual(found);
  }
  await tab.reload();
  await textsOf(keyRows(tab), 1);
  await search.fill("nobody");
  await tab.getByText("No key matches.").waitFor();
  await tab.getByRole("link", { name: "Show all keys" }).click();
  await textsOf(keyRows(tab), 7);
  await tab.getByLabel("State").selectOption("expired");
  await expect.poll(() => namesIn(tab)).toEqual(["expired"]);
});

test("keys are sorted by expiry and last use, else the newest first, and scrolling shows more", async () => {
  const keys = Array.from({ length: 250 }, (_, number) => ({
    apiId: "api_one",
    name: `n${number}`,
    createdAt: NOW - 500 + number,
    ...(number === 7 && { expires: NOW + 9 }),
    ...(number === 8 && { expires: NOW - 9 }),
    ...(number === 9 && { lastUsedAt: NOW - 1 }),
  }));
  const { tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  await textsOf(keyRows(tab), 50);
  expect((await namesIn(tab))[0]).toBe("n249");

  for (const [head, first] of [
    ["Expires", "n7"],
    ["Expires", "n249"],
    ["Last used", "n9"],
    ["Last used", "n249"],
  ] as const) {
    await button(tab, head).click();
    await expect.poll(async () => (await namesIn(tab))[0]).toBe(first);
    if (first === "n7") expect((await namesIn(tab))[1]).toBe("n8");
  }
  const scrolled = async () => {
    await tab.getByText(/\b250 keys/).scrollIntoViewIfNeeded();
    return keyRows(tab).count();
  };
  await expect.poll(scrolled, { timeout: 20_000 }).toBe(250);
  await tab.getByText("250 keys", { exact: true }).waitFor();
});

test("the arrow keys move in the list, Enter opens a key, and Escape gives the focus back", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);
  await tab.keyboard.press("/");
  await untilFocused(tab.getByLabel("Search keys"));
  for (const key of ["ArrowDown", "ArrowDown", "End", "ArrowUp"]) await tab.keyboard.press(key);
  const link = tab.getByRole("link", { name: "expired", exact: true });
  await untilFocused(link);

  await tab.keyboard.press("Enter");
  await untilFocused(tab.getByRole("complementary", { name: "expired" }));
  await tab.keyboard.press("Escape");

  await tab.getByRole("complementary").waitFor({ state: "detached" });
  await untilFocused(link);
});

test("what other clients change appears without a reload, and looking leaves no trace", async () => {
  const { emulator, tab } = await show({ told: /status of 40[04]/ });
  await textsOf(keyRows(tab), 7);
  emulator.faults.add({ status: 503, times: 1 });
  await openKey(tab, "plain");

  await emulator.keys.create({ apiId: "api_one", name: "new one" });

  expect((await textsOf(keyRows(tab), 8))[0]).toContain("new one");
  expect([emulator.requests.count(), emulator.faults.pending().length]).toEqual([0, 1]);
  emulator.keys.delete((q) => q.where({ name: "plain" }));
  await textsOf(keyRows(tab), 7);
  await tab.getByText("This key is gone").waitFor();
});

test("the page reconnects to an emulator that is stopped and started again", async () => {
  const { emulator, server, tab } = await show({ told: /ERR_|Failed to load/ });
  await textsOf(keyRows(tab), 7);
  const { serve } = await import("../../src/doors/http/serve.ts");

  await server.close({ grace: 0 });
  await tab.getByText("The emulator does not answer.").waitFor();
  await emulator.keys.create({ apiId: "api_one", name: "meanwhile" });
  const again = await serve(emulator, { port: server.port });

  try {
    await textsOf(keyRows(tab), 8);
    expect(await tab.getByText("The emulator does not answer.").count()).toBe(0);
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

  expect((await textsOf(keyRows(tab), 8))[0]).toContain("meanwhile");
});

test("a key expires on the page when its verification expires", async () => {
  const keys = [{ apiId: "api_one", name: "now", key: "value", expires: NOW }];
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  const codeOf = async () =>
    (await post(emulator, "/v2/keys.verifyKey", { key: "value" })).body.data.code;
  await tab.getByText("expires now").waitFor();
  expect(await codeOf()).toBe("VALID");

  emulator.clock.advance(1);

  await tab.getByRole("table").getByText("expired", { exact: true }).waitFor();
  expect(await codeOf()).toBe("EXPIRED");
});

test("an open key shows its owner, its permissions, its remaining uses and its calls", async () => {
  const keys = [
    {
      apiId: "api_one",
      name: "full",
      key: "full_value",
      recoverable: true,
      externalId: "user_1",
      roles: ["reader"],
      permissions: ["docs.write"],
      meta: { plan: "pro" },
      remaining: 3,
      refill: { interval: "daily", amount: 10 },
      ratelimits: [{ name: "default", limit: 2, duration: 60_000, autoApply: true }],
    },
  ] as const;
  const roles = [{ name: "reader", permissions: ["docs.read"] }];
  const identities = [{ externalId: "user_1", meta: { name: "Acme GmbH" } }];
  const fixture = { ...shownWorld, identities, keys: [...keys], roles };
  const { emulator, tab } = await show({ emulator: { fixtures: [fixture] } });
  const drawer = await openKey(tab, "full");

  await post(emulator, "/v2/keys.verifyKey", { key: "full_value" });
  for (const text of [
    "Acme GmbH",
    "reader: docs.read",
    "docs.write",
    "2 left, refilled to 10 each day",
    "1 of 2 per 1 min left, 1 min to go",
    "valid, 2 left",
    "1 valid",
  ]) {
    await drawer.getByText(text).first().waitFor();
  }
  const meter = drawer.getByRole("meter", { name: "Uses left" });
  expect(await meter.getAttribute("aria-valuenow")).toBe("2");
  await button(drawer, "Show it").click();
  await drawer.getByText("full_value", { exact: true }).waitFor();
  await drawer.getByRole("link", { name: "Acme GmbH" }).click();
  await tab.getByRole("complementary", { name: "Acme GmbH" }).getByText("1 key").waitFor();
});

test("a key gets more uses, is enabled again and deleted, each by one answer at most", async () => {
  const { emulator, tab } = await show({ told: /status of 404/ });
  let drawer = await openKey(tab, "refilled");
  await button(drawer, "Add uses").click();
  await button(drawer, "100").click();
  await drawer.getByText("105 left").waitFor();
  drawer = await openKey(tab, "disabled");
  await button(drawer, "Enable").click();
  await button(drawer, "Disable").waitFor();
  await button(drawer, "Delete").click();
  await button(drawer, "Cancel").click();
  expect(emulator.keys.count()).toBe(7);
  await button(drawer, "Delete").click();
  await button(drawer, "Delete it").click();

  await textsOf(keyRows(tab), 6);
  expect(emulator.requests.list().map(({ operation, input }) => [operation, input])).toEqual([
    ["keys.updateCredits", expect.objectContaining({ operation: "increment", value: 100 })],
    ["keys.updateKey", expect.objectContaining({ enabled: true })],
    ["keys.deleteKey", expect.anything()],
  ]);
});

test("a refused change is reported beside the key, which stays as it is", async () => {
  const { emulator, tab } = await show({ told: /status of 403/ });
  emulator.faults.add({ operation: "keys.updateKey", status: 403, times: 1 });
  const drawer = await openKey(tab, "plain");

  await button(drawer, "Disable").click();

  await drawer.getByRole("alert").getByText(/^403/).waitFor();
  expect(emulator.keys.all()[0]?.enabled).toBe(true);
});

test("a world without keys, or without APIs, explains how to begin", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ workspace: { id: "ws_test" } }] },
  });
  await tab.getByText("There are no APIs yet.").waitFor();
  await emulator.apis.create({ id: "api_fresh", name: "Fresh" });
  await tab.getByText("There are no keys yet.").waitFor();

  const shown = await tab.locator("main").innerText();
  expect(shown).toContain(`curl '${new URL(tab.url()).origin}/v2/keys.createKey'`);
  expect(shown).toContain('new Unkey({ rootKey: "local"');
  await tab.getByRole("link", { name: "call keys.createKey here" }).click();
  await button(tab, "Send").click();
  await tab.getByRole("link", { name: "Show the key" }).click();
  await tab.getByText("The new key. Copy its value now").waitFor();
});

test("of 10,000 keys, the page reads 50 and lets the emulator search", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [shownWorld], generate: { apiId: "api_two", count: 10_000 } },
    path: "#api=api_two",
  });
  await textsOf(keyRows(tab), 50);
  const asked: string[] = [];
  tab.on("request", (request) => asked.push(request.url()));
  const wanted = emulator.keys.all().find(({ apiId }) => apiId === "api_two")?.id ?? "";

  await tab.getByLabel("Search keys").fill(wanted);
  await textsOf(keyRows(tab), 1);

  // One for the search, and one if the state of the emulator was read in between.
  expect(asked.filter((url) => url.includes("/keys?")).length).toBeLessThanOrEqual(2);
});
