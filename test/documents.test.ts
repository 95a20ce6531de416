import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { optionNames, serveOptions, toFlag, type Option } from "../src/cli/options.ts";

const run = promisify(execFile);
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

test("README's example of a test runs against the built package", async () => {
  const readme = await readFile("README.md", "utf8");
  const [, code = ""] = /```js\n(import \{ createEmulator \}.*?)```/s.exec(readme) ?? [];
  const file = "test/_readme-example.mjs";
  await writeFile(file, code);
  try {
    const { stdout, stderr } = await run(process.execPath, [file]);

    expect(stdout).toBe("1 CI\n");
    expect(stderr).toBe("");
  } finally {
    await rm(file);
  }
});

test("the package holds what users need, and nothing else", async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];

  const paths = files.map(({ path }) => path);
  for (const path of [
    "bin/latchkey.js",
    "dist/index.js",
    "dist/index.d.ts",
    "fixtures/demo.yaml",
    "README.md",
    "LICENSE",
  ]) {
    expect(paths).toContain(path);
  }
  expect(
    paths.filter(
      (path) => !/^(?:bin|dist|fixtures)\/|^(?:README|CHANGELOG|LICENSE|package)/.test(path),
    ),
  ).toEqual([]);
  expect(paths.filter((path) => /\.map$|\.test\.|\.tsbuildinfo$/.test(path))).toEqual([]);
});
