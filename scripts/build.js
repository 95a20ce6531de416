// Builds dist from src: the code of the package in one bundle, its types, and the web page. It empties
// dist first, so that no file of an earlier build stays. docs/decisions/0009-a-bundled-package.md
// gives the reasons.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build as buildPage, transform } from "esbuild";
import { rolldown } from "rolldown";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { writeHoverTexts } from "./hover-texts.js";
import { writeTypes } from "./types.js";

const PAGE = "dist/page";
/** Stands in the HTML of the page. */
const SCRIPT = '<script type="module" src="page.js"></script>';

/** The module that `bundlePage` writes. */
const FILES = /\/src\/page\/files\.ts$/;

/** The sources of the files that package.json and bin/ name. */
const entries = {
  index: "src/index.ts",
  node: "src/node.ts",
  sweep: "src/sweep.ts",
  gateway: "src/gateway.ts",
  msw: "src/doors/msw.ts",
  page: "src/page/mount.ts",
  "vitest/test": "src/vitest.ts",
  "vitest/global-setup": "src/cli/vitest-global-setup.ts",
  "cli/main": "src/cli/main.ts",
};

/**
 * Files that entries share. Each has all modules that its roots import statically, except the roots
 * themselves and the modules of an earlier chunk. Few large files load faster than many small ones:
 * finding and opening a file takes longer than running most modules. Modules that are imported with
 * `import()` are in separate files. The core also runs in browsers.
 */
const chunks = [
  { name: "core", roots: [entries.index, entries.msw, "src/doors/vitest.ts"] },
  { name: "node", roots: [entries.node] },
  { name: "sweep", roots: [entries.sweep] },
  { name: "cli", roots: [entries["cli/main"]] },
];

const { dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
/** Packages that users have installed. */
const installed = Object.keys({ ...dependencies, ...peerDependencies });

/** Modules of zod that its index exports, although only the OpenAPI document needs them. */
const ON_DEMAND = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-[a-z]+)\.js$/;

const UNUSED =
  /\/node_modules\/(?:@msw\/data|mutative|outvariant|es-toolkit|@open-draft\/logger)\//;

// What the collection of @msw/data imports. Only its queries and errors are used, and none of these
// packages says that it has no side effects.
const treeshake = { moduleSideEffects: [{ test: UNUSED, sideEffects: false }] };

/**
 * Writes each character that is not ASCII as an escape, because V8 takes twice the memory for a file in
 * which one character is not Latin-1. Code has such characters in texts and regular expressions alone.
 */
const asciiPlugin = {
  name: "ascii",
  // Not in renderChunk: rolldown prints the code once more behind it, without the escapes.
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      // oxlint-disable-next-line no-control-regex -- all of ASCII
      if (file.type === "chunk") file.code = file.code.replaceAll(/[^\x00-\x7f]/g, toEscape);
    }
  },
};
/** Minifies files with nothing but code of packages, like yaml. The stacks of latchkey have none of it. */
const packagesPlugin = {
  name: "packages",
  async generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      const isOfPackages =
        file.type === "chunk" && file.moduleIds.every((id) => id.includes("/node_modules/"));
      if (!isOfPackages) continue;
      const { code: minified } = await transform(file.code, { minify: true });
      // Like the names of modules in the other files.
      const packages = file.moduleIds.map((id) => /node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(id)[0]);
      file.code = [...new Set(packages)].map((name) => `// ${name}\n`).join("") + minified;
    }
  },
};

/** @param {string} unit a UTF-16 code unit */
const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Replaces faker in a site, where it would be larger than the rest: keys are generated at the build. */
const withoutFaker = {
  name: "without faker",
  load(id) {
    if (!id.endsWith("/src/seed/generate/generate.ts")) return undefined;
    return `import { UsageError } from "../../base/usage-error.ts";
      export function generate() {
        throw new UsageError("generate: a static site cannot generate keys; use --generate when you build it, or list the keys");
      }`;
  },
};

rmSync("dist", { recursive: true, force: true });
const types = writeTypes("dist/types", installed);
await writeHoverTexts("dist/types");
const page = [...(await bundlePage()), ...(await bundleSite())];
const code = [
  ...(await bundleCode()),
  // Alone, so that a program that only controls an emulator, or is redirected to one, loads none of it.
  ...(await bundleAlone("src/control/client/connect.ts", "client.js", { format: "esm" })),
  // CommonJS for `--require`, which workers made of text obey too, unlike `--import`.
  ...(await bundleAlone("src/doors/redirect/redirect.ts", "redirect.cjs", {
    format: "cjs",
    platform: "node",
  })),
  ...(await bundleAlone("src/doors/redirect/by-hand.ts", "redirect/by-hand.js", { format: "esm" })),
];
writeLicenses("dist", [...code, ...types]);
writeLicenses(PAGE, page);

/** @returns {Promise<string[]>} the files of all modules in the bundle */
async function bundleCode() {
  // zod is installed for its types; its code is bundled, so that few files are opened.
  const external = installed.filter((name) => name !== "zod");
  const bundle = await rolldown({
    input: entries,
    // Browsers load parts of the bundle, and the builds of packages for every runtime are smaller.
    platform: "neutral",
    external: [...external.map((name) => new RegExp(`^${name}(?:/|$)`)), FILES],
    resolve: {
      mainFields: ["module", "main"],
      // Its build for browsers is the same parser, without modules of Node that latchkey does not need.
      alias: { "yargs-parser": "yargs-parser/browser" },
    },
    // Turns `require("node:…")` in CommonJS packages into imports. Otherwise rolldown would put a
    // `require` into a chunk that all others import, and browsers could not load any of them.
    plugins: [
      esmExternalRequirePlugin({ external: [/^node:/, ...builtinModules] }),
      packagesPlugin,
      asciiPlugin,
    ],
    treeshake,
    onLog(level, log, handle) {
      handle(level === "warn" ? "error" : level, log);
    },
  });
  const { output } = await bundle.write({
    dir: "dist",
    format: "esm",
    paths: (id) => (FILES.test(id) ? "./page/latchkey-page.js" : id),
    chunkFileNames: "chunks/[name].js",
    // V8 parses comments at every start.
    comments: { annotation: true, jsdoc: false, legal: false },
    codeSplitting: { groups: toGroups() },
  });
  await bundle.close();
  // `open` runs this script where the system has no xdg-open, and looks for it beside its own code.
  copyFileSync("node_modules/open/xdg-open", join("dist", "chunks", "xdg-open"));
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** Bundles an entry into one file of dist, which shares nothing with the others. */
async function bundleAlone(input, file, { format, platform = "neutral" }) {
  const bundle = await rolldown({ input, platform, external: [/^node:/] });
  const { output } = await bundle.write({
    file: join("dist", file),
    format,
    comments: { annotation: true, jsdoc: false, legal: false },
  });
  await bundle.close();
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** Groups for rolldown, one for each of `chunks`. A module goes to the first group that has it. */
function toGroups() {
  const modulesOf = new Map();
  return chunks.map(({ name, roots }, index) => ({
    name(id, modules) {
      if (!modulesOf.has(name)) modulesOf.set(name, importedBy(roots, modules));
      return modulesOf.get(name).has(id) ? name : null;
    },
    debugName: name,
    priority: chunks.length - index,
  }));
}

/** The modules that the roots import statically, directly or through others, without the roots. */
function importedBy(roots, modules) {
  const ids = roots.map((root) => join(process.cwd(), root));
  const imported = new Set(ids);
  // The set grows while it is walked.
  for (const id of imported) {
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) {
      if (!ON_DEMAND.test(next)) imported.add(next);
    }
  }
  for (const id of ids) imported.delete(id);
  return imported;
}

/**
 * Bundles the web page: one file of code, one of styles, and the HTML. All are written into one module,
 * because a server, a static site and `mountPage` have the same page.
 * @returns {Promise<string[]>} the files of all modules in them
 */
async function bundlePage() {
  const { metafile, outputFiles } = await buildPage({
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
    write: false,
    minify: true,
    // Calls of `h` are shorter than those of the automatic runtime, which tsconfig.json names for types.
    tsconfigRaw: {
      compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" },
    },
    inject: ["node_modules/preact/dist/preact.mjs"],
  });
  const built = outputFiles.map(({ path, text }) => [basename(path), text]);
  const files = {
    "index.html": readFileSync("src/page/index.html", "utf8"),
    ...Object.fromEntries(built),
  };
  mkdirSync(PAGE, { recursive: true });
  writeFileSync(join(PAGE, "latchkey-page.js"), `export const files = ${JSON.stringify(files)};\n`);
  return Object.keys(metafile.inputs);
}

/**
 * Bundles the emulator of static sites into one compressed file, and writes their HTML.
 * @returns {Promise<string[]>} the files of all modules in it
 */
async function bundleSite() {
  const scripts = readFileSync("src/page/site.html", "utf8");
  const html = readFileSync("src/page/index.html", "utf8").replace(SCRIPT, () => scripts);
  writeFileSync(join(PAGE, "site.html"), html);
  const bundle = await rolldown({
    input: "src/page/site.ts",
    platform: "browser",
    resolve: { mainFields: ["module", "main"] },
    treeshake,
    transform: { target: "es2022" },
    plugins: [withoutFaker],
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    // A file that is loaded later would be missing without a network.
    codeSplitting: false,
    comments: { annotation: false, jsdoc: false, legal: false },
  });
  await bundle.close();
  // Nothing but `latchkey site` reads it.
  writeFileSync(join(PAGE, "site.js.br"), brotliCompressSync(output[0].code));
  return output[0].moduleIds;
}

/** Writes the licences of the bundled packages, which ask to be distributed with the code. */
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
