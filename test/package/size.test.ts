import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../_run.ts";
import { givenFolder } from "../cli/_folder.ts";

/** Runs scripts/size.js on a package whose only entry is this code. */
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

/** At least 0.4 kB when compressed. */
const heavy = `export const text = ${JSON.stringify(
  Array.from({ length: 300 }, (_, index) => (index * index).toString(36)).join(),
)};`;

test("scripts/size.js prints the size of an entry, and --write saves it", async () => {
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
])("scripts/size.js refuses an entry above its ceiling or without one: %j", async (sizes, line) => {
  const { code, stderr } = await weigh(heavy, sizes);

  expect(code).toBe(1);
  expect(stderr).toMatch(line);
});

test("scripts/size.js refuses an entry for browsers that imports a module of Node", async () => {
  const code = `export const later = () => import("node:fs");`;
  const refused = await weigh(code, { ".": { kB: 1, ceiling: 9 } });

  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("node:fs");
});
