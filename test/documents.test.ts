import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
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

test("ARCHITECTURE names paths, so that there is something to check", async () => {
  expect((await readFile("ARCHITECTURE.md", "utf8")).match(/`src\//g)?.length).toBeGreaterThan(10);
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
