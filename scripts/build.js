// Builds dist from src, from nothing, so that no file of a former build is left. The library is
// compiled file by file. The command line is bundled, because finding and opening a file takes
// longer than running what most of them hold: docs/decisions/0009-a-bundled-command-line.md.
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const OUT = "dist/cli";
const PAGE = "dist/page";

/** What every start loads; other packages are loaded from where they are installed. */
const INLINED = ["@msw/data", "leven", "ms", "yargs-parser", "zod"];

const common = {
  bundle: true,
  format: "esm",
  target: "node20.19",
  metafile: true,
  logLevel: "warning",
  logOverride: { "ambiguous-reexport": "error" },
};

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
  stdio: "inherit",
  shell: true,
});
process.exitCode = status ?? 1;
if (status === 0) {
  writeLicenses(OUT, [await bundleCommandLine(), await bundleYaml()]);
  writeLicenses(PAGE, [await bundlePage()]);
}

/** One file for what every start needs, and one for what is imported later. */
async function bundleCommandLine() {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const others = Object.keys(dependencies).filter((name) => !INLINED.includes(name));
  const settings = {
    ...common,
    platform: "node",
    entryPoints: { main: "src/cli/main.ts" },
    outdir: OUT,
    // For browsers there is the same parser, without modules of Node that no start here needs.
    alias: { yaml: "./yaml.js", "yargs-parser": "yargs-parser/browser" },
    external: [...others, "./yaml.js"],
  };
  const { metafile } = await build({ ...settings, write: false });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const later = imports.filter(({ kind, external }) => kind === "dynamic-import" && !external);
  const names = [...new Set(later.map(({ path }) => path))];
  return build({ ...settings, splitting: true, plugins: [asOne(names)] });
}

/** Has these modules imported as one: each by itself would split what all of them share. */
function asOne(names) {
  return {
    name: "as-one",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\..*\.ts$/ }, ({ kind }) =>
        kind === "dynamic-import" ? { path: "later", namespace: "later" } : undefined,
      );
      onLoad({ filter: /^later$/, namespace: "later" }, () => ({
        contents: names.map((name) => `export * from "./${name}";`).join("\n"),
        resolveDir: ".",
      }));
    },
  };
}

/** A file of its own, because only some starts read YAML. */
function bundleYaml() {
  return build({
    ...common,
    // What the package has for Node is no ES module.
    platform: "neutral",
    stdin: { contents: `export { parseDocument, stringify } from "yaml";`, resolveDir: "." },
    outfile: join(OUT, "yaml.js"),
  });
}

/** What the browser loads: a file of code and one of styles beside the page itself. */
async function bundlePage() {
  const bundle = await build({
    ...common,
    target: "es2022",
    platform: "browser",
    entryPoints: [
      { in: "src/page/main.tsx", out: "page" },
      { in: "src/page/page.css", out: "page" },
    ],
    outdir: PAGE,
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  copyFileSync("src/page/index.html", join(PAGE, "index.html"));
  return bundle;
}

/** Licences ask to stand beside what they are for. */
function writeLicenses(folder, bundles) {
  const files = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const packages = files.flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  const texts = [...new Set(packages)].sort().map((path) => {
    const { name, version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${path}: expected a licence, found none`);
    return `${name} ${version}\n\n${readFileSync(join(path, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(folder, "LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}
