import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { optionNames, serveOptions, toFlag, type Option } from "../src/cli/options.ts";

const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
const decisions = await readdir("docs/decisions");

test.each([...pages, ...decisions.map((name) => `docs/decisions/${name}`)])(
  "every path that %s names exists",
  async (page) => {
    const text = await readFile(page, "utf8");
    const paths = [
      ...text.matchAll(
        /(?:`|\]\()((?:src|test|docs|fixtures|bin)\/[\w./-]*|[\w-]+\.md|\.oxlintrc\.json)/g,
      ),
    ];

    for (const [, path = ""] of paths) {
      const isRelative = page.startsWith("docs/") && path.endsWith(".md");
      expect(existsSync(isRelative ? `docs/decisions/${path}` : path), path).toBe(true);
    }
  },
);

test("ARCHITECTURE names paths, so that there is something to check", async () => {
  expect((await readFile("ARCHITECTURE.md", "utf8")).match(/`src\//g)?.length).toBeGreaterThan(10);
});

test("README names every option of serve", async () => {
  const readme = await readFile("README.md", "utf8");

  for (const name of optionNames) {
    const { alias }: Option = serveOptions[name];
    expect(readme).toContain(
      alias === undefined ? `| \`--${toFlag(name)}\`` : `| \`-${alias}\`, \`--${toFlag(name)}\``,
    );
  }
});
