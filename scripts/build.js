// Builds dist from src, from nothing, so that no file of a former build is left: the package's
// code in one bundle, its types, and the page. docs/decisions/0009-a-bundled-package.md tells why.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build as buildPage } from "esbuild";
import { rolldown } from "rolldown";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { writeTypes } from "./types.js";

const PAGE = "dist/page";

/** The files that package.json and bin/ name, by what they are made of. */
const entries = {
  index: "src/index.ts",
  node: "src/node.ts",
  msw: "src/msw/handlers.ts",
  "vitest/test": "src/vitest/test.ts",
  "vitest/global-setup": "src/vitest/global-setup.ts",
  "cli/main": "src/cli/main.ts",
};

/**
 * What each of these files holds: all that its entries load at once, without the entries themselves
 * and without what a former file holds. Finding and opening a file takes longer than running what
 * most modules hold. What is imported with `import()` stays apart. The core is for browsers too.
 */
const chunks = [
  { name: "core", roots: [entries.index, entries.msw] },
  { name: "node", roots: [entries.node] },
  { name: "cli", roots: [entries["cli/main"]] },
];

const { dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
/** Packages that users have installed. */
const installed = Object.keys({ ...dependencies, ...peerDependencies });

/** Modules that an index of zod names, and that only the OpenAPI document needs. */
const LATER = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-[a-z]+)\.js$/;

rmSync("dist", { recursive: true, force: true });
const types = writeTypes("dist/types", installed);
const code = await bundleCode();
const page = await bundlePage();
writeLicenses("dist", [...code, ...types]);
writeLicenses(PAGE, page);

/** @returns {Promise<string[]>} the modules that are in the bundle */
async function bundleCode() {
  // zod is installed for its types; its code is bundled, so that few files are opened.
  const external = installed.filter((name) => name !== "zod");
  const bundle = await rolldown({
    input: entries,
    // Browsers load parts of it, and what packages have for every runtime is smaller.
    platform: "neutral",
    external: external.map((name) => new RegExp(`^${name}(?:/|$)`)),
    resolve: {
      mainFields: ["module", "main"],
      // For browsers there is the same parser, without modules of Node that no start here needs.
      alias: { "yargs-parser": "yargs-parser/browser" },
    },
    // Has the CommonJS among the packages import modules of Node: a `require` for all chunks would
    // keep browsers from loading any.
    plugins: [esmExternalRequirePlugin({ external: [/^node:/, ...builtinModules] })],
    onLog(level, log, handle) {
      handle(level === "warn" ? "error" : level, log);
    },
  });
  const { output } = await bundle.write({
    dir: "dist",
    format: "esm",
    chunkFileNames: "chunks/[name].js",
    // Comments are parsed at every start, and some hold letters that make V8 take twice the memory.
    comments: { annotation: true, jsdoc: false, legal: false },
    sourcemap: true,
    codeSplitting: { groups: toGroups() },
  });
  await bundle.close();
  // `open` runs it where a system has none of its own, and looks for it beside its code.
  copyFileSync("node_modules/open/xdg-open", join("dist", "chunks", "xdg-open"));
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** For rolldown: a group for each of `chunks`, the first that holds a module takes it. */
function toGroups() {
  const held = new Map();
  return chunks.map(({ name, roots }, index) => ({
    name(id, modules) {
      if (!held.has(name)) held.set(name, reachedFrom(roots, modules));
      return held.get(name).has(id) ? name : null;
    },
    debugName: name,
    priority: chunks.length - index,
  }));
}

/** The modules that these load at once. */
function reachedFrom(roots, modules) {
  const ids = roots.map((root) => join(process.cwd(), root));
  const reached = new Set(ids);
  for (const id of reached) {
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) {
      if (!LATER.test(next)) reached.add(next);
    }
  }
  for (const id of ids) reached.delete(id);
  return reached;
}

/**
 * What the browser loads: a file of code and one of styles beside the page itself.
 * @returns {Promise<string[]>} the modules that are in them
 */
async function bundlePage() {
  const { metafile } = await buildPage({
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    metafile: true,
    logLevel: "warning",
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
  return Object.keys(metafile.inputs);
}

/** Licences ask to stand beside what they are for. */
function writeLicenses(folder, files) {
  const packages = files.flatMap(
    (file) => /(?:^|\/)(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
  );
  const texts = [...new Set(packages)].sort().map((path) => {
    const { name, version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${path}: expected a licence, found none`);
    return `${name} ${version}\n\n${readFileSync(join(path, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(folder, "LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}
