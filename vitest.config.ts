import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { chromium } from "./test/_doors/chromium.ts";

const require = createRequire(import.meta.url);
const [major = 0] = process.versions.node.split(".").map(Number);

/** What the operations do, whatever door a request comes through. */
const operations = ["test/operations/**/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    // Much of the time is waiting for processes and sockets.
    maxWorkers: "100%",
    projects: [
      {
        extends: true,
        test: {
          name: "fetch",
          include: ["test/**/*.test.ts"],
          provide: { door: "fetch" },
          // The command line is tested as it is shipped: built, in a process of its own.
          globalSetup: ["test/_build.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "http",
          include: [...operations, "test/emulator/routes.test.ts"],
          provide: { door: "http" },
        },
      },
      // msw 3 asks for Node.js 22.12.
      ...["msw-lowest", "msw", ...(major >= 22 ? ["msw-3"] : [])].map(mswInNode),
      ...["msw", "msw-3"].map(mswInBrowser),
    ],
  },
});

/** One of the versions of msw that are installed under names of their own. */
function aliasOf(msw: string) {
  return [{ find: /^msw(?=\/|$)/, replacement: msw }];
}

function mswInNode(msw: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    resolve: { alias: aliasOf(msw) },
    test: { name: `${msw} in node`, include: operations, provide: { door: "msw in node" } },
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
        "fast-check",
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
      include: operations,
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
