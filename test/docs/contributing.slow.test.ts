import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { VersionName } from "../../src/api/version.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { run } from "../_run.ts";

/** The text in CONTRIBUTING.md for each file: the whole file, or a line of a list. */
async function readShownFiles(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile("CONTRIBUTING.md", "utf8");
  const blocks = text.matchAll(
    /^\*\*\d\.[^\n]*?`((?:src|test)\/[\w/.-]+\.ts)`(?:(?!```)[^])*```ts\n([^]*?)```/gm,
  );
  return new Map(Array.from(blocks, ([, path = "", code = ""]) => [path, code]));
}

test("the operation that CONTRIBUTING.md adds passes its test", async () => {
  const shown = await readShownFiles();
  const paths = [...shown.keys()];
  const [module = "", list = "", file = ""] = paths;
  const [, name = ""] = /export const (\w+) = operationOfV\d/.exec(shown.get(module) ?? "") ?? [];
  const base = basename(module);
  const [, version = ""] = /^src\/service\/operations\/(v\d)\//.exec(module) ?? [];
  expect(paths).toEqual([
    `src/service/operations/${version}/${base}`,
    `src/service/operations/${version}/index.ts`,
    `test/service/${base.replace(/\.ts$/, ".test.ts")}`,
  ]);
  expect(shown.get(list)).toBe(`export { ${name} } from "./${base}";\n`);
  // The text shows how to add it, so the version must not have it already.
  const served = operationsOf([version as VersionName]);
  expect(served.map(({ contract }) => contract.name.split(".")[1])).not.toContain(name);
  const folder = await mkdtemp(join(tmpdir(), "latchkey-contributing-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const entry of [
    "src",
    "test",
    "fixtures",
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
  ]) {
    await cp(entry, join(folder, entry), { recursive: true });
  }
  for (const entry of ["node_modules", "dist"]) await symlink(resolve(entry), join(folder, entry));
  for (const [path, code] of shown) {
    await writeFile(join(folder, path), code, { flag: path === list ? "a" : "wx" });
  }

  const vitest = resolve("node_modules/vitest/vitest.mjs");
  const { code, stdout } = await run(
    process.execPath,
    [vitest, "run", "--project=fetch", file],
    folder,
  );

  expect(stdout).toMatch(/2 passed/);
  expect(code).toBe(0);
});
