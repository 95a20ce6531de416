// Builds dist from src, from nothing, so that no file of a former build is left: the library is
// compiled file by file, the command line becomes one file, because opening a file costs more than
// what most of them hold. docs/decisions/0009-one-file-for-the-command-line.md tells more.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const OUT = "dist/cli";

/** What every start loads becomes part of the file. All others are loaded from where they are installed. */
const INLINED = ["@msw/data", "leven", "ms", "yargs-parser", "zod"];

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
  stdio: "inherit",
  shell: true,
});
process.exitCode = status ?? 1;
if (status === 0) {
  const bundles = [await bundleCommandLine(), await bundleYaml()];
  writeLicenses(bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
}

function bundleCommandLine() {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  return build({
    ...common(),
    platform: "node",
    entryPoints: { main: "src/cli/main.ts" },
    alias: { yaml: "./yaml.js" },
    external: [...Object.keys(dependencies).filter((name) => !INLINED.includes(name)), "./yaml.js"],
  });
}

/** One more file, because only some starts read YAML, and those cannot wait for seventy. */
function bundleYaml() {
  return build({
    ...common(),
    // What it has for Node is no ES module.
    platform: "neutral",
    stdin: {
      contents: `export { parseDocument, stringify } from "yaml";`,
      resolveDir: ".",
      sourcefile: "yaml.js",
    },
    outfile: join(OUT, "yaml.js"),
    outdir: undefined,
  });
}

function common() {
  return {
    bundle: true,
    format: "esm",
    target: "node20.19",
    outdir: OUT,
    metafile: true,
    logLevel: "warning",
  };
}

/** Licences ask to stand beside what they are for. */
function writeLicenses(files) {
  const folders = files.flatMap(
    (file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${folder}: expected a licence, found none`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(OUT, "LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}
