import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { thrownText } from "../../base/realm.ts";
import { throwLines, UsageError } from "../../base/usage-error.ts";
import { PAGE_FILES, readPageFiles } from "../../doors/http/page-files.ts";
import { createEmulator } from "../../emulator/create-emulator.ts";
import type { SiteSettings } from "../../page/data/site-settings.ts";
import { readBytes, readFixtureFiles } from "../../seed/files.ts";
import { fileFailure } from "../files/write-new.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { ownSiteOptions } from "../options/site-options.ts";
import { report } from "../program.ts";
import { requireFile } from "../require-file.ts";

/** The files of a site. A visitor loads all of them except the licences. */
const NAMES = [
  "index.html",
  "page.css",
  "page.js",
  "site.js",
  "world.json",
  "calls.js",
  "LICENSES.txt",
];
/** Is in the HTML of every site. */
const MARK = '<meta name="generator" content="latchkey" />';

const NO_OPERATIONS =
  "operations: expected none, because a site cannot have operations of your own; leave them out of the configuration";

/**
 * Writes the web page with an emulator as a folder of static files. The records are generated here, so
 * that visitors do not load faker.
 * @returns the exit code
 * @throws UsageError for invalid options and fixtures, and for a folder with other files
 */
export async function runSite(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const own = readFlags(flags, ownSiteOptions);
  throwLines(own.lines);
  const { calls, out, title } = own.options;
  if (out === undefined)
    throw new UsageError("--out: expected the folder to write, like --out site");
  const options = await mergeOptions(flags, process.env, { state: false });
  report(options.unused.map((line) => `warning: ${line}`));
  if (options.operations !== undefined) throw new UsageError(NO_OPERATIONS);
  await checkFolder(out);
  const { fixtures: files, generate, latency, quirks, randomSeed, strict } = options;
  const read = files && (await readFixtureFiles(files));
  const shared = { strict, quirks, latency };
  const now = options.now ?? Date.now();
  const seed = { fixtures: read, generate, randomSeed, now };
  const emulator = await createEmulator({ ...seed, ...shared, log: () => {} });
  const settings: SiteSettings = {
    title,
    at: emulator.clock.now(),
    isFrozen: options.now !== undefined,
    hasCalls: calls !== undefined,
    // A snapshot has no faults.
    faults: read?.flatMap(({ faults = [] }) => faults),
    ...shared,
  };
  const written = new Map<string, string | Uint8Array>([
    ...(await builtFiles(settings)),
    ["world.json", JSON.stringify(emulator.snapshot())],
    ...(calls === undefined ? [] : [["calls.js", await readCalls(calls)] as const]),
  ]);
  await write(out, written);
  written.delete("LICENSES.txt");
  const size = [...written.values()].reduce((sum, bytes) => sum + gzipSync(bytes).length, 0);
  process.stdout.write(
    `wrote ${out}: ${Math.round(size / 1_000)} kB compressed, for any web server, like \`npx serve ${out}\`; --random-seed ${emulator.randomSeed} generates the same keys again\n`,
  );
  return 0;
}

/** The files that every site has, with the settings of this site. */
async function builtFiles(settings: SiteSettings): Promise<Map<string, string | Uint8Array>> {
  const read = (name: string) => readFile(requireFile(`dist/page/${name}`, "site"));
  requireFile(PAGE_FILES, "site");
  const files = new Map<string, string | Uint8Array>(Object.entries((await readPageFiles()) ?? {}));
  files.set("index.html", withSettings((await read("site.html")).toString(), settings));
  files.set("site.js", brotliDecompressSync(await read("site.js.br")));
  return files.set("LICENSES.txt", await read("LICENSES.txt"));
}

function withSettings(html: string, settings: SiteSettings): string {
  // Escaped, so that a text cannot end the script element.
  const json = JSON.stringify(settings).replaceAll("<", String.raw`\u003c`);
  const title = (settings.title ?? "latchkey").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return html
    .replace("<title>latchkey</title>", () => `<title>${title}</title>`)
    .replace('id="settings">', (start) => start + json);
}

/** @throws UsageError if the folder is neither empty nor a site */
async function checkFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    const reason = code === "ENOTDIR" ? "it is not a folder" : fileFailure(error);
    throw new UsageError(`--out: ${folder}: ${reason}`, { cause: error });
  });
  const [first] = entries;
  if (first === undefined) return;
  const other = entries.find((entry) => !entry.isFile() || !NAMES.includes(entry.name));
  const html = await readFile(join(folder, "index.html"), "utf8").catch(() => "");
  if (other === undefined && html.includes(MARK)) return;
  throw new UsageError(
    `--out: ${folder}: expected a new or empty folder, or one with only a site, got one with ${(other ?? first).name}; nothing was overwritten`,
  );
}

async function write(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const name of NAMES) {
      const bytes = files.get(name);
      // A previous site may have had this file.
      if (bytes === undefined) await rm(join(folder, name), { force: true });
      else await writeFile(join(folder, name), bytes);
    }
  } catch (error) {
    throw new UsageError(`--out: ${folder}: ${fileFailure(error)}`, { cause: error });
  }
}

/** @throws UsageError if the module imports other files, fails, or does not export a function */
async function readCalls(file: string): Promise<Uint8Array> {
  const bytes = await readBytes(file);
  let calls: unknown;
  try {
    // A module in a data URL cannot import other files, like the copy in a site.
    const url = `data:text/javascript;base64,${Buffer.from(bytes).toString("base64")}`;
    calls = ((await import(url)) as Record<string, unknown>)["default"];
  } catch (error) {
    const isImport = /specifier|package|Invalid relative URL/.test(thrownText(error));
    const reason = isImport
      ? "expected no imports, because only this file is copied to the site"
      : thrownText(error);
    throw new UsageError(`--calls: ${file}: ${reason}`, { cause: error });
  }
  if (typeof calls === "function") return bytes;
  throw new UsageError(
    `--calls: ${file}: expected a function as default export, like async (call) => { await call(operation, body); }`,
  );
}
