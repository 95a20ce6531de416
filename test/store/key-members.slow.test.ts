import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../_run.ts";

const PATIENCE = 120_000;
const KEY = "src/store/key.ts";

/** A copy of the source, to be compiled. */
let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "latchkey-members-"));
  const filter = (path: string) => !path.startsWith(resolve("src/page"));
  await cp(resolve("src"), join(copy, "src"), { recursive: true, filter });
  await cp("package.json", join(copy, "package.json"));
  await symlink(resolve("node_modules"), join(copy, "node_modules"));
  const { compilerOptions } = JSON.parse(await readFile("tsconfig.json", "utf8"));
  const config = { compilerOptions, include: ["src"] };
  await writeFile(join(copy, "tsconfig.json"), JSON.stringify(config));
}, PATIENCE);
afterAll(() => rm(copy, { recursive: true, force: true }), PATIENCE);

/** The files that do not compile. */
async function complaints(): Promise<string[]> {
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "--pretty", "false"], copy);
  const files = stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm);
  return [...new Set(Array.from(files, ([, file = ""]) => file))].toSorted();
}

test(
  "a create does not compile with a member that no key has",
  async () => {
    for (const name of ["v1/create-key.ts", "v2/create-key.ts", "v2/migrate-keys.ts"]) {
      const file = join(copy, "src/operations", name);
      const before = await readFile(file, "utf8");
      const after = before.replace(
        /^( +)(meta|expires|enabled),$/m,
        "$&\n$1colour: z.optional(z.string()),",
      );
      expect(after, name).not.toBe(before);
      await writeFile(file, after);

      expect(await complaints()).toContain(`src/operations/${name}`);
      await writeFile(file, before);
    }
  },
  PATIENCE,
);

test(
  "the compiler names every place that a new member of a key needs",
  async () => {
    expect(await complaints()).toEqual([]);
    const records = await readFile(join(copy, KEY), "utf8");
    const colour = "  colour: z.optional(text()),\n";
    const changed = records
      .replace("export const keyInit = lazily(() =>\n  objectOf({\n", (start) => start + colour)
      .replace("export const keyMembers = lazily(() =>\n  objectOf({\n", (start) => start + colour);
    expect(changed.length).toBe(records.length + 2 * colour.length);
    await writeFile(join(copy, KEY), changed);

    expect(await complaints()).toEqual([
      "src/operations/v2/reroll-key.ts",
      "src/seeding/fixtures/snapshot.ts",
      "src/seeding/generate/keys.ts",
      KEY,
      "src/store/to-key.ts",
    ]);
  },
  PATIENCE,
);
