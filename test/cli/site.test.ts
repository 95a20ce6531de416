import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createEmulator } from "../../src/index.ts";
import { runMain } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const FIXTURE = `
tokens: [{ token: admin, permissions: ["*"] }]
apis: [{ id: api_shop }]
keys: [{ apiId: api_shop, name: listed, expires: in 1d }]
faults: [{ operation: keys.getKey, status: 500 }]
`;

test("site writes the page, the emulator, and a fixture with all records, including generated ones", async () => {
  const cwd = await givenFolder({ "demo.yaml": FIXTURE });
  const args = ["--generate", "5", "--random-seed", "1", "--title", "<b>Shop</b>", "--strict"];

  const { code, stdout } = await runMain(["site", "-f", "demo.yaml", ...args, "--out", "a/site"], {
    cwd,
  });

  expect([code, stdout]).toEqual([0, expect.stringMatching(/^wrote a\/site: \d{3} kB compressed/)]);
  expect((await readdir(join(cwd, "a/site"))).toSorted()).toEqual([
    "LICENSES.txt",
    "index.html",
    "page.css",
    "page.js",
    "site.js",
    "world.json",
  ]);
  const html = await readFile(join(cwd, "a/site/index.html"), "utf8");
  expect(html).toContain("<title>&lt;b>Shop&lt;/b></title>");
  expect(html).not.toContain("<b>");
  const world = JSON.parse(await readFile(join(cwd, "a/site/world.json"), "utf8"));
  const emulator = await createEmulator({ fixtures: [world] });
  const settings = /id="settings">(.*?)</.exec(html)?.[1] ?? "";
  expect(emulator.keys.all().filter(({ name }) => name === "listed")).toHaveLength(1);
  expect(emulator.keys.count()).toBe(6);
  expect(JSON.parse(settings)).toMatchObject({ title: "<b>Shop</b>", faults: [{ status: 500 }] });
});

test("docs/demos.md gives the size of a site", async () => {
  const demo = resolve("fixtures/demo.yaml");
  const cwd = await givenFolder();
  const sizeOf = async (...args: readonly string[]) => {
    const { stdout } = await runMain(["site", ...args, "--out", "site"], { cwd });
    return Number(/(\d+) kB compressed/.exec(stdout)?.[1]);
  };
  const small = await sizeOf();
  const large = await sizeOf("-f", demo, "--generate", "500", "--random-seed", "1435");

  const tens = (size: number) => Math.round(size / 10) * 10;
  expect(await readFile("docs/demos.md", "utf8")).toContain(
    `about ${tens(small)} kB compressed, and about ${tens(large - small)} kB more for 500 keys`,
  );
});

test("a new site replaces the files of a previous one", async () => {
  const cwd = await givenFolder({ "calls.js": "export default () => {};" });
  await runMain(["site", "--calls", "calls.js", "--out", "site"], { cwd });
  expect(await readdir(join(cwd, "site"))).toContain("calls.js");

  const { code } = await runMain(["site", "--out", "site"], { cwd });

  expect(code).toBe(0);
  expect(await readdir(join(cwd, "site"))).not.toContain("calls.js");
});

test.each<[what: string, files: Record<string, string>, args: string[], line: RegExp]>([
  ["no folder", {}, [], /^--out: expected the folder to write/],
  ["a file as the folder", { out: "" }, ["--out", "out"], /^--out: out: it is not a folder$/],
  [
    "a folder with another file",
    { "out/index.html": "mine" },
    ["--out", "out"],
    /^--out: out: expected a new or empty folder, .* got one with index.html; nothing was overwritten$/,
  ],
  [
    "an option of a server",
    {},
    ["--port", "1", "--out", "out"],
    /^--port: site does not take this/,
  ],
  [
    "a wrong fixture",
    { "f.yaml": "keys: [{ apiId: api_none }]" },
    ["-f", "f.yaml", "--out", "out"],
    /^f.yaml: keys\[0\].apiId: /,
  ],
  [
    "operations of a configuration",
    { "latchkey.config.json": '{ "operations": ["own.js"] }' },
    ["--out", "out"],
    /^operations: expected none/,
  ],
  [
    "calls without a default export",
    { "c.js": "export const calls = 1;" },
    ["--calls", "c.js", "--out", "out"],
    /^--calls: c.js: expected a function as default export/,
  ],
  [
    "calls that import a file",
    { "c.js": 'import "./other.js"; export default () => {};', "other.js": "" },
    ["--calls", "c.js", "--out", "out"],
    /^--calls: c.js: expected no imports/,
  ],
  [
    "calls that do not parse",
    { "c.js": "export default (" },
    ["--calls", "c.js", "--out", "out"],
    /^--calls: c.js: SyntaxError: /,
  ],
])("site refuses %s, and writes nothing", async (_, files, args, line) => {
  const cwd = await givenFolder(files);
  const before = await readdir(cwd, { recursive: true });

  const { code, stdout, stderr } = await runMain(["site", ...args], { cwd });

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr.replace(/^latchkey: /, "").trimEnd()).toMatch(line);
  expect(await readdir(cwd, { recursive: true })).toEqual(before);
});

test("site does not change a folder that has a site and another file", async () => {
  const cwd = await givenFolder();
  await runMain(["site", "--out", "site"], { cwd });
  await writeFile(join(cwd, "site/notes.txt"), "mine");
  const before = await readFile(join(cwd, "site/index.html"), "utf8");

  const { code, stderr } = await runMain(["site", "--out", "site", "--title", "New"], { cwd });

  expect([code, stderr]).toEqual([2, expect.stringContaining("got one with notes.txt")]);
  expect(await readFile(join(cwd, "site/index.html"), "utf8")).toBe(before);
});
