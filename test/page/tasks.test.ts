import { describe, expect, test } from "vitest";
import type { Page } from "playwright";
import type { Fixture } from "../../src/index.ts";
import { NOW, post } from "../_emulator.ts";
import { show, untilFocused, useBrowser } from "./_page.ts";
import { openSite, useSite, type Call } from "./_site.ts";

useBrowser();

const DAY = 86_400_000;
const token = "root_of_test";
const world: Fixture = {
  workspace: { id: "ws_test", name: "Test" },
  apis: [{ id: "api_one", name: "First" }],
  tokens: [{ token, permissions: ["*"] }],
  identities: [{ externalId: "org_fjord", meta: { name: "Fjordline Travel" } }],
  keys: [
    { apiId: "api_one", name: "older", externalId: "org_fjord", createdAt: NOW - 9 },
    { apiId: "api_one", name: "newer", externalId: "org_fjord", createdAt: NOW - 8 },
    {
      apiId: "api_one",
      name: "limited",
      key: "limited_value",
      createdAt: NOW - 7,
      ratelimits: [{ name: "default", limit: 2, duration: 60_000, autoApply: true }],
    },
  ],
};

const site = useSite(world, "--now", new Date(NOW).toISOString());

/** Acts of a person, by the keyboard alone or by the mouse. */
interface Hand {
  choose(role: "button" | "link", name: string | RegExp): Promise<void>;
  type(label: string, text: string): Promise<void>;
}

function keyboard(tab: Page): Hand {
  const isFocused = (role: "button" | "link", name: string | RegExp) =>
    tab
      .getByRole(role, { name, exact: true })
      .first()
      .evaluate((place) => place.matches(":focus"));
  return {
    async choose(role, name) {
      if (await isInMenu(tab, role, name)) await this.choose("button", "Views");
      await tab.getByRole(role, { name, exact: true }).first().waitFor();
      const isRow = await tab
        .getByRole(role, { name, exact: true })
        .first()
        .evaluate((place) => place.closest("tbody") !== null);
      const search = tab.getByLabel("Search keys");
      const isSearching = isRow && (await search.evaluate((place) => place.matches(":focus")));
      if (isRow && !isSearching) await tab.keyboard.press("/");
      const step = isRow ? "ArrowDown" : "Tab";
      for (let count = 0; count < 60 && !(await isFocused(role, name)); count += 1) {
        await tab.keyboard.press(step);
      }
      expect(await isFocused(role, name), String(name)).toBe(true);
      await tab.keyboard.press("Enter");
      await expectFocus(tab);
    },
    async type(_, text) {
      await tab.keyboard.press("/");
      await tab.keyboard.type(text);
    },
  };
}

function mouse(tab: Page): Hand {
  return {
    async choose(role, name) {
      if (await isInMenu(tab, role, name)) await this.choose("button", "Views");
      await tab.getByRole(role, { name, exact: true }).first().click();
    },
    type: (label, text) => tab.getByLabel(label).fill(text),
  };
}

/** In a narrow window, the ways to all views are in a menu. */
async function isInMenu(tab: Page, role: "button" | "link", name: string | RegExp) {
  const hidden = { name, exact: true, includeHidden: true };
  await tab.getByRole(role, hidden).first().waitFor({ state: "attached" });
  const isVisible = await tab.getByRole(role, { name, exact: true }).first().isVisible();
  return !isVisible && (await tab.getByRole("button", { name: "Views" }).isVisible());
}

/** After a choice has taken effect, something other than the whole page has the focus. */
async function expectFocus(tab: Page): Promise<void> {
  await tab.waitForTimeout(200);
  const focused = await tab.locator(":focus").evaluateAll(([place]) => place?.tagName ?? "BODY");
  expect(focused).not.toBe("BODY");
}

interface Task {
  readonly title: string;
  /** At most three. */
  readonly acts: readonly ((hand: Hand) => Promise<void>)[];
  readonly done: (tab: Page, call: Call) => Promise<unknown>;
}

const choose = (role: "button" | "link", name: string | RegExp) => (hand: Hand) =>
  hand.choose(role, name);
async function keysOf(call: Call, name: string) {
  const { data } = await call("apis.listKeys", { apiId: "api_one" });
  return (data as { name?: string; enabled: boolean; expires?: number }[]).filter(
    (key) => key.name === name,
  );
}
const sees = (text: string | RegExp) => (tab: Page) =>
  tab.getByText(text).filter({ visible: true }).first().waitFor();

const tasks: readonly Task[] = [
  {
    title: "find the newest key of a customer",
    acts: [(hand) => hand.type("Search keys", "fjordline"), choose("link", "newer")],
    done: (tab) => tab.getByRole("complementary", { name: "newer" }).waitFor(),
  },
  {
    title: "create a key",
    acts: [choose("link", "Create key"), choose("button", "Send")],
    done: (_, call) => expect.poll(() => keysOf(call, "Nightly export")).toHaveLength(1),
  },
  {
    title: "disable a key",
    acts: [choose("link", "newer"), choose("button", "Disable")],
    async done(tab, call) {
      await expect.poll(async () => (await keysOf(call, "newer"))[0]?.enabled).toBe(false);
      // The button keeps the focus.
      await tab.locator("button:focus", { hasText: "Enable" }).waitFor();
    },
  },
  {
    title: "rotate a key that goes on for an hour",
    acts: [choose("link", "newer"), choose("button", "Rotate"), choose("button", "In an hour")],
    async done(tab, call) {
      await tab.getByText("The new key. Copy its value now").waitFor();
      const [old, fresh] = await keysOf(call, "newer");
      expect([old?.expires, fresh?.expires]).toEqual([NOW + DAY / 24, undefined]);
      await tab.getByRole("complementary").getByRole("link", { name: "newer" }).click();
      await tab.getByText("Replaced by").waitFor();
    },
  },
  {
    title: "see why a call was refused",
    acts: [choose("button", /^Calls/)],
    done: sees("3rd use of 2 per 1 min"),
  },
  {
    title: "make the next call fail",
    acts: [choose("button", "no faults"), choose("button", "The next call fails (500)")],
    async done(tab, call) {
      await tab.getByText("1 fault").first().waitFor();
      expect((await call("apis.listKeys", { apiId: "api_one" })).error.status).toBe(500);
    },
  },
  {
    title: "move the clock to tomorrow",
    acts: [choose("button", /00:00:00$/), choose("button", "1 day")],
    done: sees("2 Jan 2026 00:00:00 UTC"),
  },
  {
    title: "see which limit is nearly used up",
    acts: [choose("link", "Limits")],
    async done(tab) {
      await sees("0 of 2 per 1 min left")(tab);
      expect(await tab.locator(".cards li").first().innerText()).toContain("limited");
    },
  },
  {
    title: "see which permissions a token does not need",
    acts: [choose("link", "Findings")],
    done: sees("does not need"),
  },
  {
    title: "call an operation by hand",
    acts: [choose("link", "Call an operation"), choose("button", "Send")],
    done: sees(/^200|created, after/),
  },
];

/** Opens a page with the world, and resolves to it with a way to make calls. */
type Open = () => Promise<readonly [tab: Page, call: Call]>;

async function fromServer() {
  const { emulator, tab } = await show({
    emulator: { fixtures: [world] },
    path: `#token=${token}`,
  });
  const call: Call = async (operation, body) =>
    (await post(emulator, `/v2/${operation}`, body, { token })).body;
  return [tab, call] as const;
}

const pages: readonly (readonly [where: string, open: Open, handOf: typeof keyboard])[] = [
  ["on the page of a server, by the keyboard", fromServer, keyboard],
  ["on the page of a server, by the mouse", fromServer, mouse],
  ["on a static site on a phone, by the keyboard", () => openSite(site, 390), keyboard],
  ["on a static site on a phone, by the mouse", () => openSite(site, 390), mouse],
];

describe.each(pages)("%s", (_, open, handOf) => {
  test.each(tasks)("one can $title in at most three acts", async ({ acts, done }) => {
    const [tab, call] = await open();
    for (let count = 0; count < 3; count += 1) {
      await call("keys.verifyKey", { key: "limited_value" });
    }
    await tab.getByText("RATE_LIMITED").first().waitFor();

    expect(acts.length).toBeLessThanOrEqual(3);
    const hand = handOf(tab);
    for (const act of acts) await act(hand);

    await done(tab, call);
  });
});

test("a key takes ten presses of the keyboard, from a page that was just opened", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [world] },
    path: `#token=${token}`,
  });
  await tab.getByRole("link", { name: "newer" }).waitFor();

  // Skip to the content; search, state, verify, create key; send.
  for (const key of ["Tab", "Enter", "Tab", "Tab", "Tab", "Tab", "Enter"]) {
    await tab.keyboard.press(key);
  }
  await untilFocused(tab.getByLabel("Body as JSON"));
  for (const key of ["Tab", "Enter"]) await tab.keyboard.press(key);

  await expect
    .poll(() => emulator.keys.all().filter(({ name }) => name === "Nightly export").length)
    .toBe(1);
});

test.each([
  ["Create key", "view=keys"],
  ["Verify", "view=keys"],
  ["Count a use", "view=limits"],
  ["Create a role", "view=roles"],
  ["Change anything else", "view=keys&open=key_1"],
])("%s leads to the body of the call, which has the focus", async (link, hash) => {
  const keys = [{ apiId: "api_one", id: "key_1", name: "one" }];
  const { tab } = await show({
    emulator: { fixtures: [{ ...world, keys }] },
    path: `#token=${token}&${hash}`,
  });

  await tab.getByRole("link", { name: link, exact: true }).press("Enter");

  await untilFocused(tab.getByLabel("Body as JSON"));
  const title = link === "Change anything else" ? "Change a key" : link;
  await tab.getByRole("heading", { level: 1, name: title }).waitFor();
});

test("the focus stays near what goes away, wherever it had it", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [world] },
    path: `#token=${token}&search=nobody`,
    context: { viewport: { width: 768, height: 900 } },
  });
  await tab.getByRole("link", { name: "Show all keys" }).press("Enter");
  await untilFocused(tab.locator("main"));
  await tab.getByRole("button", { name: "Views" }).press("Enter");
  await tab.getByRole("link", { name: "Roles" }).press("Enter");
  await untilFocused(tab.locator("main"));
  emulator.faults.add({ status: 500 });
  await tab.getByRole("button", { name: "1 fault" }).press("Enter");
  await tab.getByRole("button", { name: "Remove: every call" }).press("Enter");
  await untilFocused(tab.getByRole("dialog", { name: "Faults" }));
});

test("a link that is hidden loses the focus before the browser paints", async () => {
  const { tab } = await show({
    emulator: { fixtures: [world] },
    path: `#token=${token}`,
    context: { viewport: { width: 390, height: 844 } },
  });
  await tab.getByRole("button", { name: "Views" }).press("Enter");

  const focused = await tab.getByRole("link", { name: "Roles" }).evaluate(async (link) => {
    (link as HTMLElement).focus();
    (link as HTMLElement).click();
    // Microtasks alone: the browser paints in a later task.
    for (let count = 0; count < 50; count += 1) await undefined;
    return document.activeElement?.tagName;
  });

  expect(focused).toBe("MAIN");
});
