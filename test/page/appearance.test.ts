import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Page } from "playwright";
import { createKey, listKeys } from "../_emulator.ts";
import {
  button,
  journalRows,
  keyRows,
  look,
  show,
  textsOf,
  useBrowser,
  type Shown,
} from "./_page.ts";

useBrowser();

/** For a person to look at. */
const pictures = process.env["PICTURES"] ?? "node_modules/.cache/pictures";
await mkdir(pictures, { recursive: true });

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** What somebody may have in front of them. */
const scenes: Readonly<Record<string, (shown: Shown) => Promise<unknown>>> = {
  keys: ({ tab }) => keyRows(tab).nth(4).getByRole("button").click(),
  journal: async ({ tab }) => {
    await look(tab, "Journal");
    await journalRows(tab).last().getByRole("button").first().click();
  },
  faults: async ({ tab }) => {
    await look(tab, "Faults");
    await button(tab, "Everything takes 1 to 2 s").click();
    await tab.getByText("every operation: latency").waitFor();
  },
  world: ({ tab }) => look(tab, "World"),
  create: async ({ tab }) => {
    await button(tab, "Create a key").click();
    await tab.getByRole("dialog").getByLabel("prefix").waitFor();
  },
  token: async ({ tab }) => {
    await tab.getByRole("button", { name: /^token/ }).click();
    await tab.getByLabel("Bearer token").waitFor();
  },
};

const looks = [
  ["light", { viewport: wide, colorScheme: "light" }],
  ["dark", { viewport: wide, colorScheme: "dark" }],
  ["phone", { viewport: phone, colorScheme: "light" }],
  ["dark phone", { viewport: phone, colorScheme: "dark" }],
] as const;

test.each(
  looks.flatMap(([name, context]) =>
    Object.keys(scenes).map((scene) => [scene, name, context] as const),
  ),
)(
  "%s, %s: axe finds no fault, and nothing is wider than the window",
  async (scene, name, context) => {
    const shown = await show({ context });
    const { emulator, tab } = shown;
    emulator.faults.add({ operation: "keys.createKey", status: 503, times: 1 });
    await createKey(emulator, { apiId: "api_one", name: "struck" });
    await createKey(emulator, { apiId: "api_one", name: "a key with a name that is rather long" });
    await listKeys(emulator, { apiId: "api_none" });
    await textsOf(keyRows(tab), 8);

    await scenes[scene]?.(shown);
    await tab.screenshot({ path: join(pictures, `${scene} ${name}.png`) });

    expect(await faultsOf(tab)).toEqual([]);
    const { scrollWidth, clientWidth } = await tab.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      return { clientWidth, scrollWidth };
    });
    expect(scrollWidth).toBe(clientWidth);
  },
);

/** What axe finds, in a line each. */
async function faultsOf(tab: Page): Promise<string[]> {
  // The page may load nothing of elsewhere, so it comes in from outside.
  await tab.evaluate(await readFile(axe, "utf8"));
  return tab.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    ).axe.run();
    interface Violation {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string }[];
    }
    return violations.map(
      ({ id, impact, nodes }) =>
        `${impact}: ${id}: ${nodes
          .map(({ html }) => html)
          .join(" | ")
          .slice(0, 500)}`,
    );
  });
}
