// Installs other emulators outside of the project, in a temporary folder that is kept for the next run.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(tmpdir(), "latchkey-bench-peers");

/** Installs a peer. Returns its version, its command, and the Node.js that it requires. */
export function install({ name, spec, bin }) {
  const folder = installInto(name.replace(/\W+/g, "-"), `${name}@${spec}`);
  const file = join(folder, "node_modules", name);
  const { engines, version } = readJson(join(file, "package.json"));
  return { version, bin: join(file, bin), node: nodeFor(engines?.node) };
}

function installInto(folderName, wanted) {
  const folder = join(root, folderName);
  const manifest = join(folder, "package.json");
  const done = join(folder, "installed");
  if (existsSync(done) && readFileSync(done, "utf8") === wanted) return folder;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", wanted], {
    cwd: folder,
    shell: process.platform === "win32",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 300_000,
  });
  writeFileSync(done, wanted);
  return folder;
}

/** This Node.js if it is new enough for the range, else the lowest line that is. */
function nodeFor(range = "") {
  const lowest = /^>=\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(range)?.slice(1);
  if (lowest === undefined || !isBelow(process.versions.node, lowest)) {
    return { command: process.execPath, version: process.versions.node };
  }
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  const [major] = lowest;
  const folder = installInto(`node-${major}`, `${name}@${range} <${Number(major) + 1}`);
  const file = join(folder, "node_modules", name);
  const { version } = readJson(join(file, "package.json"));
  const suffix = process.platform === "win32" ? ".exe" : "";
  return { command: join(file, "bin", `node${suffix}`), version };
}

function isBelow(version, lowest) {
  const parts = version.split(".").map(Number);
  for (const [index, part] of lowest.entries()) {
    if (parts[index] !== Number(part ?? 0)) return parts[index] < Number(part ?? 0);
  }
  return false;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
