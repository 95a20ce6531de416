import { expect, test } from "vitest";
import type { Page } from "playwright";
import { createKey, NOW, post } from "../_emulator.ts";
import {
  button,
  journalRows,
  keyRows,
  recordOf,
  show,
  shownWorld,
  textsOf,
  untilFocused,
  useBrowser,
} from "./_page.ts";

useBrowser();

test("APIs are shown with their key counts, and choosing one shows its keys", async () => {
  const { tab } = await show();

  const apis = await textsOf(tab.getByRole("navigation", { name: "APIs" }).getByRole("link"), 2);
  expect(apis.map((text) => text.split(/\s+/))).toEqual([
    ["First", "api_one", "7", "keys"],
    ["Second", "api_two", "0", "keys"],
  ]);
  await textsOf(keyRows(tab), 7);

  await tab.getByRole("link", { name: /Second/ }).click();

  await tab.getByText("There are no keys here.").waitFor();
  await tab.goBack();
  await textsOf(keyRows(tab), 7);
});

test("keys that are expired, disabled, rate-limited or refilled have a badge", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);

  const badges = await keyRows(tab).evaluateAll((rows) =>
    rows.map((row) => [
      row.querySelector(".title")?.textContent,
      ...[...row.querySelectorAll(".badge")].map(({ textContent }) => textContent),
    ]),
  );

  // They were created at the same time, so the highest id comes first.
  expect(badges).toEqual([
    ["kept", "recoverable"],
    ["<b>bold</b><img src=x onerror=alert(1)>"],
    ["refilled", "refilled monthly to 1,000"],
    ["limited", "limit default 10 per 1 min"],
    ["disabled", "disabled"],
    ["expired", "expired yesterday"],
    ["plain"],
  ]);
});

test("the Enter key opens a row to the whole record as JSON", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);

  await keyRows(tab).last().getByRole("button").focus();
  await tab.keyboard.press("Enter");

  const row = keyRows(tab).last();
  expect(await row.locator("pre").isVisible()).toBe(false);
  expect(await recordOf(row)).toEqual(JSON.parse(JSON.stringify(emulator.keys.all()[0])));
});

test("markup in names and meta is shown as text", async () => {
  const { emulator, tab } = await show();
  const name = "<script>alert(1)</script>";
  await emulator.apis.create({ id: "api_three", name });
  await createKey(emulator, { apiId: "api_three", name, externalId: name, meta: { [name]: name } });
  await tab.getByRole("link", { name: /script/ }).click();

  await keyRows(tab).getByRole("button").first().click();
  await journalRows(tab).getByRole("button").first().click();

  expect(await keyRows(tab).first().innerText()).toContain(name);
  expect(await tab.locator("main script, main b, main img").count()).toBe(0);
});

const sixty = Array.from({ length: 60 }, (_, number) => ({
  apiId: "api_one",
  name: `n${number}`,
  createdAt: NOW - 60 + number,
}));

function titlesOf(tab: Page): Promise<string[]> {
  return keyRows(tab).locator(".title").allInnerTexts();
}

test("First, Previous, Next and Last page through a long list, the newest key first", async () => {
  const { tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys: sixty }] } });
  await tab.getByText("1–25 of 60 keys").waitFor();
  expect((await titlesOf(tab))[0]).toBe("n59");
  expect(await button(tab, "First").isDisabled()).toBe(true);

  await button(tab, "Next").click();
  await tab.getByText("26–50 of 60 keys").waitFor();
  expect((await titlesOf(tab))[0]).toBe("n34");
  await button(tab, "Last").click();
  await tab.getByText("51–60 of 60 keys").waitFor();
  expect((await titlesOf(tab)).at(-1)).toBe("n0");
  expect(await button(tab, "Next").isDisabled()).toBe(true);
  await tab.reload();
  await tab.getByText("51–60 of 60 keys").waitFor();
  await button(tab, "Previous").click();
  await tab.getByText("26–50 of 60 keys").waitFor();
  await tab.getByLabel("per page").selectOption("10");
  await tab.getByText("21–30 of 60 keys").waitFor();
  await button(tab, "First").click();
  await tab.getByText("1–10 of 60 keys").waitFor();
});

test("the last page gives way to the one before when its keys are deleted", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, keys: sixty }] },
    path: "#page=3",
  });
  await tab.getByText("51–60 of 60 keys").waitFor();

  for (let number = 0; number < 10; number += 1) {
    emulator.keys.delete((q) => q.where({ name: `n${number}` }));
  }

  await tab.getByText("26–50 of 50 keys").waitFor();
});

test("keys are found by part of their name, customer, external id, start and id", async () => {
  const identities = [{ externalId: "user_2", meta: { name: "Acme GmbH" } }];
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, identities }] },
  });
  await textsOf(keyRows(tab), 7);
  const kept = emulator.keys.all().at(-1);

  for (const [text, found] of [
    ["LIMIT", ["limited"]],
    ["acme", ["disabled"]],
    ["ser_1", ["refilled", "plain"]],
    [kept?.start ?? "", ["kept"]],
    [kept?.id ?? "", ["kept"]],
  ] as const) {
    await tab.getByLabel("Find keys").fill(text);
    await expect.poll(() => titlesOf(tab)).toEqual(found);
  }
  await tab.reload();
  await textsOf(keyRows(tab), 1);
  await tab.getByLabel("Find keys").fill("nobody");
  await tab.getByText("No key matches.").waitFor();
  await tab.getByLabel("Find keys").fill("");
  await textsOf(keyRows(tab), 7);
});

test("keys are filtered by their state and their customer, and the filter survives a reload", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);
  for (const [state, found] of [
    ["expired", ["expired"]],
    ["disabled", ["disabled"]],
    ["used up", []],
    ["valid", ["kept", "<b>bold</b><img src=x onerror=alert(1)>", "refilled", "limited", "plain"]],
  ] as const) {
    await tab.getByRole("combobox", { name: /^state/ }).selectOption(state);
    await expect.poll(() => titlesOf(tab)).toEqual(found);
  }

  await keyRows(tab).last().getByRole("button").click();
  await tab.getByText("All keys of user_1 here").click();
  await tab.getByText("1–2 of 2 keys").waitFor();
  await tab.reload();
  expect(await textsOf(keyRows(tab), 2)).toEqual([
    expect.stringContaining("refilled"),
    expect.stringContaining("plain"),
  ]);
  await tab.getByRole("link", { name: "Show all customers" }).click();
  await textsOf(keyRows(tab), 7);
});

test("a click on a head sorts the keys by it, and another one turns the order round", async () => {
  const keys = [
    { apiId: "api_one", name: "b", remaining: 5, createdAt: NOW - 3, expires: NOW + 9 },
    { apiId: "api_one", name: "a", lastUsedAt: NOW - 1, createdAt: NOW - 2, externalId: "z" },
    { apiId: "api_one", name: "c", remaining: 7, createdAt: NOW - 1, externalId: "y" },
  ];
  const { tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  const heads = tab.getByRole("group", { name: "Sort by" });
  await textsOf(keyRows(tab), 3);
  expect(await titlesOf(tab)).toEqual(["c", "a", "b"]);

  for (const [head, found] of [
    ["created descending", ["b", "a", "c"]],
    ["key", ["a", "b", "c"]],
    ["key ascending", ["c", "b", "a"]],
    ["customer", ["c", "a", "b"]],
    ["expiry", ["b", "a", "c"]],
    ["uses", ["b", "c", "a"]],
    ["used", ["a", "c", "b"]],
  ] as const) {
    await heads.getByRole("button", { name: head, exact: true }).click();
    await expect.poll(() => titlesOf(tab), { message: head }).toEqual(found);
  }
  await tab.reload();
  await textsOf(keyRows(tab), 3);
  await heads.getByRole("button", { name: "used descending" }).waitFor();
});

test("a link to a key opens it where it stands, and tells if it is gone", async () => {
  const { emulator, tab } = await show({
    emulator: { fixtures: [{ ...shownWorld, keys: sixty }] },
    told: /status of 400/,
  });
  const target = emulator.keys.findFirst((q) => q.where({ name: "n20" }));
  await textsOf(keyRows(tab), 25);

  await tab.evaluate((id) => void (location.hash = `#key=${id}`), target?.id);

  await tab.getByText("26–50 of 60 keys").waitFor();
  const opened = tab.locator(".keys .row[aria-expanded=true]");
  expect(await textsOf(opened, 1)).toEqual([expect.stringContaining("n20")]);
  await untilFocused(opened);
  emulator.keys.delete((q) => q.where({ name: "n20" }));
  await tab.getByText("is not here. It was deleted, or is of another API.").waitFor();
  await tab.getByRole("link", { name: "Show all keys" }).click();
  await tab.getByText("1–25 of 59 keys").waitFor();
});

test("a link that is followed before the page is first painted is followed", async () => {
  const { tab } = await show();
  await tab.addInitScript(() => {
    // Observers run as soon as the page has content, before the browser paints it.
    const observer = new MutationObserver(() => {
      const link = document.querySelector<HTMLAnchorElement>('nav a[href="#view=journal"]');
      if (link === null) return;
      observer.disconnect();
      link.click();
    });
    observer.observe(document, { childList: true, subtree: true });
  });

  await tab.reload();

  await tab.locator("main.view-journal").waitFor();
});

test("keys that other clients create and remove appear and disappear without a reload", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);

  await createKey(emulator, { apiId: "api_one", name: "new one" });
  const rows = await textsOf(keyRows(tab), 8);
  emulator.keys.delete((q) => q.where({ name: "new one" }));

  expect(rows[0]).toContain("new one");
  await textsOf(keyRows(tab), 7);
});

test("viewing keys is hidden from the journal, and no fault hits it", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);
  emulator.faults.add({ status: 503, times: 1 });

  await emulator.keys.create({ apiId: "api_one", name: "another" });

  await textsOf(keyRows(tab), 8);
  expect([emulator.requests.count(), emulator.faults.pending().length]).toEqual([0, 1]);
});

test.each([
  [1280, "light"],
  [390, "dark"],
] as const)(
  "a row of a page %i px wide shows customer, roles and last use, and old times as dates",
  async (width, colorScheme) => {
    const day = 86_400_000;
    const keys = [
      {
        apiId: "api_one",
        name: "of Acme, for the checkout in test mode",
        externalId: "org_acme",
        roles: ["editor", "viewer"],
        createdAt: NOW - 31 * day,
        lastUsedAt: NOW - 2 * day,
        expires: NOW - 40 * day,
      },
      { apiId: "api_one", name: "of somebody", externalId: "user_1", createdAt: NOW - 30 * day },
    ];
    const identities = [{ externalId: "org_acme", meta: { name: "Acme GmbH", plan: "pro" } }];
    const { tab } = await show({
      emulator: { fixtures: [{ ...shownWorld, identities, keys }] },
      context: { viewport: { width, height: 720 }, colorScheme },
    });
    const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

    const rows = await textsOf(keyRows(tab), 2);

    const of = (name: string) => rows.find((row) => row.startsWith(name))?.split(/\n+/);
    expect(of("of Acme")).toEqual(
      expect.arrayContaining([
        "Acme GmbH",
        "org_acme",
        "editor, viewer",
        `expired ${dateOf(NOW - 40 * day)}`,
        `created ${dateOf(NOW - 31 * day)}`,
        "used 2 days ago",
      ]),
    );
    expect(of("of somebody")).toEqual(expect.arrayContaining(["user_1", "created last month"]));
    expect(await tab.locator(".keys .rows").evaluate(cutTexts)).toEqual([]);
  },
);

/** The texts within a list that are cut because they are too long. Runs in the browser. */
function cutTexts(list: unknown): string[] {
  // These tests are compiled without DOM types.
  interface Box {
    readonly textContent: string;
    readonly scrollWidth: number;
    readonly clientWidth: number;
  }
  const { querySelectorAll } = list as { querySelectorAll(selector: string): Iterable<Box> };
  return [...querySelectorAll.call(list, "bdi, code, time, .uses")]
    .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
    .map(({ textContent }) => textContent);
}

test("a key expires on the page when its verification expires", async () => {
  const keys = [{ apiId: "api_one", name: "now", key: "value", expires: NOW }];
  const { emulator, tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys }] } });
  const codeOf = async () => {
    const { body } = await post(emulator, "/v2/keys.verifyKey", { key: "value" });
    return body.data.code;
  };
  await tab.getByText("expires now").waitFor();
  expect(await codeOf()).toBe("VALID");

  emulator.clock.advance(1);

  await tab.getByText("expired now").waitFor();
  expect(await codeOf()).toBe("EXPIRED");
});

test("the header of an API shows the id of its keyspace, if it has one", async () => {
  const apis = [
    { id: "api_one", keyspaceId: "ks_first" },
    { id: "api_bare", keyspace: false },
  ];
  const { tab } = await show({ emulator: { fixtures: [{ apis }] } });
  const header = tab.getByRole("region", { name: "api_one" }).locator("header");
  await header.getByText("api_one, keyspace ks_first").waitFor();

  await tab.getByRole("link", { name: /api_bare/ }).click();

  const bare = tab.getByRole("region", { name: "api_bare" }).locator("header");
  await bare.waitFor();
  expect(await bare.innerText()).not.toContain("keyspace ");
});

test("the page reconnects to an emulator that is stopped and started again", async () => {
  const { emulator, server, tab } = await show({ told: /ERR_|Failed to load/ });
  await textsOf(keyRows(tab), 7);
  const { serve } = await import("../../src/doors/http/serve.ts");

  await server.close({ grace: 0 });
  await tab.locator(".journal").getByText("not connected").waitFor();
  await emulator.keys.create({ apiId: "api_one", name: "meanwhile" });
  const again = await serve(emulator, { port: server.port });

  try {
    await textsOf(keyRows(tab), 8);
  } finally {
    await again.close({ grace: 0 });
  }
});

test("a hidden page closes its event stream and catches up when it is shown again", async () => {
  const { emulator, tab } = await show();
  await textsOf(keyRows(tab), 7);
  const hide = (isHidden: boolean) =>
    tab.evaluate((hidden) => {
      const page = (globalThis as unknown as { document: EventTarget }).document;
      Object.defineProperty(page, "hidden", { value: hidden, configurable: true });
      page.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);

  await Promise.all([tab.waitForEvent("requestfailed"), hide(true)]);
  await createKey(emulator, { apiId: "api_one", name: "meanwhile" });
  await hide(false);

  expect((await textsOf(keyRows(tab), 8))[0]).toContain("meanwhile");
  await textsOf(journalRows(tab), 1);
});

test("a key that was created with an expiry of 0 is shown as expired, as it is verified", async () => {
  const { emulator, tab } = await show();
  const { body } = await post(emulator, "/v2/keys.createKey", { apiId: "api_one", expires: 0 });
  const { key } = body.data;

  const rows = await textsOf(keyRows(tab), 8);

  expect(rows[0]).toContain("expired 1970-01-01");
  const verified = await post(emulator, "/v2/keys.verifyKey", { key });
  expect(verified.body.data.code).toBe("EXPIRED");
});

test("an expiry beyond the range of dates is shown in years", async () => {
  const { emulator, tab } = await show();
  await emulator.keys.create({ apiId: "api_one", name: "far", expires: Number.MAX_SAFE_INTEGER });

  const rows = await textsOf(keyRows(tab), 8);

  expect(rows[0]).toMatch(/far[^]*expires in [\d,]+ years/);
});

test("`Show it in the list` opens a new key among its neighbours, whatever was searched", async () => {
  const { tab } = await show({ emulator: { fixtures: [{ ...shownWorld, keys: sixty }] } });
  await tab.getByRole("button", { name: "created descending" }).click();
  await tab.getByLabel("Find keys").fill("n1");
  await tab.getByText("1–11 of 11 keys").waitFor();
  await button(tab, "Create a key").click();
  await tab.getByRole("dialog").getByLabel("name", { exact: true }).fill("the new one");
  await button(tab, "Create").click();

  await button(tab, "Show it in the list").click();

  await tab.getByText("1–25 of 61 keys").waitFor();
  expect(await tab.getByLabel("Find keys").inputValue()).toBe("");
  const opened = tab.locator(".keys .row[aria-expanded=true]");
  expect(await textsOf(opened, 1)).toEqual([expect.stringContaining("the new one")]);
});
