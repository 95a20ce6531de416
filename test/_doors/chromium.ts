import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const root = createRequire(import.meta.url)
  .resolve("@sparticuz/chromium")
  .replace(/[\\/]build[\\/].*$/, "");

const OTHERWISE = "without a browser, run the other tests with `npx vitest run --project fetch`";

/**
 * The Chromium that tests run in: that of `CHROME_PATH`, or else the headless shell of the package
 * `@sparticuz/chromium` (Linux on x64), which brings the libraries that it needs. Getters, so that
 * nothing is unpacked for a run without a browser.
 */
export const chromium = {
  args: ["--disable-gpu", "--disable-quic"],

  get executablePath(): string {
    const named = process.env["CHROME_PATH"];
    if (!named) return join(unpacked(), "chromium");
    if (existsSync(named)) return named;
    throw new Error(`CHROME_PATH: there is no file ${named}; ${OTHERWISE}`);
  },

  get env(): Record<string, string> {
    const env = { ...process.env } as Record<string, string>;
    if (env["CHROME_PATH"]) return env;
    const folder = unpacked();
    const libraries = [join(folder, "al2023", "lib"), env["LD_LIBRARY_PATH"]];
    return {
      ...env,
      LD_LIBRARY_PATH: libraries.filter(Boolean).join(":"),
      FONTCONFIG_PATH: env["FONTCONFIG_PATH"] ?? join(folder, "fonts"),
      XDG_CACHE_HOME: env["XDG_CACHE_HOME"] ?? join(folder, "cache"),
    };
  },
};

/** Unpacks the browser of the package, once for each version, and returns its folder. */
function unpacked(): string {
  if (process.platform !== "linux" || process.arch !== "x64") {
    const place = `${process.platform} on ${process.arch}`;
    throw new Error(`no browser for ${place}: name one with CHROME_PATH; ${OTHERWISE}`);
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const cache = join(root, "..", "..", ".cache", "chromium");
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  try {
    unpackInto(temporary);
    // All of it or nothing: another process may do the same now, or be killed during it.
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/**
 * The package unpacks into TMPDIR, and its libraries only where it believes to be on AWS Lambda; it then
 * changes the environment of its process, so it runs in a separate one.
 */
function unpackInto(folder: string): void {
  const code = 'await (await import("@sparticuz/chromium")).default.executablePath();';
  execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  // Without a font, Chromium ends when it meets the first letter; the package looks for its own at
  // an absolute path.
  writeFileSync(
    join(folder, "fonts", "fonts.conf"),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`,
  );
}
