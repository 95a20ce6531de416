import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../_run.ts";
import { givenFolder } from "../cli/_folder.ts";

/** Weighs a package of one entry, which is this code, in a folder of its own. */
async function weigh(code: string, sizes: object, ...flags: string[]) {
  const exports = { ".": { default: "./index.js" }, "./package.json": "./package.json" };
  const folder = await givenFolder({
    "package.json": JSON.stringify({ type: "module", exports }),
    "index.js": code,
    "scripts/sizes.json": JSON.stringify(sizes),
  });
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = [resolve("scripts/size.js"), ...flags];
  const ended = await run(process.execPath, script, folder);
  return {
    ...ended,
    sizes: JSON.parse(await readFile(join(folder, "scripts", "sizes.json"), "utf8")),
  };
}

/** Weighs 0.4 kB and more, however well it is compressed. */
const heavy = `export const text = ${JSON.stringify(
  Array.from({ length: 300 }, (_, index) => (index * index).toString(36)).join(),
)};`;

test("what an entry weighs is told, and noted with --write", async () => {
  const told = await weigh(heavy, { ".": { kB: 0, ceiling: 9 } });
  const noted = await weigh(heavy, { ".": { kB: 0, ceiling: 9 } }, "--write");

  expect(told).toMatchObject({ code: 0, stderr: "", sizes: { ".": { kB: 0, ceiling: 9 } } });
  expect(told.stdout).toMatch(/^\. +\d\.\d +9$/m);
  expect(noted.code).toBe(0);
  expect(noted.sizes).toEqual({ ".": { kB: expect.any(Number), ceiling: 9 } });
  expect(noted.sizes["."].kB).toBeGreaterThan(0);
});

test.each([
  [{ ".": { kB: 0.1, ceiling: 0.1 } }, /^\.: expected at most 0\.1 kB, got \d\.\d$/m],
  [{}, /^\.: expected a ceiling in scripts\/sizes\.json, got none$/m],
])("with %j it is refused", async (sizes, line) => {
  const { code, stderr } = await weigh(heavy, sizes);

  expect(code).toBe(1);
  expect(stderr).toMatch(line);
});

test("a module of Node's is refused where a page loads the entry", async () => {
  const code = `export const later = () => import("node:fs");`;
  const refused = await weigh(code, { ".": { kB: 1, ceiling: 9 } });

  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("node:fs");
});
