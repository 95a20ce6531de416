import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "./_run.ts";

/** The files that CONTRIBUTING.md shows, by their paths. */
async function readShownFiles(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile("CONTRIBUTING.md", "utf8");
  const blocks = text.matchAll(/`((?:src|test)\/[\w/.-]+\.ts)`\.(?:(?!```)[^])*```ts\n([^]*?)```/g);
  return new Map(Array.from(blocks, ([, path = "", code = ""]) => [path, code]));
}

test("the operation that CONTRIBUTING.md adds passes its test", async () => {
  const shown = await readShownFiles();
  const folder = await mkdtemp(join(tmpdir(), "latchkey-contributing-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of [
    "src",
    "test",
    "fixtures",
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
  ]) {
    await cp(name, join(folder, name), { recursive: true });
  }
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  for (const [path, code] of shown) await writeFile(join(folder, path), code);
  const table = join(folder, "src/operations/table.ts");
  const before = await readFile(table, "utf8");
  const after = before
    .replace(/(v1: \[[^\]]*?),?\s*\]/, "$1, whoami]")
    .replace(/^/, 'import { whoami } from "./v1/whoami.ts";\n');
  await writeFile(table, after);

  const vitest = resolve("node_modules/vitest/vitest.mjs");
  const file = "test/operations/whoami.test.ts";
  const { code, stdout } = await run(
    process.execPath,
    [vitest, "run", "--project=http", file],
    folder,
  );

  expect([...shown.keys()]).toEqual([
    "src/contract/v1/whoami.ts",
    "src/operations/v1/whoami.ts",
    file,
  ]);
  expect(stdout).toMatch(/2 passed/);
  expect(code).toBe(0);
});
