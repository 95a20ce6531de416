// Writes the type declarations of the package. They are not bundled, because every version of
// TypeScript can read what tsc writes file by file. Declarations of packages that users have not
// installed are copied beside them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

const SETTINGS = "tsconfig.build.json";
const manifest = "typescript/package.json";
/** By its place, because only npm puts commands of packages on the PATH. */
const tsc = join(dirname(createRequire(import.meta.url).resolve(manifest)), "bin", "tsc");

/** Finds imports in a declaration: the text before the name of the module, and the name. */
const IMPORT =
  /(^(?:import|export|\})[^"'\n]* from ["']|^import ["']|\bimport\(["'])([^"'\n]+)(?=["'])/gm;

/**
 * Writes the declarations that the entries import, directly or through others.
 * @param {string} folder the output folder; copies of packages are in `packages` there
 * @param {readonly string[]} installed packages that users have, whose declarations are not copied
 * @returns {string[]} the files of packages that were copied
 */
export function writeTypes(folder, installed) {
  const args = [tsc, "-p", SETTINGS, "--outDir", folder];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);

  const { files } = JSON.parse(readFileSync(SETTINGS, "utf8"));
  const own = files.map((file) => join(folder, relative("src", file)).replace(/\.ts$/, ".d.ts"));
  /** The output file of each declaration. The map grows while it is walked. */
  const places = new Map(own.map((file) => [file, file]));
  for (const [file, place] of places) {
    const text = readFileSync(file, "utf8").replaceAll(IMPORT, (whole, before, name) => {
      if (name.startsWith("node:") || installed.includes(packageOf(name))) return whole;
      const next = name.startsWith(".") ? join(dirname(file), name) : declarationsOf(name);
      const found = findDeclaration(next);
      if (!places.has(found)) places.set(found, placeOf(found, folder));
      return before + toSpecifier(relative(dirname(place), places.get(found)));
    });
    mkdirSync(dirname(place), { recursive: true });
    // The maps would lead to sources that are not in the package.
    writeFileSync(place, text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ""));
  }
  const written = new Set(places.values());
  for (const file of readdirSync(folder, { recursive: true })) {
    const path = join(folder, file);
    if (file.endsWith(".ts") && !written.has(path)) rmSync(path);
  }
  return [...places.keys()].filter((file) => places.get(file) !== file);
}

function packageOf(name) {
  return /^(?:@[^/]+\/)?[^/]+/.exec(name)[0];
}

/** The declaration file of the main entry of a package, by its package.json. */
function declarationsOf(name) {
  const folder = join("node_modules", name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const main = manifest.exports?.["."] ?? manifest.types;
  const target = typeof main === "string" ? main : (main.types ?? main.import.types);
  return join(folder, target);
}

/** The declaration file for the path of a module, with or without an extension. */
function findDeclaration(path) {
  const candidates = [
    path,
    path.replace(/\.([cm]?)[jt]s$/, ".d.$1ts"),
    `${path}.d.ts`,
    join(path, "index.d.ts"),
  ];
  const found = candidates.find((file) => /\.d\.[cm]?ts$/.test(file) && existsSync(file));
  if (found === undefined) throw new Error(`${path}: expected a declaration, found none`);
  return found;
}

function placeOf(file, folder) {
  const isCopied = file.startsWith(join("node_modules", "/"));
  return isCopied ? join(folder, "packages", relative("node_modules", file)) : file;
}

function toSpecifier(path) {
  const module = path.replaceAll("\\", "/").replace(/\.d\.([cm]?)ts$/, ".$1js");
  return module.startsWith(".") ? module : `./${module}`;
}
