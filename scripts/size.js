// Prints the size of each entry of the package, bundled with its dependencies, minified and compressed
// (kB). Fails if one is above its ceiling.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { files } from "../dist/page/latchkey-page.js";

const PAGE = "the page";
const SITE = "a site without records";
const FAKER = "@faker-js/faker/locale/en";
/** The most that each may take (kB). */
const ceilings = {
  ".": 146,
  "./gateway": 74,
  "./msw": 63,
  "./page": 95,
  "./node": 107,
  "./sweep": 163,
  "./client": 4,
  "./redirect": 5,
  "./vitest": 209,
  "./vitest/global-setup": 67,
  [FAKER]: 175,
  [PAGE]: 35,
  [SITE]: 180,
};

const site = ["site.html", "site.js.br"].map((name) => readFileSync(join("dist/page", name)));
/** What a browser loads. */
const texts = {
  [PAGE]: Object.values(files),
  [SITE]: [site[0], brotliDecompressSync(site[1]), files["page.js"], files["page.css"]],
};

/** Entries for browsers. Bundling one for a browser fails if it imports a module of Node. */
const inBrowser = new Set([".", "./gateway", "./msw", "./page", "./client", FAKER]);

/** Not part of an entry: users have msw and vitest, and faker, loaded on demand, has its own row. */
const external = ["msw", "vitest", FAKER];

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const entries = Object.entries(exports).flatMap(([entry, target]) =>
  typeof target === "object" ? [[entry, target.default]] : [],
);
const line = (entry, kB, ceiling) =>
  console.log(entry.padEnd(26) + kB.padStart(8) + ceiling.padStart(10));
line("entry", "kB", "ceiling");
for (const [entry, path] of [...entries, [FAKER, FAKER], [PAGE], [SITE]]) {
  const ceiling = ceilings[entry];
  const kB = path === undefined ? weighTexts(texts[entry]) : await weigh(entry, path);
  line(entry, kB.toFixed(1), String(ceiling));
  if (kB <= ceiling) continue;
  console.error(`${entry}: expected at most ${ceiling} kB, got ${kB}`);
  process.exitCode = 1;
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

function weighTexts(each) {
  return toKilobytes(each.reduce((sum, text) => sum + compressed(text), 0));
}

function compressed(contents) {
  return gzipSync(contents, { level: 9 }).length;
}

function toKilobytes(bytes) {
  return Math.round(bytes / 100) / 10;
}
