import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanEnv, runCli, startCli, startUntil } from "../_cli.ts";
import { givenFolder } from "../cli/_folder.ts";
import { listenOn } from "../gateway/_program.ts";
import { startProcess, type RunningProcess } from "../../src/node.ts";
// @ts-expect-error -- scripts have no types
import { install } from "../../scripts/on-demand.js";

const run = promisify(execFile);
const DEMO = "http://localhost:4010";

interface Block {
  readonly page: string;
  readonly code: string;
}

/** The pages for users, by name. */
const pages = new Map<string, string>();
const named = ["README.md", "skills/latchkey/SKILL.md"];
for (const name of [...named, ...(await readdir("docs")).map((file) => `docs/${file}`)]) {
  if (name.endsWith(".md")) pages.set(name, await readFile(name, "utf8"));
}

const blocks = [...pages].flatMap(([page, text]) =>
  [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, code = ""]): Block => ({ page, code })),
);

/** A folder within the package, where imports of `latchkey` resolve to the build. */
const scratch = resolve("test/_pages");
/** A folder for PATH that has the command `latchkey`. */
const bin = join(await mkdtemp(join(tmpdir(), "latchkey-pages-")), "bin");
let demo: RunningProcess;
// It may have to install a package.
beforeAll(async () => {
  await mkdir(join(scratch, "node_modules"), { recursive: true });
  await symlink(resolve(install("express")), join(scratch, "node_modules", "express"));
  await mkdir(bin);
  await symlink(resolve("bin/latchkey.js"), join(bin, "latchkey"));
  demo = await startProcess({ fixtures: ["fixtures/demo.yaml"] });
}, 180_000);
afterAll(async () => {
  await demo.stop();
  await rm(scratch, { recursive: true });
  await rm(bin, { recursive: true });
});

/** Parts of the blocks that other tests run. */
const elsewhere = [
  // `.ci/run` runs these commands on a clean clone, and the linter looks for their scripts.
  "npm ci && npm start",
  // test/package/first-test.test.ts
  "a trial key expires",
  "npm install --global ./",
  "npm pack",
  "npm init -y",
  "npx vitest run",
  // test/package/jest.test.ts
  "experimental-vm-modules jest",
  "globalThis.stopLatchkey",
  "// jest.config.js",
  // test/docs/places.test.ts
  "uses: ./node_modules/latchkey",
  // test/runtimes/workers.slow.test.ts
  ...[
    "worker.js",
    "wrangler.jsonc",
    "vitest.config.mjs",
    "worker.test.js",
    "miniflare.test.mjs",
  ].map((name) => `// ${name}\n`),
  "// dev.mjs",
  // test/package/next.test.ts
  ...["instrumentation.js", "app/weather/route.js", "next.config.mjs"].map(
    (name) => `// ${name}\n`,
  ),
  // test/docs/containers.test.ts
  "FROM node:",
  // Needs Docker.
  "docker build",
  // Need a proxy; test/page/path-prefix.test.ts has one.
  "reverse_proxy",
  "proxy_pass",
  // test/cli/warnings.slow.test.ts
  "does not know this field",
  "calls were answered 404",
  // test/package/jest.test.ts
  "latchkey exec --as https://api.unkey.com --as",
  // test/page/site.test.ts
  "latchkey site --fixture",
  // test/package/examples.test.ts
  "mountPage(document",
  // test/cli/exec-permissions.slow.test.ts
  "latchkey exec --permissions",
  "unlisted[0] needs 3 permissions",
  // test/cli/sweep.slow.test.ts
  "$ latchkey sweep -- node --test",
  "# .github/workflows/sweep.yml",
  // Needs a kernel that gives user namespaces.
  "unshare --map-root-user",
  // test/package/tools.test.ts
  "latchkey saw 3 calls:",
  // test/world/findings/rules.test.ts
  "// The mistake: ",
  "// Fixed",
];

/** How to run a block, by a part of its text. */
const proofs: readonly (readonly [part: string, prove: (block: Block) => Promise<void>])[] = [
  ["export default defineOperation", provesOperations],
  ["--operation ./operations.js", provesStartWithOperations],
  ["// playwright.config.js", provesWebServer],
  ["export const Empty", provesStories],
  ['addEventListener("pagehide"', provesKeptDemo],
  ["x-plans:", provesFixture],
  ['from "vitest"', provesVitest],
  ['from "node:test"', provesNodeTest],
  ["emulator.gateway", provesGatewayFromPython],
  ["def test_", provesPytest],
  ["import json, os, urllib", provesPython],
  ["api\\.unkey\\.(com|dev)", provesSearch],
  ["latchkey openapi | grep", provesOperationNames],
  ["curl http://localhost:4010/v2/keys.createKey", provesCurl],
  ["latchkey exec --fixture fixtures/demo.yaml --as", provesRedirected],
  ["latchkey exec --fixture", provesExec],
  ["latchkey/vitest/global-setup", provesGlobalSetup],
  ["workspace: { id: ws_acme", provesFixture],
  ["token: test_runner, permissions: [latchkey.control]", provesFixture],
  ["token: only_you_know_it", provesFixture],
  ["$ latchkey check", provesCheck],
  ["profile: paging", provesFixture],
  ["customers: [{ externalId: initech", provesOrders],
  ["latchkey generate --count", provesGenerate],
  ["X-Latchkey-Unseen", provesUnseen],
  ["localhost:4010/_latchkey", provesControl],
  ["[local-dev]", provesGatewayFile],
  ["latchkey --fixture", provesStart],
  ['from "@unkey/ratelimit"', provesRatelimit],
  ['from "latchkey', provesModule],
  ["serverURL:", provesModule],
  ["new Unkey(", provesClient],
];

const here = blocks.filter(({ code }) => !elsewhere.some((part) => code.includes(part)));
const proofOf = ({ code }: Block) => proofs.find(([part]) => code.includes(part))?.[1];

test.each(here.map((block) => [block.page, block.code.split("\n", 1)[0], block] as const))(
  "a code block of %s works as shown: %s",
  async (_page, _line, block) => {
    const prove = proofOf(block);

    await prove?.(block);

    expect(prove, "a code block that nothing runs").toBeDefined();
  },
);

test("each text by which these tests find a code block is in a page", () => {
  const parts = [...elsewhere, ...proofs.map(([part]) => part)];

  expect(parts.filter((part) => !blocks.some(({ code }) => code.includes(part)))).toEqual([]);
});

test("no code block is in two places", () => {
  const codes = blocks.map(({ code }) => code);

  expect(codes.filter((code, index) => codes.indexOf(code) < index)).toEqual([]);
});

async function provesClient({ code }: Block): Promise<void> {
  const { stdout } = await runModule(`${code}\nconsole.log(error, result.keyId);`);

  expect(stdout).toMatch(/^undefined key_/);
}

async function provesCurl({ code }: Block): Promise<void> {
  const { stdout } = await runShell(code);

  const [, example = ""] = /^# (.*)$/m.exec(code) ?? [];
  expect(Object.keys(JSON.parse(stdout))).toEqual(Object.keys(JSON.parse(example)));
  expect(stdout).toMatch(/"key":"pay_/);
}

async function provesPython({ code }: Block): Promise<void> {
  const env = { ...cleanEnv(), LATCHKEY_URL: demo.url, LATCHKEY_TOKEN: demo.token };

  const { stdout } = await run("python3", ["-c", code], { env });

  expect(stdout).toBe("VALID\n");
}

async function provesExec({ code }: Block): Promise<void> {
  const { stdout } = await runShell(code);

  expect(JSON.parse(stdout).data).toHaveLength(1);
}

/** The program creates a client without a URL. */
async function provesRedirected({ code }: Block): Promise<void> {
  const folder = await mkdtemp(join(scratch, "redirected-"));
  await symlink(resolve("fixtures"), join(folder, "fixtures"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(
    join(folder, "program.js"),
    `import { Unkey } from "unkey-api-2";
    const unkey = new Unkey({ rootKey: process.env.LATCHKEY_TOKEN });
    console.log((await unkey.apis.listKeys({ apiId: "api_payments" })).result.data.length);`,
  );

  expect((await runShell(`cd ${folder} && ${code}`)).stdout).toBe("8\n");
}

async function provesGenerate({ code }: Block): Promise<void> {
  const { stdout } = await runShell(code);

  expect(stdout).toMatch(/^\$schema: .*\napis:\n {2}- id: api_orders\n$/);
}

/** latchkey's command starts, and answers at the URL that Playwright waits for. */
async function provesWebServer({ code }: Block): Promise<void> {
  const file = join(await mkdtemp(join(scratch, "playwright-")), "playwright.config.mjs");
  await writeFile(file, code);
  const { default: config } = await import(pathToFileURL(file).href);
  const [{ command, url }] = config.webServer;
  const args: string[] = command.replace("npx --no-install latchkey ", "").split(" ");
  await using running = await startCli(args.filter((arg) => !/^(?:--port|\d+)$/.test(arg)));

  const { pathname } = new URL(url);
  expect((await fetch(running.ready.url + pathname)).status).toBe(200);
}

async function provesStories({ code }: Block): Promise<void> {
  const { stdout } = await runModule(`${code}
    import { setupServer } from "msw/node";
    for (const { beforeEach } of [Empty, Expired]) {
      const server = setupServer();
      server.listen();
      await beforeEach({ msw: server });
      const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
      const body = JSON.stringify({ apiId: "api_shop" });
      const call = { method: "POST", headers, body };
      const response = await fetch("https://api.example.com/v2/apis.listKeys", call);
      console.log((await response.json()).data.length);
      server.close();
    }`);

  expect(stdout).toBe("0\n1\n");
}

/** Node.js has neither a service worker nor `localStorage`, so these stand in for them. */
async function provesKeptDemo({ code }: Block): Promise<void> {
  const { stdout } = await runModule(`
    import { setupServer } from "msw/node";
    const stored = new Map();
    globalThis.localStorage = {
      getItem: (name) => stored.get(name) ?? null,
      setItem: (name, text) => stored.set(name, text),
      removeItem: (name) => stored.delete(name),
    };
    const page = new EventTarget();
    globalThis.addEventListener = page.addEventListener.bind(page);
    let server;
    const setupWorker = (...handlers) => ({
      start() {
        server = setupServer(...handlers);
        server.listen();
      },
    });
    ${code.replace(/^import \{ setupWorker \}.*$/m, "")}
    for (const name of ["first", "second", "third"]) {
      const emulator = await startDemo({ apis: [{ id: "api_shop" }] }, "https://api.example.com");
      await fetch("https://api.example.com/v2/keys.createKey", {
        method: "POST",
        headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
        body: JSON.stringify({ apiId: "api_shop", name }),
      });
      console.log(emulator.keys.all().map((key) => key.name).join());
      page.dispatchEvent(new Event("pagehide"));
      if (name === "second") stored.set("latchkey-demo", '{"kees":[]}');
      server.close();
    }`);

  expect(stdout).toBe("first\nfirst,second\nthird\n");
}

/** The latest client 2.x is installed here under another name. */
async function provesModule({ code }: Block, folder?: string): Promise<void> {
  const named = code.replace('"@unkey/api"', '"unkey-api-2"');
  const { stdout, stderr } = await runModule(named, folder);

  const told = [...code.matchAll(/^console\.log\(.*?\);(?: \/\/ (.*))?$/gm)];
  const lines = stdout.trimEnd().split("\n");
  expect(told.length).toBeGreaterThan(0);
  expect(lines).toEqual(told.map(([, expected]) => expected ?? expect.stringMatching(/^http/)));
  const [, rule] = /latchkey warns: ([\w-]+)/.exec(code) ?? [];
  // The warnings of refusals that a page shows on purpose are left out.
  const warned = stderr.replaceAll(/^\[latchkey\] [A-Z]+ \S+ was refused with .*\n/gm, "");
  expect(warned).toMatch(rule === undefined ? /^$/ : new RegExp(`^\\[latchkey\\] ${rule}: .*\\n$`));
}

/** The latest version is installed here under another name. */
function provesRatelimit({ code, ...block }: Block): Promise<void> {
  return provesModule({
    ...block,
    code: code.replace('"@unkey/ratelimit"', '"unkey-ratelimit-2"'),
  });
}

/** The file starts. The gateway is in front of nothing. */
async function provesGatewayFile({ code }: Block): Promise<void> {
  const folder = await givenFolder({ "gateway.toml": code });
  const flags = ["--gateway", "gateway.toml", "--gateway-port", "0"];
  await using cli = await startCli(flags, { cwd: folder, env: { UNKEY_ROOT_KEY: "any" } });

  expect(cli.ready.gateway).toMatch(/^http:/);
}

/** Its operation makes a project once. */
async function provesOperations({ code }: Block): Promise<void> {
  const { stdout } = await runModule(
    `import { createEmulator } from "latchkey";
    import operation from "./operations.js";
    const emulator = await createEmulator({ operations: [operation] });
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const call = { method: "POST", headers, body: JSON.stringify({ slug: "web" }) };
    const create = () => emulator.fetch("http://localhost/v2/projects.createProject", call);
    console.log((await create()).status, (await create()).status);`,
    await givenOperations(code),
  );

  expect(stdout).toBe("200 409\n");
}

async function provesStartWithOperations(block: Block): Promise<void> {
  const module = blocks.find(({ code }) => code.includes("export default defineOperation"));
  await provesStart(block, await givenOperations(module?.code ?? ""));
}

/** Writes the module into a folder within the package, and returns the folder. */
async function givenOperations(code: string): Promise<string> {
  const folder = await mkdtemp(join(scratch, "operations-"));
  await writeFile(join(folder, "operations.js"), code);
  return folder;
}

let ofVitest: Promise<Record<string, string>> | undefined;

/** The first block runs the tests of all of them: a start of vitest takes seconds. */
async function provesVitest(block: Block): Promise<void> {
  const all = here.filter((each) => proofOf(each) === provesVitest);
  // Tests whose options a block changes run alone: their options would hold for other files too.
  const groupOf = ({ code }: Block) => (code.includes("test.override") ? "alone" : "shared");
  const nameOf = (each: Block) => `${groupOf(each)}-${all.indexOf(each)}.test.js`;
  const config = `export default { test: { projects: [
    { test: { name: "alone", include: ["alone-*.test.js"] } },
    { test: { name: "shared", include: ["shared-*.test.js"], isolate: false } },
  ] } };`;
  const named = ({ code }: Block) => code.replace('"@unkey/api"', '"unkey-api-2"');
  const files = Object.fromEntries(all.map((each) => [nameOf(each), named(each)]));
  ofVitest ??= runVitest({ ...files, "vitest.config.js": config });

  expect((await ofVitest)[nameOf(block)]).toBe("passed");
}

async function provesNodeTest({ code }: Block): Promise<void> {
  const { stdout } = await runModule(code.replace('"@unkey/api"', '"unkey-api-2"'));

  expect(stdout).toMatch(/ pass 1\n\S+ fail 0\n/);
}

/** The test is run by hand, because not every machine has pytest. */
async function provesPytest({ code }: Block): Promise<void> {
  const [, name = ""] = /^def (test_\w+)/m.exec(code) ?? [];
  await startProcess().then(async ({ stop, token, url }) => {
    const env = { ...cleanEnv(), LATCHKEY_URL: url, LATCHKEY_TOKEN: token };
    await run("python3", ["-c", `${code}\n${name}()`], { env }).finally(stop);
  });
}

/** Any program stands behind the gateway. */
async function provesGatewayFromPython({ code }: Block): Promise<void> {
  const program = await listenOn(createServer((_, response) => void response.end()));
  const env = cleanEnv();
  const path = { PATH: `${bin}:${env["PATH"]}`, PYTHONPATH: resolve("examples/guarded-api") };
  const options = { cwd: "examples/gateway", env: { ...env, ...path } };
  const [, name = ""] = /^def (test_\w+)/m.exec(code) ?? [];
  await run("python3", ["-c", `${code.replace("localhost:3000", program)}\n${name}()`], options);
}

/** The search finds the clients and the base URLs of the examples. */
async function provesSearch({ code }: Block): Promise<void> {
  const { stdout } = await runShell(`cd examples\n${code}`);

  expect(stdout).toContain(
    './integration-test/customer-keys.js:1:import { Unkey } from "@unkey/api"',
  );
  expect(stdout).toMatch(/^\.\/frontend\/page\.js:\d+:const baseUrl/m);
}

/** The operations of the examples, and below them the built-in ones. */
async function provesOperationNames({ code }: Block): Promise<void> {
  const { stdout } = await runShell(
    `cd examples\n${code.replace("npx --no-install latchkey", "latchkey")}`,
  );

  expect(stdout).toMatch(/^ +\d+ keys\.createKey$/m);
  expect(stdout).toMatch(/^"\/v2\/keys\.createKey"$/m);
}

async function provesGlobalSetup({ code }: Block): Promise<void> {
  const outcomes = await runVitest({
    "setup.js": code,
    "vitest.config.js": 'export default { test: { globalSetup: ["./setup.js"] } };',
    "block.test.js": `
      import { expect, inject, test } from "vitest";
      test("the process answers", async () => {
        const headers = { Authorization: "Bearer " + inject("latchkeyToken") };
        const url = inject("latchkeyUrl") + "/v1/apis.listKeys?apiId=api_payments";
        expect(await (await fetch(url, { headers })).json()).toMatchObject({ total: 8 });
      });`,
  });

  expect(outcomes).toEqual({ "block.test.js": "passed" });
}

async function provesFixture({ code }: Block): Promise<void> {
  const file = join(scratch, "fixture.yaml");
  await writeFile(file, code);

  expect(await runCli(["check", file])).toMatchObject({ code: 0, stderr: "" });
}

/** The fixture is valid, and has all its keys twice alike. */
async function provesOrders(block: Block): Promise<void> {
  await provesFixture(block);
  const lists: unknown[] = [];
  for (let start = 0; start < 2; start += 1) {
    await using running = await startCli(["-f", join(scratch, "fixture.yaml"), "--random-seed=7"]);
    const url = `${running.ready.url}/v1/apis.listKeys?apiId=api_maps`;
    const response = await fetch(url, { headers: { Authorization: "Bearer any" } });
    const list = (await response.json()) as { keys: { id: string; roles?: string[] }[] };
    lists.push(list.keys.map(({ id, roles }) => [id, roles]));
    expect(list).toMatchObject({ total: 1500 });
  }
  expect(lists[0]).toEqual(lists[1]);
}

/** The example's lines come from a fixture with just those mistakes. */
async function provesCheck({ code }: Block): Promise<void> {
  const [command = "", ...lines] = code.trimEnd().split("\n");
  const key = { apiId: "api_payments" };
  const keys = [key, key, key, { ...key, remaining: 1, refill: { interval: "daily", amount: 0 } }];
  keys.push(key, { apiId: "api_paymets" }, { ...key, nmae: "CI" } as never);
  const folder = await mkdtemp(join(scratch, "check-"));
  const fixture = { apis: [{ id: "api_payments" }], keys };
  await writeFile(join(folder, "fixture.yaml"), JSON.stringify(fixture));

  const { stdout, stderr } = await runCli(command.split(" ").slice(2), { cwd: folder });

  const seen = (stdout + stderr).trimEnd().split("\n").sort();
  expect(seen).toEqual(
    lines.sort().map((line) => {
      const [start = "", end = ""] = line.split("…");
      return line.includes("…")
        ? expect.toSatisfy((text: string) => text.startsWith(start) && text.endsWith(end))
        : line;
    }),
  );
}

/** Each command prints the comment below it, or its part before the `…`. */
async function provesControl({ code }: Block): Promise<void> {
  const reset = () => {
    const headers = { Authorization: `Bearer ${demo.token}` };
    return fetch(`${demo.url}/_latchkey/reset`, { method: "POST", headers });
  };
  await reset();
  for (const command of code.split("\n\n")) {
    // It writes a snapshot into its folder.
    const { stdout } = await runShell(command, scratch);

    const [, shown = ""] = /^# (.*)$/m.exec(command) ?? [];
    const [start = ""] = shown.split(" …");
    const [line = ""] = stdout.split("\r\n");
    expect(shown === start ? line : line.slice(0, start.length)).toBe(start);
  }
  await reset();
}

/** An unseen call is answered, and is not in the journal. */
async function provesUnseen({ code }: Block): Promise<void> {
  const { stdout } = await runShell(code);
  const { requests } = (await (
    await fetch(`${demo.url}/_latchkey/requests`, {
      headers: { Authorization: `Bearer ${demo.token}` },
    })
  ).json()) as { requests: readonly { input: { limit?: number } }[] };

  expect(JSON.parse(stdout).data).toHaveLength(1);
  expect(requests.filter(({ input }) => input.limit === 1)).toEqual([]);
}

/** Each line starts an emulator, in a folder with the fixtures of the package. */
async function provesStart({ code }: Block, given?: string): Promise<void> {
  const folder = given ?? (await mkdtemp(join(scratch, "start-")));
  await symlink(resolve("fixtures"), join(folder, "fixtures"));
  for (const line of code.trimEnd().split("\n")) {
    const [command, ...args] = line.split(" ");
    expect(command).toBe("latchkey");
    // Keeps --open from opening a browser.
    const options = { cwd: folder, env: { BROWSER: "true", DISPLAY: "" } };
    await using _ = await startUntil(/curl .*\n/, [...args, "--port=0"], options);
  }
}

let count = 0;

async function runModule(
  code: string,
  folder?: string,
): Promise<{ stdout: string; stderr: string }> {
  count += 1;
  const file = join(folder ?? scratch, `module-${count}.mjs`);
  await writeFile(file, code.replaceAll(DEMO, demo.url));
  return run(process.execPath, [file], { cwd: folder, env: cleanEnv() });
}

async function runShell(code: string, cwd?: string): Promise<{ stdout: string; stderr: string }> {
  const env = cleanEnv();
  return run("sh", ["-c", code.replaceAll(DEMO, demo.url)], {
    cwd,
    env: { ...env, PATH: `${bin}:${env["PATH"]}` },
  });
}

/** Runs test files, each with one test; resolves to what each file says of its test. */
async function runVitest(files: Record<string, string>): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(scratch, "vitest-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const vitest = resolve("node_modules/vitest/vitest.mjs");
  // Vitest's timeout of five seconds is too short for a busy machine. Threads start sooner than processes.
  const slow = ["--testTimeout=100000", "--pool=threads"];
  const args = ["run", "--root", folder, ...slow, "--reporter=json"];
  const env = { ...cleanEnv(), NO_COLOR: "1" };
  const { stdout } = await run(process.execPath, [vitest, ...args], { env }).catch(
    (error) => error,
  );
  const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{"num'))) as {
    testResults: {
      name: string;
      assertionResults: { status: string; failureMessages: string[] }[];
    }[];
  };
  return Object.fromEntries(
    testResults.map(({ assertionResults, name }) => [
      basename(name),
      assertionResults.map((each) => [each.status, ...each.failureMessages].join(": ")).join(),
    ]),
  );
}
