import { expect, test } from "vitest";
import type { Locator, Page } from "playwright";
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
  "+1h",
  "Go there",
  "Reset",
  "Save a snapshot",
];

const views = [
  ["Keys", "keys"],
  ["Identities", "identities"],
  ["Rate limits", "limits"],
  ["Roles", "roles"],
] as const;

/** The visible elements of the chosen view. */
function shown(tab: Page, selector: string): Locator {
  return tab.locator("main").locator(selector).filter({ visible: true });
}

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
  for (const view of ["Journal", "Faults", "State"] as const) {
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
  expect(await tab.locator(".panel.state .time time").isVisible()).toBe(true);
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

test("what the token may not do is not offered", async () => {
  const some = ["latchkey.control", ...reading, "api.api_one.create_key", "rbac.*.create_role"];
  const fixture = {
    ...shownWorld,
    roles: [{ name: "admin" }],
    ratelimitNamespaces: [{ id: "rlns_mail", name: "mail" }],
    tokens: [
      { token: "owner", permissions: ["*"] },
      {
        token: "maker",
        permissions: [
          ...some,
          "identity.*.read_identity",
          "rbac.*.read_role",
          "rbac.*.read_permission",
          "ratelimit.rlns_mail.read_override",
        ],
      },
    ],
  };
  const offered = async (token: string) => {
    const { tab } = await show({ emulator: { fixtures: [fixture] }, path: `#token=${token}` });
    const found: string[] = [];
    for (const [view, id] of views) {
      await look(tab, view);
      await tab.locator(`main.view-${id}`).waitFor();
      await shown(tab, ".rows > li, .limits h3").first().waitFor();
      for (const row of await shown(tab, ".rows > li > button").all()) await row.click();
      const buttons = shown(
        tab,
        ".sidebar .buttons button, .panel > header button, .actions button",
      );
      found.push(...(await buttons.allInnerTexts()).map((name) => `${view}: ${name}`));
    }
    expect(await tab.locator(".refusal").count()).toBe(0);
    return [...new Set(found)];
  };

  const all = await offered("owner");
  expect(all).toEqual(
    expect.arrayContaining(["Keys: Delete", "Identities: Change", "Rate limits: Count a use"]),
  );
  expect(await offered("maker")).toEqual([
    "Keys: Create a key",
    "Keys: Rotate",
    "Rate limits: Use a new namespace",
    "Roles: Create a role",
  ]);
});

test("Real time lets the clock follow the real time again", async () => {
  const { emulator, tab } = await show();
  const before = Date.now();
  await look(tab, "State");
  await button(tab, "Real time").click();

  await tab.getByText("runs", { exact: true }).waitFor();
  expect(emulator.clock.now()).toBeGreaterThanOrEqual(before);
  expect(emulator.clock.now()).toBeLessThanOrEqual(Date.now());
});
