import { expect, test } from "vitest";
import type { Locator } from "playwright";
import type { Fixture } from "../../src/index.ts";
import { NOW, post } from "../_emulator.ts";
import { button, journalRows, keyRows, look, show, useBrowser } from "./_page.ts";

useBrowser();

const DAY = 86_400_000;

const demo: Fixture = {
  apis: [{ id: "api_one", name: "Payments" }],
  identities: [
    { externalId: "org_acme", meta: { name: "Acme GmbH" } },
    { externalId: "org_other", meta: { name: "Other Ltd" } },
  ],
  keys: Array.from({ length: 60 }, (_, number) => ({
    apiId: "api_one",
    name: `key ${number}`,
    key: `value_${number}`,
    externalId: number % 7 === 3 ? "org_acme" : "org_other",
    createdAt: NOW - (60 - number) * DAY,
  })),
};

/** Counts what a person does with the mouse or keyboard; typing a text counts as one click. */
class Clicks {
  count = 0;

  async on(place: Locator): Promise<void> {
    this.count += 1;
    await place.click();
  }

  async type(place: Locator, text: string): Promise<void> {
    this.count += 1;
    await place.fill(text);
  }
}

const given = () => show({ emulator: { fixtures: [demo] } });

test("the key that a customer made last is found with at most three clicks", async () => {
  const { tab } = await given();
  const clicks = new Clicks();

  await clicks.type(tab.getByLabel("Find keys"), "acme");

  await tab.getByText("1–9 of 9 keys").waitFor();
  expect(await keyRows(tab).first().innerText()).toMatch(/key 59[^]*Acme GmbH/);
  expect(clicks.count).toBeLessThanOrEqual(3);
});

test("why a call was refused is seen with at most three clicks", async () => {
  const { emulator, tab } = await given();
  await post(emulator, "/v2/keys.createKey", { apiId: "api_payments", name: "lost" });
  const clicks = new Clicks();

  await clicks.on(journalRows(tab).first().getByRole("button").first());

  await tab.getByText('there is no API "api_payments"; the APIs here are api_one').waitFor();
  expect(clicks.count).toBeLessThanOrEqual(3);
});

test("a key is rotated with an hour of grace with at most three clicks", async () => {
  const { emulator, tab } = await given();
  const clicks = new Clicks();

  await clicks.on(keyRows(tab).first().getByRole("button").first());
  await clicks.on(keyRows(tab).first().getByRole("button", { name: "Rotate" }));
  await clicks.on(tab.getByRole("dialog").getByRole("button", { name: "Rotate", exact: true }));

  await tab.getByText("The key was replaced").waitFor();
  const old = emulator.keys.findByValue("value_59");
  expect(old?.expires).toBe(NOW + 3_600_000);
  expect(clicks.count).toBeLessThanOrEqual(3);
});

test("who used most yesterday is seen with at most three clicks", async () => {
  const { emulator, tab } = await given();
  emulator.clock.set(NOW - DAY / 2);
  for (const value of ["value_3", "value_10", "value_4"]) {
    await post(emulator, "/v2/keys.verifyKey", { key: value });
  }
  emulator.clock.set(NOW);
  const clicks = new Clicks();

  await clicks.on(
    tab.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Usage" }),
  );

  const most = tab.getByRole("list", { name: "Who used most" }).getByRole("listitem");
  await most.first().waitFor();
  expect((await most.allInnerTexts()).map((text) => text.split("\n")[0])).toEqual([
    "Acme GmbH",
    "Other Ltd",
  ]);
  expect(clicks.count).toBeLessThanOrEqual(3);
});

test("the next call is made to fail with at most three clicks", async () => {
  const { emulator, tab } = await given();
  const clicks = new Clicks();

  await clicks.on(
    tab.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Faults" }),
  );
  await clicks.on(button(tab, "The next call fails"));

  await tab.getByText("every operation: status 500, 1 ×").waitFor();
  expect((await post(emulator, "/v2/keys.verifyKey", { key: "value_1" })).status).toBe(500);
  expect((await post(emulator, "/v2/keys.verifyKey", { key: "value_1" })).status).toBe(200);
  expect(clicks.count).toBeLessThanOrEqual(3);
});

test.each([
  ["laptop", { width: 1280, height: 720 }],
  ["phone", { width: 390, height: 844 }],
])("a list of 10,000 keys is searched, sorted and paged on a %s", async (_, viewport) => {
  const fixture = { ...demo, generate: [{ apiId: "api_one", count: 9_940 }] };
  const { tab } = await show({ emulator: { fixtures: [fixture] }, context: { viewport } });
  await tab.getByText("1–25 of 10,000 keys").waitFor();
  if (viewport.width < 1_000) await look(tab, "Keys");

  await button(tab, "Last").click();
  await tab.getByText("9,976–10,000 of 10,000 keys").waitFor();
  await tab.getByRole("group", { name: "Sort by" }).getByRole("button", { name: "key" }).click();
  await tab.getByText("1–25 of 10,000 keys").waitFor();
  await tab.getByLabel("Find keys").fill("key 59");
  await tab.getByText("1–1 of 1 key").waitFor();
  expect(await keyRows(tab).count()).toBe(1);
});
