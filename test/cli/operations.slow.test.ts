import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { startProcess } from "../../src/node.ts";
import { createGlobalSetup } from "../../src/cli/vitest-global-setup.ts";
import { runCli, startCli } from "../_cli.ts";
import { post } from "../_emulator.ts";
import { node } from "./_exec.ts";
import { givenFolder } from "./_folder.ts";

/** `make` defines an operation of v2 that counts its calls, up to two. */
const MAKE = `
  import { ApiError, defineOperation } from "latchkey";
  import * as z from "zod";
  export const make = (name) => defineOperation({
    contract: {
      name,
      method: "POST",
      path: "/v2/" + name,
      input: z.strictObject({}),
      output: z.object({ data: z.object({}) }),
    },
    state: () => ({ calls: 0 }),
    run({ now, state }) {
      state.calls += 1;
      if (state.calls > 2) {
        throw new ApiError("CONFLICT", "Enough.", { type: "unkey/data/call_already_exists" });
      }
      return { data: { now, ...state } };
    },
  });
`;
const MODULES = {
  "package.json": '{ "type": "module" }',
  "make.js": MAKE,
  "one.js": 'import { make } from "./make.js"; export default make("tests.one");',
  "list.js": `import { make } from "./make.js";
    export default [make("tests.two"), make("tests.three")];`,
  "compiled.cjs": `"use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.default = require("./make.js").make("tests.compiled");`,
  "timer.js": 'setInterval(() => {}, 1_000); export { default } from "./one.js";',
  "again.js": 'import { make } from "./make.js"; export default make("tests.three");',
  "typed.ts": `import { make } from "./make.js";
    const name: string = "tests.typed";
    export default make(name);`,
};

const EXPECTED_MODULE = "expected a module, with a name that ends in .js, .mjs or .cjs";
const EXPECTED_DEFAULT = "expected a default export, an operation or a list of operations";

/** Modules that are refused, with the beginning of each line; undefined for a file that does not exist. */
const refused: readonly (readonly [file: string, code: string | undefined, ...lines: string[]])[] =
  [
    ["none.js", undefined, "none.js: there is no such file"],
    [".", undefined, `.: ${EXPECTED_MODULE}`],
    ["data.json", "{}", `data.json: ${EXPECTED_MODULE}`],
    ["empty.js", "", `empty.js: ${EXPECTED_DEFAULT}`],
    [
      "named.js",
      "export const one = 1, two = 2;",
      `named.js: ${EXPECTED_DEFAULT}, like \`export default [one, two];\``,
    ],
    [
      "throws.js",
      "\nthrow new TypeError('broken\\nand more');",
      "throws.js:2: it cannot be loaded: TypeError: broken",
    ],
    ["in-cjs.cjs", "\n\nnull.x;", "in-cjs.cjs:3: it cannot be loaded: TypeError: "],
    ["null.js", "throw null;", "null.js: it cannot be loaded: null"],
    [
      "syntax.js",
      "export default ;",
      "syntax.js: it cannot be loaded: SyntaxError: Unexpected token ';'; to see where, run it with `node`",
    ],
    [
      "lacking.js",
      'import "no-such-package";',
      "lacking.js: it cannot be loaded: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'no-such-package' imported from ",
    ],
    [
      "odd.js",
      "export default [7, () => 7];",
      "odd.js[0]: expected an operation, made with defineOperation, got 7",
      "odd.js[1]: expected an operation, made with defineOperation, got a function",
    ],
    [
      "wrong.js",
      'import one from "./one.js"; export default { ...one, contract: { ...one.contract, path: "x" } };',
      "wrong.js: contract.path: expected a path as it stands in a URL",
    ],
  ];

/** A project folder with these modules, latchkey and zod. */
let folder: string;
beforeAll(async () => {
  const files = refused.flatMap(([file, code]) => (code === undefined ? [] : [[file, code]]));
  folder = await givenFolder({ ...MODULES, ...Object.fromEntries(files) });
  await mkdir(join(folder, "node_modules"));
  await symlink(resolve("."), join(folder, "node_modules/latchkey"));
  await symlink(resolve("node_modules/zod"), join(folder, "node_modules/zod"));
});

const door = { fetch };
const call = async (name: string, { url, token }: { url: string; token: string }) => {
  const { body } = await post(door, `/v2/${name}`, {}, { origin: url, token });
  return body.data?.calls ?? body.error.type.split("/").at(-1);
};

test("--operation serves the operations of a module, whose state a reset forgets", async () => {
  const now = Date.UTC(2026, 0, 1);
  await using cli = await startCli(["--operation", "one.js", "--now", String(now)], {
    cwd: folder,
  });
  const { url, token } = cli.ready;
  const headers = { Authorization: `Bearer ${token}` };

  const { body } = await post(door, "/v2/tests.one", {}, { origin: url, token });
  const more = [await call("tests.one", cli.ready), await call("tests.one", cli.ready)];
  await fetch(`${url}/_latchkey/reset`, { method: "POST", headers });
  const document = await fetch(`${url}/_latchkey/operations.json?version=v2`, { headers });

  expect(body.data).toEqual({ now, calls: 1 });
  expect(more).toEqual([2, "call_already_exists"]);
  expect(await call("tests.one", cli.ready)).toBe(1);
  expect(await document.json()).toHaveProperty(["paths", "/v2/tests.one", "post"]);
});

test("--operation is repeatable, and takes a list and a module that was compiled to CommonJS", async () => {
  const files = ["./one.js", "list.js", "compiled.cjs"];
  await using cli = await startCli(
    files.flatMap((file) => ["--operation", file]),
    { cwd: folder },
  );

  const calls = ["tests.one", "tests.two", "tests.compiled"].map((name) => call(name, cli.ready));

  expect(await Promise.all(calls)).toEqual([1, 1, 1]);
});

test("check takes --operation, so that a fault may name an operation of a module", async () => {
  await writeFile(
    join(folder, "fault.json"),
    '{"faults":[{"operation":"tests.one","status":500}]}',
  );
  const args = ["check", "fault.json"];

  const without = await runCli(args, { cwd: folder });
  const withModule = await runCli([...args, "--operation", "timer.js"], { cwd: folder });
  const missing = await runCli([...args, "--operation", "none.js"], { cwd: folder });

  expect(without.code).toBe(1);
  expect(without.stdout).toContain("fault.json: faults[0].operation: unknown operation");
  expect(withModule).toMatchObject({ code: 0, stderr: "" });
  expect(withModule.stdout).toMatch(/^ok: ws_local /);
  expect(missing).toMatchObject({ code: 1, stdout: "none.js: there is no such file\n" });
});

test("LATCHKEY_OPERATION names modules, separated by commas", async () => {
  const env = { LATCHKEY_OPERATION: "one.js, list.js" };
  await using cli = await startCli([], { cwd: folder, env });

  expect(await call("tests.one", cli.ready)).toBe(1);
  expect(await call("tests.two", cli.ready)).toBe(1);
});

test("a configuration file names modules", async () => {
  const inner = join(folder, "inner");
  await mkdir(inner);
  const config = JSON.stringify({ operations: ["../one.js"] });
  await writeFile(join(inner, "latchkey.config.json"), config);
  await using cli = await startCli([], { cwd: inner });

  expect(await call("tests.one", cli.ready)).toBe(1);
});

test("exec serves operations to its command, and ends although a module has a timer", async () => {
  const script = `
    const { LATCHKEY_URL, LATCHKEY_TOKEN } = process.env;
    const headers = { Authorization: "Bearer " + LATCHKEY_TOKEN, "Content-Type": "application/json" };
    fetch(LATCHKEY_URL + "/v2/tests.one", { method: "POST", headers, body: "{}" })
      .then((response) => { process.exitCode = response.status === 200 ? 7 : 1; });`;
  const args = ["exec", "--operation", "timer.js", "--", node, "-e", script];

  const stderr = "latchkey: 1 call came: 1 × 200\n";
  expect(await runCli(args, { cwd: folder })).toMatchObject({ code: 7, stdout: "", stderr });
});

test("startProcess and the set-up of vitest take operations, relative to the current folder", async () => {
  const options = { operations: [relative(process.cwd(), join(folder, "one.js"))] };
  const running = await startProcess(options);
  const provided: Record<string, string | undefined> = {};
  const end = await createGlobalSetup(options)({
    provide: (name, value) => void (provided[name] = value),
    onTestsRerun: () => {},
  });

  const { latchkeyToken: token = "", latchkeyUrl: url = "" } = provided;
  expect([await call("tests.one", running), await call("tests.one", { url, token })]).toEqual([
    1, 1,
  ]);
  await Promise.all([running.stop(), end()]);
});

test("startProcess refuses operations that are objects", async () => {
  const options = { operations: [{ contract: {} }] } as never;

  await expect(startProcess(options)).rejects.toThrow(
    "startProcess: operations: expected names of files, got an object; export it from a module, or use it in this process: createEmulator({ operations: [...] }), and serve for a URL",
  );
});

test("operations of a project with another copy of latchkey refuse as those with the same copy", async () => {
  const other = await givenFolder(MODULES);
  await mkdir(join(other, "node_modules/latchkey"), { recursive: true });
  for (const part of ["dist", "package.json"]) {
    await cp(resolve(part), join(other, "node_modules/latchkey", part), { recursive: true });
  }
  for (const name of ["zod", "@faker-js"]) {
    await symlink(resolve("node_modules", name), join(other, "node_modules", name));
  }
  await using cli = await startCli(["--operation", "one.js"], { cwd: other });

  const calls = [];
  for (let index = 0; index < 3; index += 1) calls.push(await call("tests.one", cli.ready));

  expect(calls).toEqual([1, 2, "call_already_exists"]);
});

test("modules without operations are refused together, with a line for each problem", async () => {
  const args = refused.flatMap(([file]) => ["--operation", file]);

  const { code, stdout, stderr } = await runCli(args, { cwd: folder });

  const lines = refused.flatMap(([, , ...expected]) => expected);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr.trimEnd().split("\n")).toEqual(
    lines.map((line) => expect.stringContaining(`latchkey: ${line}`)),
  );
});

test("two operations with one name are refused, with the modules that they are in", async () => {
  const args = ["one.js", "list.js", "again.js"].flatMap((file) => ["--operation", file]);

  const { code, stderr } = await runCli(args, { cwd: folder });

  expect(code).toBe(2);
  expect(stderr.split("\n")[0]).toBe(
    'latchkey: again.js: contract.name: duplicate of the name of list.js[1]: "tests.three"',
  );
});

const { typescript = false } = process.features as { typescript?: string | false };

test.skipIf(typescript)(
  "a module in TypeScript is refused, with advice, where Node.js does not load it",
  async () => {
    const { code, stderr } = await runCli(["--operation", "typed.ts"], { cwd: folder });

    expect(code).toBe(2);
    expect(stderr).toBe(
      `latchkey: typed.ts: Node.js ${process.versions.node} does not load TypeScript; name the JavaScript file that your build writes, or use Node.js 22.18 or later\n`,
    );
  },
);

test.runIf(typescript)("a module in TypeScript is served where Node.js loads it", async () => {
  await using cli = await startCli(["--operation", "typed.ts"], { cwd: folder });

  expect(await call("tests.typed", cli.ready)).toBe(1);
});
