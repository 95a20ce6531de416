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

const onlyV2 = { fixtures: [shownWorld], versions: ["v2"] } as const;

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

function choose(tab: Page, version: "v1" | "v2"): Promise<unknown> {
  return tab.getByLabel("version").selectOption(version);
}

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

test("keys are listed through the chosen version, without a trace, and a reload keeps the choice", async () => {
  const { emulator, tab } = await show();
  await tab.getByText("page 1: 7 of 7 keys").waitFor();

  await choose(tab, "v2");

  await tab.getByText("page 1: 7 keys of the API").waitFor();
  await tab.reload();
  await tab.getByText("page 1: 7 keys of the API").waitFor();
  expect(await tab.getByLabel("version").inputValue()).toBe("v2");
  expect(emulator.requests.list()).toEqual([]);
  await tab.getByLabel("call as a client").check();
  expect(await textsOf(journalRows(tab), 1)).toEqual([expect.stringMatching(/v2 apis\.listKeys/)]);
});

test("keys have the same badges in both versions, except for the name of a rate limit", async () => {
  const { tab } = await show();
  await tab.getByText("page 1: 7 of 7 keys").waitFor();
  const inV1 = await badgesOf(tab);

  await choose(tab, "v2");
  await tab.getByText("page 1: 7 keys of the API").waitFor();

  const inV2 = await badgesOf(tab);
  expect(inV1[3]).toEqual(["limit 10 per 1 min"]);
  expect(inV2[3]).toEqual(["limit default 10 per 1 min"]);
  expect(inV2.toSpliced(3, 1)).toEqual(inV1.toSpliced(3, 1));
  expect(await keyRows(tab).nth(4).innerText()).toContain("5 left");
});

test("a list of v2 shows every rate limit of a key, and its record as the service sends it", async () => {
  const { emulator, tab } = await show({ emulator: { fixtures: [limited] } });
  await choose(tab, "v2");
  await tab.getByText("page 1: 1 key of the API").waitFor();

  expect(await badgesOf(tab)).toEqual([
    ["limit requests 1,000 per 1 min", "limit uploads 5 per 1 h"],
  ]);
  await keyRows(tab).getByRole("button").click();
  const record = await recordOf(keyRows(tab));
  const { body } = await post(emulator, "/v2/apis.listKeys", { apiId: "api_one" });
  expect(record).toEqual(body.data[0]);
  expect(record).toMatchObject({ identity: { ratelimits: [{ name: "shared", limit: 3 }] } });
  await tab.getByText("All keys of user_1 here").click();
  await tab.getByRole("button", { name: /limited/ }).waitFor();
});

test("`show values` works through v2", async () => {
  const { emulator, tab } = await show();
  await choose(tab, "v2");
  await tab.getByText("page 1: 7 keys of the API").waitFor();

  await tab.getByLabel("show values").check();

  await tab.getByText("recoverable", { exact: true }).waitFor();
  await keyRows(tab).last().getByRole("button").click();
  const { plaintext } = await recordOf(keyRows(tab).last());
  expect(plaintext).toBe(emulator.keys.all().at(-1)?.plaintext);
});

test("a key is created through v2 with every field", async () => {
  const { emulator, tab } = await show();
  await emulator.roles.create({ name: "admin" });
  await choose(tab, "v2");
  await button(tab, "Create a key").click();
  const dialog = tab.getByRole("dialog", { name: "Create a key through v2" });

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

  expect((await textsOf(keyRows(tab), 1))[0]).toContain("made on the page");
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

test("the form of v2 sends null, keeps what v1 has too, and leaves out what only v1 has", async () => {
  const { emulator, tab } = await show();
  await button(tab, "Create a key").click();
  await tab.getByRole("dialog").getByLabel("name", { exact: true }).fill("both");
  await openMore(tab);
  await tab.getByRole("dialog").getByLabel("ownerId").fill("only v1");
  await tab.keyboard.press("Escape");
  await choose(tab, "v2");
  await button(tab, "Create a key").click();

  await group(tab, "credits").getByLabel("remaining").fill("null");
  await button(tab, "Create").click();

  await tab.getByRole("dialog", { name: "The key was created" }).waitFor();
  const input = { apiId: "api_one", name: "both", credits: { remaining: null } };
  expect(emulator.requests.list()).toMatchObject([{ version: "v2", input }]);
  expect(emulator.requests.list()[0]?.input).toEqual(input);
});

test("the form of v2 marks the wrong fields of rate limits, which can be removed again", async () => {
  const { emulator, tab } = await show({ told: /status of 400/ });
  await choose(tab, "v2");
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

test("with only v1, the page has no choice of a version and no fields of v2", async () => {
  const { tab } = await show({ emulator: { fixtures: [shownWorld], versions: ["v1"] } });
  await tab.getByText("page 1: 7 of 7 keys").waitFor();
  await look(tab, "Faults");
  await button(tab, "Add a fault").click();
  await tab.getByRole("dialog").getByLabel("code").waitFor();

  expect(await tab.getByLabel("version").count()).toBe(0);
  expect(await tab.getByLabel("type").count()).toBe(0);
});

test("with only v2, the page pages, filters and creates through v2", async () => {
  const keys = Array.from({ length: 60 }, (_, number) => ({
    apiId: "api_one",
    name: `n${number}`,
    ...(number < 2 && { externalId: "user_1" }),
  }));
  const { tab } = await show({
    emulator: { ...onlyV2, fixtures: [{ ...shownWorld, keys }] },
    // A link from an emulator that serves v1 too.
    path: "#version=v1",
  });
  const asked: string[] = [];
  tab.on("request", (request) => asked.push(request.url()));
  await textsOf(keyRows(tab), 25);

  expect(await tab.getByLabel("version").count()).toBe(0);
  await button(tab, "Next").click();
  await tab.getByText("page 2: 25 keys of the API").waitFor();
  await button(tab, "Next").click();
  expect((await textsOf(keyRows(tab), 10)).at(-1)).toContain("n59");
  expect(await button(tab, "Next").isDisabled()).toBe(true);
  await button(tab, "Previous").click();
  await textsOf(keyRows(tab), 25);
  await tab.getByLabel("External id").fill("user_1");
  await button(tab, "Filter").click();
  await textsOf(keyRows(tab), 2);
  await button(tab, "Create a key").click();
  await tab.getByRole("dialog").getByLabel("name", { exact: true }).fill("the new one");
  await button(tab, "Create").click();
  await button(tab, "Show it in the list").click();

  expect((await textsOf(keyRows(tab), 1))[0]).toContain("the new one");
  await journalRows(tab).getByText("v2 keys.createKey").waitFor();
  expect(asked.filter((url) => url.includes("/v1/"))).toEqual([]);
});

test("with only v2, a fault can be added for its operations, and its refusal is shown", async () => {
  const { emulator, tab } = await show({ emulator: onlyV2, told: /status of 503/ });
  await look(tab, "Faults");
  await button(tab, "Add a fault").click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("operation").selectOption("apis.listKeys");
  await dialog.getByLabel("status").fill("503");
  expect(await dialog.getByLabel("version").count()).toBe(0);
  await button(tab, "Add").click();
  await tab.getByText("apis.listKeys: status 503").waitFor();
  await look(tab, "World");
  await tab.locator(".world dd").getByText("v2", { exact: true }).waitFor();
  await tab.evaluate(() => void (location.hash = "#view=keys"));

  await tab.getByLabel("call as a client").check();

  const told = await tab.locator(".keys").getByRole("alert").innerText();
  expect(told).toContain("503 unkey/application/service_unavailable: an injected fault");
  expect(told).toContain("hit by fault_1");
  expect(emulator.requests.list()).toMatchObject([{ version: "v2", status: 503 }]);
});

test("a command for a terminal calls the version that is chosen", async () => {
  const { server, tab } = await show();
  await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await choose(tab, "v2");
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
