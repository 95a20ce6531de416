// Prints which functions of src one call enters over HTTP, by file: the stops of a reader who follows
// it. `node scripts/stops.js` follows a verification; `node scripts/stops.js v1 keys.createKey
// '{"apiId":"api_demo"}'` another POST. Functions without a name, and initializers of
// fields, are not counted. V8 counts; a call before warms up.
import { Session } from "node:inspector/promises";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const KEY = "stops_value_0123456789";
const TOKEN = "stops_token_0123456789";
const [version = "v2", operation = "keys.verifyKey", body = JSON.stringify({ key: KEY })] =
  process.argv.slice(2);

// In the checkout, so that the bundle finds its packages.
const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.stops-"));
try {
  const bundle = join(folder, "bundle.mjs");
  const { outputFiles } = await build({
    stdin: {
      contents: 'export * from "./src/index.ts"; export { serve } from "./src/node.ts";',
      resolveDir: join(import.meta.dirname, ".."),
    },
    bundle: true,
    format: "esm",
    outfile: bundle,
    packages: "external",
    platform: "node",
    write: false,
  });
  const source = outputFiles[0].text;
  writeFileSync(bundle, source);
  const entered = await follow(bundle);
  print(entered, source);
} finally {
  rmSync(folder, { recursive: true });
}

/** Makes the call twice, and returns the functions that the second one entered. */
async function follow(bundle) {
  const { createEmulator, serve } = await import(pathToFileURL(bundle).href);
  const emulator = await createEmulator({
    fixtures: [
      {
        apis: [{ id: "api_demo" }],
        keys: [{ apiId: "api_demo", key: KEY }],
        tokens: [{ token: TOKEN, permissions: ["*"] }],
      },
    ],
  });
  const door = await serve(emulator, { port: 0 });
  const call = async () => {
    const response = await fetch(`${door.url}/${version}/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
      body,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
  };
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await call();
  await session.post("Profiler.takePreciseCoverage");
  await call();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await door.close();
  return result
    .filter(({ url }) => url.endsWith("/bundle.mjs"))
    .flatMap(({ functions }) => functions)
    .filter(({ functionName, ranges }) => /^[^<]/.test(functionName) && ranges[0].count > 0);
}

/** esbuild writes the path of each module in a comment before its code. */
function print(entered, source) {
  const modules = [...source.matchAll(/^\/\/ (src\/\S+)$/gm)];
  const files = new Map();
  for (const { functionName, ranges } of entered) {
    const [{ startOffset }] = ranges;
    const file = modules.findLast(({ index }) => index < startOffset)?.[1];
    if (file !== undefined) files.set(file, [...(files.get(file) ?? []), functionName]);
  }
  let count = 0;
  for (const [file, names] of [...files].sort()) {
    count += names.length;
    console.log(`${file}: ${names.join(", ")}`);
  }
  console.log(`\n${version} ${operation}: ${count} functions in ${files.size} files`);
}
