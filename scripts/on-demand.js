// Packages that only some tests need, installed when these tests run.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

/** The version of msw 3 that the tests of doors use. */
const MSW_3 = "3.0.5";

/**
 * Installs a package into a folder of its own, if it is not there yet.
 * @param {string} folder below node_modules/.cache
 * @param {string} spec what npm is to install
 * @param {string} name the name under which npm installs it
 * @returns {string} its folder
 */
export function installInto(folder, spec, name) {
  const prefix = join("node_modules", ".cache", folder);
  const installed = join(prefix, "node_modules", name);
  if (existsSync(join(installed, "package.json"))) return installed;
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", [...args, "--prefix", prefix, spec], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm could not install ${spec}`);
  return installed;
}

/**
 * Installs msw 3, and makes it importable as `msw-3`. It is no dependency, because it asks for Node.js
 * 22, and npm would warn everybody who has Node.js 20. There, its code for browsers is tested alone.
 */
export function linkMsw3() {
  const folder = installInto(join("msw", MSW_3), `msw-3@npm:msw@${MSW_3}`, "msw-3");
  const link = join("node_modules", "msw-3");
  rmSync(link, { recursive: true, force: true });
  symlinkSync(resolve(folder), link, "junction");
}
