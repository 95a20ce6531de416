// Makes the project of a user in a temporary folder, with the packed package.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratch } from "./processes.js";

const root = join(import.meta.dirname, "..");

/** Makes the project, with these packages in the versions of this repository. */
export function givenProject(name, packages) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const flags = ["--json", "--ignore-scripts", `--pack-destination=${folder}`];
  const [{ filename }] = JSON.parse(npm(root, "pack", ...flags));
  const versions = packages.map((each) => [each, versionOf(each)]);
  const dependencies = { latchkey: `file:./${filename}`, ...Object.fromEntries(versions) };
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies }),
  );
  npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts");
  return folder;
}

function versionOf(name) {
  const manifest = join(root, "node_modules", name, "package.json");
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}

function npm(cwd, ...args) {
  const shell = process.platform === "win32";
  return execFileSync("npm", args, { cwd, shell, stdio: ["ignore", "pipe", "pipe"] });
}
