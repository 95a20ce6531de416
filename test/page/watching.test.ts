import { expect, test } from "vitest";
import { createKey } from "../_emulator.ts";
import {
  button,
  journalRows,
  keyRows,
  look,
  show,
  shownWorld,
  textsOf,
  useBrowser,
} from "./_page.ts";

useBrowser();

const reading = ["api.*.read_key", "api.*.read_api"];
const tokens = [
  { token: "owner", permissions: ["*"] },
  { token: "visitor", permissions: ["latchkey.watch", ...reading] },
];
const changing = [
  "Empty the journal",
  "Add a fault",
  "Everything takes 1 to 2 s",
  "Remove fault_1",
  "Remove all",
  "Freeze",
  "Let it run",
  "Real time",
  "Advance by 1h",
  "Go there",
  "Reset",
  "Save a snapshot",
];

/** How many buttons that change the emulator each view shows, by the token that the page sends. */
async function buttonsOf(token: string) {
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, tokens, faults: [{ latency: 0 }, { latency: 0 }] }] },
    path: `#token=${token}&api=api_one`,
  });
  await textsOf(keyRows(tab), 7);
  await createKey(emulator, { apiId: "api_one" }, { token: "owner" });
  await textsOf(journalRows(tab), 1);
  const found: string[] = [];
  for (const view of ["Journal", "Faults", "World"] as const) {
    await look(tab, view);
    await tab.getByRole("heading", { name: view, exact: true }).waitFor();
    for (const name of changing) if (await button(tab, name).isVisible()) found.push(name);
  }
  return { found: [...new Set(found)], tab };
}

test("with a token that may only watch, the page shows keys, journal, faults and the time, and no button that changes them", async () => {
  const { found, tab } = await buttonsOf("visitor");

  expect(found).toEqual([]);
  expect(await tab.getByText("may only watch").isVisible()).toBe(true);
  expect(await tab.locator(".world .time time").isVisible()).toBe(true);
  expect(await tab.locator(".refusal").count()).toBe(0);
  await look(tab, "Faults");
  expect(await tab.locator(".faults .rows > li").count()).toBe(2);
});

test("with a token that may control, the page shows the buttons that change the emulator", async () => {
  const { found, tab } = await buttonsOf("owner");

  // The clock stands still, so it cannot be frozen.
  expect(found.toSorted()).toEqual(changing.filter((name) => name !== "Freeze").toSorted());
  expect(await tab.getByText("may only watch").count()).toBe(0);
});

test("Real time lets the clock follow the real time again", async () => {
  const { emulator, tab } = await show();
  const before = Date.now();
  await look(tab, "World");
  await button(tab, "Real time").click();

  await tab.getByText("runs", { exact: true }).waitFor();
  expect(emulator.clock.now()).toBeGreaterThanOrEqual(before);
  expect(emulator.clock.now()).toBeLessThanOrEqual(Date.now());
});
