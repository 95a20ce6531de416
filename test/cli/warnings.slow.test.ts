import { readFile, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runCli, startCli } from "../_cli.ts";
import { run } from "../_run.ts";
import { createKey, type Door } from "../_emulator.ts";
import { givenFolder } from "./_folder.ts";
import { SENDING, SENDING_WELL } from "./_sending.ts";

const node = process.execPath;
const dist = (path: string) => JSON.stringify(pathToFileURL(resolve("dist", path)).href);

const FIELD =
  "latchkey: warning: keys.createKey: nmae: the service does not know this field; latchkey ignores it as well";
const PATH = /^latchkey: warning: POST \/v1\/keys\.unheardOf: .*keys\.unheardOf/;

const CALLS = "2 calls were answered 404, because latchkey serves no operation there:";
const CALL = "POST /v1/keys.unheardOf (2 times)";

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

/** Reads the URL and the token that exec passes to its command. */
const BY_EXEC = "const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token } = process.env;";
const inExec = async (code: string, options: string[] = [], env: Record<string, string> = {}) => {
  const cwd = await givenFolder({ "send.mjs": BY_EXEC + code });
  const ended = await runCli(["exec", ...options, "--", node, "send.mjs"], { cwd, env });
  await rm(cwd, { recursive: true });
  // Only exec ends with a line about the calls.
  return { ...ended, stderr: ended.stderr.replace(/^.*\d+ calls? came: .*\n/m, "") };
};

const BY_PROCESS = `
  import { startProcess } from ${dist("node.js")};
  const { url, token, stop } = await startProcess(JSON.parse(process.argv[2] ?? "{}"));
`;
const inProcess = async (code: string, options: object = {}, env: Record<string, string> = {}) => {
  const cwd = await givenFolder({ "send.mjs": `${BY_PROCESS}${code}; await stop();` });
  const ended = await run(node, ["send.mjs", JSON.stringify(options)], cwd, env);
  await rm(cwd, { recursive: true });
  return ended;
};

test("docs/integration-tests.md quotes the warnings", async () => {
  const page = await readFile("docs/integration-tests.md", "utf8");

  expect(page).toContain(FIELD);
  expect(page).toContain(`latchkey: warning: ${CALLS.replace("2", "3")}\n`);
});

test.each([
  ["exec", inExec],
  ["startProcess", inProcess],
])(
  "%s warns once of each unknown field and unserved operation, and counts its calls at the end",
  async (_, send) => {
    const { code, stdout, stderr } = await send(SENDING);

    expect([code, stdout]).toEqual([0, ""]);
    expect(lines(stderr)).toEqual([
      FIELD,
      expect.stringMatching(PATH),
      `latchkey: warning: ${CALLS}`,
      `latchkey: warning:   ${CALL}`,
    ]);
    expect(stderr).not.toContain("secret");
  },
);

test.each([
  ["exec", inExec],
  ["startProcess", inProcess],
])("%s writes nothing to stderr if there is no warning", async (_, send) => {
  const { code, stdout, stderr } = await send(SENDING_WELL);

  expect([code, stdout, stderr]).toEqual([0, "", ""]);
});

test("exec and startProcess take the log from an option or LATCHKEY_LOG", async () => {
  const text = /^\d\d:\d\d:\d\d GET \/v1\/apis\.listKeys 200 /m;

  expect((await inExec(SENDING, ["--log", "silent"])).stderr).toBe("");
  expect((await inProcess(SENDING, { log: "silent" })).stderr).toBe("");
  expect(lines((await inExec(SENDING, ["--log", "text"])).stderr).slice(-2)).toEqual([
    `warning: ${CALLS}`,
    `warning:   ${CALL}`,
  ]);
  expect((await inExec(SENDING_WELL, [], { LATCHKEY_LOG: "text" })).stderr).toMatch(text);
  expect((await inProcess(SENDING_WELL, {}, { LATCHKEY_LOG: "text" })).stderr).toMatch(text);
});

test("exec counts the calls to twenty paths that are not served, and the other paths", async () => {
  const code = `
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    for (const number of [...numbers, 7, 7]) await fetch(url + "/path-" + number + "?q=secret");
  `;

  const { code: exitCode, stderr } = await inExec(code);
  const told = lines(stderr).slice(30);

  expect(exitCode).toBe(0);
  expect(told.slice(0, 3)).toEqual([
    "latchkey: warning: 32 calls were answered 404, because latchkey serves no operation there:",
    "latchkey: warning:   GET /path-7 (3 times)",
    "latchkey: warning:   GET /path-0 (once)",
  ]);
  expect(told).toHaveLength(22);
  expect(told.at(-1)).toBe("latchkey: warning:   and 10 others");
});

test("startProcess forwards what its process writes to stderr before it is ready", async () => {
  const cwd = await givenFolder({ "odd.cjs": "process.stderr.write('first\\n')" });

  const { stderr } = await inProcess("", {}, { NODE_OPTIONS: `--require=${join(cwd, "odd.cjs")}` });

  // Once from the script itself, and once from the process that it starts.
  expect(lines(stderr)).toEqual(["first", "first"]);
  await rm(cwd, { recursive: true });
});

test("vitest shows the warnings of emulators, and at the end of a file the calls without an operation", async () => {
  const sendAs = (field: string) => SENDING.replaceAll("nmae", field);
  const cwd = await givenFolder({
    "vitest.config.mjs": `export default {
      test: { globalSetup: [${JSON.stringify(resolve("dist/vitest/global-setup.js"))}] },
    };`,
    "sending.test.mjs": `
      import { describe, inject } from "vitest";
      import { test } from ${JSON.stringify(resolve("dist/vitest/test.js"))};
      test("the emulator of the global set-up warns of a field", async () => {
        const [url, token] = [inject("latchkeyUrl"), inject("latchkeyToken")];
        ${sendAs("bySetup")}
      });
      test("an emulator of url warns of a field", async ({ url }) => {
        const token = "any";
        ${sendAs("byUrl")}
      });
      test("an emulator of url counts a call without an operation", async ({ url }) => {
        const token = "any";
        ${SENDING_WELL}
        await fetch(url + "/v1/keys.unheardOf", { method: "POST" });
      });
      describe("own log", () => {
        test.override({ emulatorOptions: { log: () => {} } });
        test("an emulator of url with its own log prints nothing", async ({ url }) => {
          await fetch(url + "/v1/keys.unheardOf", { method: "POST" });
        });
      });
      test("an emulator of url without wrong calls prints nothing", async ({ url }) => {
        const token = "any";
        ${SENDING_WELL}
      });`,
  });
  await symlink(resolve("node_modules"), join(cwd, "node_modules"));

  const { code, stderr } = await run(
    node,
    [resolve("node_modules/vitest/vitest.mjs"), "run", "--no-cache"],
    cwd,
    { NO_COLOR: "1" },
  );
  await rm(cwd, { recursive: true });

  const told = lines(stderr).filter((line) => line.includes("latchkey"));
  expect(code).toBe(0);
  expect(told.toSorted()).toEqual([
    `[latchkey] 3 calls were answered 404, because latchkey serves no operation there: POST /v1/keys.unheardOf (3 times)`,
    expect.stringMatching(/^\[latchkey\] POST \/v1\/keys\.unheardOf: /),
    expect.stringMatching(/^\[latchkey\] POST \/v1\/keys\.unheardOf: /),
    expect.stringMatching(/^\[latchkey\] keys\.createKey: byUrl: the service does not know/),
    `latchkey: warning:   ${CALL}`,
    `latchkey: warning: ${CALLS}`,
    expect.stringMatching(PATH),
    FIELD.replace("nmae", "bySetup"),
  ]);
});

test("--log warn reports a refusal by a served operation if it can say what was meant", async () => {
  await using cli = await startCli(["--log", "warn"]);
  const door: Door = { fetch: (request) => fetch(request) };
  const origin = cli.ready.url;

  for (const name of ["a", "b"]) {
    const { status } = await createKey(door, { apiId: "api_none", name }, { origin });
    expect(status).toBe(404);
  }
  expect((await fetch(`${origin}/v1/keys.createKey`)).status).toBe(405);
  expect(lines((await cli.stop()).stderr)).toEqual([
    "latchkey: warning: POST /v1/keys.createKey was refused with 404 NOT_FOUND: the APIs here are api_local",
  ]);
});
