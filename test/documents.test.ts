import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...(await pagesIn("docs")),
  ...(await pagesIn("docs/decisions")),
  ...(await pagesIn("examples")),
];

async function pagesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return files.filter((file) => file.endsWith(".md")).map((file) => `${folder}/${file}`);
}

test.each(pages)("every path that %s names exists", async (page) => {
  const paths = (await proseOf(page)).matchAll(
    /`((?:src|test|docs|fixtures|bin|bench|scripts|examples)\/[\w./-]*|[\w-]+\.md|\.oxlintrc\.json)/g,
  );

  for (const [, path = ""] of paths) expect(existsSync(path), path).toBe(true);
});

test.each(pages)("every link of %s leads to a file and a heading that exist", async (page) => {
  const links = (await proseOf(page)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g);

  for (const [link, path = "", heading] of links) {
    const target = path === "" ? page : join(dirname(page), path);
    expect(existsSync(target), link).toBe(true);
    if (heading !== undefined) expect(await headingsOf(target), link).toContain(heading);
  }
});

test("every page for users is within two links of README", async () => {
  const linked = async (page: string) =>
    [...(await proseOf(page)).matchAll(/\]\(([^)#:]+\.md)/g)].map(([, path = ""]) =>
      join(dirname(page), path),
    );
  const first = await linked("README.md");
  const second = (await Promise.all(first.map(linked))).flat();

  expect([...first, ...second]).toEqual(expect.arrayContaining(await pagesIn("docs")));
});

test.each(pages)("every tarball that %s names is the one that npm pack makes", async (page) => {
  const { name, version } = JSON.parse(await readFile("package.json", "utf8"));
  const named = (await readFile(page, "utf8")).match(/[\w.-]+\.tgz/g) ?? [];

  expect(named).toEqual(named.map(() => `${name}-${version}.tgz`));
});

test("every example depends on what its page tells a copy to replace", async () => {
  const [, path] = /In a copy, `(.*?)`/.exec(await readFile("examples/README.md", "utf8")) ?? [];
  const folders = (await readdir("examples")).filter((name) => !name.endsWith(".md"));

  expect(folders).not.toEqual([]);
  for (const folder of folders) {
    const manifest = JSON.parse(await readFile(`examples/${folder}/package.json`, "utf8"));
    expect(manifest.devDependencies.latchkey, folder).toBe(path);
  }
});

test("ARCHITECTURE names paths, so that there is something to check", async () => {
  expect((await readFile("ARCHITECTURE.md", "utf8")).match(/`src\//g)?.length).toBeGreaterThan(10);
});

test.each([
  [
    "an option",
    "`-p`, `--port`",
    "integer, 0 to 65535",
    "4010",
    "`LATCHKEY_PORT`, `PORT`",
    "`port`",
  ],
  ["an option that is on unless it is turned off", "`--ui`", "| true "],
  ["a member of a body", "`name`", "text, up to 256 characters"],
  ["one within another", "`refill.interval`", "yes", '`"daily"`, `"monthly"`'],
  ["one of a listed key", "`keys[].identity.id`", "yes", "text"],
  ["a parameter", "`limit`", "integer, 1 to 100", "Default: 100."],
  [
    "a control route",
    "`PUT /_latchkey/clock`",
    "[ClockChange](#clockchange)",
    "200 [Clock](#clock)",
  ],
  ["a list of a fixture", "`permissions`", "list: text, 1 to 512 characters, or object"],
  ["a member of a fault", "`code`", "an [error code](#error-codes)"],
  ["an error code", "`EXPIRED`", "403"],
])("the reference tells %s", async (_, ...cells) => {
  const rows = (await readFile("docs/reference.md", "utf8")).split("\n");

  expect(rows.filter((row) => cells.every((cell) => row.includes(cell)))).not.toEqual([]);
});

/** A page without its code blocks, which `test/pages.test.ts` proves. */
async function proseOf(page: string): Promise<string> {
  return (await readFile(page, "utf8")).replaceAll(/^```.*?^```$/gms, "");
}

/** What links call the headings of a page: a second one of a name has a number. */
async function headingsOf(page: string): Promise<string[]> {
  const seen = new Map<string, number>();
  return [...(await proseOf(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => {
    const name = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "");
    const slug = name.replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
