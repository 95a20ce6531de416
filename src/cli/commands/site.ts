import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { thrownText } from "../../base/realm.ts";
import { throwLines, UsageError } from "../../base/usage-error.ts";
import { printable } from "../../base/wording/text.ts";
import { PAGE_FILES, readPageFiles } from "../../doors/http/page-files.ts";
import { createEmulator } from "../../emulator/create-emulator.ts";
import type { SiteSettings } from "../../page/data/site-settings.ts";
import { readBytes, readFixtureFiles } from "../../seed/files.ts";
import { fileFailure } from "../files/write-new.ts";
import { mergeOptions, readFlags } from "../options/read-options.ts";
import { ownSiteOptions } from "../options/site-options.ts";
import { requireFile } from "../require-file.ts";

/** A visitor loads all of them except the licences. */
const NAMES = [
  "index.html",
  "page.css",
  "page.js",
  "site.js",
  "world.json",
  "calls.js",
  "LICENSES.txt",
];
/** Stands in the HTML of every site. */
const MARK = '<meta name="generator" content="latchkey" />';

const NO_OPERATIONS =
  "operations: expected none, because a site cannot have operations of your own; leave them out of the configuration";

/**
 * Writes the web page with an emulator as a folder of static files. The records are made here, so that no
 * visitor loads faker.
 * @returns the exit code
 * @throws UsageError for invalid options and fixtures, and for a folder that has other files
 */
export async function runSite(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const own = readFlags(flags, ownSiteOptions);
  throwLines(own.lines);
  const { calls, out, title } = own.options;
  if (out === undefined)
    throw new UsageError("--out: expected the folder to write, like --out site");
  const options = await mergeOptions(flags, process.env, { state: false });
  for (const line of options.unused)
    process.stderr.write(`latchkey: warning: ${printable(line)}\n`);
  if (options.operations !== undefined) throw new UsageError(NO_OPERATIONS);
  await checkFolder(out);
  const { fixtures: files, generate, latency, quirks, randomSeed, strict } = options;
  const read = files && (await readFixtureFiles(files));
  const shared = { strict, quirks, latency };
  const now = options.now ?? Date.now();
  const made = { fixtures: read, generate, randomSeed, now, ...shared, log: () => {} };
  const emulator = await createEmulator(made);
  const settings: SiteSettings = {
    title,
    at: emulator.clock.now(),
    isFrozen: options.now !== undefined,
    hasCalls: calls !== undefined,
    // A snapshot has none.
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
    `wrote ${out}: ${Math.round(size / 1_000)} kB compressed, for any web server, like \`npx serve ${out}\`; --random-seed ${emulator.randomSeed} makes the same keys\n`,
  );
  return 0;
}

/** The files that are in every site, with the settings of this one. */
async function builtFiles(settings: SiteSettings): Promise<Map<string, string | Uint8Array>> {
  const read = (name: string) => readFile(requireFile(`dist/page/${name}`, "site"));
  requireFile(PAGE_FILES, "site");
  const files = new Map<string, string | Uint8Array>(Object.entries((await readPageFiles()) ?? {}));
  files.set("index.html", withSettings((await read("site.html")).toString(), settings));
  files.set("site.js", brotliDecompressSync(await read("site.js.br")));
  return files.set("LICENSES.txt", await read("LICENSES.txt"));
}

function withSettings(html: string, settings: SiteSettings): string {
  // The text cannot end the element that it stands in.
  const json = JSON.stringify(settings).replaceAll("<", String.raw`\u003c`);
  const title = (settings.title ?? "latchkey").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return html
    .replace("<title>latchkey</title>", () => `<title>${title}</title>`)
    .replace('id="settings">', (start) => start + json);
}

/** @throws UsageError if the folder has a file that no site has */
async function checkFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    const reason = code === "ENOTDIR" ? "it is no folder" : fileFailure(error);
    throw new UsageError(`--out: ${folder}: ${reason}`, { cause: error });
  });
  const [first] = entries;
  if (first === undefined) return;
  const other = entries.find((entry) => !entry.isFile() || !NAMES.includes(entry.name));
  const html = await readFile(join(folder, "index.html"), "utf8").catch(() => "");
  if (other === undefined && html.includes(MARK)) return;
  throw new UsageError(
    `--out: ${folder}: expected a new or an empty folder, or one with nothing but a site, got one with ${(other ?? first).name}; nothing is overwritten`,
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
      // An earlier site may have a file that this one does not have.
      if (bytes === undefined) await rm(join(folder, name), { force: true });
      else await writeFile(join(folder, name), bytes);
    }
  } catch (error) {
    throw new UsageError(`--out: ${folder}: ${fileFailure(error)}`, { cause: error });
  }
}

/** @throws UsageError if the file is no module that works alone, or does not export a function */
async function readCalls(file: string): Promise<Uint8Array> {
  const bytes = await readBytes(file);
  let calls: unknown;
  try {
    // Like the copy in a site, a module in a data URL can import no other file.
    const url = `data:text/javascript;base64,${Buffer.from(bytes).toString("base64")}`;
    calls = ((await import(url)) as Record<string, unknown>)["default"];
  } catch (error) {
    const isImport = /specifier|package|Invalid relative URL/.test(thrownText(error));
    const reason = isImport
      ? "expected no imports, because a site has a copy of this file alone"
      : thrownText(error);
    throw new UsageError(`--calls: ${file}: ${reason}`, { cause: error });
  }
  if (typeof calls === "function") return bytes;
  throw new UsageError(
    `--calls: ${file}: expected a default export, a function that gets one to make calls with`,
  );
}
