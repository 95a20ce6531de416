import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startProcess } from "../../../../src/node.ts";
import { run } from "../../../_run.ts";

let folder: string;
beforeEach(async () => {
  const cache = resolve("node_modules/.cache");
  await mkdir(cache, { recursive: true });
  // Below node_modules, where `vitest` is found.
  folder = await mkdtemp(join(cache, "redirect-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TEST = `
  import { expect, test } from "vitest";
  import { live } from ${JSON.stringify(resolve("test/doors/redirect/_programs/lives.js"))};

  test.each(["fetch as v2", "https.request as v1", "@unkey/api 2.5.1"])("%s", async (name) => {
    expect(await live(name)).toMatchObject({ isListed: true, isValid: true });
  });
`;

/** Runs vitest in the folder, with this configuration for each kind of its workers. */
async function runVitest(
  { globalSetup, ...config }: { globalSetup?: string; setupFiles?: string[] },
  env: Record<string, string> = {},
) {
  await writeFile(join(folder, "live.test.js"), TEST);
  const projects = ["forks", "threads", "vmThreads"].map((pool) => ({
    test: { ...config, name: pool, pool },
  }));
  const text = JSON.stringify({ test: { globalSetup, projects, watch: false } });
  await writeFile(join(folder, "vitest.config.js"), `export default ${text};`);
  return run(
    process.execPath,
    [resolve("node_modules/vitest/vitest.mjs"), "run", "--root", folder],
    folder,
    env,
  );
}

const as = ["https://api.unkey.com", "https://api.unkey.dev"];

test("the workers of vitest are redirected by the set-up file latchkey/redirect", async () => {
  await using emulator = await startProcess({ as, log: "silent" });
  const env = { LATCHKEY_URL: emulator.url, LATCHKEY_AS: as.join(",") };

  const { code, stdout } = await runVitest(
    { setupFiles: [resolve("dist/redirect/by-hand.js")] },
    env,
  );

  expect([code, stdout]).toEqual([0, expect.stringContaining("9 passed")]);
});

test("the workers of vitest are redirected by a global set-up with the option as", async () => {
  const module = pathToFileURL(resolve("dist/vitest/global-setup.js")).href;
  await writeFile(
    join(folder, "set-up.js"),
    `import { createGlobalSetup } from ${JSON.stringify(module)};
     export const setup = createGlobalSetup({ as: ${JSON.stringify(as)} });`,
  );

  const { code, stderr, stdout } = await runVitest({ globalSetup: "./set-up.js" });

  expect([code, stdout]).toEqual([0, expect.stringContaining("9 passed")]);
  expect(stderr).toContain("36 calls came: 27 × 200, 9 × 404");
});
