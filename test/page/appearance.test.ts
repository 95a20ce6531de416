import { join } from "node:path";
import { expect, test } from "vitest";
import type { BrowserContextOptions, Page } from "playwright";
import { Unkey } from "unkey-api-2";
import { loadFixture } from "../../src/node.ts";
// @ts-expect-error -- a script without types
import makeDemoCalls from "../../scripts/demo-calls.js";
import { post } from "../_emulator.ts";
import { cutTextsOf, faultsOf, wrongIn } from "./_checks.ts";
import { film, picture } from "./_film.ts";
import {
  button,
  keyRows,
  openCalls,
  openKey,
  openMenu,
  show,
  textsOf,
  useBrowser,
} from "./_page.ts";

useBrowser();

const now = Date.UTC(2026, 10, 25, 9);
const token = "acme_admin";

async function openDemo(context: BrowserContextOptions) {
  const shown = await show({
    emulator: {
      fixtures: [await loadFixture("fixtures/demo.yaml")],
      generate: { count: 500 },
      randomSeed: 1435,
      now,
    },
    context,
    path: `#token=${token}`,
  });
  await makeDemoCalls(async (operation: string, body: object, of = token) => {
    shown.emulator.clock.advance("1s");
    return (await post(shown.emulator, `/v2/${operation}`, body, { token: of })).body;
  });
  return shown;
}

/** The views, each with what opens its details. */
const scenes: readonly (readonly [
  name: string,
  hash: string,
  act?: (tab: Page) => Promise<unknown>,
])[] = [
  ["keys", "view=keys"],
  ["key", "view=keys&search=Nightly export", (tab) => openKey(tab, "Nightly export")],
  [
    "rotate",
    "view=keys&search=Nightly export",
    async (tab) => button(await openKey(tab, "Nightly export"), "Rotate").click(),
  ],
  ["no key", "view=keys&search=zzz"],
  ["empty", "view=keys&api=api_empty"],
  ["clock", "view=keys", (tab) => openMenu(tab, "Clock")],
  ["faults", "view=keys", (tab) => openMenu(tab, "Faults")],
  ["workspace", "view=keys", (tab) => openMenu(tab, "Workspace")],
  ["customers", "view=customers"],
  [
    "customer",
    "view=customers",
    (tab) => tab.getByRole("link", { name: "Bluebird Bikes" }).click(),
  ],
  ["limits", "view=limits"],
  ["roles", "view=roles"],
  ["findings", "view=findings"],
  [
    "call",
    "view=call",
    async (tab) => {
      await button(tab, "Send").click();
      await tab.locator(".outcome").waitFor();
    },
  ],
  [
    "calls",
    "view=keys",
    async (tab) => {
      await (await openCalls(tab)).filter({ hasText: "RATE_LIMITED" }).first().click();
      await tab.getByRole("region", { name: "Request" }).waitFor();
    },
  ],
  [
    "token",
    "view=keys",
    async (tab) => {
      await button(tab, /^(token )?acme_a/).click();
      await tab.getByRole("dialog", { name: "Token" }).waitFor();
    },
  ],
];

test.each([
  [1440, "light", 900],
  [1024, "dark", 900],
  [768, "light", 900],
  [390, "dark", 844],
] as const)(
  "no view has an axe violation or a cut text: %i px, %s",
  async (width, colorScheme, height) => {
    const { emulator, server, tab } = await openDemo({
      viewport: { width, height },
      colorScheme,
    });
    await emulator.apis.create({ id: "api_empty", name: "Empty" });
    emulator.faults.add({ operation: "apis.listKeys", latency: [1_000, 2_000] });
    const found: string[] = [];
    let isTouched = false;

    for (const [name, hash, act] of scenes) {
      // Another path, so that the page is loaded again, without what an act has opened.
      if (isTouched) await tab.goto("about:blank");
      isTouched = act !== undefined;
      await tab.goto(`${server.url.replace("127.0.0.1", "localhost")}/#token=${token}&${hash}`);
      await tab.locator("main h1").waitFor();
      await act?.(tab);
      await tab.waitForTimeout(250);
      // What axe looks for depends on the colours, and on whether the window is wide.
      const isAsked = width === 1440 || width === 390;
      const checks = [...(isAsked ? [faultsOf] : []), cutTextsOf];
      found.push(...(await wrongIn(tab, `${name} ${width} ${colorScheme}`, checks)));
    }

    expect(found).toEqual([]);
  },
  240_000,
);

test.each([
  [1440, 900, 12],
  [1280, 900, 12],
  [1024, 900, 12],
  // A window of 1280 px at a zoom of 200 %.
  [640, 450, 4],
] as const)(
  "the first screen of %i by %i px has at least %i keys",
  async (width, height, least) => {
    const { tab } = await openDemo({ viewport: { width, height } });
    await textsOf(keyRows(tab), 50);
    const edge =
      (await tab.getByRole("region", { name: "Calls", exact: true }).boundingBox())?.y ?? 0;

    const bottoms = await keyRows(tab).evaluateAll((rows) =>
      rows.map((row) => row.getBoundingClientRect().bottom),
    );

    expect(bottoms.filter((bottom) => bottom <= edge).length).toBeGreaterThanOrEqual(least);
    // A narrow window may have a list with two lines a row.
    if (width >= 900) expect(await tab.locator("thead").isVisible()).toBe(true);
  },
);

test("the first screen of the demo has keys of at least eight customers", async () => {
  const { tab } = await openDemo({ viewport: { width: 1440, height: 900 } });
  await textsOf(keyRows(tab), 50);

  const customers = await keyRows(tab).locator(".of-customer").allInnerTexts();

  expect(new Set(customers.slice(0, 16)).size).toBeGreaterThanOrEqual(8);
});

test("the checks report a violation of axe and a cut text", async () => {
  const { tab } = await show();
  await textsOf(keyRows(tab), 7);

  await tab.locator("main h1").evaluate((title) => {
    title.innerHTML = `<img src="data:,">${"wide".repeat(500)}`;
    (title as unknown as { style: { overflowWrap: string } }).style.overflowWrap = "normal";
  });

  expect((await faultsOf(tab)).join()).toContain("critical: image-alt: ");
  expect(await cutTextsOf(tab)).not.toEqual([]);
});

/** The folder that `npm run pictures` writes the README's pictures to; unset in other runs. */
const folder = process.env["PICTURES"];

if (folder !== undefined) {
  test("README's pictures are of this page", async () => {
    for (const [file, colorScheme] of [
      ["page.png", "light"],
      ["page-dark.png", "dark"],
    ] as const) {
      const { tab } = await openDemo({ viewport: { width: 1280, height: 720 }, colorScheme });
      await textsOf(keyRows(tab), 50);
      if (colorScheme === "dark") {
        await (await openCalls(tab)).filter({ hasText: "RATE_LIMITED" }).first().click();
      } else {
        await keyRows(tab).nth(7).getByRole("link").click();
      }
      await tab.waitForTimeout(500);
      await picture(tab, join(folder, file));
    }
  });

  test("README's moving picture shows the page while a program runs", async () => {
    const { emulator, server, tab } = await openDemo({ viewport: { width: 1280, height: 640 } });
    const unkey = new Unkey({ rootKey: token, serverURL: server.url });
    let key = "";
    const verify = () => unkey.keys.verifyKey({ key }).catch(() => {});

    const size = await film(tab, {
      file: join(folder, "page-moving.gif"),
      steps: [
        async () => {
          const expires = now + 3_600_000;
          const credits = { remaining: 2 };
          const { data } = await unkey.keys.createKey({
            apiId: "api_payments",
            name: "Trial of Bluebird",
            externalId: "org_bluebird",
            expires,
            credits,
          });
          key = data.key;
          await openKey(tab, "Trial of Bluebird");
        },
        verify,
        verify,
        verify,
        () => {
          emulator.clock.advance("2h");
          return verify();
        },
      ],
    });

    expect(size).toBeLessThan(1_500_000);
  });
}
