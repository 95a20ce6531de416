import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
// @ts-expect-error -- scripts have no types
import { install, nodeOfWorkers, versions } from "../../scripts/on-demand.js";
import { cleanEnv, killGroup, startUntil } from "../_cli.ts";
import { run } from "../_run.ts";

const node: string = nodeOfWorkers();
const plugin = resolve(install("@cloudflare/vitest-plugin"));
const wrangler = join(plugin, "../../wrangler");
const WRANGLER = join(wrangler, "bin/wrangler.js");
const env = { WRANGLER_SEND_METRICS: "false", CI: "true", NO_COLOR: "1" };

/** A project with the files that the page shows, each of which begins with its name. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "latchkey-workers-"));
  const packages = Object.entries({
    latchkey: ".",
    "unkey-api-2": "node_modules/unkey-api-2",
    ...Object.fromEntries(
      ["@unkey/hono", "hono", "vitest"].map((name) => [name, `node_modules/${name}`]),
    ),
    "@cloudflare/vitest-plugin": plugin,
    miniflare: install("miniflare") as string,
    wrangler,
  });
  for (const [name, path] of packages) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(resolve(path), link, "junction");
  }
  const page = await readFile("docs/frameworks.md", "utf8");
  for (const [, code = "", name = ""] of page.matchAll(/^```\w+\n(\/\/ (\S+)\n.*?)^```$/gms)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), code);
  }
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the tests of docs/frameworks.md pass in Workers and with Miniflare", async () => {
  const vitest = resolve("node_modules/vitest/vitest.mjs");
  const [inWorkers, bundled] = await Promise.all([
    run(node, [vitest, "run", "--root", folder, "--testTimeout=100000"], folder, env),
    run(node, [WRANGLER, "deploy", "--dry-run", "--outdir=dist"], folder, env),
  ]);
  const inMiniflare = await run(node, ["--test", "miniflare.test.mjs"], folder, env);

  expect(inWorkers.stdout).toMatch(/Tests +1 passed/);
  expect(bundled).toMatchObject({ code: 0 });
  expect(inMiniflare).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1\n/) });
}, 300_000);

test("dev.mjs of docs/frameworks.md runs a Worker beside an emulator", async () => {
  const text = await readFile(join(folder, "dev.mjs"), "utf8");
  await writeFile(join(folder, "dev.mjs"), text.replace("4010", "0").replace("8787", "0"));
  const options = { cwd: folder, env: { ...cleanEnv(), ...env }, detached: true };
  const child = spawn(node, ["dev.mjs"], options);
  // Its workerd would keep running without it, and use a core.
  onTestFinished(() => killGroup(child));
  let emulator = "";
  let worker = "";
  for await (const line of createInterface(child.stdout)) {
    emulator ||= /latchkey is at (\S+)/.exec(line)?.[1] ?? "";
    worker ||= /Ready on (\S+)/.exec(line)?.[1] ?? "";
    if (worker !== "") break;
  }
  const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
  const body = JSON.stringify({ apiId: "api_local" });
  const created = await fetch(`${emulator}/v2/keys.createKey`, { method: "POST", headers, body });
  const { data } = (await created.json()) as { data: { key: string } };
  const ask = async (key: string) => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${worker}/weather`, { headers })).text();
  };

  expect(await ask(data.key)).toBe("sunny");
  expect(await ask("none")).toBe('{"code":"NOT_FOUND"}');
});

test("wrangler dev gives a Worker the URL of a process in a variable", async () => {
  await writeFile(
    join(folder, "with-url.js"),
    `import { Unkey } from "unkey-api-2";
     export default {
       async fetch(request, { UNKEY_URL: serverURL }) {
         const { keys } = new Unkey({ rootKey: "any", serverURL });
         const { data } = await keys.createKey({ apiId: "api_local" });
         return new Response((await keys.verifyKey({ key: data.key })).data.code);
       },
     };`,
  );
  const dev = `${WRANGLER} dev with-url.js --port 0 --inspector-port 0 --var UNKEY_URL:$LATCHKEY_URL`;
  const command = ["exec", "--", "sh", "-c", `exec ${node} ${dev}`];

  await using running = await startUntil(/Ready on .*\n/, command, {
    cwd: folder,
    env,
    isGroup: true,
  });
  const [, worker = ""] = /Ready on (\S+)/.exec(running.output.stdout) ?? [];
  expect(await (await fetch(worker)).text()).toBe("VALID");
  expect((await running.stop()).stderr).toContain("latchkey: 2 calls came: 2 × 200\n");
});

test("an emulator is a Worker of its own", async () => {
  await writeFile(
    join(folder, "emulator.js"),
    `import { createEmulator } from "latchkey";
     const emulator = await createEmulator({ basePath: "/api/unkey", generate: 5 });
     export default emulator;`,
  );
  await writeFile(
    join(folder, "emulator.mjs"),
    `import { Miniflare } from "miniflare";
     const miniflare = new Miniflare({
       modules: true,
       scriptPath: "dist/emulator.js",
       compatibilityDate: "2026-01-01",
     });
     const call = async (operation, input) => {
       const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
       const init = { method: "POST", headers, body: JSON.stringify(input) };
       const url = "http://localhost/api/unkey/v2/" + operation;
       return (await (await miniflare.dispatchFetch(url, init)).json()).data;
     };
     const { key } = await call("keys.createKey", { apiId: "api_local" });
     const [list, { code }] = await Promise.all([
       call("apis.listKeys", { apiId: "api_local" }),
       call("keys.verifyKey", { key }),
     ]);
     console.log(list.length, code);
     await miniflare.dispose();`,
  );
  const outfile = join(folder, "dist/emulator.js");
  await build({ entryPoints: [join(folder, "emulator.js")], outfile, bundle: true, format: "esm" });

  expect(await run(node, ["emulator.mjs"], folder, env)).toMatchObject({ stdout: "9 VALID\n" });
});

test("docs/where-it-runs.md names the versions that tests install", async () => {
  const page = await readFile("docs/where-it-runs.md", "utf8");
  const { version } = JSON.parse(await readFile(join(wrangler, "package.json"), "utf8"));
  const { tsx: _, ...installed } = versions as Record<string, string>;

  for (const one of [version, ...Object.values(installed)]) expect(page).toContain(one);
});
