import { expect, test } from "vitest";
import type { Locator, Page } from "playwright";
import type { Fixture } from "../../src/index.ts";
import { listKeys, NOW, post } from "../_emulator.ts";
import {
  button,
  journalRows,
  keyRows,
  show,
  textsOf,
  untilFocused,
  useBrowser,
  openMore,
} from "./_page.ts";

useBrowser();

const DAY = 86_400_000;

/** Keys for what can be done with a key. */
const world = {
  workspace: { id: "ws_test" },
  apis: [
    { id: "api_first", name: "First", storeEncryptedKeys: true },
    { id: "api_kept", name: "Held", deleteProtection: true },
  ],
  roles: [{ name: "reader", permissions: ["docs.read"] }, { name: "writer" }],
  keys: [
    {
      apiId: "api_first",
      name: "counted",
      key: "counted_value",
      recoverable: true,
      remaining: 2,
      refill: { interval: "monthly", amount: 100, refillDay: 31 },
    },
    {
      apiId: "api_first",
      name: "limited",
      key: "limited_value",
      ratelimits: [{ name: "requests", limit: 2, duration: 60_000, autoApply: true }],
    },
    {
      apiId: "api_first",
      name: "full",
      externalId: "user_1",
      meta: { plan: "pro" },
      expires: NOW + DAY + 5,
      roles: ["reader"],
      permissions: ["docs.write"],
    },
  ],
} satisfies Fixture;

const both = { fixtures: [world] };

function rowOf(tab: Page, name: string): Locator {
  return keyRows(tab).filter({ has: tab.locator(".title", { hasText: name }) });
}

/** Opens the row of a key, and starts what one of its buttons does. */
async function start(tab: Page, name: string, action: string): Promise<Locator> {
  const row = rowOf(tab, name);
  await row.locator(".row").click();
  await row.getByRole("button", { name: action, exact: true }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.locator("button[type=submit]:not(:disabled)").waitFor();
  return dialog;
}

/** The button that sends the form of the dialog, and not one of the row behind it. */
function submit(tab: Page, name: string): Locator {
  return tab.getByRole("dialog").getByRole("button", { name, exact: true });
}

async function verify(tab: Page, code: string): Promise<string> {
  await submit(tab, "Verify").click();
  const outcome = tab.getByRole("dialog").getByRole("status");
  await outcome.getByText(code, { exact: true }).waitFor();
  return outcome.innerText();
}

async function save(tab: Page): Promise<void> {
  await button(tab, "Save").click();
  await tab.getByRole("dialog").waitFor({ state: "detached" });
}

test("a key is verified until it has no uses left", async () => {
  const { emulator, tab } = await show({ emulator: both });
  await button(tab, "Verify a key").click();
  await tab.getByRole("dialog").getByLabel("key required").fill("counted_value");

  expect(await verify(tab, "VALID")).toContain("1 left");
  await submit(tab, "Verify").click();
  await tab.getByRole("dialog").getByText("0 left").waitFor();
  await verify(tab, "USAGE_EXCEEDED");
  await tab.getByText("JSON", { exact: true }).click();

  const shown = JSON.parse(await tab.getByRole("dialog").locator("pre").innerText());
  expect(shown).toMatchObject({ valid: false, code: "USAGE_EXCEEDED" });
  expect(emulator.requests.list()).toHaveLength(3);
  expect(emulator.requests.list()).toMatchObject(
    Array.from({ length: 3 }, () => ({ version: "v2", operation: "keys.verifyKey", status: 200 })),
  );
  await rowOf(tab, "counted").getByText("used up").waitFor({ state: "attached" });
});

test("a verification shows how many calls each rate limit still allows, and when one refuses", async () => {
  const { emulator, tab } = await show({ emulator: both });
  await button(tab, "Verify a key").click();
  await tab.getByRole("dialog").getByLabel("key required").fill("limited_value");

  expect(await verify(tab, "VALID")).toContain("rate limit requests: 1 of 2 left");
  await submit(tab, "Verify").click();
  await tab.getByText("rate limit requests: 0 of 2 left").waitFor();
  expect(await verify(tab, "RATE_LIMITED")).toContain("window ends in ");

  emulator.clock.advance("2m");
  await verify(tab, "VALID");
});

test("a refusal of a verification is shown in place of the last outcome", async () => {
  const { emulator, tab } = await show({ emulator: both, told: /status of 503/ });
  await button(tab, "Verify a key").click();
  await tab.getByRole("dialog").getByLabel("key required").fill("counted_value");
  await verify(tab, "VALID");
  emulator.faults.add({ operation: "keys.verifyKey", status: 503, times: 1 });

  await submit(tab, "Verify").click();

  await tab.getByRole("dialog").getByRole("alert").getByText("an injected fault").waitFor();
  expect(await tab.getByRole("dialog").getByText("VALID").count()).toBe(0);
});

test("the record tells when a key was last used, and when it is refilled next", async () => {
  const { emulator, tab } = await show({ emulator: both });
  await rowOf(tab, "counted").locator(".row").click();
  const facts = rowOf(tab, "counted").locator("dl");
  expect(await facts.innerText()).toMatch(/next refill\s+2026-01-31 00:00:00 UTC/);
  expect(await facts.innerText()).not.toContain("last used");

  await post(emulator, "/v2/keys.verifyKey", { key: "counted_value" });
  await facts.getByText("last used").waitFor();
  await rowOf(tab, "counted").getByText("1 left").waitFor();
  emulator.clock.set(Date.UTC(2026, 0, 31));

  // The last day of a short month counts for later days.
  await facts.getByText("2026-02-28 00:00:00 UTC").waitFor();
  expect(await facts.innerText()).toMatch(/last used\s+2026-01-01 00:00:00 UTC/);
});

test("an open key tells in words who has it, how long it works and how often", async () => {
  const identities = [{ externalId: "user_1", meta: { name: "Acme GmbH", plan: "team" } }];
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...world, identities }] } });
  const openFacts = async (name: string) => {
    await rowOf(tab, name).locator(".row").click();
    return (await rowOf(tab, name).locator("dl").innerText()).replaceAll(/\s+/g, " ");
  };

  expect(await openFacts("full")).toBe(
    "customer Acme GmbH, user_1 plan team roles reader permissions docs.write created 2026-01-01 00:00:00 UTC, now expires 2026-01-02 00:00:00 UTC, tomorrow",
  );
  await rowOf(tab, "limited").locator(".row").click();
  const limits = rowOf(tab, "limited").locator("dl");
  await limits.getByText("2 of 2 per 1 min left, window ends in 1 minute").waitFor();
  await post(emulator, "/v2/keys.verifyKey", { key: "limited_value" });
  await limits.getByText("1 of 2 per 1 min left").waitFor();
  const left = tab.getByRole("meter", { name: "left of requests" });
  expect([await left.getAttribute("value"), await left.getAttribute("max")]).toEqual(["1", "2"]);
  expect(await openFacts("counted")).toContain("uses 2 of 100 left");
  const bar = tab.getByRole("meter", { name: "uses left" });
  expect([await bar.getAttribute("value"), await bar.getAttribute("max")]).toEqual(["2", "100"]);
});

test("a key is renamed and disabled, and nothing else is sent", async () => {
  const { emulator, tab } = await show({ emulator: both });
  const dialog = await start(tab, "full", "Change");
  expect(await dialog.getByLabel("externalId").inputValue()).toBe("user_1");
  expect(await dialog.getByLabel("meta").inputValue()).toBe('{"plan":"pro"}');

  await dialog.getByLabel("name", { exact: true }).first().fill("renamed");
  await dialog.getByLabel("enabled").selectOption("false");
  await save(tab);

  await rowOf(tab, "renamed").getByText("disabled").waitFor();
  const keyId = emulator.keys.all()[2]?.id;
  expect(emulator.requests.list()[0]?.input).toEqual({ keyId, name: "renamed", enabled: false });
  expect(emulator.keys.all()[2]).toMatchObject({ expires: NOW + DAY + 5, roles: ["reader"] });
});

test("an emptied field clears a member", async () => {
  const { emulator, tab } = await show({ emulator: both });
  let dialog = await start(tab, "full", "Change");
  await openMore(tab);
  for (const name of ["externalId", "meta", "expires"]) await dialog.getByLabel(name).fill("");
  await save(tab);
  dialog = await start(tab, "counted", "Change");
  await button(tab, "Clear credits").click();
  await save(tab);

  const [full, counted] = emulator.requests.list().map(({ input }) => input);
  const [first, , third] = emulator.keys.all();
  const cleared = { externalId: null, meta: null, expires: null };
  expect(full).toEqual({ keyId: third?.id, ...cleared });
  expect(counted).toEqual({ keyId: first?.id, credits: null });
  expect(third).toMatchObject({ name: "full", roles: ["reader"] });
  expect([third?.expires, third?.meta, first?.refill]).toEqual([undefined, undefined, undefined]);
});

test("a change of the refill leaves the uses as they are, and sends the refill as a whole", async () => {
  const { emulator, tab } = await show({ emulator: both });
  const dialog = await start(tab, "counted", "Change");

  await dialog.getByLabel("amount").fill("50");
  await save(tab);

  expect(emulator.requests.list()[0]?.input).toEqual({
    keyId: emulator.keys.all()[0]?.id,
    credits: { refill: { interval: "monthly", amount: 50, refillDay: 31 } },
  });
});

test("roles and permissions are changed through v2", async () => {
  const { emulator, tab } = await show({ emulator: both });
  let dialog = await start(tab, "full", "Change");
  expect(await dialog.getByLabel("roles").inputValue()).toBe("reader");
  // Without those of its role.
  expect(await dialog.getByLabel("permissions").inputValue()).toBe("docs.write");
  await dialog.getByLabel("roles").fill("writer");
  await dialog.getByLabel("permissions").fill("docs.list, docs.find");
  await save(tab);
  expect(emulator.keys.all()[2]).toMatchObject({
    roles: ["writer"],
    permissions: ["docs.list", "docs.find"],
  });

  await tab.locator(".keys pre").getByText('"writer"').waitFor({ state: "attached" });
  dialog = await start(tab, "counted", "Change");
  await dialog.getByLabel("permissions").fill("docs.list");
  await save(tab);
  await rowOf(tab, "counted")
    .locator("pre")
    .getByText('"docs.list"')
    .waitFor({ state: "attached" });
  await rowOf(tab, "counted").getByRole("button", { name: "Change" }).click();
  expect(await dialog.getByLabel("permissions").inputValue()).toBe("docs.list");
  await dialog.getByLabel("permissions").fill("");
  await save(tab);

  expect(emulator.keys.all()[0]?.permissions).toEqual([]);
});

test("a refused change is shown beside its field, and the form keeps its contents", async () => {
  const { tab } = await show({ emulator: both, told: /status of 4/ });
  const dialog = await start(tab, "full", "Change");

  await dialog.getByLabel("externalId").fill("not valid");
  await button(tab, "Save").click();

  await dialog.getByRole("alert").getByText("externalId: expected").waitFor();
  await untilFocused(dialog.getByLabel("externalId"));
  expect(await dialog.getByLabel("externalId").inputValue()).toBe("not valid");
});

test("a key is deleted after a confirmation, and the focus stays on the list", async () => {
  // The usage and the limits of the deleted key may be read before its row is gone.
  const { emulator, tab } = await show({ emulator: both, told: /status of 40/ });
  await start(tab, "limited", "Delete");
  await tab.keyboard.press("Escape");
  await untilFocused(rowOf(tab, "limited").getByRole("button", { name: "Delete" }));
  await tab.keyboard.press("Enter");
  await untilFocused(
    tab.getByRole("dialog", { name: "Delete limited?" }).getByText("Delete", { exact: true }),
  );

  await tab.keyboard.press("Enter");

  await textsOf(keyRows(tab), 2);
  expect(emulator.keys.all().map(({ name }) => name)).toEqual(["counted", "full"]);
  await untilFocused(tab.locator(".panel.keys"));
});

test("a refused deletion is shown, and the key stays", async () => {
  const { emulator, tab } = await show({ emulator: both, told: /status of 403/ });
  emulator.faults.add({ operation: "keys.deleteKey", status: 403, times: 1 });
  const dialog = await start(tab, "limited", "Delete");

  await submit(tab, "Delete").click();

  await dialog.getByRole("alert").getByText(/^403/).waitFor();
  expect(emulator.keys.count()).toBe(3);
});

test("a key is rotated", async () => {
  const { emulator, tab } = await show({ emulator: both });
  const dialog = await start(tab, "limited", "Rotate");
  await tab.getByRole("dialog", { name: "Rotate limited" }).waitFor();
  expect(await dialog.getByLabel("expiration").inputValue()).toBe("3600000");
  await dialog.getByLabel("expiration").selectOption("in a day");
  await submit(tab, "Rotate").click();

  const value = await tab
    .getByRole("dialog", { name: "The key was replaced" })
    .locator(".made code")
    .innerText();
  await button(tab, "Verify it").click();
  await verify(tab, "VALID");
  await tab.keyboard.press("Escape");

  await textsOf(keyRows(tab), 4);
  expect(emulator.keys.all()[1]?.expires).toBe(NOW + DAY);
  expect(emulator.keys.all()[3]?.name).toBe("limited");
  expect(value).not.toBe("limited_value");
  await journalRows(tab).getByText("v2 keys.rerollKey").waitFor();
});

test("an API is created and deleted", async () => {
  const { emulator, tab } = await show({ emulator: both, told: /status of 400/ });
  await button(tab, "Create an API").click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("name").fill("x");
  await button(tab, "Create").click();
  await dialog.getByRole("alert").getByText("name: expected").waitFor();
  await dialog.getByLabel("name").fill("Made here");
  await button(tab, "Create").click();

  await tab.getByRole("heading", { name: "Made here" }).waitFor();
  await button(tab, "Delete this API").click();
  await dialog.getByText("and its 0 keys are deleted").waitFor();
  await button(tab, "Delete").click();

  await tab.getByRole("heading", { name: "First" }).waitFor();
  const apis = tab.getByRole("navigation", { name: "APIs" }).getByRole("link");
  expect((await textsOf(apis, 2)).join()).not.toContain("Made here");
  expect(emulator.requests.list().map((request) => [request.version, request.status])).toEqual([
    ["v2", 400],
    ["v2", 200],
    ["v2", 200],
  ]);
});

test("the delete protection of an API is shown", async () => {
  const { emulator, tab } = await show({
    emulator: both,
    told: /status of (?:412|429)/,
  });
  await tab.getByRole("link", { name: /Held/ }).click();
  await tab.getByRole("heading", { name: "Held" }).waitFor();
  await button(tab, "Delete this API").click();

  await button(tab, "Delete").click();

  const told = await tab.getByRole("dialog").getByRole("alert").innerText();
  expect(told).toMatch(/protect/i);
  expect(emulator.apis.count()).toBe(2);
});

test("without any API, one can be created", async () => {
  const { tab } = await show({ emulator: { fixtures: [{ workspace: { id: "ws_test" } }] } });
  await tab.getByText("There are no APIs.").waitFor();

  await button(tab, "Create an API").click();
  await tab.getByRole("dialog").getByLabel("name").fill("The first");
  await tab.keyboard.press("Enter");

  await tab.getByRole("heading", { name: "The first" }).waitFor();
  await tab.getByText("There are no keys here.").waitFor();
});

test("Escape closes a verification that hangs, and the page goes on working", async () => {
  const { emulator, tab } = await show({ emulator: both });
  emulator.faults.add({ operation: "keys.verifyKey", effect: "hang", times: 1 });
  await button(tab, "Verify a key").click();
  await tab.getByRole("dialog").getByLabel("key required").fill("counted_value");
  await submit(tab, "Verify").click();
  await button(tab, "Waiting for the reply…").waitFor();

  await tab.keyboard.press("Escape");

  await tab.getByRole("dialog").waitFor({ state: "detached" });
  await untilFocused(button(tab, "Verify a key"));
  // The form keeps its contents.
  await button(tab, "Verify a key").click();
  await verify(tab, "VALID");
  expect((await listKeys(emulator, { apiId: "api_first" })).status).toBe(200);
});
