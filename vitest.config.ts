import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { chromium } from "./test/_doors/chromium.ts";

const require = createRequire(import.meta.url);
const [major = 0] = process.versions.node.split(".").map(Number);
/** `npm run test:all` installs it. */
const msw3 = existsSync("node_modules/msw-3") ? ["msw-3"] : [];

/**
 * Tests that only `npm run test:all` runs: they need a browser, an empty project, another version of
 * a client, many processes, or minutes. A single test file of this kind ends in `.slow.test.ts`.
 */
const slow = [
  "test/{api/openapi,cli,docs,doors/redirect,environments,node,package,page,world/waits}/**/*.test.ts",
  "test/**/*.slow.test.ts",
];

/** Compares the answers of a door with those of `emulator.fetch`. */
const contract = ["test/doors/answers.test.ts"];

export default defineConfig({
  test: {
    // Tests wait for facts, and how long these take depends on the machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests of the command line wait for processes meanwhile.
    maxWorkers: availableParallelism() + 1,
    // A green run prints its files and a count: nothing that a test prints on purpose, no slow test.
    silent: "passed-only",
    slowTestThreshold: 600_000,
    // A worker imports the sources once for all of its files. No module of the sources keeps state.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "fetch",
          include: ["test/**/*.test.ts"],
          exclude: [...slow, ...contract],
          // The command line is tested as it is shipped: built, in a process of its own.
          globalSetup: ["test/_build.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "http",
          include: contract,
          provide: { door: "http" },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: slow,
          globalSetup: ["test/_build.ts"],
        },
      },
      // msw 3 asks for Node.js 22.12.
      ...["msw-lowest", "msw", ...(major >= 22 ? msw3 : [])].map(mswInNode),
      ...["msw", ...msw3].map(mswInBrowser),
    ],
  },
});

/** One of the versions of msw that have names of their own. */
function aliasOf(msw: string) {
  return [{ find: /^msw(?=\/|$)/, replacement: msw }];
}

function mswInNode(msw: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    resolve: { alias: aliasOf(msw) },
    test: { name: `${msw} in node`, include: contract, provide: { door: "msw in node" } },
  };
}

function mswInBrowser(msw: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    resolve: { alias: aliasOf(msw) },
    // What tests import is bundled before the first of them: a late find reloads the page.
    optimizeDeps: {
      include: [
        "@msw/data",
        "leven",
        "ms",
        "zod",
        "zod/mini",
        ...(msw === "msw" ? [] : [msw, `${msw}/browser`]),
      ],
    },
    plugins: [
      {
        name: "mock-service-worker",
        configureServer(server) {
          server.middlewares.use("/mockServiceWorker.js", (_request, response) => {
            response.setHeader("Content-Type", "text/javascript");
            response.end(readFileSync(require.resolve(`${msw}/mockServiceWorker.js`)));
          });
        },
      },
    ],
    test: {
      name: `${msw} in a browser`,
      include: contract,
      provide: { door: "msw in a browser" },
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({ launchOptions: chromium }),
        instances: [{ browser: "chromium" }],
      },
    },
  };
}
