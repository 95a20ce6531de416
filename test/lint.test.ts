import { copyFile, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "./_run.ts";
import { givenFolder } from "./cli/_folder.ts";

/** The lines of these files, in a folder of their own, that the linter has something to say of. */
async function refusals(
  files: Readonly<Record<string, readonly string[]>>,
  rule: string,
): Promise<string[]> {
  const texts = Object.entries(files).map(([file, lines]) => [file, `${lines.join("\n")}\n`]);
  const folder = await givenFolder(Object.fromEntries(texts));
  onTestFinished(() => rm(folder, { recursive: true }));
  await copyFile(".oxlintrc.json", join(folder, ".oxlintrc.json"));
  const args = [resolve("node_modules/oxlint/bin/oxlint"), "--format=json"];
  const { stdout } = await run(process.execPath, args, folder);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: {
      code: string;
      filename: string;
      labels: { span: { line: number } }[];
    }[];
  };
  const found = diagnostics
    .filter(({ code }) => code.includes(rule))
    .map(({ filename, labels }) => {
      const line = labels[0]?.span.line ?? 0;
      return `${filename}: ${files[filename]?.[line - 1]}`;
    });
  return [...new Set(found)].sort();
}

/** Every folder of the sources that has an import rule, with what it must not import. */
const sources = await readdir("src", { recursive: true, withFileTypes: true });
const ruled = sources
  .filter((entry) => entry.isDirectory())
  .map(({ parentPath, name }) => join(parentPath, name));

/** Files that run in a browser, too. */
const inBrowser = ["contract", "store", "operations", "control", "emulator", "msw", "page"]
  .concat("seeding/fixtures", "seeding/generate")
  .map((name) => `src/${name}`);

test("a package that no folder is known to need is refused, however it is imported", async () => {
  const lines = [
    `import "left-pad";`,
    `import "left-pad/part";`,
    `import type { Pad } from "left-pad";`,
    `export * from "left-pad";`,
    `export const pad = () => import("left-pad");`,
  ];
  const files = Object.fromEntries(ruled.map((folder) => [`${folder}/probe.ts`, lines]));

  const expected = Object.keys(files).flatMap((file) => lines.map((line) => `${file}: ${line}`));
  expect(await refusals(files, "no-restricted-imports")).toEqual(expected.sort());
});

test("modules of Node's are refused where a browser runs the code", async () => {
  const lines = [`import "node:fs/promises";`, `export const fs = () => import("node:fs");`];
  const files = Object.fromEntries(inBrowser.map((folder) => [`${folder}/probe.ts`, lines]));

  const expected = Object.keys(files).flatMap((file) => lines.map((line) => `${file}: ${line}`));
  expect(await refusals(files, "no-restricted-imports")).toEqual(expected.sort());
});

/** What ARCHITECTURE.md says: each folder, and the folders whose modules it may import. */
const allowed = {
  contract: [],
  store: ["contract"],
  seeding: ["contract", "store"],
  operations: ["contract", "store"],
  control: ["contract", "store", "seeding"],
  emulator: ["contract", "store", "seeding", "operations", "control"],
  http: ["contract", "emulator"],
  msw: ["contract", "emulator"],
  cli: ["contract", "store", "seeding", "operations", "control", "emulator", "http"],
  vitest: ["contract", "emulator", "http", "cli"],
  page: ["contract", "control"],
};

test("a folder imports the folders that it may, and no other", async () => {
  const names = Object.keys(allowed) as (keyof typeof allowed)[];
  const line = (name: string) => `import "../${name}/some-module.ts";`;
  const files = Object.fromEntries(
    names.map((name) => [`src/${name}/probe.ts`, names.filter((n) => n !== name).map(line)]),
  );

  const expected = names.flatMap((name) =>
    names
      .filter((other) => other !== name && !(allowed[name] as readonly string[]).includes(other))
      .map((other) => `src/${name}/probe.ts: ${line(other)}`),
  );
  expect(await refusals(files, "no-restricted-imports")).toEqual(expected.sort());
});

test("a folder without a rule imports nothing, not even of its own", async () => {
  const files = { "src/fresh/probe.ts": [`import "./other.ts";`] };

  expect(await refusals(files, "no-restricted-imports")).toHaveLength(1);
});

test("what imports itself is refused, also where only types go round", async () => {
  const files = {
    "src/store/one.ts": [`import { two } from "./two.ts";`, "export const one = () => two;"],
    "src/store/two.ts": [`import { one } from "./one.ts";`, "export const two = () => one;"],
    "src/store/hen.ts": [`import type { Egg } from "./egg.ts";`, "export type Hen = Egg[];"],
    "src/store/egg.ts": [`import type { Hen } from "./hen.ts";`, "export type Egg = Hen[];"],
  };

  expect(await refusals(files, "no-cycle")).toEqual(
    Object.entries(files)
      .map(([file, [first]]) => `${file}: ${first}`)
      .sort(),
  );
});
