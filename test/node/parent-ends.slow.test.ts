import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { givenScript, isAlive } from "./_scripts.ts";

const run = promisify(execFile);

/** The built entry, for scripts that run in processes of their own. */
const ENTRY = pathToFileURL(resolve("dist/node.js")).href;

test.each([20, 200, 500])(
  "the emulator's process ends if its parent is killed %i ms after calling startProcess",
  async (delay) => {
    const randomSeed = 1_000_000 + Math.floor(Math.random() * 1_000_000_000);
    const file = await givenScript(
      `import { startProcess } from ${JSON.stringify(ENTRY)};
       void startProcess({ randomSeed: ${randomSeed} });
       setTimeout(() => process.kill(process.pid, "SIGKILL"), ${delay});`,
    );
    const isThere = async () => (await run("ps", ["-eo", "args"])).stdout.includes(`${randomSeed}`);

    await run(process.execPath, [file]).catch(() => {});
    await rm(file);

    await expect.poll(isThere).toBe(false);
  },
);

test.each([
  ["ends", ""],
  ["is killed", "process.kill(process.pid, 'SIGKILL');"],
  ["throws", "setTimeout(() => { throw new Error('odd'); });"],
])("the emulator's process ends if its parent %s", async (_, ending) => {
  const file = await givenScript(
    `import { startProcess } from ${JSON.stringify(ENTRY)};
     const { pid } = await startProcess();
     console.log(pid);
     ${ending}`,
  );

  const { stdout } = await run(process.execPath, [file]).catch((error) => error);
  await rm(file);

  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid)).toBe(false);
});
