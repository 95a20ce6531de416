import { readdir, readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { run } from "../_run.ts";

const FOLDER = "dist";

async function read(file: string): Promise<string> {
  return readFile(join(FOLDER, file), "utf8");
}

/** The static imports of a file. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/^(?:import|export) [^"\n]* from "([^"]+)";$|^import "([^"]+)";$/gm)]
    .flatMap(([, name, bare]) => name ?? bare ?? [])
    .toSorted();
}

/** Our files that this one imports statically, itself included, and the other modules. */
async function openedWith(entry: string): Promise<{ files: string[]; others: string[] }> {
  const files = [entry];
  const others = new Set<string>();
  for (const file of files) {
    for (const name of importsOf(await read(file))) {
      const next = posix.join(posix.dirname(file), name);
      if (!name.startsWith(".")) others.add(name);
      else if (!files.includes(next)) files.push(next);
    }
  }
  return { files: files.toSorted(), others: [...others] };
}

/** Runs a program that imports the built files. */
async function runProgram(code: string, ...flags: string[]) {
  const program = code.replaceAll("dist/", `${pathToFileURL(resolve(FOLDER)).href}/`);
  return run(process.execPath, [...flags, "--input-type=module", "--eval", program], process.cwd());
}

const core = ["chunks/core.js", "chunks/rolldown-runtime.js"];

test.each<[entry: string, shared: readonly string[], others: readonly string[]]>([
  ["index.js", core, []],
  ["msw.js", core, ["msw"]],
  ["vitest/test.js", core, ["vitest"]],
  ["client.js", [], []],
])(
  "importing %s loads it, %j, no module of Node and of packages %j",
  async (entry, shared, others) => {
    const files = [...shared, entry].toSorted();

    expect(await openedWith(entry)).toEqual({ files, others });
  },
);

test("starting the command line loads five files and no package", async () => {
  const { files, others } = await openedWith("cli/main.js");

  expect(files).toEqual([
    "chunks/cli.js",
    "chunks/core.js",
    "chunks/node.js",
    "chunks/rolldown-runtime.js",
    "cli/main.js",
  ]);
  expect(others.filter((name) => !builtinModules.includes(name.replace(/^node:/, "")))).toEqual([]);
});

test("importing latchkey/redirect loads two files that nothing else loads, and no package", async () => {
  const { others } = await openedWith("redirect/by-hand.js");
  const code = await read("redirect.cjs");
  const required = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name = ""]) => name);

  expect(others).toEqual(["node:fs", "node:module"]);
  expect(await read("redirect/by-hand.js")).toContain('("./redirect.cjs")');
  expect(required.filter((name) => !builtinModules.includes(name.replace("node:", "")))).toEqual(
    [],
  );
});

test("a start without --as loads nothing of what redirects programs", async () => {
  const { files } = await openedWith("cli/main.js");

  for (const [file, part] of [
    ["chunks/redirection.js", "--as: expected each origin once"],
    ["redirect.cjs", "ERR_LATCHKEY_REDIRECT"],
  ] as const) {
    expect(files).not.toContain(file);
    expect(await read(file)).toContain(part);
    expect((await Promise.all(files.map(read))).join("")).not.toContain(part);
  }
});

test("the core chunk is pure ASCII, which V8 stores in half the memory", async () => {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  expect(/^.*[^\x00-\x7f].*$/m.exec(await read("chunks/core.js"))?.[0]).toBeUndefined();
});

test("all entries share one class of each error", async () => {
  const { stdout, stderr } = await runProgram(`
    import * as z from "zod";
    import { ApiError, UsageError, createEmulator, defineOperation } from "dist/index.js";
    import { createHandlers } from "dist/msw.js";
    import { loadFixture, serve, startProcess } from "dist/node.js";
    import { createGlobalSetup } from "dist/vitest/global-setup.js";
    const isUsage = (error) => error instanceof UsageError;
    const emulator = await createEmulator();
    const tries = [
      () => createEmulator({ wrong: true }),
      () => createHandlers(emulator, {}),
      () => loadFixture("none.json"),
      () => serve(emulator, { wrong: true }),
      () => startProcess({ wrong: true }),
      () => createGlobalSetup({ wrong: true })({ provide() {} }),
    ];
    for (const attempt of tries) {
      console.log(await new Promise((resolve) => resolve(attempt())).catch(isUsage));
    }
    const teapot = defineOperation({
      contract: {
        name: "keys.refuse",
        method: "POST",
        path: "/v1/keys.refuse",
        input: z.object({}),
        output: z.object({}),
      },
      run() {
        throw new ApiError("NOT_FOUND", "refused");
      },
    });
    const server = await serve(await createEmulator({ operations: [teapot] }));
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: "{}" };
    console.log((await fetch(server.url + "/v1/keys.refuse", init)).status);
    await server.close();
  `);

  expect(stderr).toBe("");
  expect(stdout).toBe(`${"true\n".repeat(6)}404\n`);
});

test("LICENSES.txt has the licence of every bundled package", async () => {
  const bundled = new Set<string>();
  for (const file of await readdir(join(FOLDER, "chunks"))) {
    const text = await read(join("chunks", file));
    for (const [, name = ""] of text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)) {
      bundled.add(name);
    }
  }
  const types = join(FOLDER, "types", "packages");
  for (const entry of await readdir(types, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(types.length + 1);
    if (entry.isFile()) bundled.add(/^(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll("\\", "/"))![0]);
  }
  const licenses = await read("LICENSES.txt");

  expect([...bundled]).toEqual(
    expect.arrayContaining(["@msw/data", "cross-spawn", "yaml", "yargs", "zod"]),
  );
  for (const name of bundled) expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+`, "m"));
});

test.each([[[]], [["--enable-source-maps"]]])(
  "with the flags %j, each place of a stack trace is in a file of the bundle",
  async (flags) => {
    const { stderr } = await runProgram(
      `import { createEmulator } from "dist/index.js";
       const { keys } = await createEmulator();
       await keys.create({ apiId: "api_none" }).catch(({ stack }) => console.error(stack));
       await createEmulator({ wrong: true });`,
      ...flags,
    );

    const places = [...stderr.matchAll(/^ +at .*?(file:[^[]+?):(\d+):\d+\)?$/gm)];
    expect(stderr).toContain("UsageError: ");
    expect(stderr).toMatch(/at .*createEmulator \(/);
    expect(places.length).toBeGreaterThanOrEqual(3);
    for (const [, url = "", line] of places) {
      const lines = (await readFile(new URL(url), "utf8")).split("\n");
      expect(lines.length).toBeGreaterThanOrEqual(Number(line));
    }
  },
);
