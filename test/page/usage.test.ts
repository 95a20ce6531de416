import { join } from "node:path";
import { expect, test } from "vitest";
import type { Locator, Page } from "playwright";
import { outcomes } from "../../src/api/outcomes.ts";
import { NOW, post } from "../_emulator.ts";
import { faultsOf, pictures, tooWide } from "./_checks.ts";
import { keyRows, look, show, textsOf, useBrowser } from "./_page.ts";

useBrowser();

const DAY = 86_400_000;
const apis = [
  { id: "api_shop", name: "Shop" },
  { id: "api_internal", name: "Internal" },
];
const keys = [
  { apiId: "api_shop", id: "key_mine", name: "Nightly export", key: "mine", externalId: "acme" },
  { apiId: "api_shop", id: "key_late", name: "Old export", key: "late", expires: NOW - DAY },
];
/** Customers with a history, and two keys without one. */
const given = {
  emulator: { fixtures: [{ apis, keys }], generate: { count: 400 }, now: NOW + DAY / 2 },
};

const format = (count: number) => count.toLocaleString("en");

/** The cells of the rows of the table behind a fold. */
async function tableOf(place: Locator): Promise<string[][]> {
  const rows = place.getByRole("row");
  if ((await rows.count()) === 0) await place.getByText("As a table").click();
  await rows.nth(1).waitFor();
  const texts = await rows.allInnerTexts();
  return texts.map((text) => text.split("\t"));
}

const usage = (tab: Page) => tab.getByRole("region", { name: "Usage of Shop" });
const who = (tab: Page) => tab.getByRole("list", { name: "Who used most" }).getByRole("listitem");

test("the usage of an API is a chart of its verifications by day and outcome, and a table", async () => {
  const { emulator, tab } = await show(given);
  await look(tab, "Usage");
  const { days, outcomes: counts, total } = emulator.usage({ apiId: "api_shop" });
  const came = outcomes.filter((outcome) => counts[outcome] !== undefined);

  const name = `Verifications by day, from 2025-12-03 to 2026-01-01: ${format(total)}`;
  await tab.getByRole("img", { name }).waitFor();
  const legend = await tab.getByRole("list", { name: "Outcomes" }).first().allInnerTexts();
  const [heads, ...rows] = await tableOf(usage(tab));

  expect(legend[0]?.split("\n").map((text) => text.trim())).toEqual(
    came.map((outcome) => `${outcome} ${format(counts[outcome] ?? 0)}`),
  );
  expect(heads).toEqual(["day", "all", ...came]);
  expect(rows).toEqual(
    days
      .filter((ofDay) => ofDay.total > 0)
      .map((ofDay) => {
        const numbers = [ofDay.total, ...came.map((outcome) => ofDay.outcomes[outcome] ?? 0)];
        return [ofDay.day, ...numbers.map(format)];
      })
      .toReversed(),
  );
  await usage(tab).getByLabel(/^days/).selectOption("7");
  await tab.getByRole("img", { name: "from 2025-12-26 to 2026-01-01" }).waitFor();
});

test("one click shows who used most yesterday, and a second one their keys", async () => {
  const { emulator, tab } = await show(given);
  const yesterday = { apiId: "api_shop", until: "1d ago", days: 1 } as const;
  const customers = emulator.usage({ ...yesterday, by: "externalId" }).groups ?? [];
  const ofKeys = emulator.usage({ ...yesterday, by: "key" }).groups ?? [];
  const owned = customers.findIndex(({ externalId }) => externalId !== undefined);
  await textsOf(keyRows(tab), 25);

  await look(tab, "Usage");
  const shown = await textsOf(who(tab), customers.length);

  expect(customers.length).toBeGreaterThan(3);
  for (const [index, { name = "keys of no customer", total }] of customers.entries()) {
    expect(shown[index]).toContain(name);
    expect(shown[index]).toContain(format(total));
  }
  await tab.getByLabel(/^who /).selectOption("keys");
  await expect.poll(() => who(tab).first().innerText()).toContain(ofKeys[0]?.name);
  await tab.getByLabel(/^who /).selectOption("customers");
  await who(tab).nth(owned).getByRole("link").click();
  const { externalId = "" } = customers[owned] ?? {};
  await textsOf(keyRows(tab), emulator.keys.count({ apiId: "api_shop", externalId }));
});

test("an open key shows its verifications, and follows new ones", async () => {
  const { emulator, tab } = await show({ ...given, path: "#externalId=acme" });
  await textsOf(keyRows(tab), 1);
  await keyRows(tab).first().getByRole("button").first().click();
  await tab.getByText("There were no verifications in these 30 days.").waitFor();

  await post(emulator, "/v2/keys.verifyKey", { key: "mine" });
  await tab.getByRole("img", { name: "to 2026-01-01: 1", exact: false }).waitFor();
  await post(emulator, "/v2/keys.verifyKey", { key: "mine" });
  await tab.getByRole("img", { name: "to 2026-01-01: 2", exact: false }).waitFor();

  const [, today] = await tableOf(keyRows(tab).first());
  expect(today).toEqual(["2026-01-01", "2", "2"]);
});

test("the journal shows the calls by minute and outcome", async () => {
  const { emulator, tab } = await show(given);
  const call = (key: string) => post(emulator, "/v2/keys.verifyKey", { key });
  await call("mine");
  await post(emulator, "/v2/apis.listKeys", { apiId: "api_none" });
  emulator.clock.advance("2m");
  await Promise.all([call("mine"), call("mine"), call("late"), call("unknown")]);
  await post(emulator, "/v2/apis.listKeys", { apiId: "api_shop" });

  const journal = tab.getByRole("region", { name: "Journal" });
  await journal
    .getByRole("img", { name: "from 2026-01-01 11:33 to 2026-01-01 12:02: 7" })
    .waitFor();

  expect(await tableOf(journal)).toEqual([
    ["minute", "all", "VALID", "done", "NOT_FOUND", "EXPIRED", "refused"],
    ["2026-01-01 12:02", "5", "2", "1", "1", "1", "0"],
    ["2026-01-01 12:00", "2", "1", "0", "0", "0", "1"],
  ]);
});

const laptop = { width: 1280, height: 720 };
const phone = { width: 390, height: 844 };

test.each([
  ["laptop", "light", laptop],
  ["laptop", "dark", laptop],
  ["phone", "light", phone],
  ["phone", "dark", phone],
] as const)(
  "charts have no axe violation, and fit: %s, %s",
  async (name, colorScheme, viewport) => {
    const { emulator, tab } = await show({ ...given, context: { colorScheme, viewport } });
    await post(emulator, "/v2/keys.verifyKey", { key: "mine" });
    await post(emulator, "/v2/keys.verifyKey", { key: "late" });
    // The chart of the key that is used most, among those of its customer.
    const { groups = [] } = emulator.usage({ apiId: "api_shop", by: "key", limit: 1_000 });
    const { externalId, name: ofKey = "" } = groups.find((group) => group.externalId) ?? {};
    const row = keyRows(tab).filter({ hasText: ofKey }).first();
    const views = [
      ["usage", () => tableOf(usage(tab))],
      ["journal", () => tableOf(tab.getByRole("region", { name: "Journal" }))],
      [
        `keys&externalId=${externalId}`,
        async () => {
          await row.getByRole("button").first().click();
          await row.getByRole("img").waitFor();
        },
      ],
    ] as const;

    const found: string[] = [];
    for (const [hash, act] of views) {
      const [view = ""] = hash.split("&");
      await tab.evaluate((to) => void (location.hash = to), `#view=${hash}`);
      await tab.locator(`main.view-${view}`).waitFor();
      await act();
      await tab.screenshot({ path: join(pictures, `charts ${view} ${name} ${colorScheme}.png`) });
      found.push(...(await faultsOf(tab)), ...(await tab.evaluate(tooWide)));
    }

    expect(found).toEqual([]);
  },
);
