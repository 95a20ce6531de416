import { expect, test } from "vitest";
import type { Locator, Page } from "playwright";
import { listKeys, post } from "../_emulator.ts";
import {
  button,
  journalRows,
  keyRows,
  look,
  recordOf,
  show,
  shownWorld,
  textsOf,
  untilFocused,
  useBrowser,
  openMore,
} from "./_page.ts";

useBrowser();

/** Two rate limits of a key and one of its identity. */
const limited = {
  ...shownWorld,
  identities: [
    {
      externalId: "user_1",
      ratelimits: [{ name: "shared", limit: 3, duration: 1_000, autoApply: true }],
    },
  ],
  keys: [
    {
      apiId: "api_one",
      name: "limited",
      externalId: "user_1",
      ratelimits: [
        { name: "requests", limit: 1_000, duration: 60_000, autoApply: true },
        { name: "uploads", limit: 5, duration: 3_600_000, autoApply: false },
      ],
    },
  ],
};

function badgesOf(tab: Page): Promise<string[][]> {
  return keyRows(tab).evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll(".badge")].map(({ textContent }) => textContent)),
  );
}

/** The fields of a group, like that of `credits`. */
function group(tab: Page, name: string): Locator {
  return tab.getByRole("dialog").getByRole("group", { name, exact: true });
}

test("the journal shows the version of each call, and what it was refused for", async () => {
  const { emulator, tab } = await show();
  await listKeys(emulator, { apiId: "api_none" });
  await post(emulator, "/v2/apis.listKeys", { apiId: "api_none" });
  await post(emulator, "/v2/keys.createKey", { apiId: "api_one" });

  const shown = await textsOf(journalRows(tab), 3);

  expect(shown[0]).toMatch(/v2 keys\.createKey\s+200/);
  expect(shown[1]).toMatch(/v2 apis\.listKeys\s+API_NOT_FOUND\s+404/);
  expect(shown[2]).toMatch(/v1 apis\.listKeys\s+NOT_FOUND\s+404/);
  await tab.locator(".journal").getByLabel("Operation").selectOption("v2 apis.listKeys");
  await textsOf(journalRows(tab), 1);
});

test("a key is shown with its own rate limits and those of its identity, and its whole record", async () => {
  const { emulator, tab } = await show({ emulator: { fixtures: [limited] } });
  await tab.getByText("1–1 of 1 key").waitFor();

  expect(await badgesOf(tab)).toEqual([
    ["limit requests 1,000 per 1 min", "limit uploads 5 per 1 h"],
  ]);
  await keyRows(tab).getByRole("button").first().click();
  const limits = keyRows(tab).locator("dl");
  await limits.getByText("3 of 3 per 1 s left").waitFor();
  await limits
    .getByText("5 of 5 per 1 h left, window ends in 1 hour, only if a call names it")
    .waitFor();
  const record = await recordOf(keyRows(tab));
  expect(record).toEqual(JSON.parse(JSON.stringify(emulator.keys.all()[0])));
  await tab.getByText("All keys of user_1 here").click();
  await tab.getByRole("link", { name: "Show all customers" }).waitFor();
  await tab.getByRole("button", { name: /limited/ }).waitFor();
});

test("the value of a recoverable key is shown on demand and without a trace", async () => {
  const { emulator, tab } = await show();
  await keyRows(tab).first().getByRole("button").first().click();
  const value = emulator.keys.all().at(-1)?.plaintext ?? "";
  expect(await tab.getByText(value).count()).toBe(0);

  await button(tab, "Show its value").click();

  await tab.getByText(value).waitFor();
  expect(emulator.requests.list()).toEqual([]);
  await keyRows(tab).nth(1).getByRole("button").first().click();
  await keyRows(tab).nth(1).getByText("created", { exact: true }).waitFor();
  expect(await button(tab, "Show its value").count()).toBe(0);
});

test("a key is created through v2 with every field", async () => {
  const { emulator, tab } = await show();
  await emulator.roles.create({ name: "admin" });
  await button(tab, "Create a key").click();
  const dialog = tab.getByRole("dialog", { name: "Create a key" });

  await openMore(tab);
  for (const [name, value] of [
    ["prefix", "pay"],
    ["name", "made on the page"],
    ["byteLength", "24"],
    ["externalId", "user_9"],
    ["meta", '{ "plan": { "name": "pro" } }'],
    ["roles", "admin"],
    ["permissions", "payments.read, payments.write"],
    ["expires", "2027-03-01T12:00:00"],
  ] as const) {
    await dialog.getByLabel(name, { exact: true }).fill(value);
  }
  await dialog.getByLabel("enabled").selectOption("false");
  await dialog.getByLabel("recoverable").selectOption("true");
  await group(tab, "credits").getByLabel("remaining").fill("100");
  await group(tab, "refill").getByLabel("interval").selectOption("monthly");
  await group(tab, "refill").getByLabel("amount").fill("1000");
  await group(tab, "refill").getByLabel("refillDay").fill("7");
  for (const [number, name] of [
    [1, "requests"],
    [2, "uploads"],
  ] as const) {
    await button(tab, "Add to ratelimits").click();
    const row = group(tab, `ratelimits ${number}`);
    await untilFocused(row.getByLabel("name"));
    await row.getByLabel("name").fill(name);
    await row.getByLabel("limit required").fill(`${number}0`);
    await row.getByLabel("duration").fill("60000");
    await row.getByLabel("autoApply").selectOption(String(number === 1));
  }
  await button(tab, "Create").click();
  const value = await tab
    .getByRole("dialog", { name: "The key was created" })
    .locator(".made code")
    .innerText();
  await button(tab, "Show it in the list").click();

  await tab.locator(".keys .row[aria-expanded=true]", { hasText: "made on the page" }).waitFor();
  const made = emulator.keys.all().at(-1);
  expect(made).toMatchObject({
    apiId: "api_one",
    name: "made on the page",
    plaintext: value,
    meta: { plan: { name: "pro" } },
    roles: ["admin"],
    permissions: ["payments.read", "payments.write"],
    expires: Date.UTC(2027, 2, 1, 12),
    remaining: 100,
    refill: { interval: "monthly", amount: 1_000, refillDay: 7 },
    ratelimits: [
      { name: "requests", limit: 10, duration: 60_000, autoApply: true },
      { name: "uploads", limit: 20, duration: 60_000, autoApply: false },
    ],
    enabled: false,
  });
  await journalRows(tab).first().getByText("v2 keys.createKey").waitFor();
});

test("the form of v2 sends null", async () => {
  const { emulator, tab } = await show();
  await button(tab, "Create a key").click();

  await group(tab, "credits").getByLabel("remaining").fill("null");
  await button(tab, "Create").click();

  await tab.getByRole("dialog", { name: "The key was created" }).waitFor();
  expect(emulator.requests.list()[0]?.input).toEqual({
    apiId: "api_one",
    credits: { remaining: null },
  });
});

test("the form of v2 marks the wrong fields of rate limits, which can be removed again", async () => {
  const { emulator, tab } = await show({ told: /status of 400/ });
  await button(tab, "Create a key").click();
  await openMore(tab);
  for (let count = 0; count < 3; count += 1) await button(tab, "Add to ratelimits").click();
  await group(tab, "ratelimits 1").getByLabel("name").fill("first");
  await group(tab, "ratelimits 3").getByLabel("name").fill("third");
  await group(tab, "ratelimits 3").getByLabel("limit required").fill("many");
  await group(tab, "credits").getByLabel("remaining").fill("-1");

  await button(tab, "Remove ratelimits 2").click();
  await untilFocused(button(tab, "Add to ratelimits"));
  await button(tab, "Create").click();

  const told = await tab.getByRole("dialog").getByRole("alert").innerText();
  expect(told).toContain("400 unkey/application/invalid_input: POST request body");
  expect(told).toContain("ratelimits.1.limit: expected an integer");
  expect(await group(tab, "ratelimits 2").getByLabel("name").inputValue()).toBe("third");
  const marked = (name: string) =>
    group(tab, name)
      .locator(".field", { has: tab.locator("[aria-invalid=true]") })
      .locator("label")
      .allInnerTexts();
  expect(await marked("credits")).toEqual(["remaining required with credits"]);
  expect(await marked("ratelimits 1")).toEqual(
    ["limit", "duration", "autoApply"].map((name) => `${name} required`),
  );
  await untilFocused(group(tab, "credits").getByLabel("remaining"));
  await button(tab, "Remove ratelimits 2").click();
  await button(tab, "Remove ratelimits 1").click();
  await group(tab, "credits").getByLabel("remaining").fill("");
  await button(tab, "Create").click();
  await tab.getByRole("dialog", { name: "The key was created" }).waitFor();
  expect(emulator.keys.all().at(-1)?.ratelimits).toEqual([]);
});

test("a fault can be added for a version, with a type of v2", async () => {
  const { emulator, tab } = await show();
  await look(tab, "Faults");
  await button(tab, "Add a fault").click();
  const dialog = tab.getByRole("dialog");

  await dialog.getByLabel("operation").selectOption("apis.listKeys");
  await dialog.getByLabel("version").selectOption("v2");
  await dialog.getByLabel("type").selectOption("unkey/data/key_not_found");
  await button(tab, "Add").click();

  await tab.getByText("apis.listKeys (v2): status 404, type unkey/data/key_not_found").waitFor();
  const { body } = await post(emulator, "/v2/apis.listKeys", { apiId: "api_one" });
  expect(body.error.type).toMatch(/unkey\/data\/key_not_found$/);
  expect((await listKeys(emulator, { apiId: "api_one" })).status).toBe(200);
});

test("the form of a fault has its fields once the operations to choose from are known", async () => {
  const { tab } = await show();
  const { promise: released, resolve: release } = withResolvers();
  await tab.route("**/_latchkey/operations.json*", async (route) => {
    await released;
    await route.continue();
  });
  await look(tab, "Faults");
  const described = tab.waitForResponse("**/_latchkey/openapi.json");
  await button(tab, "Add a fault").click();
  await (await described).finished();
  const operation = tab.getByRole("dialog").getByLabel("operation");
  await tab.evaluate(() => new Promise(requestAnimationFrame));
  expect(await operation.count()).toBe(0);

  release();

  await operation.selectOption("keys.createKey");
});

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

test("a fault can be added for an operation, and its refusal is shown", async () => {
  const { emulator, tab } = await show({ told: /status of 503/ });
  await look(tab, "Faults");
  await button(tab, "Add a fault").click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("operation").selectOption("keys.verifyKey");
  await dialog.getByLabel("status").fill("503");
  await button(tab, "Add").click();
  await tab.getByText("keys.verifyKey: status 503").waitFor();
  await tab.evaluate(() => void (location.hash = "#view=keys"));

  await button(tab, "Verify a key").click();
  await tab.getByRole("dialog").getByLabel("key required").fill("value");
  await tab.getByRole("dialog").getByRole("button", { name: "Verify", exact: true }).click();

  const told = await tab.getByRole("dialog").getByRole("alert").innerText();
  expect(told).toContain("503 unkey/application/service_unavailable: an injected fault");
  expect(told).toContain("hit by fault_1");
  expect(emulator.requests.list()).toMatchObject([{ version: "v2", status: 503 }]);
});

test("a command for a terminal calls v2", async () => {
  const { server, tab } = await show();
  await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await button(tab, "Create a key").click();
  await openMore(tab);
  await button(tab, "Add to ratelimits").click();
  await group(tab, "ratelimits 1").getByLabel("limit required").fill("5");

  await button(tab, "Copy as curl").click();
  await button(tab, "Copied").waitFor();

  const copied = await tab.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain(`${server.url}/v2/keys.createKey`);
  expect(copied).toContain('{"apiId":"api_one","ratelimits":[{"limit":5}]}');
});
