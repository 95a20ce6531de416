import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Elements whose content overflows them, so that text is cut or the page scrolls. */
export function cutTextsOf(tab: Page): Promise<string[]> {
  return tab.evaluate(tooWide);
}

/** Runs in the browser. */
function tooWide(): string[] {
  // These tests are compiled without DOM types.
  interface Box {
    readonly tagName: string;
    readonly className: string;
    readonly scrollWidth: number;
    readonly clientWidth: number;
    closest(selector: string): Box | null;
  }
  const { document, getComputedStyle } = globalThis as unknown as {
    document: { querySelectorAll(selector: string): Iterable<Box> };
    getComputedStyle(box: Box): { readonly display: string };
  };
  return [...document.querySelectorAll("body, body *")]
    .filter((box) => box.closest("svg, .unseen, pre, textarea, select, input, .may-cut") === null)
    .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
    .filter((box) => getComputedStyle(box).display !== "inline")
    .map(
      ({ className, clientWidth, scrollWidth, tagName }) =>
        `${tagName}.${className}: ${scrollWidth} in ${clientWidth}`,
    );
}

/** What is wrong with a view, one a line. If anything is, a screenshot of it is kept. */
export async function wrongIn(
  tab: Page,
  view: string,
  checks: readonly ((tab: Page) => Promise<string[]>)[],
): Promise<string[]> {
  const found: string[] = [];
  for (const check of checks) found.push(...(await check(tab)));
  if (found.length > 0) await tab.screenshot({ path: `node_modules/.cache/pictures/${view}.png` });
  return found.map((line) => `${view}: ${line}`);
}

/** The violations that axe finds, one a line. */
export async function faultsOf(tab: Page): Promise<string[]> {
  // The page's Content-Security-Policy forbids loading axe by a script element.
  await tab.evaluate(await readFile(axe, "utf8"));
  return tab.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Violation[] }> };
      }
    ).axe.run({ resultTypes: ["violations"] });
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
