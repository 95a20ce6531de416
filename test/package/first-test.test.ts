import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cleanEnv } from "../_cli.ts";
import { installed, PATIENCE } from "./_consumer.ts";

const run = promisify(execFile);

/** The code blocks under a heading of a page, in order. */
async function blocksUnder(heading: string, page = "README.md"): Promise<string[]> {
  const text = await readFile(page, "utf8");
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const [own = ""] = section.split(/^## /m);
  return blocksIn(own);
}

function blocksIn(text: string): string[] {
  return [...text.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, code = ""]) => code);
}

test(
  "the README's steps to a first test lead from an empty folder to a passing test",
  async () => {
    const [pack = "", install = "", start = ""] = await blocksUnder("Your first test");
    const [code = ""] = blocksIn(await readFile("README.md", "utf8"));
    const folder = await mkdtemp(join(tmpdir(), "latchkey-first-test-"));
    const shell = (command: string, cwd = folder) =>
      run("sh", ["-c", command], { cwd, env: { ...cleanEnv(), NO_COLOR: "1" } });
    const [, packing = ""] = /&& (npm pack) #/.exec(pack) ?? [];
    const [, path = "", name = ""] = /-D (\S*?)([^/\s]+\.tgz)/.exec(install) ?? [];

    // Without scripts, because another test may be reading files that a build would remove.
    await shell(`${packing} --ignore-scripts --pack-destination=${folder}`, resolve("."));
    const here = install
      .replace(path, "./")
      .replace(" vitest", ` vitest@${await installed("vitest")}`)
      .replace("@unkey/api@2", `@unkey/api@${await installed("unkey-api-2")}`);
    await shell(`export npm_config_prefer_offline=true\n${here}`);
    await writeFile(join(folder, "keys.test.mjs"), code);
    // Vitest's timeout of five seconds is too short for a busy machine.
    const patient = `${start.trimEnd()} --testTimeout=${PATIENCE}`;
    const { stdout } = await shell(patient).finally(() => rm(folder, { recursive: true }));

    expect(pack).toContain(name);
    expect(stdout).toMatch(/Tests +1 passed/);
  },
  PATIENCE,
);

test(
  "the documented global install provides the command and the demo fixture",
  async () => {
    const page = "docs/integration-tests.md";
    const [block = ""] = await blocksUnder("Get the command", page);
    const folder = await mkdtemp(join(tmpdir(), "latchkey-global-"));
    const global = join(folder, "global");
    const PATH = `${join(global, "bin")}:${process.env["PATH"]}`;
    const settings = { npm_config_prefix: global, npm_config_prefer_offline: "true" };
    const shell = (command: string, cwd = folder) =>
      run("sh", ["-c", command], { cwd, env: { ...cleanEnv(), ...settings, PATH } });
    const [, packing = "", others = ""] = /&& (npm pack) #[^\n]*\n(.*)$/s.exec(block) ?? [];

    // Without scripts, because another test may be reading files that a build would remove.
    await shell(`${packing} --ignore-scripts --pack-destination=${folder}`, resolve("."));
    const { stdout } = await shell(`set -e\n${others}`).finally(() =>
      rm(folder, { recursive: true }),
    );

    expect(stdout).toMatch(/^ok: ws_acme with 2 APIs and 12 keys$/m);
  },
  PATIENCE,
);
