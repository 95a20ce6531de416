// Tells what each entry of the package weighs, bundled with all that it depends on, minified and
// compressed; fails for one that is above its ceiling. With --write, notes the weights; the
// ceilings are set by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const FILE = "scripts/sizes.json";
/** What a browser loads to look at the emulator. */
const PAGE = "the page";

/** What a page may load: a bundle of these fails where it needs a module of Node's. */
const FAKER = "@faker-js/faker/locale/en";
const inBrowser = new Set([".", "./msw", FAKER]);

/** A user has them already; faker is loaded only where keys are made up, and weighed by itself. */
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

/** One bundle, with what is imported later in it: all that a user of the entry may come to load. */
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
