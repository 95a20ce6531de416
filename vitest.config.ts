import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The command line is tested as it is shipped: built, in a process of its own.
    globalSetup: ["test/_build.ts"],
    testTimeout: 30_000,
  },
});
