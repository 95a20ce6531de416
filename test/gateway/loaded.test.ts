import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** The built files that a file imports statically, and itself. */
async function loadedBy(file: string, found = new Set<string>()): Promise<ReadonlySet<string>> {
  if (found.has(file)) return found;
  found.add(file);
  const code = await readFile(file, "utf8");
  for (const [, next = ""] of code.matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";/gm))
    await loadedBy(join(dirname(file), next), found);
  return found;
}

async function codeOf(entry: string): Promise<string> {
  const files = await loadedBy(join("dist", entry));
  return (await Promise.all([...files].map((file) => readFile(file, "utf8")))).join("\n");
}

const GATEWAY = "err:frontline:";
const TOML = "class TomlError";

test.each(["index.js", "node.js", "msw.js", "sweep.js", "vitest/test.js", "cli/main.js"])(
  "dist/%s loads neither the gateway nor the TOML parser at the start",
  async (entry) => {
    const code = await codeOf(entry);

    expect(code.length).toBeGreaterThan(100_000);
    expect([code.includes(GATEWAY), code.includes(TOML)]).toEqual([false, false]);
  },
);

test("dist/gateway.js loads no module of Node.js and no TOML parser", async () => {
  const code = await codeOf("gateway.js");

  expect([code.includes(GATEWAY), code.includes(TOML)]).toEqual([true, false]);
  expect(code).not.toMatch(/^import\b[^;]*"node:/m);
});
