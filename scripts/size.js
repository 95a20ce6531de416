// Prints the size of each entry of the package, bundled with its dependencies, minified and compressed
// (kB). Fails if one is above its ceiling in scripts/sizes.json. With --write it writes the sizes
// there; the ceilings are set by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const FILE = "scripts/sizes.json";
/** The name of the web page in the table and in scripts/sizes.json. */
const PAGE = "the page";

/** Entries for browsers. Bundling one for a browser fails if it imports a module of Node. */
const FAKER = "@faker-js/faker/locale/en";
const inBrowser = new Set([".", "./msw", "./client", FAKER]);

/** Not part of an entry: users have msw and vitest, and faker, loaded on demand, has its own row. */
const external = ["msw", "vitest", FAKER];

const { dependencies = {}, exports } = JSON.parse(readFileSync("package.json", "utf8"));
const sizes = JSON.parse(readFileSync(FILE, "utf8"));

const entries = Object.entries(exports).flatMap(([entry, target]) =>
  typeof target === "object" ? [[entry, target.default]] : [],
);
if ("@faker-js/faker" in dependencies) entries.push([FAKER, FAKER]);
if (PAGE in sizes) entries.push([PAGE, "dist/page"]);
const rows = [];
for (const [entry, path] of entries) {
  const ceiling = sizes[entry]?.ceiling;
  if (ceiling === undefined) fail(`${entry}: expected a ceiling in ${FILE}, got none`);
  const kB = entry === PAGE ? weighPage(path) : await weigh(entry, path);
  if (kB > ceiling) fail(`${entry}: expected at most ${ceiling} kB, got ${kB}`);
  rows.push({ entry, kB, ceiling });
}

const line = (entry, kB, ceiling) =>
  console.log(entry.padEnd(26) + kB.padStart(8) + ceiling.padStart(10));
line("entry", "kB", "ceiling");
for (const { entry, kB, ceiling } of rows) line(entry, kB.toFixed(1), String(ceiling ?? "none"));

if (process.argv.includes("--write")) {
  const noted = rows.map(({ entry, kB, ceiling }) => [entry, { kB, ceiling }]);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(noted), null, 2)}\n`);
}

/** The size of everything that an entry may load, dynamic imports too, in one bundle. */
async function weigh(entry, path) {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: inBrowser.has(entry) ? "browser" : "node",
    external: external.filter((name) => name !== path),
    logLevel: "error",
  });
  return toKilobytes(compressed(outputFiles[0].contents));
}

function weighPage(folder) {
  const parts = ["index.html", "page.js", "page.css"].map((name) => join(folder, name));
  return toKilobytes(parts.reduce((sum, part) => sum + compressed(readFileSync(part)), 0));
}

function compressed(contents) {
  return gzipSync(contents, { level: 9 }).length;
}

function toKilobytes(bytes) {
  return Math.round(bytes / 100) / 10;
}

function fail(line) {
  console.error(line);
  process.exitCode = 1;
}
