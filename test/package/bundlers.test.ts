import { rename } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build as buildWithEsbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenUnpacked, PATIENCE, type Consumer } from "./_consumer.ts";
// @ts-expect-error -- scripts have no types
import { install } from "../../scripts/on-demand.js";

/** Uses each entry that may be bundled, and prints the results. */
const program = `
  import { createEmulator } from "latchkey";
  import { connect } from "latchkey/client";
  import { createHandlers } from "latchkey/msw";
  import { loadFixture, serve, startProcess } from "latchkey/node";
  import { sweep } from "latchkey/sweep";
  import { getResponse } from "msw";

  const list = (url) => {
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const body = JSON.stringify({ apiId: "api_one" });
    return new Request(url + "/v2/apis.listKeys", { method: "POST", headers, body });
  };
  const countOf = async (response) => (await response.json()).data.length;
  const messageOf = (error) => error.name + ": " + error.message;

  async function work() {
    const emulator = await createEmulator({
      fixtures: [await loadFixture("fixture.yaml")],
      generate: 5,
    });
    const server = await serve(emulator);
    const handlers = createHandlers(emulator, { baseUrl: "https://api.example.com" });
    const served = await countOf(await fetch(list(server.url)));
    const mocked = await countOf(await getResponse(handlers, list("https://api.example.com")));
    const page = await fetch(server.url);
    const found = {
      served,
      mocked,
      journal: (await connect(server.url).requests.list()).length,
      hasPage: server.hasPage,
      page: [page.status, await page.text()],
      documented: Object.keys((await emulator.openapi()).paths).length > 30,
      // The program does not look at its answers, which the sweep finds.
      swept: await sweep(({ url }) => fetch(list(url)), { patience: "1s" }).catch((error) => error.name),
      mistake: await createEmulator({ wrong: true }).catch(messageOf),
      process: await startProcess().then(() => "started", messageOf),
      redirect: await import("latchkey/redirect").then(() => "redirected", messageOf),
    };
    await server.close();
    return found;
  }
  work().then((found) => console.log(JSON.stringify(found)));
`;

/** The bundle that each way makes. */
const bundles = {
  "esbuild, CommonJS": "esbuild/program.cjs",
  "esbuild, ES modules": "esbuild/program.mjs",
  webpack: "webpack/program.cjs",
  "vite --ssr": "vite/program.js",
};

let consumer: Consumer;
beforeAll(async () => {
  consumer = await givenUnpacked("msw");
  const { folder } = consumer;
  await consumer.write("program.mjs", program);
  await consumer.write("fixture.yaml", "apis:\n  - id: api_one\n");
  const entry = join(folder, "program.mjs");
  const shared = { entryPoints: [entry], bundle: true, platform: "node" as const };
  const outdir = join(folder, "esbuild");
  const commonJs = { format: "cjs", outExtension: { ".js": ".cjs" }, minify: true } as const;
  await buildWithEsbuild({ ...shared, ...commonJs, outdir });
  await buildWithEsbuild({ ...shared, format: "esm", outExtension: { ".js": ".mjs" }, outdir });
  await buildWithWebpack(entry, join(folder, "webpack"));
  await buildWithVite({
    root: folder,
    configFile: false,
    logLevel: "warn",
    build: { ssr: "program.mjs", outDir: "vite", target: "node20" },
    ssr: { noExternal: true },
  });
  // As on another machine: webpack writes the paths of this one into the bundle.
  await rename(join(folder, "node_modules"), join(folder, "elsewhere"));
}, 2 * PATIENCE);
afterAll(() => consumer?.remove(), PATIENCE);

async function buildWithWebpack(entry: string, path: string): Promise<void> {
  const webpack = createRequire(import.meta.url)(resolve(install("webpack")));
  const output = { path, filename: "program.cjs" };
  // To minify takes most of the time, and esbuild does it above.
  const optimization = { minimize: false };
  const mode = "production";
  const stats = await promisify(webpack)({ mode, target: "node20", entry, output, optimization });
  const found = stats.toJson({ all: false, errors: true, warnings: true });
  expect(found).toMatchObject({ errors: [], warnings: [] });
}

test.each(Object.entries(bundles))(
  "a program bundled by %s uses every entry, and says which files it lacks",
  async (_way, file) => {
    const { code, stdout, stderr } = await consumer.node([file]);

    expect([code, stderr]).toEqual([0, ""]);
    const lacks = (path: string) =>
      expect.stringMatching(
        `expected the file ${path} of latchkey( at file:.*/${path})?, found none\\. .* keep latchkey out of the bundle: serverExternalPackages`,
      );
    expect(JSON.parse(stdout)).toEqual({
      served: 5,
      mocked: 5,
      journal: 2,
      hasPage: false,
      page: [404, lacks("dist/page/latchkey-page.js")],
      documented: true,
      swept: "SweepError",
      mistake: expect.stringMatching(/^UsageError: options: wrong: unknown member/),
      process: lacks("bin/latchkey.js"),
      redirect: lacks("dist/redirect.cjs"),
    });
  },
  PATIENCE,
);
