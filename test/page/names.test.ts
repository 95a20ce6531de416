import { expect, test } from "vitest";
import type { Page } from "playwright";
import { NOW, post } from "../_emulator.ts";
import { cutTextsOf, wrongIn } from "./_checks.ts";
import { keyRows, openCalls, openMenu, show, textsOf, useBrowser } from "./_page.ts";

useBrowser();

/** A name of 90 letters, without a space. */
const long = (name: string) => name.padEnd(90, "abcdefghij");
const limitOf = (name: string) => ({
  name: long(name),
  limit: 1_000,
  duration: 60_000,
  autoApply: true,
});
const namesOfKey = {
  apiId: "api_one",
  externalId: long("customer"),
  roles: [long("role")],
  permissions: [long("permission.")],
  ratelimits: [limitOf("limit")],
  environment: long("environment"),
  meta: { [long("member")]: long("text") },
};
const world = {
  workspace: { id: "ws_test", name: long("workspace") },
  apis: [
    { id: "api_one", name: long("api") },
    { id: "api_two", name: `API ${"with several words ".repeat(5)}` },
  ],
  identities: [
    {
      id: "id_long",
      externalId: long("customer"),
      meta: { name: long("Customer"), plan: long("plan") },
      ratelimits: [limitOf("other")],
    },
  ],
  roles: [{ name: long("role"), description: long("about"), permissions: [long("permission.")] }],
  ratelimitNamespaces: [
    {
      name: long("namespace"),
      overrides: [{ identifier: long("override"), limit: 12_345, duration: 60_000 }],
    },
  ],
  keys: [
    { ...namesOfKey, id: "key_long", name: long("key"), key: "value_1", remaining: 12_345 },
    { ...namesOfKey, name: long("soon"), expires: NOW + 86_400_000, lastUsedAt: NOW - 9_000_000 },
  ],
  generate: [{ apiId: "api_one", count: 1_200 }],
};

/** Numbers that break into two lines. Names and code may break anywhere. Runs in the browser. */
function brokenNumbers(): string[] {
  // oxlint-disable-next-line no-explicit-any -- these tests are compiled without DOM types
  const { document, NodeFilter } = globalThis as any;
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.closest("bdi, code, pre, textarea, dt, script, [title]") !== null)
      continue;
    for (const { 0: number, index } of node.data.matchAll(/\d[\d,.:]*/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + number.length);
      const lines = new Set([...range.getClientRects()].map(({ top }: { top: number }) => top));
      if (lines.size > 1) found.push(`${number} in ${node.data}`);
    }
  }
  return found;
}

/** Cut texts that no title shows whole. Runs in the browser. */
function untitled(): string[] {
  // oxlint-disable-next-line no-explicit-any -- these tests are compiled without DOM types
  const { document } = globalThis as any;
  return [...document.querySelectorAll("bdi.may-cut, dt, td code")]
    .filter((box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1)
    .filter((box) => box.closest(`[title]`)?.title.includes(box.textContent) !== true)
    .map((box) => box.outerHTML);
}

const linesOf = (tab: Page, selector: string) =>
  tab.locator(selector).evaluateAll((boxes) =>
    boxes.map((box) => {
      // oxlint-disable-next-line no-explicit-any -- these tests are compiled without DOM types
      const { getComputedStyle } = globalThis as any;
      return Math.round(box.clientHeight / Number.parseFloat(getComputedStyle(box).lineHeight));
    }),
  );

const views: readonly (readonly [
  name: string,
  hash: string,
  act?: (tab: Page) => Promise<unknown>,
])[] = [
  ["keys", "view=keys"],
  ["key", "view=keys&open=key_long", (tab) => tab.getByText("999 of 1,000").first().waitFor()],
  ["customers", "view=customers"],
  ["customer", "view=customers&open=id_long", (tab) => tab.getByRole("complementary").waitFor()],
  ["limits", "view=limits"],
  ["roles", "view=roles"],
  ["findings", "view=findings"],
  ["call", "view=call&operation=keys.verifyKey"],
  ["calls", "view=roles", async (tab) => (await openCalls(tab)).first().waitFor()],
  ["workspace", "view=roles", (tab) => openMenu(tab, "Workspace")],
];

test.each([1440, 1024, 768, 390])(
  "names of 90 letters break no number and move no tool: %i px",
  async (width) => {
    const { emulator, server, tab } = await show({
      emulator: { fixtures: [world] },
      context: { viewport: { width, height: 900 } },
    });
    await post(emulator, "/v2/keys.verifyKey", { key: "value_1" });
    const use = { identifier: long("user"), limit: 1_000, duration: 60_000 };
    await post(emulator, "/v2/ratelimit.limit", { ...use, namespace: long("namespace") });
    const wrong: string[] = [];

    for (const [name, hash, act] of views) {
      await tab.goto(`${server.url.replace("127.0.0.1", "localhost")}/#api=api_one&${hash}`);
      await tab.locator("main h1").waitFor();
      await act?.(tab);
      await tab.waitForTimeout(300);
      wrong.push(
        ...(await wrongIn(tab, `names ${name} ${width}`, [
          cutTextsOf,
          () => tab.evaluate(brokenNumbers),
          () => tab.evaluate(untitled),
        ])),
      );
      expect(await linesOf(tab, "h1 bdi"), name).toEqual([1]);
    }
    await tab.goto(`${server.url.replace("127.0.0.1", "localhost")}/#view=keys&api=api_one`);
    await textsOf(keyRows(tab), 50);
    if (width < 900) await tab.getByRole("button", { name: "Views" }).click();
    const names = await linesOf(tab, ".rail bdi");
    const counts = await linesOf(tab, ".rail .count");
    const tools = await tab.locator(".tools > *").evaluateAll((boxes) =>
      boxes.map((box) => {
        const { height, y } = box.getBoundingClientRect();
        return Math.round(y + height / 2);
      }),
    );

    expect(wrong).toEqual([]);
    expect(names).toEqual([2, 2]);
    expect(counts).toEqual([1, 1]);
    // On a phone, the search has a line to itself.
    expect(new Set(width < 560 ? tools.slice(1) : tools).size).toBe(1);
    expect(await tab.locator("h1 bdi").getAttribute("title")).toBe(long("api"));
  },
  240_000,
);
