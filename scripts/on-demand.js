// Packages that only some tests need, installed when these tests run.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The version of each. docs/where-it-runs.md names those of runtimes and frameworks. */
export const versions = {
  // It brings the version of wrangler that it needs.
  "@cloudflare/vitest-plugin": "1.5.0",
  bun: "1.4.5",
  deno: "2.9.6",
  express: "5.3.0",
  miniflare: "4.20260730.0",
  tsx: "4",
  webpack: "5.113.0",
};

/** The version of msw 3 that the tests of doors use. */
const MSW_3 = "3.0.5";
/** The lowest Node.js in which wrangler and Miniflare run. */
const NODE_OF_WORKERS = "22.12.0";

/**
 * Installs one of the packages above, if it is not there yet.
 * @param {keyof typeof versions} name
 * @returns {string} its folder
 */
export function install(name) {
  const version = versions[name];
  return installInto(join("packages", name, version), `${name}@${version}`, name);
}

/**
 * The program of one of the packages above.
 * @param {keyof typeof versions} name
 * @returns {string} its path
 */
export function programOf(name) {
  return resolve(install(name), "..", ".bin", name);
}

/**
 * The program of a Node.js in which wrangler and Miniflare run: this one, or one that is installed.
 * @returns {string} its path
 */
export function nodeOfWorkers() {
  const [major = 0] = process.versions.node.split(".").map(Number);
  return major >= 22 ? process.execPath : resolve(installNode(NODE_OF_WORKERS));
}

/**
 * Installs a version of Node.js from the npm package node-<platform>-<arch>.
 * @param {string} version
 * @returns {string} the path of its program
 */
export function installNode(version) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = installInto(join("node", version), `${name}@${version}`, name);
  return join(folder, "bin", platform === "win" ? "node.exe" : "node");
}

/**
 * Installs a package into a folder where nothing else is, if it is not there yet.
 * @param {string} folder below node_modules/.cache
 * @param {string} spec names the package and its version for npm
 * @param {string} name the name under which npm installs it
 * @returns {string} its folder
 */
function installInto(folder, spec, name) {
  const final = join("node_modules", ".cache", folder);
  const installed = join(final, "node_modules", name);
  if (existsSync(installed)) return installed;
  mkdirSync(dirname(final), { recursive: true });
  // All of it or nothing: another process may install it now, or be killed while it does.
  const prefix = mkdtempSync(`${final}-`);
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  // The project has the peer dependencies.
  args.push("--legacy-peer-deps", "--prefix", prefix, spec);
  const { status } = spawnSync("npm", args, {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm could not install ${spec}`);
  try {
    renameSync(prefix, final);
  } catch (error) {
    rmSync(prefix, { recursive: true, force: true });
    if (!existsSync(installed)) throw error;
  }
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
