// Runs the tests with the lowest Node.js of each line that `engines` in package.json claims. The
// npm packages named node-<platform>-<arch> bring the program; arguments go to vitest.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
const versions = engines.node.split("||").map((range) => {
  const [, major, minor = "0"] = /(\d+)(?:\.(\d+))?/.exec(range);
  return `${major}.${minor}.0`;
});

const failed = versions.filter((version) => {
  const node = install(version);
  console.log(`\nNode.js ${version}`);
  const args = ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)];
  return spawnSync(node, args, { stdio: "inherit" }).status !== 0;
});
console.log(
  `\npassed with Node.js ${versions.filter((v) => !failed.includes(v)).join(", ") || "none"}`,
);
if (failed.length > 0) {
  console.error(`failed with Node.js ${failed.join(", ")}`);
  process.exitCode = 1;
}

function install(version) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join("node_modules", ".cache", "node", version);
  const node = join(folder, "node_modules", name, "bin", platform === "win" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder];
  const { status } = spawnSync("npm", [...args, `${name}@${version}`], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: platform === "win",
  });
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}`);
  return node;
}
