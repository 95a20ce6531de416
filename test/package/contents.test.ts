import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

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
