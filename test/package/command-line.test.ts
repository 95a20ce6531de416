import { readdir, readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = "dist/cli";

async function read(file: string): Promise<string> {
  return readFile(join(FOLDER, file), "utf8");
}

/** What a file imports before it runs. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/^(?:import|\}) [^"\n]*"([^"]+)";$|^import "([^"]+)";$/gm)].flatMap(
    ([, name, bare]) => name ?? bare ?? [],
  );
}

test("a start opens two files, and no package", async () => {
  const files = ["main.js"];
  for (const file of files) {
    for (const name of importsOf(await read(file))) {
      const isBuiltin = builtinModules.includes(name.replace(/^node:/, ""));
      if (!isBuiltin && !files.includes(name.slice(2))) files.push(name.slice(2));
    }
  }

  expect(files).toEqual(["main.js", expect.stringMatching(/^chunk-\w+\.js$/)]);
});

test("licences stand beside what is bundled", async () => {
  const bundled = new Set<string>();
  for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith(".js"))) {
    for (const [, name = ""] of (await read(file)).matchAll(
      /^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm,
    )) {
      bundled.add(name);
    }
  }
  const licenses = await read("LICENSES.txt");

  expect(bundled).toContain("@msw/data");
  expect(bundled).toContain("yaml");
  for (const name of bundled) expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+`, "m"));
});
