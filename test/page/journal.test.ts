import { expect, test } from "vitest";
import { NOW, post } from "../_emulator.ts";
import { journalRows, keyRows, show, shownWorld, textsOf, useBrowser } from "./_page.ts";

useBrowser();

const keys = [
  { apiId: "api_one", id: "key_good", name: "Nightly export", key: "good" },
  { apiId: "api_one", id: "key_late", name: "Old export", key: "late", expires: NOW - 1 },
];

test("the journal shows the outcome of each verification and the name of the key", async () => {
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  await post(emulator, "/v2/keys.verifyKey", { key: "good" });
  await post(emulator, "/v1/keys.verifyKey", { key: "late" });
  await post(emulator, "/v2/keys.verifyKey", { key: "missing" });
  await post(emulator, "/v2/keys.verifyKey", { key: 1 });

  const shown = await textsOf(journalRows(tab), 4);

  expect(shown[0]).toMatch(/v2 keys\.verifyKey\s+INVALID_INPUT\s+400/);
  expect(shown[1]).toMatch(/v2 keys\.verifyKey\s+NOT_FOUND\s+200/);
  expect(shown[2]).toMatch(/v1 keys\.verifyKey\s+EXPIRED[^]*200/);
  expect(shown[3]).toMatch(/v2 keys\.verifyKey\s+VALID\s+Nightly export\s+200/);
  const kinds = await journalRows(tab)
    .locator(".badge")
    .evaluateAll((badges) => badges.map(({ className }) => className));
  expect(kinds).toEqual(["badge bad", "badge warn", "badge warn", "badge good"]);
});

test("a refused call says in one click what was wrong", async () => {
  const { emulator, tab } = await show();
  await post(emulator, "/v2/apis.getApi", { apiId: "api_nowhere" });
  await textsOf(journalRows(tab), 1);

  await journalRows(tab).first().getByRole("button").first().click();

  await tab.getByText('there is no API "api_nowhere"; the APIs here are api_one').waitFor();
});

test("a call leads to its key, in whichever API it is, and tells if it is gone", async () => {
  const other = { apiId: "api_two", id: "key_other", name: "Elsewhere", key: "other" };
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, keys: [...keys, other] }] },
    told: /status of 404/,
  });
  await post(emulator, "/v2/keys.verifyKey", { key: "other" });
  await post(emulator, "/v2/keys.updateKey", { keyId: "key_good", enabled: false });
  await textsOf(journalRows(tab), 2);
  const opened = tab.locator(".keys .row[aria-expanded=true]");

  await journalRows(tab).last().getByRole("button").first().click();
  await tab.getByRole("link", { name: "Show the key Elsewhere" }).click();

  expect(await textsOf(opened, 1)).toEqual([expect.stringContaining("Elsewhere")]);
  await tab.getByRole("heading", { name: "Second" }).waitFor();
  emulator.keys.delete({ id: "key_good" });
  await journalRows(tab).first().getByRole("button").first().click();
  await journalRows(tab).first().getByRole("link", { name: "Show the key" }).click();
  await tab.getByText("The key key_good is not here any more.").waitFor();
});

test("a long journal scrolls by itself, so an open call leaves the keys in view", async () => {
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  for (let count = 0; count < 40; count++) {
    await post(emulator, "/v2/keys.verifyKey", { key: "good" });
  }
  await textsOf(journalRows(tab), 40);

  await journalRows(tab).last().scrollIntoViewIfNeeded();
  await journalRows(tab).last().getByRole("button").first().click();

  const box = await keyRows(tab).first().boundingBox();
  expect(box?.y).toBeGreaterThan(0);
});

test("what deletes is red, unlike what creates, and can be cancelled", async () => {
  const { emulator, tab } = await show();
  const colorOf = (name: string) =>
    tab
      .getByRole("dialog")
      .getByRole("button", { name, exact: true })
      .evaluate((element) => getComputedStyle(element as never).backgroundColor);
  await tab.getByRole("button", { name: "Create an API" }).click();
  const create = await colorOf("Create");
  await tab.getByRole("button", { name: "Cancel" }).click();

  await tab.getByRole("button", { name: "Delete this API" }).click();

  expect([create, await colorOf("Delete")]).toEqual(["rgb(23, 105, 78)", "rgb(163, 33, 29)"]);
  await tab.getByRole("button", { name: "Cancel" }).click();
  await tab.getByRole("dialog").waitFor({ state: "detached" });
  expect(emulator.apis.count()).toBe(2);
});
