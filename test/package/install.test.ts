import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../_run.ts";

// Node.js 20 is the line for which packages are the first to be too new.
test("npm ci warns of no package that asks for another Node.js", async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-install-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const file of ["package.json", "package-lock.json"]) await cp(file, join(folder, file));

  const flags = ["--dry-run", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { code, stderr } = await run("npm", ["ci", ...flags], folder);

  expect(code).toBe(0);
  expect(stderr).not.toContain("EBADENGINE");
});
