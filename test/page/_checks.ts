import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright";

/** A folder of screenshots for a person to look at. */
export const pictures = "node_modules/.cache/pictures";
await mkdir(pictures, { recursive: true });

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Elements whose content overflows them. Runs in the browser. */
export function tooWide(): string[] {
  // These tests are compiled without DOM types.
  interface Box {
    readonly className: string;
    readonly scrollWidth: number;
    readonly clientWidth: number;
  }
  const { document } = globalThis as unknown as {
    document: { querySelectorAll(selector: string): Iterable<Box> };
  };
  const boxes = [...document.querySelectorAll("html, .panel, .panel > *, .sidebar, dialog, .top")];
  return boxes
    .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
    .map(
      ({ className, clientWidth, scrollWidth }) => `${className}: ${scrollWidth} in ${clientWidth}`,
    );
}

/** The violations that axe finds, one a line. */
export async function faultsOf(tab: Page): Promise<string[]> {
  // The page's Content-Security-Policy forbids loading axe by a script element.
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
